"""Today begins with what happened while the user was away."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from app.session import Session
from app.window.history.page import HistoryPage
from app.window.presence import PresenceStore
from app.window.today.page import TodayPage
from scheduler.rules.phases import RunStatus
from scheduler.timing.occurrences import OccurrenceReason, OccurrenceState
from tests.app.app_fixture import Wait, started
from tests.app.window.sample_data import add_not_run, add_run, deploy

AWAY = timedelta(hours=10)


def add_absence(session: Session, length: timedelta = AWAY) -> None:
    """The user returns now."""
    store = PresenceStore(session.folder)
    store.record(session.now() - length, was_interrupted=False)
    store.record(session.now(), was_interrupted=True)


@pytest.fixture
def session(qtbot: QtBot, tmp_path: Path) -> Iterator[Session]:
    """Two good runs, a failed one and a missed time in the last hours."""
    made = Session(tmp_path)
    made._runtime.connect("table:expenses", {"path": str(tmp_path / "expenses.csv")})
    deploy(made, "receipts", "Receipts")
    deploy(made, "photos", "Back up photos")
    at = hours_ago(made, 5)
    add_run(made, "run1", "receipts", at)
    add_run(made, "run2", "receipts", at)
    add_run(made, "run3", "photos", at, status=RunStatus.LOGIC, error={"sentence": "No disk."}, followed=True)
    add_not_run(made, "receipts/digest", at, OccurrenceState.MISSED, OccurrenceReason.PASSED)
    with started(made):
        yield made


def hours_ago(session: Session, hours: float) -> datetime:
    return session.now().replace(microsecond=0) - timedelta(hours=hours)


@pytest.fixture
def page(qtbot: QtBot, session: Session) -> TodayPage:
    made = TodayPage(session)
    qtbot.addWidget(made)
    made.resize(1000, 700)
    made.show()
    return made


def texts(page: TodayPage) -> list[str]:
    return [one.text() for one in page.away.findChildren(QLabel) if one.isVisible()]


def open_summary(page: TodayPage, session: Session, wait: Wait, length: timedelta = AWAY) -> None:
    add_absence(session, length)
    page.refresh()
    wait(page.away.isVisible)


def test_it_counts_what_happened_and_names_what_went_wrong(page: TodayPage, session: Session, wait: Wait) -> None:
    open_summary(page, session, wait)
    counts = [one.text() for one in page.away.counts.values() if one.isVisible()]
    assert counts == ["2 runs went well", "1 failed", "1 missed"]
    assert "Failed: Back up photos" in texts(page)
    assert "Missed: Receipts" in texts(page)


def test_it_is_the_first_part_of_the_page(page: TodayPage, session: Session, wait: Wait) -> None:
    open_summary(page, session, wait)
    wait(page.timeline.isVisible)
    assert page.away.y() < page.timeline.mapTo(page, page.timeline.rect().topLeft()).y()
    assert page._column.parts.indexOf(page.away) == 2  # after the heading and the date


def test_without_an_absence_there_is_none(page: TodayPage, wait: Wait) -> None:
    page.refresh()
    wait(lambda: page.day is not None)
    assert not page.away.isVisible()


def test_a_dismissed_summary_never_returns(page: TodayPage, session: Session, wait: Wait) -> None:
    open_summary(page, session, wait)
    page.away.dismiss.click()
    assert not page.away.isVisible()
    page.day = None
    page.refresh()
    wait(lambda: page.day is not None)
    assert not page.away.isVisible()
    assert PresenceStore(session.folder).absence is None


def test_a_short_absence_without_trouble_says_nothing(page: TodayPage, session: Session, wait: Wait) -> None:
    """The trouble was five hours ago."""
    open_summary(page, session, wait)
    add_run(session, "run4", "receipts", hours_ago(session, 0.5))
    add_absence(session, timedelta(hours=1))
    page.refresh()
    wait(lambda: not page.away.isVisible())


@pytest.mark.parametrize(("name", "found"), [("failed", ["run3"]), ("done", ["run1", "run2"]), ("missed", [None])])
def test_a_count_opens_those_entries_of_history(
    qtbot: QtBot, page: TodayPage, session: Session, wait: Wait, name: str, found: list[str | None]
) -> None:
    open_summary(page, session, wait)
    history = HistoryPage(session)
    qtbot.addWidget(history)
    history.show()
    with qtbot.waitSignal(page.open_page) as opened:
        page.away.counts[name].click()
    assert opened.args[0] == "history"
    history.open_subject(opened.args[1])
    wait(lambda: history.query() == history._shown)
    assert sorted(row.run or "" for row in history.model.rows) == sorted(one or "" for one in found)


def test_what_waits_opens_attention(qtbot: QtBot, page: TodayPage) -> None:
    with qtbot.waitSignal(page.open_page) as opened:
        page.away.counts["waiting"].click()
    assert opened.args == ["attention", ""]
