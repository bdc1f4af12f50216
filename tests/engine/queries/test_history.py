"""History: runs and times that did not run, together, newest first."""

from datetime import timedelta

import pytest

from scheduler.engine.errors import RefusedError
from scheduler.engine.queries.history import HistoryFilter, HistoryResult
from tests.engine.engine_fixture import START
from tests.engine.queries.runtime_fixture import QueryRuntimeFixture

HOURLY = """
import dayhand
flow = dayhand.Workflow("Hourly")

@flow.job(every="1h", catchup="none")
def work(ctx):
    ctx.done("Worked")
"""


@pytest.fixture
def past(runtime: QueryRuntimeFixture) -> QueryRuntimeFixture:
    """Two runs, eight missed times, and one more run."""
    runtime.deploy(HOURLY)
    runtime.move(hours=1)
    runtime.move(hours=1)
    runtime.move(hours=8, minutes=30)
    runtime.move(minutes=30)
    return runtime


def rows(page: HistoryResult) -> list[tuple[str, str]]:
    ran = [(f"{run.planned:%H:%M}", run.status.value) for run in page.runs if run.planned]
    return sorted([*ran, *((f"{one.planned:%H:%M}", one.state) for one in page.occurrences)], reverse=True)


def test_history_lists_runs_and_missed_times_with_reasons(past: QueryRuntimeFixture) -> None:
    page = past.queries.history(HistoryFilter())
    assert rows(page) == [("21:00", "committed"), ("13:00", "missed"), ("12:00", "committed"), ("11:00", "committed")]
    [gap] = page.occurrences
    assert (gap.workflow, gap.handler, gap.number, gap.until) == ("hourly", "work", 8, START + timedelta(hours=10))
    assert gap.reason == "passed" and gap.sentence.startswith("Its time passed while")
    assert page.cursor is None


@pytest.mark.parametrize("most", [1, 2, 3])
def test_many_missed_times_at_one_instant_are_paged(runtime: QueryRuntimeFixture, most: int) -> None:
    for number in range(7):
        runtime.deploy(HOURLY.replace("Hourly", f"Hourly {number}"), f"hourly{number}.py")
    runtime.move(hours=1, minutes=30)
    seen: list[str] = []
    cursor: str | None = ""
    while cursor is not None:
        page = runtime.queries.history(HistoryFilter(), cursor, most)
        assert 0 < len(page.occurrences) <= most
        seen += [one.workflow for one in page.occurrences]
        cursor = page.cursor
    assert seen == [f"hourly-{number}" for number in reversed(range(7))]


@pytest.mark.parametrize("most", [1, 2, 3])
def test_a_clock_set_back_gives_no_duplicates(past: QueryRuntimeFixture, most: int) -> None:
    with past.database.write() as db:
        db.execute("UPDATE runs SET created = created - 86400000 WHERE number = (SELECT max(number) FROM runs)")
    seen: list[str] = []
    cursor: str | None = ""
    while cursor is not None and len(seen) < 10:
        page = past.queries.history(HistoryFilter(), cursor, most)
        seen += [one.id for one in page.runs]
        cursor = page.cursor
    assert sorted(seen) == sorted(one.id for one in past.queries.history(HistoryFilter()).runs)


@pytest.mark.parametrize("most", [1, 2, 3])
def test_pages_contain_everything_once_and_in_order(past: QueryRuntimeFixture, most: int) -> None:
    seen: list[tuple[str, str]] = []
    cursor = None
    while True:
        page = past.queries.history(HistoryFilter(), cursor, most)
        assert 0 < len(page.runs) + len(page.occurrences) <= most
        seen += rows(page)
        cursor = page.cursor
        if cursor is None:
            break
    assert seen == rows(past.queries.history(HistoryFilter()))


@pytest.mark.parametrize(
    ("status", "number"), [("done", 3), ("committed", 3), ("missed", 1), ("failed", 0), ("waiting", 0), ("skipped", 0)]
)
def test_history_accepts_words_for_a_status(past: QueryRuntimeFixture, status: str, number: int) -> None:
    page = past.queries.history(HistoryFilter(status=status))
    assert len(page.runs) + len(page.occurrences) == number


@pytest.mark.parametrize(
    ("text", "number"),
    [("asleep or paused", 1), ("passed", 1), ("hourly asleep", 1), ("hourly verschlafen", 1), ("asleep nothing", 0)],
)
def test_times_are_found_by_the_text_of_their_reason(past: QueryRuntimeFixture, text: str, number: int) -> None:
    """As shown, in the user's language."""
    query = HistoryFilter(text=text, reason_texts=(("passed", "Die Zeit wurde verschlafen."),))
    assert len(past.queries.history(query).occurrences) == past.queries.count_history(query) == number


def test_history_is_filtered_by_text_workflow_handler_and_time(past: QueryRuntimeFixture) -> None:
    assert len(past.queries.history(HistoryFilter(text="worked")).runs) == 3
    assert len(past.queries.history(HistoryFilter(text="nonsense")).runs) == 0
    assert len(past.queries.history(HistoryFilter(workflow="Hourly", handler="work")).occurrences) == 1
    page = past.queries.history(HistoryFilter(since=START + timedelta(hours=2), until=START + timedelta(hours=4)))
    assert rows(page) == [("13:00", "missed"), ("12:00", "committed")]


@pytest.mark.parametrize(
    ("filters", "cursor", "message"),
    [
        (HistoryFilter(status="splendid"), None, "There is no status splendid"),
        (HistoryFilter(workflow="nobody"), None, "There is no workflow nobody"),
        (HistoryFilter(), "yesterday", "is not a valid history cursor"),
        (HistoryFilter(), "1-x-3", "is not a valid history cursor"),
    ],
)
def test_invalid_filters_are_refused(
    past: QueryRuntimeFixture, filters: HistoryFilter, cursor: str | None, message: str
) -> None:
    with pytest.raises(RefusedError, match=message):
        past.queries.history(filters, cursor)


def test_statistics_count_runs_and_times(past: QueryRuntimeFixture) -> None:
    statistics = past.queries.statistics()
    assert statistics.runs == {"committed": 3}
    assert (statistics.times.due, statistics.times.missed, statistics.times.succeeded) == (11, 8, 3)
    [one] = statistics.workflows
    assert (one.name, one.runs, one.done, one.failed, one.seconds) == ("Hourly", 3, 3, 0, 0.0)
    assert past.queries.statistics("hourly").times == statistics.times
    later = past.queries.statistics(since=START + timedelta(hours=9))
    assert later.runs == {"committed": 1}


def test_statistics_of_a_workflow_without_a_schedule(runtime: QueryRuntimeFixture) -> None:
    runtime.deploy("""
        import dayhand
        flow = dayhand.Workflow("Inbox")
        letters = flow.topic("letters")

        @flow.consumer(subscribe=[letters])
        class Read:
            def prepare(self, ctx, state):
                return dayhand.nothing()
    """)
    assert runtime.queries.statistics("inbox").times.due == 0


def test_a_cursor_beyond_the_newest_row_gives_the_first_page(past: QueryRuntimeFixture) -> None:
    far = "9" * 40
    assert past.queries.history(HistoryFilter(), f"{far}-{far}-") == past.queries.history(HistoryFilter())
