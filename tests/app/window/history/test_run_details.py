"""The details of a run say its state in words."""

from zoneinfo import ZoneInfo

import pytest
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from app.session import Session
from app.window.history.run_details import make_details
from scheduler.rules.phases import RunStatus
from tests.app.window.sample_data import add_run
from tests.app.window.session_fixture import few

__all__ = ["few"]


@pytest.mark.parametrize(
    ("status", "word"), [(RunStatus.TRANSIENT, "Retrying"), (RunStatus.LOGIC, "Failed"), (RunStatus.COMMITTED, "Done")]
)
def test_the_status_is_a_word_and_not_a_stored_code(qtbot: QtBot, few: Session, status: RunStatus, word: str) -> None:
    add_run(few, "run9999", "chore-0", few.now(), status=status)
    box = make_details(few.queries.run("run9999"), ZoneInfo("UTC"))
    qtbot.addWidget(box)
    texts = [one.text() for one in box.findChildren(QLabel)]
    assert word in texts
    assert not any("paused:" in text or "failed:" in text or text == "committed" for text in texts)
