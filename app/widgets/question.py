"""A question before something is done: what, what it means, and buttons that say what they do."""

from PySide6.QtWidgets import QLabel, QMessageBox, QWidget

from app.look.theme import Space, Type, make_font

_NARROWEST, _WIDEST = 380, 520
"""Wider than 500 it breaks the line, as Qt has it."""


def make_question(title: str, question: str, more: str = "", parent: QWidget | None = None) -> QMessageBox:
    """Buttons are for the caller to add. Without the system's sign: it is as quiet as our other dialogs."""
    box = QMessageBox(parent)
    box.setWindowTitle(title)
    box.setText(question)
    box.setInformativeText(more)
    label = box.findChild(QLabel, "qt_msgbox_label")
    assert isinstance(label, QLabel)
    label.setFont(make_font(Type.STRONG, label.font()))
    words = label.fontMetrics().horizontalAdvance(question)
    label.setMinimumWidth(min(max(words, _NARROWEST), _WIDEST))  # else Qt cuts what is wider than its minimum
    layout = box.layout()
    assert layout is not None
    layout.setContentsMargins(Space.LARGE, Space.WIDE, Space.WIDE, Space.LARGE)
    layout.setSpacing(Space.MEDIUM)
    return box


def confirm(title: str, question: str, action: str, parent: QWidget, more: str = "") -> bool:
    """Whether the person wants it; whoever just presses Return does not."""
    box = make_question(title, question, more, parent)
    yes = box.addButton(action, QMessageBox.ButtonRole.AcceptRole)
    box.setDefaultButton(box.addButton(QMessageBox.StandardButton.Cancel))
    box.exec()
    return box.clickedButton() is yes
