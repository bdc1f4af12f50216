"""What the store says about a script may come from somebody else's export: the script itself has the last word."""

import json
from typing import Any

import pytest

from tests.runs.scripts import consumer
from tests.runs.shop import Shop


def describe_otherwise(shop: Shop, **changes: Any) -> None:
    """As a forged export would have it; the app is started again with that."""
    with shop.database.write() as db:
        [written] = db.execute("SELECT described FROM scripts").fetchone()
        described = json.loads(written)
        described["handlers"][0] |= changes.pop("handler", {})
        db.execute("UPDATE scripts SET described = ?", (json.dumps({**described, **changes}),))
    shop.crash()


@pytest.mark.parametrize(
    ("changes", "difference"),
    [
        ({"handler": {"approve": "never"}}, "approve of C"),
        ({"connections": ["world:x", "world:y"]}, "connections"),
    ],
)
def test_a_script_that_asks_is_not_run_as_one_that_does_not(
    shop: Shop, changes: dict[str, Any], difference: str
) -> None:
    shop.deploy(consumer(approve="always"))
    describe_otherwise(shop, **changes)
    shop.publish("a")
    shop.tick()
    assert shop.world.calls == []
    [request] = shop.requests()
    assert request.kind == "script error"
    assert request.sentence == (
        f"w.py: It describes itself differently than when it was deployed ({difference}). Deploy it again."
    )


def test_deploying_it_again_puts_it_right(shop: Shop) -> None:
    shop.deploy(consumer(approve="always"))
    describe_otherwise(shop, handler={"approve": "never"})
    shop.publish("a")
    shop.tick()
    shop.deploy(consumer(approve="always") + "\n")
    shop.tick()
    assert [request.kind for request in shop.requests()] == ["approval"]


def test_deploying_the_same_source_puts_it_right_too(shop: Shop) -> None:
    shop.deploy(consumer(approve="always"))
    describe_otherwise(shop, handler={"approve": "never"})
    shop.publish("a")
    shop.tick()
    shop.deploy(consumer(approve="always"))
    shop.tick()
    assert [request.kind for request in shop.requests()] == ["approval"]
