"""Invalid rows, edited by hand or written by another version, are disabled, and everything else continues."""

import sqlite3
from contextlib import closing, suppress

import pytest

from scheduler.engine.errors import RefusedError
from scheduler.engine.queries.schedules import ScheduleState
from scheduler.engine.scheduling.launcher import Result
from scheduler.store.opening import STORE_FILE
from scheduler.timing.occurrences import OccurrenceReason, OccurrenceState
from tests.engine.engine_fixture import HOUR, MINUTE, Bench, at

SPECS = {
    "unknown zone": '{"cron": ["0 * * * *"], "timezone": "Mars/Olympus"}',
    "zone of another type": '{"cron": ["0 * * * *"], "timezone": 7}',
    "broken cron": '{"cron": ["61 * * * *"], "timezone": "UTC"}',
    "no interval": '{"every": null}',
    "no cron": '{"cron": null}',
    "not JSON": "every hour",
    "not a set": '["every", "1h"]',
    "nothing": "{}",
    "two kinds": '{"every": "1h", "cron": ["0 * * * *"]}',
    "limit of text": '{"every": "1h", "limit": "three"}',
    "instant of numbers": '{"once": 12}',
    "calendar of text": '{"calendar": "noon"}',
    "exclusion of numbers": '{"every": "1h", "exclude": 5}',
    "jitter of numbers": '{"every": "1h", "jitter": 5}',
}
POLICIES = {
    "unknown policy": '{"overlap": "sometimes"}',
    "unknown name": '{"mood": "good"}',
    "not JSON": "skip",
    "not a set": '"skip"',
    "needs of numbers": '{"needs": 5}',
    "window of lists": '{"catchup_window": [1]}',
    "nothing at all": "null",
}


def edit(bench: Bench, statement: str, *values: object) -> None:
    """Edit the database with another program while the app runs."""
    with closing(sqlite3.connect(bench.folder / STORE_FILE)) as db:
        db.execute(statement, values)
        db.commit()


def add_with_neighbours(bench: Bench) -> None:
    for name in ("a", "h", "z"):
        bench.add({"every": "1h"}, name=name, overlap="buffer_all")


def assert_neighbours_ran(bench: Bench, runs: int) -> None:
    for name in ("a", "z"):
        assert bench.states(f"w/{name}") == ["succeeded"] * runs


@pytest.mark.parametrize(
    ("column", "text"),
    [("spec", text) for text in SPECS.values()]
    + [("policies", text) for text in POLICIES.values()]
    + [("kind", "cobbler")],
    ids=[*(f"spec: {name}" for name in SPECS), *(f"policies: {name}" for name in POLICIES), "kind"],
)
@pytest.mark.parametrize("restart", [False, True])
def test_an_invalid_schedule_is_disabled_with_its_reason(
    bench: Bench,
    column: str,
    text: str,
    restart: bool,  # noqa: FBT001
) -> None:
    """One bad row never stops the tick."""
    add_with_neighbours(bench)
    bench.run_for(HOUR)
    edit(bench, f"UPDATE schedules SET {column} = ? WHERE id = 'w/h'", text)
    if restart:
        bench.crash(10 * MINUTE)
    bench.run_for(2 * HOUR)
    row = bench.row()
    assert row.trouble
    assert any(row.trouble in sentence and "w/h cannot run" in sentence for sentence in bench.warnings())
    assert bench.states() == ["succeeded"], "it never runs at other times or in UTC"
    assert_neighbours_ran(bench, 3)
    (broken,) = bench.schedule_queries.schedules(state=ScheduleState.BROKEN)
    assert broken.words and isinstance(broken.spec, dict)
    details = bench.schedule_queries.describe("w/h")
    assert details.upcoming == [] and bench.schedule_queries.resume_preview("w/h").passed == 0


def test_the_reason_names_the_unknown_zone(bench: Bench) -> None:
    bench.add({"cron": "0 * * * *"})
    edit(bench, "UPDATE schedules SET spec = ?", SPECS["unknown zone"])
    bench.run_for(HOUR)
    assert bench.row().trouble is not None and "there is no time zone 'Mars/Olympus'" in bench.row().trouble


