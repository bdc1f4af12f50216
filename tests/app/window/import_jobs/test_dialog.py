"""Jobs are imported in the window: chosen from a list with their times side by side, and undone if not wanted."""

from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QLabel, QTableView, QWidget
from pytestqt.qtbot import QtBot

from app import job_importer
from app.background import run_command
from app.session import Session
from app.window.import_jobs import dialog as dialogs
from app.window.import_jobs.dialog import ImportJobsDialog
from app.window.workflows.page import WorkflowsPage
from scheduler.engine.errors import RefusedError
from tests.app.app_fixture import Wait
from tests.job_import.test_systemd import SERVICE, TIMER

CRONTAB = "# Photos\n0 3 * * * restic backup ~/Photos\n@reboot never\n30 4 * * 1 restic forget\n"


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home folder with a crontab."""
    place = tmp_path / "home"
    place.mkdir()
    (place / "lines").write_text(CRONTAB)
    program = place / "crontab"
    program.write_text(f"#!/bin/sh\ncat {place}/lines\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(place), prepend=":")
    monkeypatch.setenv("HOME", str(place))
    monkeypatch.setattr(dialogs.QStandardPaths, "writableLocation", lambda _: str(place / "Documents"))
    return place


@pytest.fixture
def dialog(qtbot: QtBot, empty: Session, wait: Wait) -> ImportJobsDialog:
    return show(qtbot, empty, wait)


def show(qtbot: QtBot, session: Session, wait: Wait) -> ImportJobsDialog:
    made = ImportJobsDialog(session)
    qtbot.addWidget(made)
    made.show()
    wait(lambda: made.plan is not None)
    return made


def items(dialog: ImportJobsDialog) -> list[str]:
    return [dialog.jobs.item(place).text() for place in range(dialog.jobs.count())]


def said(widget: QWidget) -> str:
    return "\n".join(label.text() for label in widget.findChildren(QLabel))


def import_all(dialog: ImportJobsDialog, wait: Wait) -> None:
    dialog.import_button.click()
    wait(dialog.results_panel.isVisible)


def test_without_jobs_of_its_own_it_asks_for_a_file(
    qtbot: QtBot, empty: Session, wait: Wait, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Instead of an empty list."""
    monkeypatch.setattr(dialogs.shutil, "which", lambda _: None)
    monkeypatch.setattr(dialogs, "find_user_timers", tuple)
    dialog = ImportJobsDialog(empty)
    qtbot.addWidget(dialog)
    dialog.show()
    assert not dialog.jobs.isVisible() and dialog.focusWidget() is dialog.choose
    dialog.read_file(home / "lines")
    wait(dialog.jobs.isVisible)
    assert dialog.focusWidget() is dialog.jobs and len(items(dialog)) == 3


def test_the_own_crontab_is_listed_with_what_cannot_be_imported(dialog: ImportJobsDialog) -> None:
    assert items(dialog) == [
        "Photos\nDaily at 03:00",
        "restic forget\nMondays at 04:30",
        "@reboot never\nCannot be imported · crontab",
    ]
    assert dialog.import_button.text() == "Import 2 jobs"
    dialog.jobs.setCurrentRow(2)
    assert "crontab, line 3" in said(dialog.details) and "It runs when the computer starts" in said(dialog.details)


def test_the_times_of_a_job_are_shown_side_by_side(dialog: ImportJobsDialog) -> None:
    assert "restic backup ~/Photos" in said(dialog.details)
    table = dialog.details.findChild(QTableView)
    assert table is not None
    model = table.model()
    heads = [model.headerData(place, Qt.Orientation.Horizontal) for place in range(2)]
    assert (heads, model.rowCount()) == (["cron", "Dayhand"], 8)
    rows = [[model.index(row, place).data() for place in range(2)] for row in range(8)]
    assert all(old == new and "03:00" in new for old, new in rows)


def test_only_the_checked_jobs_are_imported_paused(
    dialog: ImportJobsDialog, empty: Session, home: Path, wait: Wait
) -> None:
    dialog.jobs.item(0).setCheckState(Qt.CheckState.Unchecked)
    assert (dialog.import_button.text(), dialog.all.isChecked()) == ("Import 1 job", False)
    import_all(dialog, wait)
    [view] = empty.queries.workflows()
    assert (view.name, view.state) == ("restic forget", "paused")
    assert (home / "Documents/Dayhand/Imported/restic_forget.py").exists()
    assert dialog.results_panel.summary.text() == "1 job imported; it is paused."


def test_the_old_entries_are_not_touched_and_the_exact_command_is_offered(
    dialog: ImportJobsDialog, home: Path, wait: Wait
) -> None:
    import_all(dialog, wait)
    panel = dialog.results_panel
    assert "or each job runs twice" in panel.advice.text()
    assert panel.commands.toPlainText() == "crontab -l | sed '2s/^/#/; 4s/^/#/' | crontab -"
    panel.copy.click()
    assert QGuiApplication.clipboard().text() == panel.commands.toPlainText()
    assert (home / "lines").read_text() == CRONTAB


