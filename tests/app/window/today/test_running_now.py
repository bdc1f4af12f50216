"""What runs now is on Today, with a button to stop it and one for its log."""

import pytest
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from app.background import run_command
from app.session import Session
from app.window.today.page import TodayPage
from scheduler.rules.history_query import HistoryQuery
from scheduler.rules.phases import RunStatus
from tests.app.app_fixture import Wait, deploy


@pytest.fixture
def page(qtbot: QtBot, empty: Session, wait: Wait) -> TodayPage:
    """While a long job runs."""
    deploy(empty, "Backup", "import time; time.sleep(600)")
    made = TodayPage(empty)
    qtbot.addWidget(made)
    made.resize(1000, 700)
    made.show()
    empty.announced.connect(made.refresh)
    run_command(empty, "run", target="backup")
    wait(lambda: made.running.rows)
    return made


def test_a_running_job_is_listed_with_its_name_and_start(page: TodayPage) -> None:
    texts = [one.text() for one in page.running.findChildren(QLabel) if one.isVisible()]
    assert "Running now" in texts and "Backup" in texts
    assert any(text.startswith("since ") for text in texts)


def test_stop_ends_the_run_and_its_row(page: TodayPage, empty: Session, wait: Wait) -> None:
    [row] = page.running.rows.values()
    row.stop.click()
    assert not row.stop.isEnabled()
    wait(lambda: not page.running.rows)
    assert not page.running.isVisible()
    [run] = empty.queries.history(HistoryQuery()).runs
    assert run.status is RunStatus.CANCELLED


def test_the_log_of_a_running_job_opens(qtbot: QtBot, page: TodayPage) -> None:
    [(run, row)] = page.running.rows.items()
    with qtbot.waitSignal(page.open_page) as opened:
        row.log.click()
    assert opened.args == ["history", run]


def test_the_focus_stays_on_a_button_while_the_list_is_refreshed(page: TodayPage, wait: Wait) -> None:
    page.activateWindow()
    [row] = page.running.rows.values()
    row.stop.setFocus()
    wait(row.stop.hasFocus)
    assert page.day is not None
    page.running.show_runs(page.day.running, page.session.now())
    assert row.stop.hasFocus()
