"""The stored description of a script may come from a forged export: the script itself decides."""

import json
from typing import Any

import pytest

from tests.runs.runtime_fixture import RuntimeFixture
from tests.runs.scripts import consumer


def forge_description(runtime: RuntimeFixture, **changes: Any) -> None:
    """Change the stored description as a forged export would, and restart."""
    with runtime.database.write() as db:
        [written] = db.execute("SELECT described FROM scripts").fetchone()
        described = json.loads(written)
        described["handlers"][0] |= changes.pop("handler", {})
        db.execute("UPDATE scripts SET described = ?", (json.dumps({**described, **changes}),))
    runtime.crash()


@pytest.mark.parametrize(
    ("changes", "difference"),
    [
        ({"handler": {"approve": "never"}}, "approve of C"),
        ({"connections": ["world:x", "world:y"]}, "connections"),
    ],
)
def test_a_script_does_not_run_with_a_forged_description(
    runtime: RuntimeFixture, changes: dict[str, Any], difference: str
) -> None:
    runtime.deploy(consumer(approve="always"))
    forge_description(runtime, **changes)
    runtime.publish("a")
    runtime.tick()
    assert runtime.service.calls == []
    [request] = runtime.requests()
    assert request.kind == "script error"
    assert request.sentence == (
        f"w.py: The script no longer matches what was deployed ({difference}). Deploy it again."
    )


def test_deploying_a_new_version_fixes_the_description(runtime: RuntimeFixture) -> None:
    runtime.deploy(consumer(approve="always"))
    forge_description(runtime, handler={"approve": "never"})
    runtime.publish("a")
    runtime.tick()
    runtime.deploy(consumer(approve="always") + "\n")
    runtime.tick()
    assert [request.kind for request in runtime.requests()] == ["approval"]


def test_deploying_the_same_source_fixes_the_description(runtime: RuntimeFixture) -> None:
    runtime.deploy(consumer(approve="always"))
    forge_description(runtime, handler={"approve": "never"})
    runtime.publish("a")
    runtime.tick()
    runtime.deploy(consumer(approve="always"))
    runtime.tick()
    assert [request.kind for request in runtime.requests()] == ["approval"]
