"""Opens a script in the user's editor, or in the system's default program for it."""

import os
import shlex
import shutil
from collections.abc import Callable

from PySide6.QtCore import QCoreApplication, QProcess, QUrl
from PySide6.QtGui import QDesktopServices

from app.background import BackgroundTasks
from app.data.preferences import read_preferences
from app.session import Session
from scheduler.engine.errors import RefusedError

translate = QCoreApplication.translate
_FILE, _LINE = "{file}", "{line}"


def open_in_editor(
    session: Session,
    background: BackgroundTasks,
    path: str,
    on_error: Callable[[Exception], None],
    line: int | None = None,
) -> None:
    """Read the preferences in the background, then start the editor; `on_error` receives any error."""
    folder = session.folder

    def start(editor: str) -> None:
        try:
            _open(editor, path, line)
        except RefusedError as error:
            on_error(error)

    background.run(lambda: read_preferences(folder).editor, start, on_error)


def parse_command(editor: str) -> list[str]:
    """Split the command line. RefusedError if it is malformed or the program does not exist."""
    try:
        parts = shlex.split(editor, posix=os.name != "nt")
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


def _open(editor: str, path: str, line: int | None) -> None:
    if editor:
        program, *arguments = fill_arguments(parse_command(editor), path, line)
        is_open, _ = QProcess.startDetached(program, arguments)
    else:
        is_open = QDesktopServices.openUrl(QUrl.fromLocalFile(path))
    if not is_open:
        sentence = translate("editing", "{file} could not be opened. Choose an editor in Settings.")
        raise RefusedError("editor", sentence.format(file=path))
