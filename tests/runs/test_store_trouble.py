"""The store refuses for a while: nothing is lost, nothing is half written, and it works again afterwards."""

import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from scheduler.engine.runs.workshop import BadScriptError
from scheduler.rules.failures import FailureClass
from scheduler.store.errors import DiskFullError, StaleError
from tests.engine.harness import HOUR, MINUTE
from tests.runs.breaking import refusing
from tests.runs.scripts import consumer, job, producer
from tests.runs.shop import Shop, fail

STEPS = {"begin": 1, "prepare": 2, "mutation begins": 3, "outcome": 4, "commit": 5}


def refuse_from(shop: Shop, number: int, times: int) -> Callable[[], bool]:
    """From the n-th transaction of the run layer on, the disk is full for so many of them; says whether it was.

    The real refusal comes as late as it can: all was written, and the commit failed.
    """
    write, left, refused = shop.database.write, [number], [0]

    @contextmanager
    def full(*, durable: bool = False) -> Iterator[sqlite3.Connection]:
        with write(durable=durable) as db:
            yield db
            if threading.current_thread() is not threading.main_thread():
                left[0] -= 1
                if left[0] <= 0 and refused[0] < times:
                    refused[0] += 1
                    raise DiskFullError(Path("store"))

    shop.database.write = full  # type: ignore[method-assign]
    return lambda: refused[0] == times


@pytest.mark.parametrize("times", [1, 2])
@pytest.mark.parametrize("step", STEPS)
def test_a_refusal_at_any_step_loses_nothing_and_acts_once(shop: Shop, step: str, times: int) -> None:
    """D5: the outcome of an action is written as soon as there is room; everything else is tried again."""
    shop.deploy(consumer())
    shop.tick()
    was_refused = refuse_from(shop, STEPS[step], times)
    shop.publish("a")
    shop.tick()
    shop.pass_time(MINUTE)
    assert was_refused()
    assert len(shop.world.calls) == 1
    assert shop.events() == {"a": "consumed"}
    assert shop.state("C") == {"done": ["a"], "told": ["applied", "done"]}
    assert shop.handler("C").failures == 0
    assert shop.requests() == []
    assert [run.status for run in shop.runs("C")[:-1] if run.status not in ("committed", "paused:transient")] == []


def test_the_outcome_waits_until_the_store_takes_it(shop: Shop) -> None:
    """D5: another process holds the store from the call on; what was done is not forgotten."""
    shop.world.gate = threading.Event()
    shop.deploy(consumer())
    shop.tick()
    shop.publish("a")
    shop.wait(shop.world.entered.is_set)
    with refusing(shop):
        shop.world.gate.set()
        shop.wait(lambda: any(one.subject == "store" for one in shop.announcements))
        assert [run.phase for run in shop.active()] == ["mutating"]
    shop.tick()
    assert shop.events() == {"a": "consumed"}
    assert (len(shop.world.calls), shop.world.checks) == (1, [])
    warnings = [one for one in shop.announcements if one.subject == "store"]
    assert len(warnings) == 1
    assert warnings[0].is_warning


def test_a_refused_action_is_written_down_as_such_as_soon_as_it_can(shop: Shop) -> None:
    shop.world.gate = threading.Event()
    shop.world.fails = [fail(FailureClass.UNSURE)]
    shop.deploy(consumer(tool="blind"))
    shop.tick()
    shop.publish("a")
    shop.wait(shop.world.entered.is_set)
    with refusing(shop):
        shop.world.gate.set()
        shop.wait(lambda: any(one.subject == "store" for one in shop.announcements))
    shop.tick()
    assert [request.kind for request in shop.requests()] == ["unsure"]
    assert shop.events() == {"a": "reserved"}


def test_an_orderly_end_while_the_store_refuses_leaves_it_to_the_next_start(shop: Shop) -> None:
    """The action was made and cannot be written down: its tool is asked afterwards, and it is not made again."""
    shop.world.gate = threading.Event()
    shop.deploy(consumer())
    shop.tick()
    shop.publish("a")
    shop.wait(shop.world.entered.is_set)
    with refusing(shop):
        shop.world.gate.set()
        shop.wait(lambda: any(one.subject == "store" for one in shop.announcements))
        shop.house.close()
        assert [run.phase for run in shop.active()] == ["mutating"]
    shop.crash()
    shop.tick()
    assert (len(shop.world.calls), len(shop.world.checks)) == (1, 1)
    assert shop.events() == {"a": "consumed"}


