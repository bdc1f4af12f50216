"""Rows that make no sense, edited by hand or written by another version: set aside, and everybody else goes on."""

import sqlite3
from contextlib import closing, suppress

import pytest

from scheduler.engine.launcher import Result
from scheduler.engine.refusal import RefusedError
from scheduler.engine.views import ScheduleState
from scheduler.store.health import FILE
from scheduler.timing.occurrences import Reason, State
from tests.engine.harness import HOUR, MINUTE, Bench, at

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
    """With another program, while the app runs."""
    with closing(sqlite3.connect(bench.folder / FILE)) as db:
        db.execute(statement, values)
        db.commit()


def with_neighbours(bench: Bench) -> None:
    for name in ("a", "h", "z"):
        bench.add({"every": "1h"}, name=name, overlap="buffer_all")


def neighbours_go_on(bench: Bench, runs: int) -> None:
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
def test_a_schedule_that_makes_no_sense_is_set_aside_with_its_reason(
    bench: Bench,
    column: str,
    text: str,
    restart: bool,  # noqa: FBT001
) -> None:
    """S18, Tick: one bad row never stops it."""
    with_neighbours(bench)
    bench.run_for(HOUR)
    edit(bench, f"UPDATE schedules SET {column} = ? WHERE id = 'w/h'", text)
    if restart:
        bench.crash(10 * MINUTE)
    bench.run_for(2 * HOUR)
    row = bench.row()
    assert row.trouble
    assert any(row.trouble in sentence and "w/h was set aside" in sentence for sentence in bench.warnings())
    assert bench.states() == ["succeeded"], "never by other times, never in UTC"
    neighbours_go_on(bench, 3)
    (broken,) = bench.views.schedules(state=ScheduleState.BROKEN)
    assert broken.words and isinstance(broken.spec, dict)
    details = bench.views.describe("w/h")
    assert details.upcoming == [] and bench.views.resume_preview("w/h").passed == 0


def test_the_reason_names_the_zone_that_nobody_knows(bench: Bench) -> None:
    """S18."""
    bench.add({"cron": "0 * * * *"})
    edit(bench, "UPDATE schedules SET spec = ?", SPECS["unknown zone"])
    bench.run_for(HOUR)
    assert bench.row().trouble is not None and "there is no time zone 'Mars/Olympus'" in bench.row().trouble


@pytest.mark.parametrize("text", POLICIES.values(), ids=list(POLICIES))
def test_one_that_waits_in_a_schedule_that_makes_no_sense_stops_nobody(bench: Bench, text: str) -> None:
    with_neighbours(bench)
    bench.run_for(HOUR, finish=False)
    bench.run_for(HOUR, finish=False)
    assert bench.states() == ["started", "queued"]
    edit(bench, "UPDATE schedules SET policies = ? WHERE id = 'w/h'", text)
    bench.run_for(MINUTE)
    assert bench.row().trouble
    assert bench.states() == ["succeeded", "queued"]
    neighbours_go_on(bench, 2)


@pytest.mark.parametrize(("column", "text"), [("spec", SPECS["not JSON"]), ("policies", POLICIES["not JSON"])])
def test_a_run_of_a_schedule_that_makes_no_sense_still_ends(bench: Bench, column: str, text: str) -> None:
    with_neighbours(bench)
    bench.run_for(HOUR, finish=False)
    edit(bench, f"UPDATE schedules SET {column} = ? WHERE id = 'w/h'", text)
    for work, _ in list(bench.launcher.running.values()):
        bench.launcher.finish(work.key, Result.FAILED)
    bench.run_for(MINUTE)
    assert bench.states() == ["failed"]


@pytest.mark.parametrize("known", [False, True])
@pytest.mark.parametrize("verb", ["pause", "delete"])
def test_a_schedule_that_makes_no_sense_can_be_paused_and_removed(bench: Bench, verb: str, known: bool) -> None:  # noqa: FBT001
    """Also before any tick has noticed."""
    bench.add({"every": "1h"})
    edit(bench, "UPDATE schedules SET spec = 'nonsense'")
    bench.clock.move(HOUR)
    if known:
        bench.tick()
    getattr(bench.commands, verb)("w/h")
    bench.run_for(HOUR)
    states = {"pause": [ScheduleState.BROKEN], "delete": []}
    assert [view.state for view in bench.views.schedules()] == states[verb]


