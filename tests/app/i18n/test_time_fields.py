"""Times are entered as the user's locale writes them."""

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QLocale, QTime
from PySide6.QtWidgets import QTimeEdit
from pytestqt.qtbot import QtBot

from app.session import Session
from app.templates import find_template
from app.window.new_workflow.answer_fields import AnswerFields
from app.window.workflows.backfill_dialog import BackfillDialog
from tests.app.app_fixture import empty
from tests.app.window.sample_data import create_workflows

__all__ = ["empty"]


@pytest.fixture(params=[("en_US", "4:30 PM"), ("de_DE", "16:30")])
def written(request: pytest.FixtureRequest) -> Iterator[str]:
    """Half past four in the locale of the test."""
    before, (locale, written) = QLocale(), request.param
    QLocale.setDefault(QLocale(locale))
    yield written
    QLocale.setDefault(before)


def test_an_answer_is_a_time_in_the_format_of_the_locale(qtbot: QtBot, empty: Session, written: str) -> None:
    fields = AnswerFields(empty)
    qtbot.addWidget(fields)
    template = find_template("run-command")
    assert template is not None
    fields.show_questions(template.questions, {})
    [clock] = fields.findChildren(QTimeEdit)
    clock.setTime(QTime(16, 30))
    assert clock.text().replace("\u202f", " ") == written


def test_a_range_of_missed_times_is_in_the_format_of_the_locale(qtbot: QtBot, empty: Session, written: str) -> None:
    create_workflows(empty, 1)
    [schedule, *_] = empty.queries.schedules("chore-0")
    dialog = BackfillDialog(empty, schedule)
    qtbot.addWidget(dialog)
    dialog.start.setTime(QTime(16, 30))
    assert dialog.start.text().replace("\u202f", " ").endswith(f" {written}")
