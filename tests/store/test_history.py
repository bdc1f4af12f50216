"""History: found by workflow, handler, status, time and words, page by page, with an index that lags behind."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from scheduler.rules.phases import RunPhase, RunStatus
from scheduler.store import events, gaps, history, history_index, key_values, runs, workflows
from scheduler.store.database import Database
from scheduler.store.history_query import HistoryCursor, HistorySearch
from scheduler.timing.catchup import Gap
from scheduler.timing.compiled import Count
from scheduler.timing.occurrences import OccurrenceOrigin, OccurrenceReason, OccurrenceState
from tests.store.history_samples import MINUTE, add_ended_run, add_occurrence, add_schedule, publish
from tests.store.workflow_rows import NOW, add_workflow, store


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    with store(tmp_path) as database:
        yield database


def find(database: Database, page: HistoryCursor | None = None, most: int = 50, **filters: Any) -> list[str]:
    return [
        one.id for one in history.find_runs(database.read(), HistorySearch(**filters), page or HistoryCursor(), most)
    ]


def unrun(
    database: Database, page: HistoryCursor | None = None, most: int = 50, **filters: Any
) -> list[tuple[str, str | None]]:
    rows = history.find_not_run(database.read(), HistorySearch(**filters), page or HistoryCursor(), most)
    assert page or history.count_not_run(database.read(), HistorySearch(**filters)) == len(rows)
    return [(f"{one.planned:%H:%M}", one.reason) for one in rows]


def index(database: Database, most: int = 1_000) -> bool:
    with database.write() as db:
        return history_index.index_batch(db, most)


def fill(database: Database) -> None:
    with database.write() as db:
        add_workflow(db, "v")
        publish(db, "m1", "Straßenfest in Köln")
        add_ended_run(db, "r1", summary="Filed 3 receipts")
        add_ended_run(
            db, "r2", at=NOW + MINUTE, handler="poll", summary="No Filmvorführungsøre found", trigger="manual"
        )
        add_ended_run(
            db,
            "r3",
            at=NOW + 2 * MINUTE,
            status=RunStatus.LOGIC,
            phase=RunPhase.PREPARED,
            error={"class": "logic", "sentence": "KeyError: 'amount'"},
            prepared={"reserve": [{"topic": "mails", "id": "m1"}], "say": "Add 1 receipt"},
        )
        add_ended_run(db, "r4", workflow="v", at=NOW + 3 * MINUTE, summary="Filed 1 invoice")


CASES: list[tuple[dict[str, Any], list[str]]] = [
    ({}, ["r4", "r3", "r2", "r1"]),
    ({"workflow": "w"}, ["r3", "r2", "r1"]),
    ({"workflow": "nobody"}, []),
    ({"handler": "poll"}, ["r2"]),
    ({"workflow": "v", "handler": "file"}, ["r4"]),
    ({"statuses": ("failed:logic",)}, ["r3"]),
    ({"statuses": ("committed", "failed:logic"), "workflow": "w"}, ["r3", "r2", "r1"]),
    ({"trigger": "manual"}, ["r2"]),
    ({"trigger": "manual", "text": "filed"}, []),
    ({"trigger": "deploy"}, []),
    ({"text": "filed"}, ["r4", "r1"]),
    ({"text": "filed receipts"}, ["r1"]),
    ({"text": "FIL rec"}, ["r3", "r1"]),
    ({"text": "amount"}, ["r3"]),
    ({"text": "köln"}, ["r3"]),
    ({"text": "Koln"}, ["r3"]),
    ({"text": "straßenfest"}, ["r3"]),
    ({"text": "straßenfehler"}, []),
    ({"text": "received"}, []),
    ({"text": "Filmvorführung"}, ["r2"]),
    ({"text": "filmvorfuhrungsøre"}, ["r2"]),
    ({"text": "filmvorfuhrungso"}, []),
    ({"text": "filmvorfuhrungsørepils"}, []),
    ({"text": "receipts"}, ["r1"]),
    ({"text": "Привет"}, []),
    ({"text": "poll"}, ["r2"]),
    ({"text": "filed", "workflow": "v"}, ["r4"]),
    ({"text": "ound"}, []),
    ({"text": '"*'}, []),
    ({"text": 'filed" OR words : "found'}, []),
    ({"since": NOW + 2 * MINUTE}, ["r4", "r3"]),
    ({"until": NOW + MINUTE}, ["r2", "r1"]),
    ({"since": NOW + MINUTE, "until": NOW + MINUTE}, ["r2"]),
    ({"text": "filed", "until": NOW}, ["r1"]),
    ({"since": NOW + timedelta(days=1)}, []),
]


@pytest.mark.parametrize("indexed", [0, 2, 1_000], ids=["no index", "half an index", "all indexed"])
@pytest.mark.parametrize(("filters", "expected"), CASES, ids=[str(filters) for filters, _ in CASES])
def test_results_do_not_depend_on_how_far_the_index_is(
    database: Database, filters: dict[str, Any], expected: list[str], indexed: int
) -> None:
    fill(database)
    if indexed:
        index(database, indexed)
    assert find(database, **filters) == expected
    assert history.count_runs(database.read(), HistorySearch(**filters)) == len(expected)


@pytest.mark.parametrize("indexed", [0, 2, 1_000], ids=["no index", "half an index", "all indexed"])
@pytest.mark.parametrize(
    ("statuses", "expected"),
    [
        (("paused:approval",), ["r4"]),
        (("paused:transient",), []),
        (("paused:transient", "paused:approval"), ["r4"]),
        (("followed",), ["r2", "r1"]),
        (("followed", "committed"), ["r3", "r2", "r1"]),
        (("followed", "paused:approval"), ["r4", "r2", "r1"]),
    ],
)
def test_an_attempt_replaced_by_another_no_longer_counts_as_waiting(
    database: Database, statuses: tuple[str, ...], expected: list[str], indexed: int
) -> None:
    with database.write() as db:
        add_ended_run(db, "r1", status=RunStatus.TRANSIENT, followed=True)
        add_ended_run(
            db, "r2", at=NOW + MINUTE, status=RunStatus.APPROVAL, retry_of="r1", attempt=2, chain="r1", followed=True
        )
        add_ended_run(db, "r3", at=NOW + 2 * MINUTE, retry_of="r2", attempt=3, chain="r1")
        add_ended_run(db, "r4", at=NOW + 3 * MINUTE, status=RunStatus.APPROVAL, phase=RunPhase.PREPARED, ended=None)
    if indexed:
        index(database, indexed)
    assert find(database, statuses=statuses) == expected
    assert history.count_runs(database.read(), HistorySearch(statuses=statuses)) == len(expected)


def test_entries_of_an_older_index_are_found_and_counted_once(database: Database) -> None:
    """A newer version rebuilds the index from the first run."""
    fill(database)
    index(database)
    with database.write() as db:
        key_values.delete(db, "history indexed")
    assert find(database, text="filed") == ["r4", "r1"]
    assert find(database, most=2, text="filed") == ["r4", "r1"]
    assert history.count_runs(database.read(), HistorySearch(text="filed")) == 2


@pytest.mark.parametrize("text", ["", "filed"])
@pytest.mark.parametrize("most", [1, 3, 7, 100])
def test_paging_returns_each_run_once(database: Database, most: int, text: str) -> None:
    with database.write() as db:
        for number in range(20):
            add_ended_run(db, f"r{number:02}", at=NOW + number * MINUTE, summary="Filed one")
    index(database, 8)
    seen: list[str] = []
    page = HistoryCursor()
    while rows := history.find_runs(database.read(), HistorySearch(text=text), page, most):
        seen += [row.id for row in rows]
        page = HistoryCursor(number=rows[-1].number)
    assert seen == [f"r{number:02}" for number in reversed(range(20))]


def test_the_index_advances_in_steps_and_reports_when_it_has_caught_up(database: Database) -> None:
    fill(database)
    assert [index(database, 3), index(database, 3), index(database, 3)] == [True, False, False]
    rows = database.read().execute("SELECT rowid FROM history ORDER BY rowid").fetchall()
    assert [row[0] for row in rows] == [1, 2, 4], "an unresolved failure is not final"


def test_a_run_that_changes_after_the_index_reached_it_is_found_as_it_is_now(database: Database) -> None:
    with database.write() as db:
        add_ended_run(db, "r1", status=RunStatus.APPROVAL, phase=RunPhase.PREPARED, ended=None)
    index(database)
    assert find(database, statuses=("paused:approval",)) == ["r1"]
    with database.write() as db:
        runs.move(db, "r1", RunStatus.APPROVAL, RunStatus.CANCELLED, NOW, summary="You stopped it")
    assert find(database, statuses=("paused:approval",)) == []
    assert find(database, text="stopped") == ["r1"]
    index(database)
    assert find(database, text="stopped") == ["r1"]
    assert database.read().execute("SELECT count(*) FROM history_waiting").fetchone()[0] == 0


def test_a_removed_workflow_leaves_nothing_to_find_and_its_numbers_are_reused(database: Database) -> None:
    fill(database)
    index(database)
    with database.write() as db:
        workflows.remove(db, "v")
    assert find(database, text="invoice") == []
    with database.write() as db:
        add_ended_run(db, "r5", summary="Filed 9 letters")
    index(database)
    assert (find(database, text="letters"), find(database, text="invoice")) == (["r5"], [])


def test_a_deleted_event_does_not_stop_the_index(database: Database) -> None:
    with database.write() as db:
        add_ended_run(db, "r1", prepared={"reserve": [{"topic": "mails", "id": "gone"}], "say": None}, summary="Done")
    index(database)
    assert find(database, text="done") == ["r1"]


def test_a_run_writes_nothing_into_the_index(database: Database) -> None:
    fill(database)
    assert database.read().execute("SELECT count(*) FROM history").fetchone()[0] == 0


def test_a_run_shows_its_planned_time(database: Database) -> None:
    with database.write() as db:
        add_schedule(db)
        add_occurrence(db, "k1", NOW, OccurrenceState.SUCCEEDED, None, began=NOW)
        add_ended_run(db, "r1", occurrence="k1", at=NOW + MINUTE)
    [row] = history.find_runs(database.read(), HistorySearch(), HistoryCursor(), 10)
    assert (row.planned, row.created, row.status) == (NOW, NOW + MINUTE, RunStatus.COMMITTED)


def test_every_time_that_did_not_run_is_found_with_its_reason(database: Database) -> None:
    with database.write() as db:
        add_schedule(db)
        add_schedule(db, "v/job")
        add_occurrence(db, "a", NOW, OccurrenceState.SKIPPED, OccurrenceReason.OVERLAP)
        add_occurrence(db, "b", NOW + MINUTE, OccurrenceState.SUCCEEDED, None, began=NOW)
        add_occurrence(db, "c", NOW + 2 * MINUTE, OccurrenceState.QUEUED, None)
        add_occurrence(db, "d", NOW + 3 * MINUTE, OccurrenceState.MISSED, OccurrenceReason.EXPIRED, schedule="v/job")
        gap = Gap(NOW + 4 * MINUTE, NOW + 9 * MINUTE, Count(6, more=False), OccurrenceReason.PASSED)
        gaps.add(db, "w/poll", gap, OccurrenceState.MISSED, NOW)
    assert unrun(database) == [("12:04", "passed"), ("12:03", "expired"), ("12:00", "overlap")]
    assert unrun(database, workflow="w") == [("12:04", "passed"), ("12:00", "overlap")]
    assert unrun(database, workflow="w", handler="poll") == unrun(database, workflow="w")
    assert unrun(database, handler="job") == [("12:03", "expired")]
    assert unrun(database, statuses=("missed",)) == [("12:04", "passed"), ("12:03", "expired")]
    assert unrun(database, text="poll over") == [("12:00", "overlap")]
    assert unrun(database, text="***") == []
    assert unrun(database, since=NOW + MINUTE, until=NOW + 3 * MINUTE) == [("12:03", "expired")]
    [first, second, _] = history.find_not_run(database.read(), HistorySearch(), HistoryCursor(), 3)
    assert (first.number, first.until) == (6, NOW + 9 * MINUTE)
    assert second.sentence == "It was older than the catch-up window allows."
    ms = int(second.planned.timestamp() * 1000)
    assert unrun(database, HistoryCursor(planned=ms)) == [("12:00", "overlap")]


def test_times_that_did_not_run_can_be_filtered_by_origin(database: Database, statements: list[str]) -> None:
    with database.write() as db:
        add_schedule(db)
        add_occurrence(db, "a", NOW, OccurrenceState.SKIPPED, OccurrenceReason.OVERLAP)
        add_occurrence(
            db, "b", NOW + MINUTE, OccurrenceState.DROPPED, OccurrenceReason.OVERLAP, origin=OccurrenceOrigin.MANUAL
        )
        gap = Gap(NOW + 4 * MINUTE, NOW + 9 * MINUTE, Count(6, more=False), OccurrenceReason.PASSED)
        gaps.add(db, "w/poll", gap, OccurrenceState.MISSED, NOW)
    assert unrun(database, trigger="automatic") == [("12:04", "passed"), ("12:00", "overlap")]
    assert unrun(database, trigger="event") == []
    assert unrun(database, trigger="manual") == [("12:01", "overlap")]
    query = next(text for text in reversed(statements) if "FROM occurrences" in text and "count" not in text)
    plan = " ".join(row[3] for row in database.read().execute(f"EXPLAIN QUERY PLAN {query}"))
    assert "occurrences_unrun_by" in plan


@pytest.mark.parametrize("filters", [{"workflow": "w"}, {"workflow": "w", "handler": "poll"}])
def test_schedules_of_other_workflows_are_not_read(
    database: Database, filters: dict[str, Any], statements: list[str]
) -> None:
    with database.write() as db:
        add_schedule(db)
        add_occurrence(db, "a", NOW)
    assert unrun(database, **filters) == [("12:00", "overlap")]
    [query] = [text for text in statements if "FROM schedules" in text and text.startswith("SELECT id")]
    plan = " ".join(row[3] for row in database.read().execute(f"EXPLAIN QUERY PLAN {query}"))
    assert "SCAN" not in plan


def test_a_handler_is_not_confused_with_one_of_a_similar_name(database: Database) -> None:
    with database.write() as db:
        for name in ("w/do_it", "w/doXit", "w/DO_IT"):
            add_schedule(db, name)
            gaps.add(
                db,
                name,
                Gap(NOW, NOW + MINUTE, Count(2, more=False), OccurrenceReason.PASSED),
                OccurrenceState.MISSED,
                NOW,
            )
            add_occurrence(db, name, NOW + 2 * MINUTE, schedule=name)
    assert unrun(database, handler="do_it") == [("12:02", "overlap"), ("12:00", "passed")]


@pytest.mark.parametrize("offset", [-1, 0, 1, 5, 19, 20, 25])
def test_the_first_run_since_an_instant_is_found_in_few_queries(database: Database, offset: int) -> None:
    with database.write() as db:
        for number in range(20):
            add_ended_run(db, f"r{number}", at=NOW + number * MINUTE)
        db.execute("DELETE FROM runs WHERE number IN (3, 4, 10)")
    remaining = [one for one in range(20) if one + 1 not in (3, 4, 10)]
    expected = next((one + 1 for one in remaining if one >= offset), 21)
    first = history.first_number_since(database.read(), NOW + offset * MINUTE)
    assert [n for n in range(1, 21) if n >= first and n not in (3, 4, 10)] == [
        one + 1 for one in remaining if one + 1 >= expected
    ]


def test_a_store_without_runs_has_no_first_run(database: Database) -> None:
    assert history.first_number_since(database.read(), NOW) == 0
    assert find(database, since=NOW) == []


@pytest.mark.parametrize("filters", [{"workflow": "w"}, {}])
def test_a_page_is_read_from_an_index(database: Database, filters: dict[str, Any], statements: list[str]) -> None:
    fill(database)
    history.find_runs(database.read(), HistorySearch(**filters), HistoryCursor(), 5)
    query = next(text for text in statements if text.startswith("SELECT r.number") and "LIMIT" in text)
    plan = " ".join(row[3] for row in database.read().execute(f"EXPLAIN QUERY PLAN {query}"))
    assert "SCAN r" not in plan and "TEMP B-TREE" not in plan


COUNTED: list[dict[str, Any]] = [
    {},
    {"workflow": "w"},
    {"since": NOW},
    {"workflow": "w", "since": NOW},
    {"statuses": ("skipped",), "trigger": "manual", "text": "poll"},
]


@pytest.mark.parametrize("filters", COUNTED, ids=str)
def test_rows_are_counted_without_reading_them(
    database: Database, filters: dict[str, Any], statements: list[str]
) -> None:
    fill(database)
    index(database)
    history.count_runs(database.read(), HistorySearch(**filters))
    history.count_not_run(database.read(), HistorySearch(**filters))
    counts = [text for text in statements if "count(*) FROM runs" in text or "count(*) FROM occurrences" in text]
    assert counts
    for query in counts:
        plan = [row[3] for row in database.read().execute(f"EXPLAIN QUERY PLAN {query}")]
        steps = [step for step in plan if " runs" in step or " occurrences" in step]
        assert steps
        assert all("COVERING INDEX" in step for step in steps)


def test_runs_are_found_by_the_titles_of_consumed_events(database: Database) -> None:
    fill(database)
    with database.write() as db:
        events.reserve(db, "w", "r3", [("mails", "m1")])
        events.close_reserved(db, "r3", events.EventState.CONSUMED)
    assert find(database, text="strassenfest") == find(database, text="STRASSEN köl") == ["r3"]
