"""A script opens in the editor that the person chose, at its line, or in what the system has for it."""

import os
import sys
from pathlib import Path

import pytest
from PySide6.QtGui import QDesktopServices
from pytestqt.qtbot import QtBot

from app.asking import Asking
from app.keeping.preferences import Preferences, keep_preferences, read_preferences
from app.life.installation import Installation
from app.window.editing import edit, read_command, write_arguments
from app.window.settings import SettingsPage
from scheduler.engine.refusal import RefusedError
from tests.app.living import Wait
from tests.app.window.filling import few

__all__ = ["few"]


@pytest.mark.parametrize(
    ("editor", "told"),
    [
        ("sh", ["sh", "/s/a b.py"]),
        ("sh -c 'two words'", ["sh", "-c", "two words", "/s/a b.py"]),
        ("sh --goto {file}:{line}", ["sh", "--goto", "/s/a b.py:7"]),
        ("sh +{line}", ["sh", "+7", "/s/a b.py"]),
    ],
)
def test_the_file_and_its_line_are_put_where_the_command_wants_them(editor: str, told: list[str]) -> None:
    assert write_arguments(read_command(editor), "/s/a b.py", 7) == told


@pytest.mark.parametrize(
    ("editor", "sentence"),
    [("no-such-editor -w", "There is no program no-such-editor"), ("sh 'open", "A quote has no end")],
)
def test_what_cannot_be_run_is_refused(editor: str, sentence: str) -> None:
    with pytest.raises(RefusedError, match=sentence):
        read_command(editor)


def test_the_chosen_editor_is_started_and_what_fails_is_said(
    few: Installation, wait: Wait, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    noted, said = tmp_path / "noted", list[str]()
    program = tmp_path / "my editor"
    program.write_text(f"#!{sys.executable}\nimport sys\nopen({str(noted)!r}, 'w').write(' '.join(sys.argv[1:]))\n")
    program.chmod(0o755)
    keep_preferences(few.folder, Preferences(editor=f"'{program}' {{line}} {{file}}"))
    asking = Asking()
    edit(few, asking, "/s/a.py", lambda error: said.append(str(error)), 3)
    wait(lambda: noted.exists() and noted.read_text() == "3 /s/a.py")
    program.unlink()
    edit(few, asking, "/s/a.py", lambda error: said.append(str(error)))
    wait(lambda: said)
    assert "choose another editor in Settings" in said.pop()
    keep_preferences(few.folder, Preferences())
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda _: False)
    edit(few, asking, "/s/a.py", lambda error: said.append(str(error)))
    wait(lambda: said == ["/s/a.py could not be opened; choose an editor in Settings."])


@pytest.mark.skipif(os.name == "nt", reason="names a program of Unix")
def test_an_editor_is_kept_if_it_can_be_started(qtbot: QtBot, few: Installation, wait: Wait) -> None:
    page = SettingsPage(few)
    qtbot.addWidget(page)
    page.refresh()
    wait(lambda: page._has_read)
    page.editor.setText("sh -c")
    page.editor.editingFinished.emit()
    wait(lambda: read_preferences(few.folder).editor == "sh -c")
    page.editor.setText("no-such-editor")
    page.editor.editingFinished.emit()
    assert page.saying.sentence.startswith("There is no program no-such-editor")
    assert (page.editor.text(), read_preferences(few.folder).editor) == ("sh -c", "sh -c")


def test_an_editor_of_another_computer_does_not_arrive() -> None:
    """It would be a command that nobody here has chosen."""
    assert Preferences(editor="rm -rf").arrive().editor == ""
