"""The fields of a connection as a form: only those that count beside the other answers, each with its hint below."""

from collections.abc import Mapping
from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QFormLayout,
    QHBoxLayout,
    QLineEdit,
    QVBoxLayout,
    QWidget,
)

from app.look.theme import Space, Type, make_font
from app.widgets.details_view import make_text
from app.widgets.wheel import leave_wheel
from app.window.dialog import Body
from app.window.path_choice import make_choose
from app.window.saying import add_row
from app.words.connectors import say_connector
from scheduler.connections.connector import Connector, Field, FieldKind

Input = QLineEdit | QCheckBox | QComboBox


class ConnectFields(Body):
    fitted = Signal()
    """Other rows are shown than before."""

    def __init__(self) -> None:
        self.form = QFormLayout()
        super().__init__(self.form)
        self.inputs: dict[str, Input] = {}
        self.hints: dict[str, QWidget] = {}
        self.secret: frozenset[str] = frozenset()
        """The names of those that only the keyring keeps."""
        self._fields: dict[str, Field] = {}
        self._is_connected = False
        self._rows: dict[str, QWidget] = {}
        self.form.setSpacing(Space.MEDIUM)
        self.form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        self._above = 0

    def add(self, words: str, field: QWidget) -> None:
        """A row that stays above the connector's own."""
        add_row(self.form, words, field)
        self._above = self.form.rowCount()

    def show_connector(self, connector: Connector, known: Mapping[str, Any], *, is_connected: bool) -> None:
        """Ask what it asks for, filled with what is known; a secret that the keyring has need not be typed again."""
        while self.form.rowCount() > self._above:
            self.form.removeRow(self._above)
        self.inputs, self.hints, self._rows = {}, {}, {}
        self._fields = {field.name: field for field in connector.fields}
        self._is_connected = is_connected
        self.secret = frozenset(field.name for field in connector.fields if field.secret)
        for field in connector.fields:
            widget = self._make_input(field, known, is_connected=is_connected)
            self.inputs[field.name] = widget
            label = say_connector(field.label)
            if not field.required and field.when is None:
                label = self.tr("{label} (optional)").format(label=label)
            self._rows[field.name] = self._make_row(connector, field, widget)
            add_row(self.form, "" if isinstance(widget, QCheckBox) else label, self._rows[field.name], widget)
            if isinstance(widget, QComboBox):
                widget.currentIndexChanged.connect(self._choose_rows)
            elif isinstance(widget, QLineEdit) and any(one.when == (field.name, ()) for one in connector.fields):
                widget.textChanged.connect(self._choose_rows)
        leave_wheel(self)
        self._choose_rows()

    def given(self) -> dict[str, Any]:
        """What was typed; empty fields are left out, and so are those that do not count."""
        shown = self._answers()
        return {name: value for name, value in shown.items() if self._fields[name].counts(shown)}

    def find_missing(self) -> tuple[Input, str] | None:
        """The first that must be filled in and is not, with a sentence about it."""
        answers = self._answers()
        for name, field in self._fields.items():
            is_known = name in answers or field.default is not None or (field.secret and self._is_connected)
            if field.required and not is_known and field.counts(answers):
                said = self.tr("{label} is missing.").format(label=say_connector(field.label))
                return self.inputs[name], f"{said} {say_connector(field.help)}".strip()
        return None

    def _answers(self) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for name, field in self.inputs.items():
            if isinstance(field, QCheckBox):
                found[name] = field.isChecked()
            else:
                text = field.currentText() if isinstance(field, QComboBox) else field.text()
                if text.strip():
                    found[name] = text if isinstance(field, QComboBox) or name in self.secret else text.strip()
        return found

    def _choose_rows(self) -> None:
        answers = self._answers()
        for name, row in self._rows.items():
            self.form.setRowVisible(row, self._fields[name].counts(answers))
        self.updateGeometry()
        self.fitted.emit()

    def _make_input(self, field: Field, known: Mapping[str, Any], *, is_connected: bool) -> Input:
        value = known.get(field.name, field.default)
        made: Input
        if field.kind is FieldKind.FLAG:
            made = QCheckBox(say_connector(field.label))
            made.setChecked(bool(value))
        elif field.kind is FieldKind.CHOICE:
            made = QComboBox()
            made.addItems(field.choices)
            made.setCurrentText(str(value or field.choices[0]))
        else:
            made = QLineEdit("" if value is None or field.secret else str(value))
            if field.secret:
                made.setEchoMode(QLineEdit.EchoMode.Password)
                if is_connected and field.name not in known:
                    made.setPlaceholderText(self.tr("Leave it empty to keep the one from before"))
        made.setAccessibleName(say_connector(field.label))
        made.setAccessibleDescription(say_connector(field.help))
        return made

    def _make_row(self, connector: Connector, field: Field, widget: Input) -> QWidget:
        """The input, a button beside it where it is a path, and below it what to know about it."""
        row = QWidget()
        whole = QVBoxLayout(row)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(Space.HAIR)
        line = QHBoxLayout()
        line.addWidget(widget, 1)
        whole.addLayout(line)
        if field.kind is FieldKind.PATH and isinstance(widget, QLineEdit):
            chosen = self.tr("Choose {label}").format(label=say_connector(field.label))
            line.addWidget(make_choose(widget, chosen, is_folder=_is_folder(connector, field)))
        if field.help:
            hint = make_text(say_connector(field.help), "muted")
            hint.setFont(make_font(Type.CAPTION, hint.font()))
            whole.addWidget(hint)
            self.hints[field.name] = hint
        return row


def _is_folder(connector: Connector, field: Field) -> bool:
    """A connection to files is one; others name a folder as one."""
    return connector.kind == "files" or field.name == "folder"