@pytest.mark.parametrize("text", POLICIES.values(), ids=list(POLICIES))
def test_a_queued_run_of_an_invalid_schedule_blocks_no_other(bench: Bench, text: str) -> None:
    add_with_neighbours(bench)
    bench.run_for(HOUR, finish=False)
    bench.run_for(HOUR, finish=False)
    assert bench.states() == ["started", "queued"]
    edit(bench, "UPDATE schedules SET policies = ? WHERE id = 'w/h'", text)
    bench.run_for(MINUTE)
    assert bench.row().trouble
    assert bench.states() == ["succeeded", "queued"]
    assert_neighbours_ran(bench, 2)


@pytest.mark.parametrize(("column", "text"), [("spec", SPECS["not JSON"]), ("policies", POLICIES["not JSON"])])
def test_a_run_of_an_invalid_schedule_still_ends(bench: Bench, column: str, text: str) -> None:
    add_with_neighbours(bench)
    bench.run_for(HOUR, finish=False)
    edit(bench, f"UPDATE schedules SET {column} = ? WHERE id = 'w/h'", text)
    for work in list(bench.launcher.running.values()):
        bench.launcher.finish(work.key, Result.FAILED)
    bench.run_for(MINUTE)
    assert bench.states() == ["failed"]


@pytest.mark.parametrize("known", [False, True])
@pytest.mark.parametrize("verb", ["pause", "delete"])
def test_an_invalid_schedule_can_be_paused_and_removed(bench: Bench, verb: str, known: bool) -> None:  # noqa: FBT001
    """Even before a tick has noticed."""
    bench.add({"every": "1h"})
    edit(bench, "UPDATE schedules SET spec = 'nonsense'")
    bench.clock.move(HOUR)
    if known:
        bench.tick()
    getattr(bench.commands, verb)("w/h")
    bench.run_for(HOUR)
    states = {"pause": [ScheduleState.BROKEN], "delete": []}
    assert [view.state for view in bench.schedule_queries.schedules()] == states[verb]


def test_commands_on_a_disabled_schedule_are_refused(bench: Bench) -> None:
    bench.add({"cron": "0 * * * *"})
    edit(bench, "UPDATE schedules SET policies = 'nonsense'")
    bench.run_for(HOUR)
    for ask in (
        lambda: bench.commands.trigger("w/h"),
        lambda: bench.commands.skip_next("w/h"),
        lambda: bench.commands.backfill("w/h", [(at("05:00"), at("06:00"))]),
    ):
        with pytest.raises(RefusedError, match="w/h cannot run: policies: the stored text cannot be read") as refused:
            ask()
        assert refused.value.code == "trouble"


def test_a_schedule_that_is_valid_again_after_a_restart_continues(bench: Bench) -> None:
    """For example, a zone that is known since an update; missed times are caught up."""
    bench.add({"every": "1h", "timezone": "Europe/Berlin"})
    edit(bench, "UPDATE schedules SET spec = replace(spec, 'Europe/Berlin', 'Mars/Olympus')")
    bench.run_for(2 * HOUR)
    bench.crash(HOUR)
    assert bench.row().trouble
    edit(bench, "UPDATE schedules SET spec = replace(spec, 'Mars/Olympus', 'Europe/Berlin')")
    bench.crash(10 * MINUTE)
    bench.run_for(MINUTE)
    assert bench.row().trouble is None
    assert bench.planned(OccurrenceState.SUCCEEDED) == ["13:00"]


@pytest.mark.parametrize("change", ["edit", "put"])
def test_new_times_repair_an_invalid_schedule(bench: Bench, change: str) -> None:
    bench.add({"every": "1h"})
    edit(bench, "UPDATE schedules SET spec = 'nonsense'")
    bench.run_for(3 * HOUR)
    if change == "edit":
        with pytest.raises(RefusedError, match="Change its times"):
            bench.commands.edit("w/h", version=1, policies={"catchup": "all"})
        bench.commands.edit("w/h", version=1, spec={"cron": "30 * * * *"})
    else:
        bench.commands.put("w", "h", {"cron": "30 * * * *"})
    assert bench.row().trouble is None
    bench.run_for(HOUR)
    assert bench.planned(OccurrenceState.SUCCEEDED) == ["13:30"]


