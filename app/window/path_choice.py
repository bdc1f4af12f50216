"""The button beside a line for a path, which lets the person choose it in a dialog of the system."""

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QFileDialog, QLineEdit, QPushButton

from app.window.saying import make_button

translate = QCoreApplication.translate


def make_choose(line: QLineEdit, name: str, *, is_folder: bool) -> QPushButton:
    """Its accessible name says what is chosen. A file that is there may be meant, so nobody warns of it."""

    def choose() -> None:
        if is_folder:
            found = QFileDialog.getExistingDirectory(line, translate("paths", "Choose a folder"), line.text())
        else:
            said, kept = translate("paths", "Choose a file"), QFileDialog.Option.DontConfirmOverwrite
            found, _ = QFileDialog.getSaveFileName(line, said, line.text(), options=kept)
        if found:
            line.setText(found)

    made = make_button(translate("paths", "Choose…"))
    made.setAccessibleName(name)
    made.clicked.connect(choose)
    return made
