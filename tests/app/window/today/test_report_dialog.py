"""Today opens the report of the last days, to read, copy and save."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from PySide6.QtGui import QGuiApplication
from pytestqt.qtbot import QtBot

from app.session import Session
from app.window.today import report_dialog
from app.window.today.page import TodayPage
from app.window.today.report_dialog import ReportDialog
from scheduler.rules.phases import RunStatus
from tests.app.app_fixture import Wait, started
from tests.app.window.sample_data import add_run, deploy


@pytest.fixture
def session(qtbot: QtBot, tmp_path: Path) -> Iterator[Session]:
    made = Session(tmp_path)
    made._runtime.connect("table:expenses", {"path": str(tmp_path / "expenses.csv")})
    deploy(made, "receipts", "Receipts")
    now = made.now()
    add_run(made, "run1", "receipts", now - timedelta(days=20), status=RunStatus.LOGIC, error={"sentence": "No."})
    add_run(made, "run2", "receipts", now - timedelta(days=3))
    with started(made):
        yield made


def test_today_leads_to_the_report_of_the_week(
    qtbot: QtBot, session: Session, wait: Wait, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = TodayPage(session)
    qtbot.addWidget(page)
    page.show()
    page.report_button.click()
    [dialog] = page.findChildren(ReportDialog)
    wait(lambda: "1 run went well" in dialog.page.toPlainText())
    assert "Receipts" in dialog.page.toPlainText() and "failed" not in dialog.page.toPlainText()
    dialog.span.setCurrentIndex(dialog.span.findData(30))
    dialog.span.activated.emit(2)
    wait(lambda: "1 failed" in dialog.page.toPlainText())
    dialog.copy_button.click()
    copied = QGuiApplication.clipboard().mimeData()
    assert copied.hasHtml() and "1 failed" in copied.text() and "What ran" in copied.text()
    target = tmp_path / "report.html"
    monkeypatch.setattr(report_dialog, "choose_save_path", lambda *_: str(target))
    dialog.save_button.click()
    assert target.read_text("utf-8").startswith("<!DOCTYPE html>")
    monkeypatch.setattr(report_dialog, "choose_save_path", lambda *_: str(tmp_path / "no" / "report.html"))
    dialog.save_button.click()
    assert "No such file" in dialog.status_line.message
    dialog.close_button.click()
