"""The card of a request: one sentence, the exact details, and a button for each answer."""

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from PySide6.QtCore import QCoreApplication, Qt, Signal
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QFrame, QLabel, QPushButton, QSizePolicy, QVBoxLayout, QWidget
from shiboken6 import isValid

from app.theme.stylesheet import set_style
from app.theme.tokens import Space, TextStyle, make_font
from app.widgets.answer_form import AnswerForm, AnswerPanel, FormField
from app.widgets.details import DetailSection
from app.widgets.details_view import DetailsView, make_label
from app.widgets.flow_layout import FlowLayout
from app.widgets.show_all import open_text_dialog
from app.widgets.status_chip import StatusChip
from app.widgets.status_signs import StatusSign
from app.widgets.visible_text import escape_invisible, truncate

_MAX_TITLE, _MAX_SENTENCE = 500, 1_000
"""Characters; the texts may come from scripts."""


class ButtonImportance(StrEnum):
    """How prominent a button is."""

    PRIMARY = "primary"
    """The usual answer; at most one per card."""
    NORMAL = "normal"


@dataclass(frozen=True, slots=True, kw_only=True)
class CardAction:
    id: str
    label: str
    shortcut: str = ""
    """Such as `Ctrl+Return`; works while the focus is in the card."""
    importance: ButtonImportance = ButtonImportance.NORMAL
    form: tuple[FormField, ...] = ()
    """What to fill in first."""
    confirm: str = ""
    """The button that confirms the form; if empty, the form is always shown and the action's own button does."""
    only_changes: bool = False
    """Whether only the changed fields of the form are given."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CardContent:
    id: str
    sign: StatusSign
    title: str
    """The workflow's name."""
    when: str = ""
    sentence: str
    """What it is about, worded by Dayhand."""
    details: tuple[DetailSection, ...] = ()
    script_sections: tuple[DetailSection, ...] = ()
    """What the script says about it, not checked."""
    exact_call: Callable[[], str] | None = field(default=None, compare=False)
    """The exact call, formatted on demand."""
    actions: tuple[CardAction, ...] = ()


