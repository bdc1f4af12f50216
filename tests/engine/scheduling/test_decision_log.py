"""What the decision log says, and that it only says what is stored."""

import json
import logging
import sqlite3
from typing import Any

import pytest

from scheduler.engine.scheduling import decision_log
from scheduler.engine.scheduling.decision_log import write_decisions
from scheduler.engine.scheduling.launcher import Result
from scheduler.store import schedules
from scheduler.timing.occurrences import OccurrenceState
from tests.engine.engine_fixture import DAY, HOUR, MINUTE, SECOND, Bench


class Decided:
    """The lines of the log, parsed."""

    def __init__(self, caplog: pytest.LogCaptureFixture) -> None:
        self._caplog = caplog

    def lines(self) -> list[dict[str, Any]]:
        written = [one.getMessage() for one in self._caplog.records if one.name == decision_log.LOGGER]
        return [json.loads(line) for message in written for line in message.splitlines()]

    def short(self) -> list[tuple[str, str, str | None]]:
        return [(one["planned"][11:16], one["decision"], one.get("reason")) for one in self.lines()]


@pytest.fixture
def decided(bench: Bench, caplog: pytest.LogCaptureFixture) -> Decided:
    caplog.set_level(logging.INFO, logger=decision_log.LOGGER)
    write_decisions(bench.database, bench.clock)
    return Decided(caplog)


def test_a_time_is_queued_and_started_with_its_lateness(bench: Bench, decided: Decided) -> None:
    bench.add({"every": "1h"})
    bench.clock.move(HOUR + 2 * SECOND)
    bench.tick()
    queued = {
        "at": "2026-11-16T11:00:02.000Z",
        "schedule": "w/h",
        "planned": "2026-11-16T11:00:00.000Z",
        "decision": "queued",
        "late_s": 2.0,
    }
    assert decided.lines() == [queued, {**queued, "decision": "started"}]


@pytest.mark.parametrize("result", [Result.SUCCEEDED, Result.FAILED])
def test_how_a_run_went_is_left_to_the_history(bench: Bench, decided: Decided, result: Result) -> None:
    bench.add({"every": "1h"})
    bench.run_for(HOUR, finish=False)
    before = decided.lines()
    bench.launcher.finish(result=result)
    bench.tick()
    assert decided.lines() == before


def test_a_skipped_time_says_why(bench: Bench, decided: Decided) -> None:
    bench.add({"every": "1h"}, overlap="skip")
    bench.run_for(2 * HOUR, finish=False)
    assert decided.short()[2:] == [("12:00", "skipped", "overlap")]
    bench.commands.skip_next("w/h")
    bench.run_for(HOUR)
    assert ("13:00", "skipped", "by_user") in decided.short()


def test_a_replaced_time_is_coalesced(bench: Bench, decided: Decided) -> None:
    bench.add({"every": "1h"}, overlap="buffer_one")
    bench.run_for(3 * HOUR, finish=False)
    assert decided.short()[2:] == [
        ("12:00", "queued", None),
        ("12:00", "coalesced", "replaced"),
        ("13:00", "queued", None),
    ]


def test_ten_thousand_missed_times_are_one_line_with_their_count(bench: Bench, decided: Decided) -> None:
    bench.add({"every": "10s"}, catchup="none")
    bench.sleep(10_000 * 10 * SECOND)
    bench.tick()
    missed = [one for one in decided.lines() if one["decision"] == "missed"]
    assert len(missed) == 1
    assert missed[0]["count"] + len(bench.occurrences()) == 10_000
    assert missed[0]["reason"] == "passed" and missed[0]["until"] > missed[0]["planned"]


def test_a_missed_time_that_still_runs_is_caught_up(bench: Bench, decided: Decided) -> None:
    bench.add({"every": "1h"}, catchup="one")
    bench.sleep(3 * HOUR + 30 * MINUTE)
    bench.tick()
    assert decided.short() == [
        ("11:00", "missed", "caught_up"),
        ("13:00", "caught up", None),
        ("13:00", "started", None),
    ]
    assert decided.lines()[-1]["late_s"] == 1800