def test_new_policies_repair_an_invalid_schedule_and_missed_times_are_caught_up(bench: Bench) -> None:
    bench.add({"every": "1h"})
    edit(bench, "UPDATE schedules SET policies = 'nonsense'")
    bench.run_for(3 * HOUR + 10 * MINUTE)
    with pytest.raises(RefusedError, match="Change its policies"):
        bench.commands.edit("w/h", version=1, spec={"cron": "30 * * * *"})
    bench.commands.edit("w/h", version=1, policies={"catchup": "one"})
    bench.run_for(MINUTE)
    assert bench.planned(OccurrenceState.SUCCEEDED) == ["13:00"]
    assert [gap.count.number for gap in bench.gaps()] == [2]


def test_new_times_and_policies_together_repair_an_invalid_schedule(bench: Bench) -> None:
    bench.add({"every": "1h"})
    edit(bench, "UPDATE schedules SET policies = 'nonsense'")
    bench.run_for(3 * HOUR + 10 * MINUTE)
    bench.commands.edit("w/h", version=1, spec={"cron": "30 * * * *"}, policies={"catchup": "none"})
    assert bench.row().trouble is None
    assert [gap.count.number for gap in bench.gaps()] == [3]
    assert bench.schedule_queries.upcoming("w/h", 1) == [at("13:30")]


@pytest.mark.parametrize(("column", "word"), [("origin", "oracle"), ("reason", "weather"), ("overlap", "sometimes")])
def test_an_occurrence_with_an_unknown_value_fails_with_that_reason(bench: Bench, column: str, word: str) -> None:
    """One bad row never stops the tick."""
    add_with_neighbours(bench)
    bench.run_for(HOUR, finish=False)
    bench.run_for(HOUR, finish=False)
    edit(bench, f"UPDATE occurrences SET {column} = ? WHERE schedule = 'w/h' AND state = 'queued'", word)
    bench.run_for(HOUR)
    bad = bench.occurrences()[1]
    assert (bad.state, bad.reason) == (OccurrenceState.FAILED, OccurrenceReason.UNREADABLE)
    assert bad.detail == f"{column}: {word!r} is not known."
    assert bench.states() == ["succeeded", "failed", "succeeded"]
    assert_neighbours_ran(bench, 3)
    assert bench.schedule_queries.statistics(schedule="w/h").failed == 1


@pytest.mark.parametrize("column", ["origin", "reason", "overlap", "state"])
def test_history_with_unknown_values_can_still_be_read(bench: Bench, column: str) -> None:
    add_with_neighbours(bench)
    bench.run_for(2 * HOUR)
    edit(bench, f"UPDATE occurrences SET {column} = 'nonsense' WHERE schedule = 'w/h'")
    assert {row.reason for row in bench.schedule_queries.describe("w/h").recent} == {OccurrenceReason.UNREADABLE}
    bench.schedule_queries.statistics()
    bench.crash(HOUR)
    bench.run_for(MINUTE)
    assert_neighbours_ran(bench, 3)


@pytest.mark.parametrize("column", ["origin", "reason", "overlap"])
def test_an_occurrence_with_an_unknown_value_still_records_its_result(bench: Bench, column: str) -> None:
    """Even across a wait between two attempts."""
    bench.add({"every": "1h"})
    bench.run_for(HOUR, finish=False)
    work = bench.launcher.rest()
    edit(bench, f"UPDATE occurrences SET {column} = 'nonsense'")
    bench.run_for(MINUTE)
    bench.launcher.offer(work)
    bench.engine.wake()
    bench.tick()
    bench.launcher.finish()
    (row,) = bench.occurrences()
    assert row.state is OccurrenceState.SUCCEEDED and row.ended == at("11:01")


@pytest.mark.parametrize("column", ["state", "reason"])
def test_gaps_with_unknown_values_can_still_be_read(bench: Bench, column: str) -> None:
    bench.add({"every": "1h"}, catchup="none")
    bench.sleep(5 * HOUR)
    bench.tick()
    edit(bench, f"UPDATE gaps SET {column} = 'nonsense'")
    ((_, gap),) = bench.schedule_queries.describe("w/h").gaps
    assert gap.count.number == 4
    assert bench.schedule_queries.statistics().due == 5
    bench.crash()
    bench.clock.wall -= HOUR
    bench.tick()


