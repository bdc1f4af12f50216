"""A script opens in the chosen editor, at the right line, or in the system's default program."""

import os
import sys
from pathlib import Path

import pytest
from PySide6.QtGui import QDesktopServices, QGuiApplication
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from app.background import BackgroundTasks
from app.data.preferences import Preferences, read_preferences, save_preferences
from app.session import Session
from app.window.external_editor import fill_arguments, open_in_editor, parse_command
from app.window.new_workflow.deploy_dialog import DeployDialog
from app.window.script_editor import ScriptEditor
from app.window.settings.page import SettingsPage
from scheduler.engine.errors import RefusedError
from tests.app.app_fixture import Wait
from tests.app.window.sample_data import few

__all__ = ["few"]


@pytest.mark.parametrize(
    ("editor", "command"),
    [
        ("sh", ["sh", "/s/a b.py"]),
        ("sh -c 'two words'", ["sh", "-c", "two words", "/s/a b.py"]),
        ("sh --goto {file}:{line}", ["sh", "--goto", "/s/a b.py:7"]),
        ("sh +{line}", ["sh", "+7", "/s/a b.py"]),
    ],
)
def test_the_file_and_line_are_filled_into_the_command(editor: str, command: list[str]) -> None:
    assert fill_arguments(parse_command(editor), "/s/a b.py", 7) == command


@pytest.mark.parametrize(
    ("editor", "sentence"),
    [("no-such-editor -w", "no-such-editor was not found"), ("sh 'open", "A quotation mark is not closed")],
)
def test_a_command_that_cannot_be_run_is_refused(editor: str, sentence: str) -> None:
    with pytest.raises(RefusedError, match=sentence):
        parse_command(editor)


def test_the_chosen_editor_is_started_and_failures_are_reported(
    few: Session, wait: Wait, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    noted, errors = tmp_path / "noted", list[str]()
    program = tmp_path / "my editor"
    program.write_text(f"#!{sys.executable}\nimport sys\nopen({str(noted)!r}, 'w').write(' '.join(sys.argv[1:]))\n")
    program.chmod(0o755)
    save_preferences(few.folder, Preferences(editor=f"'{program}' {{line}} {{file}}"))
    page = QWidget()
    asking = BackgroundTasks(page)
    open_in_editor(few, asking, "/s/a.py", lambda error: errors.append(str(error)), 3)
    wait(lambda: noted.exists() and noted.read_text() == "3 /s/a.py")
    program.unlink()
    open_in_editor(few, asking, "/s/a.py", lambda error: errors.append(str(error)))
    wait(lambda: errors)
    assert "Choose another editor in Settings" in errors.pop()
    save_preferences(few.folder, Preferences())
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda _: False)
    open_in_editor(few, asking, str(few.folder / "chore-0.py"), lambda error: errors.append(str(error)))
    editor = wait(find_editor)
    wait(editor.text.isEnabled)
    assert "Workflow" in editor.text.toPlainText() and not errors
    editor.close()


def find_editor() -> ScriptEditor | None:
    return next((one for one in QApplication.topLevelWidgets() if isinstance(one, ScriptEditor)), None)


@pytest.fixture
def no_programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A desktop without a program for any file."""
    tool = tmp_path / "xdg-mime"
    tool.write_text('#!/bin/sh\n[ "$2" = filetype ] && echo text/x-python\nexit 0\n')
    tool.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda _: True)


@pytest.mark.skipif(sys.platform != "linux", reason="other systems report it when a file cannot be opened")
def test_without_any_editor_the_script_opens_in_ours(few: Session, wait: Wait, no_programs: None, qtbot: QtBot) -> None:
    path = few.folder / "chore-0.py"
    page = QWidget()
    qtbot.addWidget(page)
    open_in_editor(few, BackgroundTasks(page), str(path), pytest.fail, 4)
    editor = wait(find_editor)
    wait(editor.text.isEnabled)
    assert editor.text.textCursor().blockNumber() == 3
    editor.copy.click()
    assert QGuiApplication.clipboard().text() == str(path)
    mode = path.stat().st_mode
    qtbot.keyClicks(editor.text, "mine = 1; ")
    editor.save.click()
    wait(lambda: editor.status_line.message == "Saved. Choose Update to run this version from now on.")
    assert "\nmine = 1; flow = " in path.read_text(encoding="utf-8") and path.stat().st_mode == mode
    assert editor.update_button.isEnabled() and not editor.save.isEnabled()
    editor.update_button.click()
    [dialog] = editor.findChildren(DeployDialog)
    dialog.close()
    editor.close()


def test_our_editor_refuses_to_overwrite_changes_of_another_program(few: Session, wait: Wait, qtbot: QtBot) -> None:
    path = few.folder / "chore-0.py"
    editor = ScriptEditor(few, path)
    qtbot.addWidget(editor)
    editor.show()
    wait(editor.text.isEnabled)
    path.write_text("theirs", encoding="utf-8")
    qtbot.keyClicks(editor.text, "mine")
    editor.save.click()
    wait(lambda: editor.status_line.message.startswith("chore-0.py was changed by another program."))
    assert path.read_text(encoding="utf-8") == "theirs" and editor.save.isEnabled()
    editor.text.document().setModified(False)


def test_an_invalid_script_is_saved_and_its_error_shown(few: Session, wait: Wait, qtbot: QtBot) -> None:
    path = few.folder / "chore-0.py"
    editor = ScriptEditor(few, path)
    qtbot.addWidget(editor)
    editor.show()
    wait(editor.text.isEnabled)
    editor.text.setPlainText("def (")
    editor.text.document().setModified(True)
    editor.save.click()
    wait(lambda: "line 1" in editor.status_line.message)
    assert path.read_text(encoding="utf-8") == "def ("


@pytest.mark.skipif(os.name == "nt", reason="uses a Unix program")
def test_an_editor_is_saved_only_if_it_can_be_started(qtbot: QtBot, few: Session, wait: Wait) -> None:
    page = SettingsPage(few)
    qtbot.addWidget(page)
    page.refresh()
    wait(lambda: page._has_read)
    page.editor.setText("sh -c")
    page.editor.editingFinished.emit()
    wait(lambda: read_preferences(few.folder).editor == "sh -c")
    page.editor.setText("no-such-editor")
    page.editor.editingFinished.emit()
    assert page.status_line.message.startswith("no-such-editor was not found")
    assert (page.editor.text(), read_preferences(few.folder).editor) == ("sh -c", "sh -c")


def test_the_editor_of_another_computer_is_not_imported() -> None:
    """It would be a command that this user has not chosen."""
    assert Preferences(editor="rm -rf").for_other_computer().editor == ""
