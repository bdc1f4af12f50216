"""Bugs planted into the engine on purpose: the simulation finds each of them."""

import logging
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from datetime import datetime
from typing import Any
from unittest.mock import patch

import pytest

from scheduler.engine.runs import reconciliation, recovery
from scheduler.engine.scheduling.engine import Engine
from scheduler.rules.mutations import Continuation
from scheduler.rules.reconciliation import NegativeCheck
from scheduler.store import requests, schedules
from scheduler.store.requests import AnswerOutcome, GivenAnswer
from tests.simulation.simulation import Ending, live_through
from tests.simulation.story import tell_story

_SEEDS, _DAYS = 50, 20


def believe_the_first_no() -> AbstractContextManager[Any]:
    """The checker is asked too early: a late action is repeated."""
    first_no = NegativeCheck(did_not_happen=True, first_no=0.0)
    return patch.object(reconciliation, "evaluate_negative_check", lambda **_: first_no)


def release_events_while_unsure() -> AbstractContextManager[Any]:
    """After a crash in the middle of an action, its events are free again."""
    return patch.object(recovery, "decide_continuation", lambda _: Continuation.RESTART)


def forget_times_at_a_zone_change() -> AbstractContextManager[Any]:
    """What was due or missed before is not recorded."""

    def change_zone(self: Engine, machine_zone: str) -> None:
        context, now = self._context, self._context.clock.now()
        context.machine_zone = machine_zone
        with context.database.write() as db:
            for row in schedules.list_all(db):
                if row.trouble is None and self._follows_machine(row):
                    self._emission.set_next_time(db, row, self._emission.next_time(db, row, now), now)

    return patch.object(Engine, "change_zone", change_zone)


def take_the_second_answer_too() -> AbstractContextManager[Any]:
    """The answer of another window replaces the first."""
    answer = requests.answer

    def replace(db: sqlite3.Connection, request: str, given: GivenAnswer | str, now: datetime) -> AnswerOutcome:
        db.execute("UPDATE requests SET answer = NULL WHERE id = ?", (request,))
        return answer(db, request, given, now)

    return patch.object(requests, "answer", replace)


@pytest.fixture(autouse=True)
def _without_log() -> Iterator[None]:
    logging.disable(logging.CRITICAL)
    yield
    logging.disable(logging.NOTSET)


def find_failure() -> tuple[int, Ending] | None:
    for seed in range(_SEEDS):
        ending = live_through(tell_story(seed, _DAYS))
        if ending.failure is not None:
            return seed, ending
    return None


@pytest.mark.parametrize(
    ("plant", "finding"),
    [
        (believe_the_first_no, "done twice"),
        (release_events_while_unsure, ""),
        (forget_times_at_a_zone_change, "is in 0 gaps and has no row"),
        (take_the_second_answer_too, "second, different answer was taken"),
    ],
)
def test_the_simulation_finds_a_planted_bug(plant: Callable[[], AbstractContextManager[Any]], finding: str) -> None:
    with plant():
        found = find_failure()
    assert found is not None
    assert finding in (found[1].failure or "")