def test_the_jobs_can_be_started_afterwards(dialog: ImportJobsDialog, empty: Session, wait: Wait) -> None:
    import_all(dialog, wait)
    dialog.results_panel.start.click()
    wait(lambda: not dialog.isVisible())
    assert {view.state for view in empty.queries.workflows()} == {"idle"}


def test_the_jobs_can_be_started_at_once(dialog: ImportJobsDialog, empty: Session, wait: Wait) -> None:
    dialog.paused.setChecked(False)
    import_all(dialog, wait)
    assert {view.state for view in empty.queries.workflows()} == {"idle"}
    assert not dialog.results_panel.start.isVisible()


def test_an_import_can_be_undone(dialog: ImportJobsDialog, empty: Session, home: Path, wait: Wait) -> None:
    import_all(dialog, wait)
    dialog.results_panel.undo.click()
    wait(lambda: not dialog.isVisible())
    assert empty.queries.workflows() == []
    assert list((home / "Documents/Dayhand/Imported").iterdir()) == []


def test_a_setting_that_has_no_counterpart_is_no_job_that_cannot_be_imported(
    qtbot: QtBot, home: Path, empty: Session, wait: Wait
) -> None:
    (home / "lines").write_text("MAILTO=me@example.com\n@daily one\n")
    dialog = show(qtbot, empty, wait)
    assert items(dialog)[-1] == "MAILTO=me@example.com\nLeft out · crontab"


def test_jobs_that_were_imported_before_cannot_be_checked(
    qtbot: QtBot, dialog: ImportJobsDialog, empty: Session, wait: Wait
) -> None:
    import_all(dialog, wait)
    again = show(qtbot, empty, wait)
    assert items(again)[:2] == ["Photos\nImported before", "restic forget\nImported before"]
    assert not again.jobs.list_chosen() and not again.import_button.isEnabled()
    assert again.status_line.message == "Everything was imported before."


def test_a_line_that_is_refused_is_named_and_the_others_are_imported(
    dialog: ImportJobsDialog, empty: Session, monkeypatch: pytest.MonkeyPatch, wait: Wait
) -> None:
    def refuse_first(session: Session, verb: str, **given: Any) -> Any:
        if given.get("path", "").endswith("photos.py"):
            raise RefusedError("script", "It does not load.")
        return run_command(session, verb, **given)

    monkeypatch.setattr(dialogs, "run_command", refuse_first)
    import_all(dialog, wait)
    assert dialog.results_panel.refused.text() == "crontab, line 2 was not imported: It does not load."
    assert [view.name for view in empty.queries.workflows()] == ["restic forget"]


def test_a_timer_is_read_with_the_service_beside_it(dialog: ImportJobsDialog, home: Path, wait: Wait) -> None:
    (home / "b.timer").write_text(TIMER)
    (home / "b.service").write_text(SERVICE)
    dialog.read_file(home / "b.timer")
    wait(lambda: items(dialog)[0].startswith("Nightly\n"))
    import_all(dialog, wait)
    assert dialog.results_panel.commands.toPlainText() == "systemctl --user disable --now b.timer"


def test_a_file_without_jobs_says_so(dialog: ImportJobsDialog, home: Path, wait: Wait) -> None:
    (home / "empty").write_text("# nothing\n")
    dialog.read_file(home / "empty")
    wait(lambda: dialog.status_line.message == "No jobs were found.")
    dialog.read_file(home / "missing")
    wait(lambda: "cannot be read" in dialog.status_line.message)
    assert not dialog.import_button.isEnabled()


def test_cancelling_keeps_what_was_imported_and_stops(
    dialog: ImportJobsDialog, empty: Session, monkeypatch: pytest.MonkeyPatch, wait: Wait
) -> None:
    write = job_importer.write_script

    def cancel_after_first(*given: Any) -> Any:
        dialog._stop.set()
        return write(*given)

    monkeypatch.setattr(job_importer, "write_script", cancel_after_first)
    dialog.import_button.click()
    wait(lambda: len(empty.queries.workflows()) == 1)
    wait(dialog.results_panel.isVisible)
    assert len(empty.queries.workflows()) == 1


def test_the_workflows_page_opens_the_import_and_lists_the_jobs(qtbot: QtBot, empty: Session, wait: Wait) -> None:
    page = WorkflowsPage(empty)
    qtbot.addWidget(page)
    page.show()
    page.refresh()
    wait(lambda: page.body.currentWidget() is page.empty)
    assert page.import_button.isVisible()
    page.import_button.click()
    [dialog] = page.findChildren(ImportJobsDialog)
    wait(lambda: dialog.plan is not None)
    import_all(dialog, wait)
    wait(lambda: page.model.rowCount() == 2)
    dialog.reject()
