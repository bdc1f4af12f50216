"""The button beside a line for a path, which lets the person choose it in a dialog of the system."""

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QLineEdit, QPushButton

from app.widgets.file_dialog import choose_folder, choose_target
from app.window.saying import make_button

translate = QCoreApplication.translate


def make_choose(line: QLineEdit, name: str, *, is_folder: bool) -> QPushButton:
    """Its accessible name says what is chosen. A file that is there may be meant, so nobody warns of it."""

    def choose() -> None:
        if is_folder:
            found = choose_folder(line, translate("paths", "Choose a folder"), line.text())
        else:
            found = choose_target(line, translate("paths", "Choose a file"), line.text(), warns=False)
        if found:
            line.setText(found)

    made = make_button(translate("paths", "Choose…"))
    made.setAccessibleName(name)
    made.clicked.connect(choose)
    return made
