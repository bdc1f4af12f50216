"""A script opens in the chosen editor, at the right line, or in the system's default program."""

import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtGui import QDesktopServices, QGuiApplication
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from app.background import BackgroundTasks
from app.data.preferences import Preferences, read_preferences, save_preferences
from app.session import Session
from app.window.external_editor import fill_arguments, has_default_program, open_in_editor, parse_command
from app.window.new_workflow.deploy_dialog import DeployDialog
from app.window.script_editor import ScriptEditor
from app.window.settings.page import SettingsPage
from scheduler.engine.errors import RefusedError
from tests.app.app_fixture import Wait
from tests.app.window.session_fixture import few

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


Desktop = Callable[..., None]


@pytest.fixture
def desktop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Desktop:
    """Sets up a desktop with this program for Python files and these commands; reports success for every file."""
    programs, entries = tmp_path / "programs", tmp_path / "share/applications"
    programs.mkdir()
    entries.mkdir(parents=True)
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda _: True)
    for name, value in {"PATH": f"{programs}", "XDG_DATA_HOME": f"{tmp_path}/share", "XDG_DATA_DIRS": "/none"}.items():
        monkeypatch.setenv(name, value)
    for name in ("FLATPAK_ID", "TERMINAL"):
        monkeypatch.delenv(name, raising=False)

    def set_up(entry: str | None, *commands: str) -> None:
        named = "" if entry is None else "own-editor.desktop"
        if entry is not None and entry != "missing":
            (entries / named).write_text(f"[Desktop Entry]\nType=Application\n{entry}")
        tools = {
            "xdg-mime": f'#!/bin/sh\n[ "$2" = filetype ] && echo text/x-python || echo {named}\n',
            **dict.fromkeys(("xdg-open", *commands), "#!/bin/sh\n"),
        }
        for tool, text in tools.items():
            (programs / tool).write_text(text)
            (programs / tool).chmod(0o755)

    return set_up


linux_only = pytest.mark.skipif(sys.platform != "linux", reason="other systems report if a file cannot be opened")


@linux_only
@pytest.mark.parametrize(
    ("entry", "commands", "is_there"),
    [
        (None, (), False),
        ("missing", (), False),
        ("Exec=pen %f", ("pen",), True),
        ("Exec=pen %f", (), False),
        ("Exec=pen %f\nTryExec=ink", ("pen",), False),
        ("Exec=pen %f\nHidden=true", ("pen",), False),
        ("Exec=vi %f\nTerminal=true", ("vi",), False),
        ("Exec=vi %f\nTerminal=true", ("vi", "x-terminal-emulator"), True),
        ("Exec=fox %u\nCategories=Network;WebBrowser;", ("fox",), False),
        ("Exec=python3.11 %f\nTerminal=true", ("python3.11", "xterm"), False),
    ],
    ids=lambda given: str(given).replace("\n", " "),
)
def test_only_a_program_that_starts_and_shows_the_script_is_an_editor(
    desktop: Desktop,
    entry: str | None,
    commands: tuple[str, ...],
    is_there: bool,  # noqa: FBT001  a parameter of the test
) -> None:
    desktop(entry, *commands)
    assert has_default_program("/s/a.py") is is_there


@linux_only
def test_an_entry_in_a_folder_is_found_by_its_id(desktop: Desktop, tmp_path: Path) -> None:
    desktop("missing", "pen")
    (tmp_path / "share/applications/own").mkdir()
    (tmp_path / "share/applications/own/editor.desktop").write_text("[Desktop Entry]\nExec=pen\n")
    assert has_default_program("/s/a.py")


@linux_only
def test_a_usable_program_of_the_desktop_gets_the_script(
    few: Session, wait: Wait, desktop: Desktop, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot
) -> None:
    desktop("Exec=pen %f", "pen")
    opened: list[str] = []
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda url: opened.append(url.toLocalFile()) or True)
    page = QWidget()
    qtbot.addWidget(page)
    open_in_editor(few, BackgroundTasks(page), "/s/a.py", pytest.fail)
    wait(lambda: opened == ["/s/a.py"])
    assert find_editor() is None


@linux_only
def test_without_a_usable_editor_the_script_opens_in_ours(
    few: Session, wait: Wait, desktop: Desktop, qtbot: QtBot
) -> None:
    desktop("Exec=vi %f\nTerminal=true", "vi")
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
