"""The store fails for a while: nothing is lost or half written, and it works again afterwards."""

import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from scheduler.engine.runs.finish import AttemptFinisher
from scheduler.engine.runs.script_workers import BadScriptError
from scheduler.rules.failures import FailureClass
from scheduler.store.errors import DiskFullError, StaleError
from tests.engine.engine_fixture import HOUR, MINUTE
from tests.runs.fault_injection import locked_store
from tests.runs.runtime_fixture import RuntimeFixture, fail
from tests.runs.scripts import consumer, job, producer

STEPS = {"begin": 1, "prepare": 2, "mutation begins": 3, "outcome": 4, "commit": 5}


def fail_store(runtime: RuntimeFixture, number: int, times: int) -> Callable[[], bool]:
    """From the n-th transaction of the runner on, the disk is full for `times` of them; returns a check for that.

    It fails as late as possible: everything was written, and the commit fails.
    """
    write, left, refused = runtime.database.write, [number], [0]

    @contextmanager
    def full(*, durable: bool = False) -> Iterator[sqlite3.Connection]:
        with write(durable=durable) as db:
            yield db
            if threading.current_thread() is not threading.main_thread():
                left[0] -= 1
                if left[0] <= 0 and refused[0] < times:
                    refused[0] += 1
                    raise DiskFullError(Path("store"))

    runtime.database.write = full  # type: ignore[method-assign]
    return lambda: refused[0] == times


@pytest.mark.parametrize("times", [1, 2])
@pytest.mark.parametrize("step", STEPS)
def test_a_store_error_at_any_step_loses_nothing_and_acts_once(runtime: RuntimeFixture, step: str, times: int) -> None:
    """The outcome of an action is stored as soon as possible; everything else is retried."""
    runtime.deploy(consumer())
    runtime.tick()
    has_failed = fail_store(runtime, STEPS[step], times)
    runtime.publish("a")
    runtime.tick()
    runtime.pass_time(MINUTE)
    assert has_failed()
    assert len(runtime.service.calls) == 1
    assert runtime.events() == {"a": "consumed"}
    assert runtime.state("C") == {"done": ["a"], "told": ["applied", "done"]}
    assert runtime.handler("C").failures == 0
    assert runtime.requests() == []
    assert [run.status for run in runtime.runs("C")[:-1] if run.status not in ("committed", "paused:transient")] == []


def test_the_outcome_is_kept_until_the_store_accepts_it(runtime: RuntimeFixture) -> None:
    """Another process locks the store from the call on; the outcome is not lost."""
    runtime.service.gate = threading.Event()
    runtime.deploy(consumer())
    runtime.tick()
    runtime.publish("a")
    runtime.wait(runtime.service.entered.is_set)
    with locked_store(runtime):
        runtime.service.gate.set()
        runtime.wait(lambda: any(one.subject == "store" for one in runtime.announcements))
        assert [run.phase for run in runtime.active()] == ["mutating"]
    runtime.tick()
    assert runtime.events() == {"a": "consumed"}
    assert (len(runtime.service.calls), runtime.service.checks) == (1, [])
    warnings = [one for one in runtime.announcements if one.subject == "store"]
    assert len(warnings) == 1
    assert warnings[0].is_warning


def test_an_unsure_outcome_is_stored_as_soon_as_possible(runtime: RuntimeFixture) -> None:
    runtime.service.gate = threading.Event()
    runtime.service.fails = [fail(FailureClass.UNSURE)]
    runtime.deploy(consumer(tool="blind"))
    runtime.tick()
    runtime.publish("a")
    runtime.wait(runtime.service.entered.is_set)
    with locked_store(runtime):
        runtime.service.gate.set()
        runtime.wait(lambda: any(one.subject == "store" for one in runtime.announcements))
    runtime.tick()
    assert [request.kind for request in runtime.requests()] == ["unsure"]
    assert runtime.events() == {"a": "reserved"}


