"""Opens a script in the user's editor, in the system's default program for it, or else in an editor of ours."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QProcess, QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QWidget

from app.background import BackgroundTasks
from app.data.preferences import read_preferences
from app.platform.desktop_entries import find_entry, is_editor
from app.session import Session
from scheduler.engine.errors import RefusedError
from scheduler.shell_words import split_words

translate = QCoreApplication.translate
_FILE, _LINE = "{file}", "{line}"
_TIMEOUT_S = 5


def open_in_editor(
    session: Session,
    background: BackgroundTasks,
    path: str,
    on_error: Callable[[Exception], None],
    line: int | None = None,
) -> None:
    """Choose the editor in the background, then start it; `on_error` receives any error."""
    folder = session.folder

    def start(found: tuple[str, bool]) -> None:
        editor, has_default = found
        try:
            if editor:
                _start(editor, path, line)
            elif not has_default or not QDesktopServices.openUrl(QUrl.fromLocalFile(path)):
                _open_own(session, background, path, line)
        except RefusedError as error:
            on_error(error)

    background.run(lambda: (read_preferences(folder).editor, has_default_program(path)), start, on_error)


def has_default_program(path: str) -> bool:
    """Whether the desktop would show this script in an editor. Never in the GUI thread.

    On Linux, opening a file reports success even if there is no program for it, or none that can be started.
    """
    if sys.platform != "linux" or "FLATPAK_ID" in os.environ:  # in a sandbox the desktop asks the user for a program
        return True
    program = shutil.which("xdg-mime")
    if program is None or shutil.which("xdg-open") is None:
        return False
    try:
        for kind in (_query(program, "filetype", path), "text/plain"):
            name = _query(program, "default", kind) if kind else ""
            if name:  # the first is what would be opened, whether or not that works
                entry = find_entry(name, os.environ)
                return entry is not None and is_editor(entry, os.environ)
    except (OSError, subprocess.SubprocessError):
        return False
    return False


def _query(program: str, what: str, value: str) -> str:
    """The first line that the desktop's tool prints."""
    command = [program, "query", what, value]
    found = subprocess.run(command, capture_output=True, text=True, timeout=_TIMEOUT_S, check=False)  # noqa: S603  the desktop's own tool
    return found.stdout.strip().partition("\n")[0]


def _open_own(session: Session, background: BackgroundTasks, path: str, line: int | None) -> None:
    from app.window.script_editor import ScriptEditor  # noqa: PLC0415  rarely opened

    owner = background.parent()
    ScriptEditor(session, Path(path), owner.window() if isinstance(owner, QWidget) else None, line).open()


def parse_command(editor: str) -> list[str]:
    """Split the command line. RefusedError if it is malformed or the program does not exist."""
    try:
        parts = split_words(editor)
    except ValueError as error:
        raise RefusedError(
            "editor", translate("editing", "A quotation mark is not closed in {editor}.").format(editor=editor)
        ) from error
    if not parts or shutil.which(parts[0]) is None:
        sentence = translate("editing", "{name} was not found. Choose another editor in Settings.")
        raise RefusedError("editor", sentence.format(name=parts[0] if parts else editor))
    return parts


def fill_arguments(parts: list[str], path: str, line: int | None) -> list[str]:
    """Fill in {file} and {line}; without {file}, append the path."""
    filled = [part.replace(_FILE, path).replace(_LINE, str(line or 1)) for part in parts]
    return filled if any(_FILE in part for part in parts) else [*filled, path]


def _start(editor: str, path: str, line: int | None) -> None:
    program, *arguments = fill_arguments(parse_command(editor), path, line)
    is_open, _ = QProcess.startDetached(program, arguments)
    if not is_open:
        sentence = translate("editing", "{file} could not be opened. Choose an editor in Settings.")
        raise RefusedError("editor", sentence.format(file=path))