def test_what_a_checker_found_is_not_asked_again(shop: Shop) -> None:
    """D5: nobody hammers on a server because our own disk is full."""
    shop.world.fails = [fail(FailureClass.UNSURE)]
    shop.deploy(consumer())
    shop.tick()
    was_refused = refuse_from(shop, 5, 1)  # begin, prepare, mutation begins, unsure, found
    shop.publish("a")
    shop.tick()
    assert was_refused()
    assert len(shop.world.checks) == 1
    assert shop.events() == {"a": "consumed"}


def test_a_run_cannot_begin_until_there_is_room_and_then_begins_once(shop: Shop) -> None:
    shop.deploy(job('ctx.done("fine")'))
    was_refused = refuse_from(shop, 1, 2)
    shop.clock.move(HOUR)
    shop.tick()
    assert was_refused()
    assert [run.status for run in shop.runs("j")] == ["committed"]
    assert [one.state for one in shop.occurrences("j")] == ["succeeded"]


def test_a_checkpoint_that_could_not_be_written_is_not_taken_for_done(shop: Shop) -> None:
    shop.deploy(producer('ctx.publish(t, id="x")\nctx.checkpoint({"n": 1})\nreturn {"n": 2}'))
    was_refused = refuse_from(shop, 2, 1)
    shop.tick()
    assert was_refused()
    assert (shop.events(), shop.state("p")) == ({}, {})
    shop.pass_time(MINUTE)
    assert (shop.events(), shop.state("p")) == ({"x": "pending"}, {"n": 2})


def test_a_row_that_is_not_where_we_thought_is_our_mistake_and_not_the_disks(shop: Shop) -> None:
    """It would fail in the same way for ever: so it is not tried again and again, and not insisted on."""
    shop.deploy(job('ctx.done("fine")'))
    with pytest.MonkeyPatch.context() as patch:

        def stale(*_: Any) -> None:
            raise StaleError("The run is elsewhere.")

        patch.setattr("scheduler.engine.runs.endings.Endings.commit", stale)
        shop.clock.move(HOUR)
        shop.tick()
    [run] = shop.runs("j")
    assert (run.status, [request.kind for request in shop.requests()]) == ("failed:internal", ["internal"])


def test_a_commit_that_was_refused_does_not_begin_the_next_run_either(shop: Shop) -> None:
    """The next one of the lane begins in the same transaction, so it has not begun."""
    shop.world.gate = threading.Event()
    shop.deploy(consumer())
    shop.tick()
    shop.publish("a")
    shop.wait(shop.world.entered.is_set)
    shop.publish("b")
    was_refused = refuse_from(shop, 2, 1)  # outcome, commit
    shop.world.gate.set()
    shop.tick()
    assert was_refused()
    assert [run.status for run in shop.runs("C")[1:]] == ["paused:transient"]
    assert [one for one in shop.announcements if one.is_warning] == []
    shop.pass_time(MINUTE)
    assert shop.events() == {"a": "consumed", "b": "consumed"}
    assert [call.parameters for call in shop.world.calls] == [{"n": ["a"]}, {"n": ["b"]}]


def test_a_script_that_cannot_be_loaded_is_written_down_when_there_is_room(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop.deploy(job('ctx.done("fine")'))

    def refuse(*_: Any) -> None:
        raise BadScriptError(fail(FailureClass.LOGIC, "It cannot be loaded."))

    monkeypatch.setattr(shop.house.workshop, "acquire", refuse)
    was_refused = refuse_from(shop, 1, 1)
    shop.clock.move(HOUR)
    shop.tick()
    assert was_refused()
    assert [(run.status, run.error["sentence"]) for run in shop.runs("j")] == [("failed:logic", "It cannot be loaded.")]