def test_quitting_while_the_store_fails_leaves_the_action_to_the_next_start(runtime: RuntimeFixture) -> None:
    """The outcome could not be stored: the checker is asked afterwards, and the action is not repeated."""
    runtime.service.gate = threading.Event()
    runtime.deploy(consumer())
    runtime.tick()
    runtime.publish("a")
    runtime.wait(runtime.service.entered.is_set)
    with locked_store(runtime):
        runtime.service.gate.set()
        runtime.wait(lambda: any(one.subject == "store" for one in runtime.announcements))
        runtime.services.close()
        assert [run.phase for run in runtime.active()] == ["mutating"]
    runtime.crash()
    runtime.tick()
    assert (len(runtime.service.calls), len(runtime.service.checks)) == (1, 1)
    assert runtime.events() == {"a": "consumed"}


def test_a_store_error_does_not_repeat_a_check(runtime: RuntimeFixture) -> None:
    """A full disk must not cause repeated server calls."""
    runtime.service.fails = [fail(FailureClass.UNSURE)]
    runtime.deploy(consumer())
    runtime.tick()
    has_failed = fail_store(runtime, 5, 1)  # begin, prepare, mutation begins, unsure, found
    runtime.publish("a")
    runtime.tick()
    assert has_failed()
    assert len(runtime.service.checks) == 1
    assert runtime.events() == {"a": "consumed"}


def test_a_run_starts_once_when_the_store_works_again(runtime: RuntimeFixture) -> None:
    runtime.deploy(job('ctx.done("fine")'))
    has_failed = fail_store(runtime, 1, 2)
    runtime.clock.move(HOUR)
    runtime.tick()
    assert has_failed()
    assert [run.status for run in runtime.runs("j")] == ["committed"]
    assert [one.state for one in runtime.occurrences("j")] == ["succeeded"]


def test_a_failed_checkpoint_is_not_taken_as_stored(runtime: RuntimeFixture) -> None:
    runtime.deploy(producer('ctx.publish(t, id="x")\nctx.checkpoint({"n": 1})\nreturn {"n": 2}'))
    has_failed = fail_store(runtime, 2, 1)
    runtime.tick()
    assert has_failed()
    assert (runtime.events(), runtime.state("p")) == ({}, {})
    runtime.pass_time(MINUTE)
    assert (runtime.events(), runtime.state("p")) == ({"x": "pending"}, {"n": 2})


def test_a_stale_row_is_an_internal_error_and_not_retried(runtime: RuntimeFixture) -> None:
    """A retry would fail in the same way forever."""
    runtime.deploy(job('ctx.done("fine")'))
    with pytest.MonkeyPatch.context() as patch:

        def stale(*_: Any) -> None:
            raise StaleError("The run is elsewhere.")

        patch.setattr(AttemptFinisher, "commit", stale)
        runtime.clock.move(HOUR)
        runtime.tick()
    [run] = runtime.runs("j")
    assert (run.status, [request.kind for request in runtime.requests()]) == ("failed:internal", ["internal"])


def test_a_failed_commit_does_not_start_the_next_run(runtime: RuntimeFixture) -> None:
    """The next run of the lane starts in the same transaction, so it was not stored either."""
    runtime.service.gate = threading.Event()
    runtime.deploy(consumer())
    runtime.tick()
    runtime.publish("a")
    runtime.wait(runtime.service.entered.is_set)
    runtime.publish("b")
    has_failed = fail_store(runtime, 2, 1)  # outcome, commit
    runtime.service.gate.set()
    runtime.tick()
    assert has_failed()
    assert [run.status for run in runtime.runs("C")[1:]] == ["paused:transient"]
    assert [one for one in runtime.announcements if one.is_warning] == []
    runtime.pass_time(MINUTE)
    assert runtime.events() == {"a": "consumed", "b": "consumed"}
    assert [call.parameters for call in runtime.service.calls] == [{"n": ["a"]}, {"n": ["b"]}]


def test_a_load_error_is_stored_when_the_store_works_again(
    runtime: RuntimeFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    runtime.deploy(job('ctx.done("fine")'))

    def refuse(*_: Any) -> None:
        raise BadScriptError(fail(FailureClass.LOGIC, "It cannot be loaded."))

    monkeypatch.setattr(runtime.services.script_workers, "acquire", refuse)
    has_failed = fail_store(runtime, 1, 1)
    runtime.clock.move(HOUR)
    runtime.tick()
    assert has_failed()
    assert [(run.status, run.error["sentence"]) for run in runtime.runs("j")] == [
        ("failed:logic", "It cannot be loaded.")
    ]