@pytest.mark.parametrize(
    ("column", "text"),
    [("overlap", "sometimes"), ("ranges", "nonsense"), ("ranges", "[1, 2]"), ("schedule", "w/nobody")],
)
def test_an_invalid_backfill_blocks_nothing_else(bench: Bench, column: str, text: str) -> None:
    add_with_neighbours(bench)
    bench.commands.edit("w/h", version=1, spec={"cron": "* * * * *"})
    bench.commands.backfill("w/h", [(at("05:00"), at("06:00"))])
    bench.engine.tick(bench.clock.wall)
    edit(bench, f"UPDATE backfills SET {column} = ?", text)
    bench.run_for(2 * HOUR)
    assert_neighbours_ran(bench, 2)
    assert bench.engine.tick(bench.clock.wall) > bench.clock.wall


INSTANTS = {
    "schedules": ("next_at", "next_due", "skip_at", "late_next", "late_until", "paused_until", "computed", "created"),
    "occurrences": ("planned", "due", "created", "began"),
    "gaps": ("first", "created"),
    "backfills": ("cursor", "created"),
}


@pytest.mark.parametrize("milliseconds", [-(10**18), 10**18])
@pytest.mark.parametrize(
    ("table", "column"), [(table, column) for table, columns in INSTANTS.items() for column in columns]
)
def test_an_impossible_instant_blocks_nothing_else(bench: Bench, table: str, column: str, milliseconds: int) -> None:
    """Other schedules run, and it can still be read and removed."""
    for name in ("a", "h", "z"):
        bench.add({"cron": "0 * * * *"}, name=name, overlap="buffer_all", catchup="one" if name == "h" else "all")
    backfill = bench.commands.backfill("w/h", [(at("05:00"), at("06:00"))]).backfill
    bench.run_for(HOUR, finish=False)
    bench.sleep(2 * HOUR)
    bench.tick()
    bench.commands.pause("w/h", until=bench.clock.wall + MINUTE)
    edit(
        bench,
        f"UPDATE {table} SET {column} = ? WHERE {'id' if table == 'schedules' else 'schedule'} = 'w/h'",
        milliseconds,
    )
    bench.run_for(2 * HOUR)
    bench.crash(MINUTE)
    bench.run_for(HOUR)
    assert_neighbours_ran(bench, 6)
    assert bench.schedule_queries.schedules() and bench.schedule_queries.describe("w/h").upcoming is not None
    with suppress(RefusedError):
        bench.commands.cancel_backfill(str(backfill))
    bench.commands.delete("w/h")


@pytest.mark.parametrize("column", ["next_at", "next_due"])
def test_an_impossible_next_time_is_recomputed_at_the_next_start(bench: Bench, column: str) -> None:
    add_with_neighbours(bench)
    edit(bench, f"UPDATE schedules SET {column} = ? WHERE id = 'w/h'", 10**18)
    bench.run_for(HOUR)
    assert bench.states() == []
    bench.crash(MINUTE)
    assert bench.row().next_at == bench.row().next_due == at("12:00")
    bench.run_for(HOUR)
    assert bench.states() == ["succeeded"]
    assert_neighbours_ran(bench, 2)


def test_a_gap_that_already_exists_blocks_nothing_else(bench: Bench) -> None:
    add_with_neighbours(bench)
    instants = [int(at(text).timestamp() * 1000) for text in ("11:00", "12:00", "12:00")]
    edit(bench, "INSERT INTO gaps VALUES ('w/h', ?, ?, 2, 0, 'missed', 'passed', ?)", *instants)
    bench.sleep(4 * HOUR + 10 * MINUTE)
    bench.run_for(MINUTE)
    assert [(gap.first, gap.count.number) for gap in bench.gaps()] == [(at("11:00"), 3)]
    assert_neighbours_ran(bench, 1)


def test_a_calculation_error_disables_one_schedule(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """Even one caused by a bug of ours."""
    add_with_neighbours(bench)
    compile_ = bench.engine._context.compile

    def fails(schedule: str, written: str) -> object:
        if schedule == "w/h":
            raise OverflowError("date value out of range")
        return compile_(schedule, written)

    monkeypatch.setattr(type(bench.engine._context), "compile", lambda _, schedule, written: fails(schedule, written))
    bench.run_for(HOUR)
    assert_neighbours_ran(bench, 1)
    assert bench.row().trouble == "OverflowError: date value out of range"
