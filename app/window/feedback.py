"""Small parts that pages share: a heading, buttons with shortcuts, and the line that says what became of a command."""

from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent, QKeySequence
from PySide6.QtWidgets import QFormLayout, QHBoxLayout, QLabel, QPushButton, QWidget

from app.look.dressing import mark
from app.look.theme import Tone, Type, make_font
from app.widgets.details_view import make_text
from app.words.interpreting import interpret
from scheduler.engine.refusal import RefusedError

translate = QCoreApplication.translate


def say_refusal(error: Exception) -> str:
    """What a person at a window can do about it; sentences that name commands of the terminal are said anew."""
    if isinstance(error, RefusedError):
        match error.code:
            case "busy":
                return translate("saying", "It is running now. Wait until it has ended, or stop it first.")
            case "paused":
                return translate("saying", "It is paused. Resume it first.")
            case "blocked":
                return translate("saying", "It is held up. Attention says what it waits for.")
            case "which":
                return translate("saying", "It has several things to run. Open it and choose one.")
            case "answer first" | "acting":
                return translate("saying", "It waits for your answer. Open Attention and answer first.")
            case "nothing to retry":
                return translate("saying", "Nothing of it waits to be tried again.")
        return interpret(error.sentence)
    return interpret(str(error)) or type(error).__name__


def make_heading(text: str, kind: Type = Type.TITLE) -> QLabel:
    heading = QLabel(text)
    heading.setTextFormat(Qt.TextFormat.PlainText)
    heading.setFont(make_font(kind, heading.font()))
    if kind is Type.DISPLAY:  # buttons stand beside it on some pages, and titles do not jump from one to the next
        button = QPushButton(text)
        button.ensurePolished()
        heading.setMinimumHeight(button.sizeHint().height())
    return heading


def make_button(label: str, shortcut: str = "", *, importance: str = "") -> QPushButton:
    """The shortcut is said in the tooltip."""
    button = QPushButton(label)
    button.setAutoDefault(False)
    if importance:
        mark(button, "importance", importance)
    if shortcut:
        keys = QKeySequence(shortcut)
        button.setShortcut(keys)
        plain = label.replace("&", "")
        button.setToolTip(f"{plain} ({keys.toString(QKeySequence.SequenceFormat.NativeText)})")
    return button


class Saying(QWidget):
    """One line, hidden while there is nothing to say; what it says is read aloud too."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._label = make_text("")
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._label)
        self.hide()

    @property
    def sentence(self) -> str:
        return self._label.text()

    def say(self, sentence: str, tone: Tone = Tone.GOOD) -> None:
        self._label.setText(sentence)
        mark(self._label, "ink", tone.value)
        self.setVisible(bool(sentence))
        if sentence:
            QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self, sentence))

    def refuse(self, error: Exception) -> None:
        self.say(say_refusal(error), Tone.BAD)

    def clear(self) -> None:
        self.say("")


def add_row(form: QFormLayout, words: str, field: QWidget, first: QWidget | None = None) -> None:
    """The words stand on one line with the field, or the first part of it, also where a stylesheet made that taller."""
    label = QLabel(words)
    label.setBuddy(first or field)
    label.setMinimumHeight((first or field).sizeHint().height())
    if first is not None:
        label.setMaximumHeight(label.minimumHeight())
    form.addRow(label, field)
