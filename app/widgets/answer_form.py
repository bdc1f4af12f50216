"""Fields for an answer: a changed call, a reason, or answers to questions. Values in, values out, no rules."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from PySide6.QtCore import QDate, Qt, Signal
from PySide6.QtGui import QFontMetrics, QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QComboBox,
    QDateEdit,
    QFrame,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from app.theme.stylesheet import set_style
from app.theme.tokens import Space
from app.widgets.flow_layout import FlowLayout
from app.widgets.form_controls import install_wheel_guard
from app.widgets.row_grid import RowGrid
from app.widgets.visible_text import escape_invisible

_MIN_TEXT_LINES, _MAX_TEXT_LINES = 3, 12
_MAX_LINE_CHARS = 10_000


class FormFieldKind(StrEnum):
    LINE = "line"
    TEXT = "text"
    ROWS = "rows"
    CHOICE = "choice"
    DATE = "date"


@dataclass(frozen=True, slots=True, kw_only=True)
class FormField:
    name: str
    label: str
    kind: FormFieldKind
    value: Any = None
    """Filled in already; None if nothing is."""
    choices: tuple[tuple[str, Any], ...] = ()
    """Label and value of each."""


class AnswerForm(QWidget):
    changed = Signal()
    submitted = Signal()
    """Return was pressed in a single line."""

    def __init__(self, fields: tuple[FormField, ...], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.inputs: dict[str, QWidget] = {}
        self._read: dict[str, Callable[[], Any]] = {}
        self._modified: set[str] = set()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(Space.TIGHT)
        for place, field in enumerate(fields):
            if place:
                layout.addSpacing(Space.SMALL)
            label = QLabel(escape_invisible(field.label))
            label.setTextFormat(Qt.TextFormat.PlainText)
            label.setWordWrap(True)
            made = self._make_input(field)
            made.setAccessibleName(escape_invisible(field.label))
            label.setBuddy(made)
            layout.addWidget(label)
            layout.addWidget(made)
            self.inputs[field.name] = made
        install_wheel_guard(self)

    def focus_first(self) -> None:
        """No focus proxy: Tab would come back to it from the end of the page."""
        first = next(iter(self.inputs.values()), None)
        if first is not None:
            (first.table if isinstance(first, RowGrid) else first).setFocus()

    def values(self) -> dict[str, Any]:
        """All values; None where nothing was chosen."""
        return {name: read() for name, read in self._read.items()}

    def changed_values(self) -> dict[str, Any]:
        """Only what the user touched: showing a text may change its line ends."""
        return {name: read() for name, read in self._read.items() if name in self._modified}

    def _mark(self, name: str) -> None:
        self._modified.add(name)
        self.changed.emit()

    def _make_input(self, field: FormField) -> QWidget:
        match field.kind:
            case FormFieldKind.LINE:
                return self._make_line(field)
            case FormFieldKind.TEXT:
                return self._make_text(field)
            case FormFieldKind.ROWS:
                grid = RowGrid(field.value, escape_invisible(field.label))
                grid.changed.connect(lambda: self._mark(field.name))
                self._read[field.name] = grid.rows
                return grid
            case FormFieldKind.CHOICE:
                return self._make_choice(field)
            case FormFieldKind.DATE:
                return self._make_date(field)

    def _make_line(self, field: FormField) -> QLineEdit:
        line = QLineEdit("" if field.value is None else str(field.value))
        line.setMaxLength(_MAX_LINE_CHARS)
        line.textEdited.connect(lambda: self._mark(field.name))
        line.returnPressed.connect(self.submitted)
        self._read[field.name] = line.text
        return line

    def _make_text(self, field: FormField) -> QPlainTextEdit:
        text = QPlainTextEdit("" if field.value is None else str(field.value))
        text.setProperty("field", "true")
        text.setTabChangesFocus(True)
        lines = min(max(text.document().blockCount() + 1, _MIN_TEXT_LINES), _MAX_TEXT_LINES)
        text.setFixedHeight(QFontMetrics(text.font()).lineSpacing() * lines + 2 * Space.MEDIUM)
        text.document().setModified(False)
        text.textChanged.connect(lambda: self._mark(field.name))
        self._read[field.name] = text.toPlainText
        return text

    def _make_choice(self, field: FormField) -> QComboBox:
        box = QComboBox()
        box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        box.setMinimumContentsLength(20)
        box.setPlaceholderText(self.tr("Choose…"))
        for label, value in field.choices:
            box.addItem(escape_invisible(label), value)
        values = [value for _, value in field.choices]
        box.setCurrentIndex(values.index(field.value) if field.value in values else -1)
        box.currentIndexChanged.connect(lambda _: self._mark(field.name))
        box.setAccessibleDescription(escape_invisible(field.label))  # Qt reports the selected text as the name
        self._read[field.name] = lambda: values[box.currentIndex()] if box.currentIndex() >= 0 else None
        return box

    def _make_date(self, field: FormField) -> QDateEdit:
        day = QDate.currentDate() if field.value is None else QDate.fromString(field.value, Qt.DateFormat.ISODate)
        edit = QDateEdit(day)
        edit.setDisplayFormat("yyyy-MM-dd")
        edit.setCalendarPopup(True)
        edit.setKeyboardTracking(False)
        edit.dateChanged.connect(lambda _: self._mark(field.name))
        self._read[field.name] = lambda: edit.date().toString(Qt.DateFormat.ISODate)
        return edit


class AnswerPanel(QFrame):
    """A form that is opened by a button, with a button to confirm it and one to close it."""

    confirmed = Signal()
    cancelled = Signal()

    def __init__(self, fields: tuple[FormField, ...], confirm: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        set_style(self, "surface", "quote")
        self.form = AnswerForm(fields)
        self.confirm = QPushButton(confirm)
        set_style(self.confirm, "importance", "primary")
        self.cancel = QPushButton(self.tr("Cancel"))
        set_style(self.cancel, "importance", "normal")
        for button in (self.confirm, self.cancel):
            button.setAutoDefault(False)
        self.confirm.clicked.connect(self.confirmed)
        self.cancel.clicked.connect(self.cancelled)
        self.form.submitted.connect(self._confirm_if_enabled)
        escape = QShortcut(QKeySequence(Qt.Key.Key_Escape), self)
        escape.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        escape.setWhatsThis(self.cancel.text())  # listed in Help
        escape.activated.connect(self.cancelled)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(Space.MEDIUM, Space.MEDIUM, Space.MEDIUM, Space.MEDIUM)
        layout.setSpacing(Space.MEDIUM)
        layout.addWidget(self.form)
        row = FlowLayout()
        row.addWidget(self.confirm)
        row.addWidget(self.cancel)
        layout.addLayout(row)

    def _confirm_if_enabled(self) -> None:
        if self.confirm.isEnabled():
            self.confirmed.emit()
