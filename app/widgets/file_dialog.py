"""Files and folders that the person chooses, in a dialog that is never larger than the screen."""

from pathlib import Path

from PySide6.QtWidgets import QFileDialog, QWidget

from app.widgets.fitting import fit


def choose_file(parent: QWidget, title: str, kinds: str) -> str:
    """One that is there; nothing if the person thought better of it."""
    dialog = QFileDialog(parent, title, "", kinds)
    dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
    return run(dialog)


def choose_target(parent: QWidget, title: str, begin: str, kinds: str = "", *, warns: bool = True) -> str:
    """Where to write; of a file that is there the person is warned, unless it may be meant."""
    dialog = QFileDialog(parent, title, "", kinds)
    dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
    dialog.setOption(QFileDialog.Option.DontConfirmOverwrite, not warns)
    if begin:
        dialog.setDirectory(str(Path(begin).parent))
        dialog.selectFile(Path(begin).name)
    return run(dialog)


def choose_folder(parent: QWidget, title: str, begin: str) -> str:
    dialog = QFileDialog(parent, title, begin)
    dialog.setFileMode(QFileDialog.FileMode.Directory)
    dialog.setOption(QFileDialog.Option.ShowDirsOnly)
    return run(dialog)


def run(dialog: QFileDialog) -> str:
    fit(dialog, dialog.sizeHint())
    chosen = dialog.selectedFiles() if dialog.exec() else []
    dialog.deleteLater()
    return chosen[0] if chosen else ""
