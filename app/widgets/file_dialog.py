"""Dialogs for choosing files and folders, never larger than the screen."""

from pathlib import Path

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QFileDialog, QWidget

from app.widgets.fit_to_screen import fit_to_screen

MIN_SIZE = QSize(820, 500)
"""Wide enough for the columns of Qt's own dialog."""


def choose_file(parent: QWidget, title: str, name_filter: str) -> str:
    """An existing file; "" if cancelled."""
    dialog = QFileDialog(parent, title, "", name_filter)
    dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
    return _run(dialog)


def choose_save_path(
    parent: QWidget, title: str, initial_path: str, name_filter: str = "", *, confirm_overwrite: bool = True
) -> str:
    """Where to write; "" if cancelled. `confirm_overwrite`: ask before choosing an existing file."""
    dialog = QFileDialog(parent, title, "", name_filter)
    dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
    dialog.setOption(QFileDialog.Option.DontConfirmOverwrite, not confirm_overwrite)
    if initial_path:
        dialog.setDirectory(str(Path(initial_path).parent))
        dialog.selectFile(Path(initial_path).name)
    return _run(dialog)


def choose_folder(parent: QWidget, title: str, initial_path: str) -> str:
    dialog = QFileDialog(parent, title, initial_path)
    dialog.setFileMode(QFileDialog.FileMode.Directory)
    dialog.setOption(QFileDialog.Option.ShowDirsOnly)
    return _run(dialog)


def _run(dialog: QFileDialog) -> str:
    fit_to_screen(dialog, dialog.sizeHint().expandedTo(MIN_SIZE))
    chosen = dialog.selectedFiles() if dialog.exec() else []
    dialog.deleteLater()
    return chosen[0] if chosen else ""
