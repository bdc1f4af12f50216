"""What fails in an unexpected way is tried again, less often each time."""

from collections.abc import Iterator
from datetime import timedelta
from itertools import pairwise
from pathlib import Path

import pytest

from scheduler.engine.backoff import Backoff, delay_after
from scheduler.store.errors import DiskFailedError
from tests.engine.harness import HOUR
from tests.runs.scripts import job
from tests.runs.shop import Shop


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[Shop]:
    shop = Shop(tmp_path / "data")
    yield shop
    shop.close()


def test_the_pause_doubles_up_to_a_limit() -> None:
    assert [delay_after(number) for number in range(1, 9)] == [5, 10, 20, 40, 80, 160, 300, 300]
    assert delay_after(10_000) == 300


def test_each_cause_is_held_back_on_its_own() -> None:
    backoff = Backoff()
    backoff.fail("a", 100)
    backoff.fail("a", 105)
    backoff.fail("b", 110)
    assert backoff.held(114) == {"a", "b"}
    assert backoff.next_end(112) == 3
    assert backoff.held(115) == set()
    assert backoff.next_end(115) is None


def test_after_a_long_time_without_a_failure_it_begins_anew() -> None:
    backoff = Backoff()
    for now in (0, 5, 15):
        backoff.fail("a", now)
    assert backoff.fail("a", 500) == 505


def test_a_start_that_cannot_even_be_written_down_is_not_tried_at_once(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    tries: list[float] = []

    def refuse(*_: object) -> None:
        tries.append(shop.clock.monotonic())
        raise DiskFailedError(Path("dayhand.db"), "I/O error")

    shop.deploy(job("ctx.done('ran')"))
    monkeypatch.setattr(shop.house.plans, "current", refuse)
    shop.clock.move(HOUR)
    shop.pass_time(timedelta(minutes=10))
    waits = [round(later - one) for one, later in pairwise(tries)]
    assert waits == [5, 10, 20, 40, 80, 160]
    monkeypatch.undo()
    shop.pass_time(timedelta(minutes=5))
    assert shop.states("j") == ["succeeded"]
