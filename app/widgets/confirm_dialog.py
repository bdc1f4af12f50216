"""A question before something is done: what, what it means, and buttons that say what they do."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QLabel, QMessageBox, QSizePolicy, QSpacerItem, QWidget

from app.look.theme import Space

_WIDTH = 420


def make_question(title: str, question: str, more: str = "", parent: QWidget | None = None) -> QMessageBox:
    """Buttons are for the caller to add. Without the system's sign: it is as quiet as our other dialogs."""
    box = QMessageBox(parent)
    box.setWindowTitle(title)
    box.setText(question)
    box.setInformativeText(more)
    for label in box.findChildren(QLabel):  # the box itself passes it on only to the first
        label.setTextFormat(Qt.TextFormat.PlainText)
    layout = box.layout()
    assert isinstance(layout, QGridLayout)
    layout.setContentsMargins(Space.LARGE, Space.WIDE, Space.WIDE, Space.LARGE)
    layout.setSpacing(Space.MEDIUM)
    # A least width of the text itself would keep Qt from looking whether the text needs a second line.
    room = QSpacerItem(_WIDTH, 0, QSizePolicy.Policy.Minimum, QSizePolicy.Policy.Fixed)
    layout.addItem(room, layout.rowCount(), 0, 1, layout.columnCount())
    return box


def confirm(title: str, question: str, action: str, parent: QWidget, more: str = "") -> bool:
    """Whether the person wants it; whoever just presses Return does not."""
    box = make_question(title, question, more, parent)
    yes = box.addButton(action, QMessageBox.ButtonRole.AcceptRole)
    box.setDefaultButton(box.addButton(QMessageBox.StandardButton.Cancel))
    box.exec()
    return box.clickedButton() is yes