def test_nothing_is_asked_of_a_schedule_that_is_set_aside(bench: Bench) -> None:
    bench.add({"cron": "0 * * * *"})
    edit(bench, "UPDATE schedules SET policies = 'nonsense'")
    bench.run_for(HOUR)
    for ask in (
        lambda: bench.commands.trigger("w/h"),
        lambda: bench.commands.skip_next("w/h"),
        lambda: bench.commands.backfill("w/h", [(at("05:00"), at("06:00"))]),
    ):
        with pytest.raises(
            RefusedError, match="w/h was set aside: policies: the stored text cannot be read"
        ) as refused:
            ask()
        assert refused.value.code == "trouble"


def test_what_makes_sense_again_after_a_restart_goes_on(bench: Bench) -> None:
    """S18: a zone that is known since an update; what passed is caught up with."""
    bench.add({"every": "1h", "timezone": "Europe/Berlin"})
    edit(bench, "UPDATE schedules SET spec = replace(spec, 'Europe/Berlin', 'Mars/Olympus')")
    bench.run_for(2 * HOUR)
    bench.crash(HOUR)
    assert bench.row().trouble
    edit(bench, "UPDATE schedules SET spec = replace(spec, 'Mars/Olympus', 'Europe/Berlin')")
    bench.crash(10 * MINUTE)
    bench.run_for(MINUTE)
    assert bench.row().trouble is None
    assert bench.planned(State.SUCCEEDED) == ["13:00"]


@pytest.mark.parametrize("change", ["edit", "put"])
def test_new_times_put_it_right(bench: Bench, change: str) -> None:
    bench.add({"every": "1h"})
    edit(bench, "UPDATE schedules SET spec = 'nonsense'")
    bench.run_for(3 * HOUR)
    if change == "edit":
        with pytest.raises(RefusedError, match="Give it new times"):
            bench.commands.edit("w/h", version=1, policies={"catchup": "all"})
        bench.commands.edit("w/h", version=1, spec={"cron": "30 * * * *"})
    else:
        bench.commands.put("w", "h", {"cron": "30 * * * *"})
    assert bench.row().trouble is None
    bench.run_for(HOUR)
    assert bench.planned(State.SUCCEEDED) == ["13:30"]


def test_new_policies_put_it_right_and_what_passed_is_caught_up_with(bench: Bench) -> None:
    bench.add({"every": "1h"})
    edit(bench, "UPDATE schedules SET policies = 'nonsense'")
    bench.run_for(3 * HOUR + 10 * MINUTE)
    with pytest.raises(RefusedError, match="Give it new policies"):
        bench.commands.edit("w/h", version=1, spec={"cron": "30 * * * *"})
    bench.commands.edit("w/h", version=1, policies={"catchup": "one"})
    bench.run_for(MINUTE)
    assert bench.planned(State.SUCCEEDED) == ["13:00"]
    assert [gap.count.number for gap in bench.gaps()] == [2]


def test_new_times_and_policies_together_put_it_right(bench: Bench) -> None:
    bench.add({"every": "1h"})
    edit(bench, "UPDATE schedules SET policies = 'nonsense'")
    bench.run_for(3 * HOUR + 10 * MINUTE)
    bench.commands.edit("w/h", version=1, spec={"cron": "30 * * * *"}, policies={"catchup": "none"})
    assert bench.row().trouble is None
    assert [gap.count.number for gap in bench.gaps()] == [3]
    assert bench.views.upcoming("w/h", 1) == [at("13:30")]


@pytest.mark.parametrize(("column", "word"), [("origin", "oracle"), ("reason", "weather"), ("overlap", "sometimes")])
def test_an_occurrence_with_an_unknown_word_ends_with_that_reason(bench: Bench, column: str, word: str) -> None:
    """Tick: one bad row never stops it."""
    with_neighbours(bench)
    bench.run_for(HOUR, finish=False)
    bench.run_for(HOUR, finish=False)
    edit(bench, f"UPDATE occurrences SET {column} = ? WHERE schedule = 'w/h' AND state = 'queued'", word)
    bench.run_for(HOUR)
    bad = bench.occurrences()[1]
    assert (bad.state, bad.reason) == (State.FAILED, Reason.UNREADABLE)
    assert bad.detail == f"{column}: {word!r} is not known."
    assert bench.states() == ["succeeded", "failed", "succeeded"]
    neighbours_go_on(bench, 3)
    assert bench.views.statistics(schedule="w/h").failed == 1


@pytest.mark.parametrize("column", ["origin", "reason", "overlap", "state"])
def test_history_with_unknown_words_can_still_be_looked_at(bench: Bench, column: str) -> None:
    with_neighbours(bench)
    bench.run_for(2 * HOUR)
    edit(bench, f"UPDATE occurrences SET {column} = 'nonsense' WHERE schedule = 'w/h'")
    assert {row.reason for row in bench.views.describe("w/h").recent} == {Reason.UNREADABLE}
    bench.views.statistics()
    bench.crash(HOUR)
    bench.run_for(MINUTE)
    neighbours_go_on(bench, 3)


