"""History as people see it: runs and the times that did not run, together, the newest first."""

from datetime import timedelta

import pytest

from scheduler.engine.refusal import RefusedError
from scheduler.engine.workflows.views.history import Found, HistoryPage
from tests.engine.harness import START
from tests.engine.workflows.views.shop import Shop

HOURLY = """
import dayhand
flow = dayhand.Workflow("Hourly")

@flow.job(every="1h", catchup="none")
def work(ctx):
    ctx.done("Worked")
"""


@pytest.fixture
def past(shop: Shop) -> Shop:
    """Two runs, eight times that passed unseen, and one more run."""
    shop.deploy(HOURLY)
    shop.move(hours=1)
    shop.move(hours=1)
    shop.move(hours=8, minutes=30)
    shop.move(minutes=30)
    return shop


def rows(page: HistoryPage) -> list[tuple[str, str]]:
    ran = [(f"{run.planned:%H:%M}", run.status.value) for run in page.runs if run.planned]
    return sorted([*ran, *((f"{one.planned:%H:%M}", one.state) for one in page.occurrences)], reverse=True)


def test_everything_is_there_with_its_reason(past: Shop) -> None:
    """M1, U5"""
    page = past.views.history(Found())
    assert rows(page) == [("21:00", "committed"), ("13:00", "missed"), ("12:00", "committed"), ("11:00", "committed")]
    [gap] = page.occurrences
    assert (gap.workflow, gap.handler, gap.number, gap.until) == ("hourly", "work", 8, START + timedelta(hours=10))
    assert gap.reason == "passed" and gap.sentence.startswith("Its time passed while")
    assert page.cursor is None


@pytest.mark.parametrize("most", [1, 2, 3])
def test_many_that_missed_the_same_time_come_on_several_pages(shop: Shop, most: int) -> None:
    """U5"""
    for number in range(7):
        shop.deploy(HOURLY.replace("Hourly", f"Hourly {number}"), f"hourly{number}.py")
    shop.move(hours=1, minutes=30)
    seen: list[str] = []
    cursor: str | None = ""
    while cursor is not None:
        page = shop.views.history(Found(), cursor, most)
        assert 0 < len(page.occurrences) <= most
        seen += [one.workflow for one in page.occurrences]
        cursor = page.cursor
    assert seen == [f"hourly-{number}" for number in reversed(range(7))]


@pytest.mark.parametrize("most", [1, 2, 3])
def test_a_clock_that_was_set_back_brings_nothing_twice(past: Shop, most: int) -> None:
    with past.database.write() as db:
        db.execute("UPDATE runs SET created = created - 86400000 WHERE number = (SELECT max(number) FROM runs)")
    seen: list[str] = []
    cursor: str | None = ""
    while cursor is not None and len(seen) < 10:
        page = past.views.history(Found(), cursor, most)
        seen += [one.id for one in page.runs]
        cursor = page.cursor
    assert sorted(seen) == sorted(one.id for one in past.views.history(Found()).runs)


@pytest.mark.parametrize("most", [1, 2, 3])
def test_pages_give_everything_once_and_in_order(past: Shop, most: int) -> None:
    seen: list[tuple[str, str]] = []
    cursor = None
    while True:
        page = past.views.history(Found(), cursor, most)
        assert 0 < len(page.runs) + len(page.occurrences) <= most
        seen += rows(page)
        cursor = page.cursor
        if cursor is None:
            break
    assert seen == rows(past.views.history(Found()))


@pytest.mark.parametrize(
    ("status", "number"), [("done", 3), ("committed", 3), ("missed", 1), ("failed", 0), ("waiting", 0), ("skipped", 0)]
)
def test_a_status_in_peoples_words(past: Shop, status: str, number: int) -> None:
    page = past.views.history(Found(status=status))
    assert len(page.runs) + len(page.occurrences) == number


@pytest.mark.parametrize(
    ("text", "number"),
    [("asleep or paused", 1), ("passed", 1), ("hourly asleep", 1), ("hourly verschlafen", 1), ("asleep nothing", 0)],
)
def test_times_are_found_by_the_words_of_their_reason(past: Shop, text: str, number: int) -> None:
    """U5: as it is read, in the language of whoever looks."""
    wanted = Found(text=text, said=(("passed", "Die Zeit wurde verschlafen."),))
    assert len(past.views.history(wanted).occurrences) == past.views.count_history(wanted) == number


def test_text_workflow_handler_and_times_narrow_it(past: Shop) -> None:
    assert len(past.views.history(Found(text="worked")).runs) == 3
    assert len(past.views.history(Found(text="nonsense")).runs) == 0
    assert len(past.views.history(Found(workflow="Hourly", handler="work")).occurrences) == 1
    page = past.views.history(Found(since=START + timedelta(hours=2), until=START + timedelta(hours=4)))
    assert rows(page) == [("13:00", "missed"), ("12:00", "committed")]


@pytest.mark.parametrize(
    ("wanted", "cursor", "message"),
    [
        (Found(status="splendid"), None, "There is no status splendid"),
        (Found(workflow="nobody"), None, "There is no workflow nobody"),
        (Found(), "yesterday", "is not where a page"),
        (Found(), "1-x-3", "is not where a page"),
    ],
)
def test_nonsense_is_refused(past: Shop, wanted: Found, cursor: str | None, message: str) -> None:
    with pytest.raises(RefusedError, match=message):
        past.views.history(wanted, cursor)


def test_statistics_count_runs_and_times(past: Shop) -> None:
    found = past.views.statistics()
    assert found.runs == {"committed": 3}
    assert (found.times.due, found.times.missed, found.times.succeeded) == (11, 8, 3)
    [one] = found.workflows
    assert (one.name, one.runs, one.done, one.failed, one.seconds) == ("Hourly", 3, 3, 0, 0.0)
    assert past.views.statistics("hourly").times == found.times
    later = past.views.statistics(since=START + timedelta(hours=9))
    assert later.runs == {"committed": 1}


def test_statistics_of_a_workflow_without_times(shop: Shop) -> None:
    shop.deploy("""
        import dayhand
        flow = dayhand.Workflow("Inbox")
        letters = flow.topic("letters")

        @flow.consumer(subscribe=[letters])
        class Read:
            def prepare(self, ctx, state):
                return dayhand.nothing()
    """)
    assert shop.views.statistics("inbox").times.due == 0


def test_a_cursor_beyond_everything_is_the_beginning(past: Shop) -> None:
    far = "9" * 40
    assert past.views.history(Found(), f"{far}-{far}-") == past.views.history(Found())
