"""A third-party call that was given up on still runs: nothing is decided before it ends, and it is not repeated."""

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from scheduler.connections import abandoned_calls
from scheduler.connections.bounded import bounded
from scheduler.connections.registry import Registry
from scheduler.engine.refusal import RefusedError
from scheduler.engine.runs.tools import CALL_SECONDS
from scheduler.rules.failures import FailureClass
from tests.engine.harness import HOUR, MINUTE
from tests.runs.scripts import consumer
from tests.runs.shop import PATIENCE, Shop, fail

_GRACE = 0.05 - CALL_SECONDS
"""What is left of the time limit of a call, so that the tests need not wait for it."""


class SlowShop(Shop):
    """Its acting tools are of a third party, and act only when the test lets them."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        connector = self.world.registry().connector("world")
        self.world.registry = lambda: Registry([bounded(connector, _GRACE)])  # type: ignore[method-assign]
        self.world.gate = threading.Event()
        self.crash()

    def act(self, tool: str) -> str:
        """Leave the call of a run behind; the run."""
        self.deploy(consumer(tool=tool))
        self.tick()
        self.publish("a")
        self.tick()
        assert self.runs("C")[-1].status == "paused:reconciliation"
        return self.runs("C")[-1].id

    def let_it_end(self) -> None:
        assert self.world.gate is not None
        self.world.gate.set()
        for thread in threading.enumerate():
            if thread.name == "world:x":
                thread.join(PATIENCE)


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[SlowShop]:
    shop = SlowShop(tmp_path)
    yield shop
    shop.let_it_end()
    shop.close()


@pytest.mark.parametrize("tool", ["act", "blind"])
def test_nothing_is_decided_while_it_runs(shop: SlowShop, tool: str) -> None:
    shop.act(tool)
    shop.pass_time(HOUR)
    assert (len(shop.world.calls), shop.world.checks) == (1, [])
    assert shop.events() == {"a": "reserved"}


@pytest.mark.parametrize("tool", ["act", "blind"])
def test_its_own_late_answer_counts(shop: SlowShop, tool: str) -> None:
    shop.world.answer = {"id": 7}
    shop.act(tool)
    shop.pass_time(MINUTE)
    shop.let_it_end()
    shop.pass_time(2 * MINUTE)
    assert shop.state("C")["told"] == ["applied", {"id": 7}]
    assert (len(shop.world.calls), shop.requests()) == (1, [])


def test_a_late_answer_that_cannot_be_kept_still_says_that_it_happened(shop: SlowShop) -> None:
    shop.world.answer = float("inf")
    shop.act("blind")
    shop.let_it_end()
    shop.pass_time(MINUTE)
    outcome, result = shop.state("C")["told"]
    assert (outcome, "could not be stored" in result["note"]) == ("applied", True)


def test_its_own_late_failure_counts_and_it_is_tried_again(shop: SlowShop) -> None:
    shop.world.fails = [fail(FailureClass.TRANSIENT, "The queue was full.")]
    shop.act("blind")
    shop.let_it_end()
    shop.pass_time(MINUTE)
    assert len(shop.world.calls) == 2
    assert shop.events() == {"a": "consumed"}


@pytest.mark.parametrize("tool", ["act", "blind"])
def test_where_it_does_not_know_either_the_usual_rule_holds_from_then_on(shop: SlowShop, tool: str) -> None:
    shop.world.fails, shop.world.happens = [fail(FailureClass.UNSURE)], False
    shop.act(tool)
    shop.pass_time(MINUTE)
    shop.let_it_end()
    shop.pass_time(2 * MINUTE)
    assert len(shop.world.calls) == 1
    shop.pass_time(2 * MINUTE)
    assert (len(shop.world.calls), len(shop.requests())) == ((2, 0) if tool == "act" else (1, 1))


def test_after_a_while_the_user_is_asked_and_no_repetition_is_accepted_before_it_ends(shop: SlowShop) -> None:
    run = shop.act("blind")
    shop.pass_time(2 * MINUTE)
    assert shop.requests() == []
    shop.pass_time(MINUTE)
    assert [request.kind for request in shop.requests()] == ["unsure"]
    with pytest.raises(RefusedError) as refused:
        shop.answering.resolve(run, "not-happened")
    assert refused.value.code == "still running"
    shop.let_it_end()
    shop.pass_time(10 * MINUTE)
    assert (shop.events(), shop.requests(), len(shop.world.calls)) == ({"a": "consumed"}, [], 1)


def test_it_is_still_known_of_when_the_engine_is_started_again_in_the_same_process(shop: SlowShop) -> None:
    shop.act("blind")
    shop.crash()
    shop.pass_time(2 * MINUTE)
    assert (shop.requests(), len(shop.world.calls)) == ([], 1)
    shop.let_it_end()
    shop.pass_time(MINUTE)
    assert shop.events() == {"a": "consumed"}


def test_nothing_is_repeated_either_once_it_has_ended_and_its_answer_is_not_read_yet(shop: SlowShop) -> None:
    run = shop.act("blind")
    shop.pass_time(3 * MINUTE)
    shop.let_it_end()
    with pytest.raises(RefusedError) as refused:
        shop.answering.resolve(run, "not-happened")
    assert refused.value.code == "still running"
    shop.pass_time(MINUTE)
    assert (shop.events(), shop.requests(), len(shop.world.calls)) == ({"a": "consumed"}, [], 1)


def test_what_the_user_knows_better_is_not_remembered(shop: SlowShop) -> None:
    run = shop.act("blind")
    [key] = [call.key for call in shop.world.calls]
    shop.pass_time(3 * MINUTE)
    shop.answering.resolve(run, "happened")
    assert not abandoned_calls.is_known(key)