@pytest.mark.parametrize("column", ["origin", "reason", "overlap"])
def test_one_with_an_unknown_word_still_ends_as_it_ends(bench: Bench, column: str) -> None:
    """Also over a rest between two attempts."""
    bench.add({"every": "1h"})
    bench.run_for(HOUR, finish=False)
    work = bench.launcher.rest()
    edit(bench, f"UPDATE occurrences SET {column} = 'nonsense'")
    bench.run_for(MINUTE)
    bench.launcher.offer(work)
    bench.engine.stir()
    bench.tick()
    bench.launcher.finish()
    (row,) = bench.occurrences()
    assert row.state is State.SUCCEEDED and row.ended == at("11:01")


@pytest.mark.parametrize("column", ["state", "reason"])
def test_gaps_with_unknown_words_can_still_be_looked_at(bench: Bench, column: str) -> None:
    bench.add({"every": "1h"}, catchup="none")
    bench.sleep(5 * HOUR)
    bench.tick()
    edit(bench, f"UPDATE gaps SET {column} = 'nonsense'")
    ((_, gap),) = bench.views.describe("w/h").gaps
    assert gap.count.number == 4
    assert bench.views.statistics().due == 5
    bench.crash()
    bench.clock.wall -= HOUR
    bench.tick()


@pytest.mark.parametrize(
    ("column", "text"),
    [("overlap", "sometimes"), ("ranges", "nonsense"), ("ranges", "[1, 2]"), ("schedule", "w/nobody")],
)
def test_a_backfill_that_makes_no_sense_stops_nobody(bench: Bench, column: str, text: str) -> None:
    with_neighbours(bench)
    bench.commands.edit("w/h", version=1, spec={"cron": "* * * * *"})
    bench.commands.backfill("w/h", [(at("05:00"), at("06:00"))])
    bench.engine.tick(bench.clock.wall)
    edit(bench, f"UPDATE backfills SET {column} = ?", text)
    bench.run_for(2 * HOUR)
    neighbours_go_on(bench, 2)
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
def test_an_instant_that_no_clock_shows_stops_nobody(bench: Bench, table: str, column: str, milliseconds: int) -> None:
    """Not the neighbours, not a look at it, and not those who take it away."""
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
    neighbours_go_on(bench, 6)
    assert bench.views.schedules() and bench.views.describe("w/h").upcoming is not None
    with suppress(RefusedError):
        bench.commands.cancel_backfill(str(backfill))
    bench.commands.delete("w/h")


@pytest.mark.parametrize("column", ["next_at", "next_due"])
def test_a_next_time_that_no_clock_shows_is_computed_again_at_the_next_start(bench: Bench, column: str) -> None:
    with_neighbours(bench)
    edit(bench, f"UPDATE schedules SET {column} = ? WHERE id = 'w/h'", 10**18)
    bench.run_for(HOUR)
    assert bench.states() == []
    bench.crash(MINUTE)
    assert bench.row().next_at == bench.row().next_due == at("12:00")
    bench.run_for(HOUR)
    assert bench.states() == ["succeeded"]
    neighbours_go_on(bench, 2)


def test_a_gap_that_is_there_already_stops_nobody(bench: Bench) -> None:
    with_neighbours(bench)
    instants = [int(at(text).timestamp() * 1000) for text in ("11:00", "12:00", "12:00")]
    edit(bench, "INSERT INTO gaps VALUES ('w/h', ?, ?, 2, 0, 'missed', 'passed', ?)", *instants)
    bench.sleep(4 * HOUR + 10 * MINUTE)
    bench.run_for(MINUTE)
    assert [(gap.first, gap.count.number) for gap in bench.gaps()] == [(at("11:00"), 3)]
    neighbours_go_on(bench, 1)


def test_arithmetic_that_fails_sets_one_schedule_aside(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """Tick: also by a mistake of our own."""
    with_neighbours(bench)
    compile_ = bench.engine._context.compile

    def fails(schedule: str, written: str) -> object:
        if schedule == "w/h":
            raise OverflowError("date value out of range")
        return compile_(schedule, written)

    monkeypatch.setattr(type(bench.engine._context), "compile", lambda _, schedule, written: fails(schedule, written))
    bench.run_for(HOUR)
    neighbours_go_on(bench, 1)
    assert bench.row().trouble == "OverflowError: date value out of range"
