"""History: found by workflow, handler, status, time and words, a page at a time, and indexed behind the runs."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from scheduler.rules.phases import Phase, Status
from scheduler.store import events, facts, gaps, history, runs, workflows
from scheduler.store.database import Database
from scheduler.store.history import Page, Search
from scheduler.timing.catchup import Gap
from scheduler.timing.occurrences import Origin, Reason, State
from scheduler.timing.times import Count
from tests.store.past import MINUTE, add_past, add_schedule, add_time, publish
from tests.store.workflow_rows import NOW, add_workflow, store


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    with store(tmp_path) as database:
        yield database


def found(database: Database, page: Page | None = None, most: int = 50, **wanted: Any) -> list[str]:
    return [one.id for one in history.find_runs(database.read(), Search(**wanted), page or Page(), most)]


def unrun(database: Database, page: Page | None = None, most: int = 50, **wanted: Any) -> list[tuple[str, str | None]]:
    rows = history.find_unrun(database.read(), Search(**wanted), page or Page(), most)
    assert page or history.count_unrun(database.read(), Search(**wanted)) == len(rows)
    return [(f"{one.planned:%H:%M}", one.reason) for one in rows]


def index(database: Database, most: int = 1_000) -> bool:
    with database.write() as db:
        return history.index_some(db, most)


def fill(database: Database) -> None:
    with database.write() as db:
        add_workflow(db, "v")
        publish(db, "m1", "Straßenfest in Köln")
        add_past(db, "r1", summary="Filed 3 receipts")
        add_past(db, "r2", at=NOW + MINUTE, handler="poll", summary="No Filmvorführungsøre found", trigger="manual")
        add_past(
            db,
            "r3",
            at=NOW + 2 * MINUTE,
            status=Status.LOGIC,
            phase=Phase.PREPARED,
            error={"class": "logic", "sentence": "KeyError: 'amount'"},
            prepared={"reserve": [{"topic": "mails", "id": "m1"}], "say": "Add 1 receipt"},
        )
        add_past(db, "r4", workflow="v", at=NOW + 3 * MINUTE, summary="Filed 1 invoice")


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
@pytest.mark.parametrize(("wanted", "expected"), CASES, ids=[str(wanted) for wanted, _ in CASES])
def test_what_is_found_does_not_depend_on_the_index(
    database: Database, wanted: dict[str, Any], expected: list[str], indexed: int
) -> None:
    fill(database)
    if indexed:
        index(database, indexed)
    assert found(database, **wanted) == expected
    assert history.count_runs(database.read(), Search(**wanted)) == len(expected)


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
def test_an_attempt_whose_place_another_took_does_not_wait_any_more(
    database: Database, statuses: tuple[str, ...], expected: list[str], indexed: int
) -> None:
    with database.write() as db:
        add_past(db, "r1", status=Status.TRANSIENT, followed=True)
        add_past(db, "r2", at=NOW + MINUTE, status=Status.APPROVAL, retry_of="r1", attempt=2, chain="r1", followed=True)
        add_past(db, "r3", at=NOW + 2 * MINUTE, retry_of="r2", attempt=3, chain="r1")
        add_past(db, "r4", at=NOW + 3 * MINUTE, status=Status.APPROVAL, phase=Phase.PREPARED, ended=None)
    if indexed:
        index(database, indexed)
    assert found(database, statuses=statuses) == expected
    assert history.count_runs(database.read(), Search(statuses=statuses)) == len(expected)


def test_what_an_index_of_before_still_holds_is_found_and_counted_once(database: Database) -> None:
    """A newer version has it made anew, and begins at the first run."""
    fill(database)
    index(database)
    with database.write() as db:
        facts.forget(db, "history indexed")
    assert found(database, text="filed") == ["r4", "r1"]
    assert found(database, most=2, text="filed") == ["r4", "r1"]
    assert history.count_runs(database.read(), Search(text="filed")) == 2


@pytest.mark.parametrize("text", ["", "filed"])
@pytest.mark.parametrize("most", [1, 3, 7, 100])
def test_pages_give_each_run_once(database: Database, most: int, text: str) -> None:
    with database.write() as db:
        for number in range(20):
            add_past(db, f"r{number:02}", at=NOW + number * MINUTE, summary="Filed one")
    index(database, 8)
    seen: list[str] = []
    page = Page()
    while rows := history.find_runs(database.read(), Search(text=text), page, most):
        seen += [row.id for row in rows]
        page = Page(number=rows[-1].number)
    assert seen == [f"r{number:02}" for number in reversed(range(20))]


def test_the_index_follows_in_steps_and_says_when_it_has_caught_up(database: Database) -> None:
    fill(database)
    assert [index(database, 3), index(database, 3), index(database, 3)] == [True, False, False]
    rows = database.read().execute("SELECT rowid FROM history ORDER BY rowid").fetchall()
    assert [row[0] for row in rows] == [1, 2, 4], "a run that failed and was not dealt with is not at rest"


def test_a_run_that_moves_on_after_it_was_passed_is_found_as_it_is_now(database: Database) -> None:
    with database.write() as db:
        add_past(db, "r1", status=Status.APPROVAL, phase=Phase.PREPARED, ended=None)
    index(database)
    assert found(database, statuses=("paused:approval",)) == ["r1"]
    with database.write() as db:
        runs.move(db, "r1", Status.APPROVAL, Status.CANCELLED, NOW, summary="You stopped it")
    assert found(database, statuses=("paused:approval",)) == []
    assert found(database, text="stopped") == ["r1"]
    index(database)
    assert found(database, text="stopped") == ["r1"]
    assert database.read().execute("SELECT count(*) FROM history_waiting").fetchone()[0] == 0


def test_a_removed_workflow_leaves_nothing_to_find_and_its_numbers_are_used_again(database: Database) -> None:
    fill(database)
    index(database)
    with database.write() as db:
        workflows.remove(db, "v")
    assert found(database, text="invoice") == []
    with database.write() as db:
        add_past(db, "r5", summary="Filed 9 letters")
    index(database)
    assert (found(database, text="letters"), found(database, text="invoice")) == (["r5"], [])


def test_a_title_that_is_gone_does_not_stop_the_index(database: Database) -> None:
    with database.write() as db:
        add_past(db, "r1", prepared={"reserve": [{"topic": "mails", "id": "gone"}], "say": None}, summary="Done")
    index(database)
    assert found(database, text="done") == ["r1"]


def test_a_run_writes_nothing_into_the_index(database: Database) -> None:
    fill(database)
    assert database.read().execute("SELECT count(*) FROM history").fetchone()[0] == 0


def test_a_run_shows_its_planned_time(database: Database) -> None:
    with database.write() as db:
        add_schedule(db)
        add_time(db, "k1", NOW, State.SUCCEEDED, None, began=NOW)
        add_past(db, "r1", occurrence="k1", at=NOW + MINUTE)
    [row] = history.find_runs(database.read(), Search(), Page(), 10)
    assert (row.planned, row.created, row.status) == (NOW, NOW + MINUTE, Status.COMMITTED)


def test_every_time_that_did_not_run_is_there_with_its_reason(database: Database) -> None:
    """U5"""
    with database.write() as db:
        add_schedule(db)
        add_schedule(db, "v/job")
        add_time(db, "a", NOW, State.SKIPPED, Reason.OVERLAP)
        add_time(db, "b", NOW + MINUTE, State.SUCCEEDED, None, began=NOW)
        add_time(db, "c", NOW + 2 * MINUTE, State.QUEUED, None)
        add_time(db, "d", NOW + 3 * MINUTE, State.MISSED, Reason.EXPIRED, schedule="v/job")
        gap = Gap(NOW + 4 * MINUTE, NOW + 9 * MINUTE, Count(6, more=False), Reason.PASSED)
        gaps.add(db, "w/poll", gap, State.MISSED, NOW)
    assert unrun(database) == [("12:04", "passed"), ("12:03", "expired"), ("12:00", "overlap")]
    assert unrun(database, workflow="w") == [("12:04", "passed"), ("12:00", "overlap")]
    assert unrun(database, workflow="w", handler="poll") == unrun(database, workflow="w")
    assert unrun(database, handler="job") == [("12:03", "expired")]
    assert unrun(database, statuses=("missed",)) == [("12:04", "passed"), ("12:03", "expired")]
    assert unrun(database, text="poll over") == [("12:00", "overlap")]
    assert unrun(database, text="***") == []
    assert unrun(database, since=NOW + MINUTE, until=NOW + 3 * MINUTE) == [("12:03", "expired")]
    [first, second, _] = history.find_unrun(database.read(), Search(), Page(), 3)
    assert (first.number, first.until) == (6, NOW + 9 * MINUTE)
    assert second.sentence == "It was older than the catch-up window allows."
    ms = int(second.planned.timestamp() * 1000)
    assert unrun(database, Page(planned=ms)) == [("12:00", "overlap")]


def test_times_that_did_not_run_are_narrowed_by_who_asked_for_them(database: Database, statements: list[str]) -> None:
    with database.write() as db:
        add_schedule(db)
        add_time(db, "a", NOW, State.SKIPPED, Reason.OVERLAP)
        add_time(db, "b", NOW + MINUTE, State.DROPPED, Reason.OVERLAP, origin=Origin.MANUAL)
        gap = Gap(NOW + 4 * MINUTE, NOW + 9 * MINUTE, Count(6, more=False), Reason.PASSED)
        gaps.add(db, "w/poll", gap, State.MISSED, NOW)
    assert unrun(database, trigger="automatic") == [("12:04", "passed"), ("12:00", "overlap")]
    assert unrun(database, trigger="event") == []
    assert unrun(database, trigger="manual") == [("12:01", "overlap")]
    query = next(text for text in reversed(statements) if "FROM occurrences" in text and "count" not in text)
    plan = " ".join(row[3] for row in database.read().execute(f"EXPLAIN QUERY PLAN {query}"))
    assert "occurrences_unrun_by" in plan


@pytest.mark.parametrize("wanted", [{"workflow": "w"}, {"workflow": "w", "handler": "poll"}])
def test_no_schedule_of_another_workflow_is_read(
    database: Database, wanted: dict[str, Any], statements: list[str]
) -> None:
    with database.write() as db:
        add_schedule(db)
        add_time(db, "a", NOW)
    assert unrun(database, **wanted) == [("12:00", "overlap")]
    [query] = [text for text in statements if "FROM schedules" in text and text.startswith("SELECT id")]
    plan = " ".join(row[3] for row in database.read().execute(f"EXPLAIN QUERY PLAN {query}"))
    assert "SCAN" not in plan


def test_a_handler_is_not_mistaken_for_one_that_is_called_alike(database: Database) -> None:
    with database.write() as db:
        for name in ("w/do_it", "w/doXit", "w/DO_IT"):
            add_schedule(db, name)
            gaps.add(db, name, Gap(NOW, NOW + MINUTE, Count(2, more=False), Reason.PASSED), State.MISSED, NOW)
            add_time(db, name, NOW + 2 * MINUTE, schedule=name)
    assert unrun(database, handler="do_it") == [("12:02", "overlap"), ("12:00", "passed")]


@pytest.mark.parametrize("offset", [-1, 0, 1, 5, 19, 20, 25])
def test_the_first_run_since_an_instant_is_found_by_a_few_looks(database: Database, offset: int) -> None:
    with database.write() as db:
        for number in range(20):
            add_past(db, f"r{number}", at=NOW + number * MINUTE)
        db.execute("DELETE FROM runs WHERE number IN (3, 4, 10)")
    remaining = [one for one in range(20) if one + 1 not in (3, 4, 10)]
    expected = next((one + 1 for one in remaining if one >= offset), 21)
    first = history.number_since(database.read(), NOW + offset * MINUTE)
    assert [n for n in range(1, 21) if n >= first and n not in (3, 4, 10)] == [
        one + 1 for one in remaining if one + 1 >= expected
    ]


def test_a_store_without_runs_has_no_first_one(database: Database) -> None:
    assert history.number_since(database.read(), NOW) == 0
    assert found(database, since=NOW) == []


@pytest.mark.parametrize("wanted", [{"workflow": "w"}, {}])
def test_a_page_is_read_from_an_index(database: Database, wanted: dict[str, Any], statements: list[str]) -> None:
    fill(database)
    history.find_runs(database.read(), Search(**wanted), Page(), 5)
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


@pytest.mark.parametrize("wanted", COUNTED, ids=str)
def test_rows_are_counted_without_a_look_at_them(
    database: Database, wanted: dict[str, Any], statements: list[str]
) -> None:
    fill(database)
    index(database)
    history.count_runs(database.read(), Search(**wanted))
    history.count_unrun(database.read(), Search(**wanted))
    counts = [text for text in statements if "count(*) FROM runs" in text or "count(*) FROM occurrences" in text]
    assert counts
    for query in counts:
        plan = [row[3] for row in database.read().execute(f"EXPLAIN QUERY PLAN {query}")]
        steps = [step for step in plan if " runs" in step or " occurrences" in step]
        assert steps
        assert all("COVERING INDEX" in step for step in steps)


def test_consumed_events_are_known_by_their_titles_too(database: Database) -> None:
    fill(database)
    with database.write() as db:
        events.reserve(db, "w", "r3", [("mails", "m1")])
        events.settle(db, "r3", events.EventState.CONSUMED)
    assert found(database, text="strassenfest") == found(database, text="STRASSEN köl") == ["r3"]
