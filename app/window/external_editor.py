"""Opening a script in the person's editor, or in what their system has for it."""

import os
import shlex
import shutil
from collections.abc import Callable

from PySide6.QtCore import QCoreApplication, QProcess, QUrl
from PySide6.QtGui import QDesktopServices

from app.asking import Asking
from app.keeping.preferences import read_preferences
from app.life.installation import Installation
from scheduler.engine.refusal import RefusedError

translate = QCoreApplication.translate
_FILE, _LINE = "{file}", "{line}"


def edit(
    installation: Installation, asking: Asking, path: str, refuse: Callable[[Exception], None], line: int | None = None
) -> None:
    """Off the GUI thread as far as files are read; `refuse` hears why nothing opens."""
    folder = installation.folder

    def open_it(editor: str) -> None:
        try:
            _open(editor, path, line)
        except RefusedError as error:
            refuse(error)

    asking.ask(lambda: read_preferences(folder).editor, open_it, refuse)


def read_command(editor: str) -> list[str]:
    """The program and what it is given; RefusedError if that cannot be run."""
    try:
        parts = shlex.split(editor, posix=os.name != "nt")
    except ValueError as error:
        raise RefusedError(
            "editor", translate("editing", "A quote has no end in {editor}.").format(editor=editor)
        ) from error
    if not parts or shutil.which(parts[0]) is None:
        sentence = translate("editing", "There is no program {name}; choose another editor in Settings.")
        raise RefusedError("editor", sentence.format(name=parts[0] if parts else editor))
    return parts


def write_arguments(parts: list[str], path: str, line: int | None) -> list[str]:
    """With the file and the line where the person wants them, else the file at the end."""
    told = [part.replace(_FILE, path).replace(_LINE, str(line or 1)) for part in parts]
    return told if any(_FILE in part for part in parts) else [*told, path]


def _open(editor: str, path: str, line: int | None) -> None:
    if editor:
        program, *arguments = write_arguments(read_command(editor), path, line)
        is_open, _ = QProcess.startDetached(program, arguments)
    else:
        is_open = QDesktopServices.openUrl(QUrl.fromLocalFile(path))
    if not is_open:
        sentence = translate("editing", "{file} could not be opened; choose an editor in Settings.")
        raise RefusedError("editor", sentence.format(file=path))
