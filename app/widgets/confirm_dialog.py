"""Confirmation dialogs whose buttons name the action."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QLabel, QMessageBox, QSizePolicy, QSpacerItem, QWidget

from app.theme.tokens import Space

_MIN_WIDTH = 420


def make_message_box(title: str, question: str, details: str = "", parent: QWidget | None = None) -> QMessageBox:
    """A message box without an icon; the caller adds the buttons."""
    box = QMessageBox(parent)
    box.setWindowTitle(title)
    box.setText(question)
    box.setInformativeText(details)
    for label in box.findChildren(QLabel):  # QMessageBox sets the format of the first label only
        label.setTextFormat(Qt.TextFormat.PlainText)
    layout = box.layout()
    assert isinstance(layout, QGridLayout)
    layout.setContentsMargins(Space.WIDE, Space.WIDE, Space.WIDE, Space.LARGE)
    layout.setHorizontalSpacing(0)
    layout.setVerticalSpacing(Space.MEDIUM)
    first = layout.itemAtPosition(0, 0)
    if first is not None and (indent := first.spacerItem()) is not None:  # room for an icon
        indent.changeSize(0, 0, QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        layout.setColumnStretch(1, 1)
    # A minimum width on the label itself would keep Qt from wrapping the text.
    spacer = QSpacerItem(_MIN_WIDTH, 0, QSizePolicy.Policy.Minimum, QSizePolicy.Policy.Fixed)
    layout.addItem(spacer, layout.rowCount(), 0, 1, layout.columnCount())
    return box


def confirm(title: str, question: str, action: str, parent: QWidget, details: str = "") -> bool:
    """Whether the user confirmed. Cancel is the default button."""
    box = make_message_box(title, question, details, parent)
    yes = box.addButton(action, QMessageBox.ButtonRole.AcceptRole)
    box.setDefaultButton(box.addButton(QMessageBox.StandardButton.Cancel))
    box.exec()
    return box.clickedButton() is yes