class RequestCard(QFrame):
    """Shows a request until it is answered. A press disables the buttons until the result is known."""

    action_chosen = Signal(str, str)
    """Card id, action id."""
    undo_chosen = Signal()

    def __init__(self, value: CardContent, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._value = value
        self.buttons: dict[str, QPushButton] = {}
        self._panels: dict[str, AnswerPanel] = {}
        """By action, those that were opened before."""
        self.panel: AnswerPanel | None = None
        """The form that is open."""
        self.forms = {one.id: AnswerForm(one.form) for one in value.actions if one.form and not one.confirm}
        """The forms that are always shown."""
        self._given: dict[str, dict[str, Any]] = {}
        self._chosen_by: QWidget | None = None
        """What had the focus when the action was chosen."""
        self.undo = QPushButton(self.tr("Undo"))
        self.undo.setAutoDefault(False)
        keys = QKeySequence(QKeySequence.StandardKey.Undo).toString(QKeySequence.SequenceFormat.NativeText)
        self.undo.setToolTip(f"{self.undo.text()} ({keys})")
        self.undo.setAccessibleDescription(escape_invisible(value.sentence))
        self.undo.clicked.connect(self.undo_chosen)
        self.undo.hide()
        set_style(self, "surface", "card")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName(
            escape_invisible(f"{truncate(value.title, _MAX_TITLE)}: {truncate(value.sentence, _MAX_SENTENCE)}")
        )
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(Space.LARGE, Space.LARGE, Space.LARGE, Space.LARGE)
        layout.setSpacing(Space.MEDIUM)
        layout.addLayout(self._make_heading())
        sentence = make_label(escape_invisible(truncate(value.sentence, _MAX_SENTENCE)))
        sentence.setFont(make_font(TextStyle.TITLE, sentence.font()))
        layout.addWidget(sentence)
        if value.details:
            layout.addWidget(DetailsView(value.details))
        if value.exact_call is not None:
            layout.addWidget(self._make_raw(value.exact_call), 0, Qt.AlignmentFlag.AlignLeft)
        if value.script_sections:
            layout.addWidget(_make_quote(value.script_sections))
        for form in self.forms.values():
            layout.addWidget(form)
        self._panel_place = QVBoxLayout()
        layout.addLayout(self._panel_place)
        self._outcome = make_label("", "muted")
        self._outcome.hide()
        layout.addWidget(self._outcome)
        row = self._make_buttons()
        row.addWidget(self.undo)
        layout.addLayout(row)

    @property
    def content(self) -> CardContent:
        return self._value

    @property
    def is_busy(self) -> bool:
        """An answer is being filled in or sent."""
        is_sending = any(not button.isEnabled() for button in self.buttons.values())
        return is_sending or self.panel is not None or any(form.changed_values() for form in self.forms.values())

    def set_busy(self, *, busy: bool) -> None:
        """Disable the buttons while an answer is being sent; afterwards the focus is where it was."""
        if busy:
            self._chosen_by = self.window().focusWidget() if self.contains_focus else None
            self._keep_focus()
        for part in self._inputs:
            part.setEnabled(not busy)
        if not busy and self.hasFocus() and self._chosen_by is not None and isValid(self._chosen_by):
            self._chosen_by.setFocus()

    def values_of(self, action_id: str) -> dict[str, Any]:
        """What was filled in for the action that was chosen."""
        return self._given.get(action_id, {})

    def show_error(self, sentence: str) -> None:
        """Show why the answer was rejected, and what was filled in, and enable the buttons again."""
        self.show_unanswered()
        self._show_sentence(sentence, "bad")

    def show_answered(self, sentence: str, *, can_undo: bool = False) -> None:
        """Resolved, here or elsewhere: replace the buttons by a sentence, and by Undo while that is possible."""
        self._show_sentence(sentence, "muted")
        had_focus = self.contains_focus
        self._keep_focus()
        for part in self._inputs:
            part.setEnabled(False)
            part.hide()
        self.undo.setVisible(can_undo)
        if can_undo and had_focus:
            self.undo.setFocus()

    def hide_undo(self) -> None:
        """The answer is on its way."""
        self._keep_focus()
        self.undo.hide()

    def show_unanswered(self) -> None:
        """As it was before the answer, with what was filled in."""
        self._outcome.hide()
        self._keep_focus()
        self.undo.hide()
        for part in self._inputs:
            part.setVisible(self.panel is None or part not in self.buttons.values())
        self.set_busy(busy=False)

    @property
    def _inputs(self) -> tuple[QWidget, ...]:
        """Everything that takes an answer."""
        return *self.buttons.values(), *self.forms.values(), *(() if self.panel is None else (self.panel,))

    def trigger_action(self, action_id: str) -> None:
        """Act as if the button had been pressed: open the action's form if it has one, else choose the action."""
        button = self.buttons[action_id]
        action = next((one for one in self._value.actions if one.id == action_id), None)
        if not button.isEnabled():
            return
        if self.panel is not None:  # only its own buttons answer now
            if action is not None and action.importance is ButtonImportance.PRIMARY:
                self.panel.confirm.click()
        elif action is not None and action.form and action.confirm:
            self._open_panel(action)
        else:
            form = self.forms.get(action_id)
            self._choose(action_id, {} if form is None else form.values())

    def _choose(self, action_id: str, values: dict[str, Any]) -> None:
        self._given[action_id] = values
        self.set_busy(busy=True)
        self.action_chosen.emit(self._value.id, action_id)

    def _open_panel(self, action: CardAction) -> None:
        if action.id not in self._panels:
            self._panels[action.id] = self._make_panel(action)
        self.panel = self._panels[action.id]
        self._outcome.hide()
        for button in self.buttons.values():
            button.hide()
        self.panel.show()
        self.panel.form.focus_first()

    def _make_panel(self, action: CardAction) -> AnswerPanel:
        panel = AnswerPanel(action.form, action.confirm)

        def confirm() -> None:
            values = panel.form.changed_values() if action.only_changes else panel.form.values()
            self._choose(action.id, values)

        def cancel() -> None:
            self._close_panel()
            self.buttons[action.id].setFocus()

        panel.confirmed.connect(confirm)
        panel.cancelled.connect(cancel)
        self._panel_place.addWidget(panel)
        return panel

    def _close_panel(self) -> None:
        """What was filled in is still there when it is opened again."""
        if self.panel is None:
            return
        self.panel.hide()
        self.panel = None
        for button in self.buttons.values():
            button.show()

    def _keep_focus(self) -> None:
        """Take the focus of what is about to be disabled; Qt would give it to whatever comes next."""
        if self.contains_focus:
            self.setFocus()

    @property
    def contains_focus(self) -> bool:
        """Whether the focus of its window is in it."""
        focused = self.window().focusWidget()
        return focused is not None and (focused is self or self.isAncestorOf(focused))

    def _show_sentence(self, sentence: str, ink: str) -> None:
        set_style(self._outcome, "ink", ink)
        self._outcome.setText(sentence)
        self._outcome.show()

    def _make_heading(self) -> FlowLayout:
        row = FlowLayout()
        row.addWidget(StatusChip(self._value.sign))
        title = make_label(escape_invisible(truncate(self._value.title, _MAX_TITLE)))
        title.setFont(make_font(TextStyle.STRONG, title.font()))
        row.add_expanding(title)
        when = QLabel(self._value.when)
        set_style(when, "ink", "muted")
        row.addWidget(when)
        return row

    def _make_raw(self, raw: Callable[[], str]) -> QPushButton:
        button = QPushButton(self.tr("Show technical details"))
        button.setAccessibleDescription(escape_invisible(self._value.sentence))
        button.setAutoDefault(False)
        set_style(button, "importance", "link")
        button.clicked.connect(lambda: open_text_dialog(self.tr("Technical details"), raw, self))
        return button

    def _make_buttons(self) -> FlowLayout:
        row = FlowLayout()
        for action in self._value.actions:
            row.addWidget(self._make_button(action))
        return row

    def _make_button(self, action: CardAction) -> QPushButton:
        button = QPushButton(action.label)
        set_style(button, "importance", action.importance.value)
        button.setAccessibleDescription(escape_invisible(self._value.sentence))
        button.setAutoDefault(False)
        if action.shortcut:
            keys = QKeySequence(action.shortcut)
            button.setToolTip(f"{action.label} ({keys.toString(QKeySequence.SequenceFormat.NativeText)})")
            # Only the card that has the focus may react.
            shortcut = QShortcut(keys, self)
            shortcut.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
            shortcut.setWhatsThis(action.label)  # listed in Help
            shortcut.setAutoRepeat(False)  # the focus moves on to the next card
            shortcut.activated.connect(lambda: self.trigger_action(action.id))
        button.clicked.connect(lambda: self.trigger_action(action.id))
        self.buttons[action.id] = button
        return button


def _make_quote(sections: tuple[DetailSection, ...]) -> QFrame:
    """The script's own text, framed, below what is really done."""
    frame = QFrame()
    set_style(frame, "surface", "quote")
    layout = QVBoxLayout(frame)
    layout.setContentsMargins(Space.MEDIUM, Space.SMALL, Space.MEDIUM, Space.SMALL)
    layout.setSpacing(Space.SMALL)
    caption = QCoreApplication.translate("Card", "The workflow says (not checked by Dayhand)")
    title = make_label(caption, "muted")
    title.setFont(make_font(TextStyle.CAPTION, title.font()))
    layout.addWidget(title)
    layout.addWidget(DetailsView(sections))
    return frame
