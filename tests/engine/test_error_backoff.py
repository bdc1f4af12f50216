"""Unexpected failures are retried with growing delays."""

from collections.abc import Iterator
from datetime import timedelta
from itertools import pairwise
from pathlib import Path

import pytest

from scheduler.engine.scheduling.error_backoff import ErrorBackoff, delay_after
from scheduler.store.errors import DiskFailedError
from tests.engine.engine_fixture import HOUR
from tests.runs.runtime_fixture import RuntimeFixture
from tests.runs.scripts import job


@pytest.fixture
def runtime(tmp_path: Path) -> Iterator[RuntimeFixture]:
    runtime = RuntimeFixture(tmp_path / "data")
    yield runtime
    runtime.close()


def test_the_delay_doubles_up_to_a_limit() -> None:
    assert [delay_after(number) for number in range(1, 9)] == [5, 10, 20, 40, 80, 160, 300, 300]
    assert delay_after(10_000) == 300


def test_each_cause_has_its_own_delay() -> None:
    backoff = ErrorBackoff()
    backoff.fail("a", 100)
    backoff.fail("a", 105)
    backoff.fail("b", 110)
    assert backoff.delayed(114) == {"a", "b"}
    assert backoff.seconds_to_next_end(112) == 3
    assert backoff.delayed(115) == set()
    assert backoff.seconds_to_next_end(115) is None


def test_counting_restarts_after_a_long_time_without_a_failure() -> None:
    backoff = ErrorBackoff()
    for now in (0, 5, 15):
        backoff.fail("a", now)
    assert backoff.fail("a", 500) == 505


def test_a_start_that_cannot_be_stored_is_not_retried_at_once(
    runtime: RuntimeFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    tries: list[float] = []

    def refuse(*_: object) -> None:
        tries.append(runtime.clock.monotonic())
        raise DiskFailedError(Path("dayhand.db"), "I/O error")

    runtime.deploy(job("ctx.done('ran')"))
    monkeypatch.setattr(runtime.services.plans, "current", refuse)
    runtime.clock.move(HOUR)
    runtime.pass_time(timedelta(minutes=10))
    waits = [round(later - one) for one, later in pairwise(tries)]
    assert waits == [5, 10, 20, 40, 80, 160]
    monkeypatch.undo()
    runtime.pass_time(timedelta(minutes=5))
    assert runtime.states("j") == ["succeeded"]
