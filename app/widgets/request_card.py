"""What needs a person: one sentence, exactly what it is about, and a button for each answer."""

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum

from PySide6.QtCore import QCoreApplication, Qt, Signal
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QSizePolicy, QVBoxLayout, QWidget

from app.look.dressing import mark
from app.look.theme import Space, Type, make_font
from app.widgets.chip import Chip
from app.widgets.details import Section
from app.widgets.details_view import DetailsView, make_text
from app.widgets.flow import Flow
from app.widgets.plain import cut, reveal
from app.widgets.show_all import show_text
from app.widgets.signs import Sign

_MAX_TITLE, _MAX_SENTENCE = 500, 1_000
"""Characters: names and sentences come from others too."""


class Importance(StrEnum):
    """How a button stands out."""

    PRIMARY = "primary"
    """What most people will press; one at most."""
    NORMAL = "normal"
    RISKY = "risky"
    """Cannot be taken back."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Action:
    id: str
    label: str
    shortcut: str = ""
    """Works while the card or something in it has the focus: `Ctrl+Return`."""
    importance: Importance = Importance.NORMAL


@dataclass(frozen=True, slots=True, kw_only=True)
class CardValue:
    id: str
    sign: Sign
    title: str
    """Whose it is: the workflow's name."""
    when: str = ""
    sentence: str
    """What it is about, in our words."""
    details: tuple[Section, ...] = ()
    quoted: tuple[Section, ...] = ()
    """What the script says about it."""
    raw: Callable[[], str] | None = field(default=None, compare=False)
    """The exact call, written when somebody wants to see it."""
    actions: tuple[Action, ...] = ()


class Card(QFrame):
    """Shows a value until it is answered; the first press counts, and only until the card hears otherwise."""

    acted = Signal(str, str)
    """The card's id and the action's."""

    def __init__(self, value: CardValue, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._value = value
        self.buttons: dict[str, QPushButton] = {}
        mark(self, "surface", "card")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName(reveal(f"{cut(value.title, _MAX_TITLE)}: {cut(value.sentence, _MAX_SENTENCE)}"))
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(Space.LARGE, Space.LARGE, Space.LARGE, Space.LARGE)
        layout.setSpacing(Space.MEDIUM)
        layout.addLayout(self._make_heading())
        sentence = make_text(reveal(cut(value.sentence, _MAX_SENTENCE)))
        sentence.setFont(make_font(Type.TITLE, sentence.font()))
        layout.addWidget(sentence)
        if value.details:
            layout.addWidget(DetailsView(value.details))
        if value.raw is not None:
            layout.addWidget(self._make_raw(value.raw), 0, Qt.AlignmentFlag.AlignLeft)
        if value.quoted:
            layout.addWidget(_make_quote(value.quoted))
        self._outcome = make_text("", "muted")
        self._outcome.hide()
        layout.addWidget(self._outcome)
        self._row = self._make_buttons()
        layout.addLayout(self._row)

    @property
    def value(self) -> CardValue:
        return self._value

    @property
    def is_busy(self) -> bool:
        """An answer is on its way."""
        return any(not button.isEnabled() for button in self.buttons.values())

    def set_busy(self, *, busy: bool) -> None:
        """While an answer is on its way nothing can be pressed."""
        for button in self.buttons.values():
            button.setEnabled(not busy)

    def set_refused(self, sentence: str) -> None:
        """The answer was not taken; say why and let the person try again."""
        self._say(sentence, "bad")
        self.set_busy(busy=False)

    def set_answered(self, sentence: str) -> None:
        """It is settled, here or elsewhere: the buttons go and a sentence stays."""
        self._say(sentence, "muted")
        for button in self.buttons.values():
            button.setEnabled(False)
            button.hide()

    def offer(self, action: Action) -> None:
        """One more button, in front: what can still be done about a card that was answered."""
        button = self._make_button(action)
        self._row.put_first(button)
        button.show()

    def press(self, action_id: str) -> None:
        """As if its button had been pressed."""
        button = self.buttons[action_id]
        if button.isEnabled():
            self.set_busy(busy=True)
            self.acted.emit(self._value.id, action_id)

    def _say(self, sentence: str, ink: str) -> None:
        mark(self._outcome, "ink", ink)
        self._outcome.setText(sentence)
        self._outcome.show()

    def _make_heading(self) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setSpacing(Space.SMALL)
        row.addWidget(Chip(self._value.sign))
        title = make_text(reveal(cut(self._value.title, _MAX_TITLE)))
        title.setFont(make_font(Type.STRONG, title.font()))
        row.addWidget(title, 1)
        when = QLabel(self._value.when)
        mark(when, "ink", "muted")
        row.addWidget(when)
        return row

    def _make_raw(self, raw: Callable[[], str]) -> QPushButton:
        button = QPushButton(self.tr("Show the exact call"))
        button.setAccessibleDescription(reveal(self._value.sentence))
        button.setAutoDefault(False)
        mark(button, "importance", "link")
        button.clicked.connect(lambda: show_text(self.tr("The exact call"), raw, self))
        return button

    def _make_buttons(self) -> Flow:
        row = Flow()
        for action in self._value.actions:
            row.addWidget(self._make_button(action))
        return row

    def _make_button(self, action: Action) -> QPushButton:
        button = QPushButton(action.label)
        mark(button, "importance", action.importance.value)
        button.setAccessibleDescription(reveal(self._value.sentence))
        button.setAutoDefault(False)
        if action.shortcut:
            keys = QKeySequence(action.shortcut)
            button.setToolTip(f"{action.label} ({keys.toString(QKeySequence.SequenceFormat.NativeText)})")
            # Of many cards on a page only the one with the focus may answer.
            shortcut = QShortcut(keys, self)
            shortcut.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
            shortcut.setWhatsThis(action.label)  # Help lists it
            shortcut.activated.connect(lambda: self.press(action.id))
        button.clicked.connect(lambda: self.press(action.id))
        self.buttons[action.id] = button
        return button


def _make_quote(sections: tuple[Section, ...]) -> QFrame:
    """The words of a script have a frame of their own, below what is really done."""
    frame = QFrame()
    mark(frame, "surface", "quote")
    layout = QVBoxLayout(frame)
    layout.setContentsMargins(Space.MEDIUM, Space.SMALL, Space.MEDIUM, Space.SMALL)
    layout.setSpacing(Space.SMALL)
    words = QCoreApplication.translate("Card", "The script says (not checked by Dayhand)")
    title = make_text(words, "muted")
    title.setFont(make_font(Type.CAPTION, title.font()))
    layout.addWidget(title)
    layout.addWidget(DetailsView(sections))
    return frame