def test_a_failed_launch_says_when_it_is_tried_again_and_when_not(bench: Bench, decided: Decided) -> None:
    bench.add({"every": "1h"})
    bench.launcher.broken = True
    bench.run_for(HOUR + 30 * MINUTE)
    tries = [one for one in decided.lines() if one["decision"] == "failed to start"]
    assert [("retry_at" in one, one.get("reason")) for one in tries] == [(True, None)] * 3 + [
        (False, "could_not_start")
    ]
    assert "The worker is missing" not in json.dumps(tries), "an error text may hold data of the user"


def test_a_run_that_ended_with_the_process_is_interrupted(bench: Bench, decided: Decided) -> None:
    bench.add({"every": "1h"})
    bench.run_for(HOUR, finish=False)
    bench.engine.recover()
    assert decided.short()[-1] == ("11:00", "failed", "interrupted")


def test_a_removed_schedule_drops_what_was_queued(bench: Bench, decided: Decided) -> None:
    bench.add({"every": "1h"}, overlap="buffer_all")
    bench.run_for(2 * HOUR, finish=False)
    bench.commands.delete("w/h")
    assert ("12:00", "dropped", "removed") in decided.short()


def test_a_manual_run_says_its_origin(bench: Bench, decided: Decided) -> None:
    bench.add({"every": "1h"})
    bench.commands.trigger("w/h")
    bench.tick()
    assert [one["origin"] for one in decided.lines()] == ["manual", "manual"]


def test_a_clock_set_back_is_one_line_whatever_it_drops(bench: Bench, decided: Decided) -> None:
    for number in range(5):
        bench.add({"every": "1h"}, name=f"h{number}", overlap="buffer_all", catchup="one")
    bench.add({"every": "1h"}, name="gap", catchup="none")
    bench.run_for(HOUR, finish=False)
    bench.clock.wall += 40 * DAY
    bench.tick()
    waiting = [row for number in range(5) for row in bench.occurrences(f"w/h{number}", OccurrenceState.QUEUED)]
    dropped = sum(row.planned > bench.clock.wall - DAY for row in waiting)
    assert dropped == 5
    before = len(decided.lines())
    bench.clock.wall -= 39 * DAY
    bench.tick()
    lines = decided.lines()[before:]
    back = [one for one in lines if one["decision"] == "clock set back"]
    assert back == [
        {"at": "2026-11-17T11:00:00.000Z", "decision": "clock set back", "schedules": 6, "dropped": dropped}
    ]
    assert not [one for one in lines if one.get("reason") == "clock"]
    assert not [one for one in lines if one["decision"] == "missed"], "the gaps were decided before"


def test_a_rolled_back_transaction_logs_nothing(
    bench: Bench, decided: Decided, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench.add({"every": "1h"})
    bench.clock.move(HOUR)

    def fail(*_: object) -> None:
        raise sqlite3.OperationalError("disk I/O error")

    with monkeypatch.context() as broken:
        broken.setattr(schedules, "save_next_times", fail)
        with pytest.raises(sqlite3.OperationalError):
            bench.engine.tick(bench.clock.wall)
    assert bench.occurrences() == []
    assert decided.lines() == []
    bench.tick()
    assert decided.short() == [("11:00", "queued", None), ("11:00", "started", None)], "each once"


def test_a_start_that_was_taken_back_is_not_logged(bench: Bench, decided: Decided) -> None:
    """The limit of runs was reached meanwhile: the time is dropped, and never was started."""
    bench.add({"every": "1h", "limit": 1}, overlap="allow_all")
    bench.launcher.slow = True
    bench.run_for(2 * HOUR, finish=False)
    assert len(bench.launcher.waiting) == 2
    bench.launcher.begin()
    assert decided.short()[2:] == [
        ("11:00", "started", None),
        ("12:00", "dropped", "limit"),
    ]


def test_without_a_reader_nothing_is_formatted(
    bench: Bench, decided: Decided, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    caplog.set_level(logging.WARNING, logger=decision_log.LOGGER)
    monkeypatch.setattr(decision_log, "Decisions", None)
    bench.add({"every": "1h"})
    bench.run_for(HOUR)
    assert bench.states() == ["succeeded"]
