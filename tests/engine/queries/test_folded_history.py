"""Folded history: consecutive runs of a day with nothing to report are one row, on every page and with every filter."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from scheduler.engine.queries import folded_history
from scheduler.engine.queries.folded_history import FoldedRow
from scheduler.engine.queries.runs import RunView
from scheduler.rules.history_query import HistoryQuery, NotRunTime, QuietRuns, RunRange
from scheduler.rules.phases import RunStatus
from scheduler.store import history_index
from scheduler.timing.occurrences import OccurrenceReason, OccurrenceState
from tests.engine.queries.runtime_fixture import QueryRuntimeFixture
from tests.store.history_samples import add_ended_run, add_occurrence

NOON = datetime(2026, 11, 16, 12, tzinfo=UTC)
SCRIPT = """
import dayhand
flow = dayhand.Workflow("{name}")

@flow.job(cron="0 9 1 1 *")
def poll(ctx):
    pass
"""


@pytest.fixture
def store(runtime: QueryRuntimeFixture) -> QueryRuntimeFixture:
    for name in ("w", "v"):
        runtime.deploy(SCRIPT.replace("{name}", name), f"{name}.py")
    return runtime


def add(store: QueryRuntimeFixture, minute: int, summary: str | None = None, **facts: Any) -> None:
    """A run at that minute of the day before or after noon; without a summary it has nothing to report."""
    with store.database.write() as db:
        add_ended_run(db, f"run{minute}", at=NOON + timedelta(minutes=minute), summary=summary, **facts)


def skip(store: QueryRuntimeFixture, minute: int) -> None:
    with store.database.write() as db:
        at = NOON + timedelta(minutes=minute)
        add_occurrence(db, f"skipped {minute}", at, OccurrenceState.SKIPPED, OccurrenceReason.OVERLAP)


def say(row: FoldedRow) -> str:
    match row:
        case QuietRuns():
            mark = "open" if row.is_unfolded else "quiet"
            return f"{mark} {row.number} {row.first:%H:%M}-{row.last:%H:%M}"
        case NotRunTime():
            return f"{row.state} {row.planned:%H:%M}"
        case RunView():
            return f"{row.summary or 'nothing'} {row.began:%H:%M}"


def rows(store: QueryRuntimeFixture, limit: int = 50, unfolded: tuple[RunRange, ...] = (), **wanted: Any) -> list[str]:
    """All pages together."""
    found: list[str] = []
    cursor: str | None = ""
    while cursor is not None:
        page = store.queries.folded_history(HistoryQuery(**wanted), cursor, limit, unfolded)
        assert len(page.rows) <= limit or unfolded
        found += map(say, page.rows)
        cursor = page.cursor
    return found


@pytest.fixture
def past(store: QueryRuntimeFixture) -> QueryRuntimeFixture:
    """Five quiet runs, one with a summary, four quiet ones around a skipped time, one of another day on either end."""
    add(store, -15 * 60)
    for minute in (0, 1, 2, 3, 4):
        add(store, minute, workflow="w" if minute % 2 else "v")
    add(store, 5, "Filed")
    for minute in (6, 7, 9, 10):
        add(store, minute)
    skip(store, 8)
    for minute in (12 * 60, 12 * 60 + 1):
        add(store, minute)
    return store


FOLDED = [
    "quiet 2 00:00-00:01",
    "quiet 2 12:09-12:10",
    "skipped 12:08",
    "quiet 2 12:06-12:07",
    "Filed 12:05",
    "quiet 5 12:00-12:04",
    "nothing 21:00",
]


@pytest.mark.parametrize("limit", [1, 2, 3, 50])
def test_quiet_runs_between_others_are_one_row_on_pages_of_any_size(past: QueryRuntimeFixture, limit: int) -> None:
    assert rows(past, limit) == FOLDED


def test_a_folded_row_names_its_workflows(past: QueryRuntimeFixture) -> None:
    found = [one for one in past.queries.folded_history(HistoryQuery()).rows if isinstance(one, QuietRuns)]
    assert [one.workflows for one in found] == [("w",), ("w",), ("w",), ("v", "w")]


@pytest.mark.parametrize("indexed", [False, True])
def test_filters_and_words_apply_before_folding(past: QueryRuntimeFixture, indexed: bool) -> None:  # noqa: FBT001
    if indexed:
        with past.database.write() as db:
            history_index.index_batch(db, 1_000)
    assert rows(past, 2, workflow="v") == ["quiet 3 12:00-12:04"]
    assert rows(past, 2, text="filed") == ["Filed 12:05"]
    assert rows(past, 2, statuses=("done",), workflow="w", since=NOON, until=NOON + timedelta(minutes=8)) == [
        "quiet 2 12:06-12:07",
        "Filed 12:05",
        "quiet 2 12:01-12:03",
    ]


@pytest.mark.parametrize(
    "facts",
    [
        {"status": RunStatus.LOGIC},
        {"status": RunStatus.ACTIVE, "ended": None},
        {"status": RunStatus.CANCELLED},
        {"trigger": "manual"},
        {"mutating_at": NOON},
        {"summary": "Filed"},
    ],
    ids=str,
)
def test_only_a_run_without_anything_to_report_is_folded(store: QueryRuntimeFixture, facts: dict[str, Any]) -> None:
    add(store, 0)
    add(store, 1, **facts)
    add(store, 2)
    add(store, 3)
    shown = rows(store)
    assert [shown[0], shown[2]] == ["quiet 2 12:02-12:03", "nothing 12:00"]


def test_an_unfolded_row_is_followed_by_its_runs(past: QueryRuntimeFixture) -> None:
    [five] = [one for one in past.queries.folded_history(HistoryQuery()).rows if say(one).startswith("quiet 5")]
    assert isinstance(five, QuietRuns)
    unfolded = [*FOLDED[:5], "open 5 12:00-12:04", *(f"nothing 12:0{minute}" for minute in (4, 3, 2, 1, 0)), FOLDED[6]]
    assert rows(past, 50, (five.runs,)) == rows(past, 2, (five.runs,)) == unfolded
    assert list(map(say, past.queries.quiet_runs(HistoryQuery(), five.runs).rows)) == unfolded[5:-1]
    of_v = past.queries.quiet_runs(HistoryQuery(workflow="v"), five.runs)
    assert list(map(say, of_v.rows)) == ["open 3 12:00-12:04", "nothing 12:04", "nothing 12:02", "nothing 12:00"]


def test_the_rest_of_a_row_that_is_too_long_stays_folded(
    past: QueryRuntimeFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(folded_history, "MAX_UNFOLDED_RUNS", 2)
    [five] = [one for one in past.queries.folded_history(HistoryQuery()).rows if say(one).startswith("quiet 5")]
    assert isinstance(five, QuietRuns)
    shown = past.queries.quiet_runs(HistoryQuery(), five.runs).rows
    expected = ["open 2 12:03-12:04", "nothing 12:04", "nothing 12:03", "quiet 3 12:00-12:02"]
    assert list(map(say, shown)) == expected
    assert isinstance(shown[0], QuietRuns)
    assert rows(past, 50, (shown[0].runs,)) == [*FOLDED[:5], *expected, FOLDED[6]]


def test_a_page_ends_after_many_quiet_runs_and_the_next_one_continues(
    past: QueryRuntimeFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(folded_history, "_MAX_SCANNED_RUNS", 4)
    first = past.queries.folded_history(HistoryQuery())
    assert list(map(say, first.rows)) == FOLDED[:2] and first.cursor is not None
    assert rows(past) == FOLDED


def test_new_quiet_runs_join_the_row_on_top(past: QueryRuntimeFixture) -> None:
    add(past, 12 * 60 + 2)
    assert rows(past) == ["quiet 3 00:00-00:02", *FOLDED[1:]]
