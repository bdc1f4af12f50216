"""An error disappears as soon as the user begins to correct it, in every dialog and in the settings."""

from pathlib import Path

import pytest
from PySide6.QtWidgets import QLineEdit
from pytestqt.qtbot import QtBot

from app.session import Session
from app.theme.tokens import Tone
from app.window.feedback import StatusLine
from app.window.import_jobs.dialog import ImportJobsDialog
from app.window.new_workflow.answer_fields import WeekdayField
from app.window.new_workflow.new_dialog import NewWorkflowDialog
from app.window.new_workflow.template_setup import KnownSetup
from app.window.settings.page import SettingsPage
from app.window.workflows.backfill_dialog import BackfillDialog
from app.window.workflows.schedule_dialog import ScheduleDialog
from tests.app.app_fixture import Wait
from tests.app.window.session_fixture import few
from tests.app.window.workflows.test_workflow_pane import change_times, schedule_of

__all__ = ["few"]


def open_template(qtbot: QtBot, session: Session, slug: str) -> NewWorkflowDialog:
    dialog = NewWorkflowDialog(session)
    qtbot.addWidget(dialog)
    dialog.show()
    dialog.list.setCurrentRow([one.slug for one in dialog.templates].index(slug))
    dialog.go_on()
    return dialog


def type_into(qtbot: QtBot, field: object) -> None:
    assert isinstance(field, QLineEdit)
    qtbot.keyClicks(field, "x")


def said(dialog: NewWorkflowDialog) -> str:
    return dialog.status_line.message


def test_a_missing_answer_and_a_missing_name(qtbot: QtBot, empty: Session) -> None:
    dialog = open_template(qtbot, empty, "run-command")
    dialog.go_on()
    assert said(dialog) == "Command: This field is required."
    type_into(qtbot, dialog.answers.inputs["COMMAND"])
    assert not said(dialog)
    dialog.name.clear()
    dialog.go_on()
    assert said(dialog) == "Name: This field is required."
    type_into(qtbot, dialog.name)
    assert not said(dialog)


def test_a_field_is_named_without_its_example(qtbot: QtBot, empty: Session) -> None:
    dialog = open_template(qtbot, empty, "watch-page")
    dialog.go_on()
    assert said(dialog) == "Page: This field is required."


def test_no_chosen_day(qtbot: QtBot, empty: Session) -> None:
    dialog = open_template(qtbot, empty, "run-command")
    type_into(qtbot, dialog.answers.inputs["COMMAND"])
    days = dialog.answers.inputs["DAYS"]
    assert isinstance(days, WeekdayField)
    for button in days.days.values():
        button.setChecked(False)
    dialog.go_on()
    assert "Choose at least one day." in said(dialog)
    days.days["tue"].click()
    assert not said(dialog)


def test_a_missing_account_that_is_connected_now(qtbot: QtBot, empty: Session) -> None:
    dialog = open_template(qtbot, empty, "calendar-reminder")
    dialog.go_on()
    dialog.go_on()
    assert said(dialog) == "Needs a calendar. Connect one to continue."
    known = KnownSetup(connections={"caldav:calendar": {}}, connected=("caldav:calendar",))
    dialog.accounts.fields["CALENDAR"].show_choices(known, "caldav:calendar")
    assert not said(dialog)


def test_a_script_file_that_cannot_be_used(qtbot: QtBot, empty: Session, wait: Wait) -> None:
    dialog = open_template(qtbot, empty, "empty-script")
    dialog.go_on()
    wait(dialog.continue_button.isEnabled)
    dialog.ready.file.clear()
    dialog.go_on()
    assert said(dialog) == "Save the script as: This field is required."
    type_into(qtbot, dialog.ready.file)
    assert not said(dialog)


def test_a_missing_folder_of_an_import(qtbot: QtBot, empty: Session, tmp_path: Path, wait: Wait) -> None:
    crontab = tmp_path / "jobs"
    crontab.write_text("0 3 * * * true\n")
    dialog = ImportJobsDialog(empty)
    qtbot.addWidget(dialog)
    dialog.show()
    dialog.read_file(crontab)
    wait(dialog.import_button.isEnabled)
    dialog.folder.clear()
    dialog.import_button.click()
    assert dialog.status_line.message == "Choose a folder for the scripts."
    type_into(qtbot, dialog.folder)
    assert not dialog.status_line.message


def test_a_refused_schedule_and_range(qtbot: QtBot, few: Session) -> None:
    schedule, backfill = ScheduleDialog(few, schedule_of(few)), BackfillDialog(few, schedule_of(few))
    for dialog in (schedule, backfill):
        qtbot.addWidget(dialog)
        dialog.show()
        dialog.status_line.show_message("Not like this.", Tone.BAD)
    schedule.editor.picker.number.setValue(10)
    backfill.start.setDateTime(backfill.start.dateTime().addDays(-1))
    assert (schedule.status_line.message, backfill.status_line.message) == ("", "")


def test_what_is_not_an_error_stays(qtbot: QtBot, few: Session, wait: Wait) -> None:
    """A schedule that was changed elsewhere is compared with what the user goes on editing."""
    dialog = ScheduleDialog(few, schedule_of(few))
    qtbot.addWidget(dialog)
    dialog.show()
    dialog.editor.picker.number.setValue(10)
    change_times(few, "30m")
    dialog.save.click()
    wait(dialog.comparison.isVisible)
    dialog.editor.picker.number.setValue(20)
    assert dialog.comparison.text() == "Saved: Every 30 minutes\nYours: Every 20 minutes"
    assert "changed elsewhere" in dialog.status_line.message


@pytest.mark.parametrize("place", ["editor", "metrics", "fixer"])
def test_a_setting_that_cannot_be_used(qtbot: QtBot, empty: Session, wait: Wait, place: str) -> None:
    page = SettingsPage(empty)
    qtbot.addWidget(page)
    page.refresh()
    wait(lambda: page._has_read)
    places: dict[str, tuple[StatusLine, QLineEdit]] = {
        "editor": (page.status_line, page.editor),
        "metrics": (page.metrics.status_line, page.metrics.folder),
        "fixer": (page.fixer.status_line, page.fixer.command),
    }
    line, field = places[place]
    line.show_message("Not like this.", Tone.BAD)
    field.setEnabled(True)
    type_into(qtbot, field)
    assert not line.message
