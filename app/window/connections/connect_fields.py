"""A connector's fields as a form. Shows only those that apply to the other values, each with its hint."""

from collections.abc import Mapping, Sequence
from typing import Any

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QFormLayout,
    QFrame,
    QHBoxLayout,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QVBoxLayout,
    QWidget,
)

from app.i18n.connector_labels import label_choice, translate_connector_text
from app.theme.stylesheet import style_as_card
from app.theme.tokens import Space, TextStyle, make_font
from app.widgets.details_view import make_label
from app.widgets.form_controls import install_wheel_guard
from app.widgets.visible_text import escape_invisible
from app.widgets.wrapping_check_box import WrappingCheckBox
from app.window.dialog import DialogBody
from app.window.feedback import add_row, make_path_button
from scheduler.connections.connector import Connector, Field, FieldKind

_MAX_VISIBLE_CHOICES = 6
Input = QLineEdit | QCheckBox | QComboBox


class ConnectFields(DialogBody):
    rows_changed = Signal()
    """The visible rows changed."""
    edited = Signal()
    """The user changed a value."""
    choices: QListWidget | None = None
    """What one field can be, as the service says; see show_choices."""

    def __init__(self) -> None:
        self.form = QFormLayout()
        super().__init__(self.form)
        self.inputs: dict[str, Input] = {}
        self.hints: dict[str, QWidget] = {}
        self.secret_names: frozenset[str] = frozenset()
        """Names of the fields that are stored in the keyring only."""
        self._fields: dict[str, Field] = {}
        self._is_connected = False
        self._rows: dict[str, QWidget] = {}
        self.form.setSpacing(Space.MEDIUM)
        self.form.setRowWrapPolicy(QFormLayout.RowWrapPolicy.WrapLongRows)
        self.form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        self._fixed_rows = 0

    def add_row(self, words: str, field: QWidget) -> None:
        """Add a row above the connector's own."""
        add_row(self.form, words, field)
        self._fixed_rows = self.form.rowCount()

    def show_connector(self, connector: Connector, known: Mapping[str, Any], *, is_connected: bool) -> None:
        """Show its fields, filled with known values; a stored secret may stay empty."""
        while self.form.rowCount() > self._fixed_rows:
            self.form.removeRow(self._fixed_rows)
        self.inputs, self.hints, self._rows, self.choices = {}, {}, {}, None
        self._fields = {field.name: field for field in connector.fields}
        self._is_connected = is_connected
        self.secret_names = frozenset(field.name for field in connector.fields if field.secret)
        for field in connector.fields:
            widget = self._make_input(field, known, is_connected=is_connected)
            self.inputs[field.name] = widget
            label = translate_connector_text(field.label)
            if not field.required and field.when is None:
                label = self.tr("{label} (optional)").format(label=label)
            self._rows[field.name] = self._make_row(connector, field, widget)
            add_row(self.form, "" if isinstance(widget, QCheckBox) else label, self._rows[field.name], widget)
            self._watch(widget)
            if isinstance(widget, QComboBox):
                widget.currentIndexChanged.connect(self._show_rows)
            elif isinstance(widget, QLineEdit) and any(one.when == (field.name, ()) for one in connector.fields):
                widget.textChanged.connect(self._show_rows)
        install_wheel_guard(self)
        self._show_rows()

    def show_choices(self, name: str, choices: Sequence[Mapping[str, str]]) -> None:
        """List what this field can be below it; the one that is selected there is its value."""
        self.hide_choices()
        field, layout = self.inputs[name], self._rows[name].layout()
        assert isinstance(field, QLineEdit) and isinstance(layout, QVBoxLayout)
        self.choices = shown = QListWidget()
        shown.setAccessibleName(field.accessibleName())
        shown.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        shown.setFrameShape(QFrame.Shape.NoFrame)
        style_as_card(shown)
        for choice in choices:
            item = QListWidgetItem(escape_invisible(choice["name"]))
            item.setData(Qt.ItemDataRole.UserRole, choice["value"])
            item.setToolTip(choice["value"])
            item.setSizeHint(QSize(0, shown.fontMetrics().height() + Space.MEDIUM))
            shown.addItem(item)
        shown.setFixedHeight(shown.sizeHintForRow(0) * min(len(choices), _MAX_VISIBLE_CHOICES) + 2 * Space.TIGHT)
        shown.currentItemChanged.connect(lambda item: field.setText(item.data(Qt.ItemDataRole.UserRole)))
        field.textEdited.connect(self.hide_choices)
        layout.insertWidget(1, shown)
        shown.setCurrentRow(0)
        shown.setFocus()
        self.rows_changed.emit()

    def hide_choices(self) -> None:
        if self.choices is not None:
            self.choices.hide()
            self.choices.deleteLater()
            self.choices = None
            self.rows_changed.emit()

    def find_refused(self) -> QLineEdit | None:
        """Where a login that was not accepted is corrected: what is missing of it, or the password."""
        names = [name for name, field in self._fields.items() if name == "user" or field.secret]
        shown = [one for name in names if isinstance(one := self.inputs[name], QLineEdit) and one.isVisibleTo(self)]
        return next((one for one in shown if not one.text()), shown[-1] if shown else None)

    def find_first_empty(self) -> Input | None:
        """The first field that applies and has no value."""
        values = self._read_values()
        return next(
            (
                self.inputs[name]
                for name, field in self._fields.items()
                if name not in values and field.is_used_with(values)
            ),
            None,
        )

    def _watch(self, widget: Input) -> None:
        match widget:
            case QLineEdit():
                widget.textChanged.connect(lambda _: self.edited.emit())
            case QComboBox():
                widget.currentIndexChanged.connect(lambda _: self.edited.emit())
            case QCheckBox():
                widget.toggled.connect(lambda _: self.edited.emit())

    def values(self) -> dict[str, Any]:
        """The values entered, without empty fields and those that do not apply."""
        values = self._read_values()
        return {name: value for name, value in values.items() if self._fields[name].is_used_with(values)}

    def find_missing(self) -> tuple[Input, str] | None:
        """The first required field that is empty, with a message."""
        values = self._read_values()
        for name, field in self._fields.items():
            is_known = name in values or field.default is not None or (field.secret and self._is_connected)
            if field.required and not is_known and field.is_used_with(values):
                said = self.tr("{label} is required.").format(label=translate_connector_text(field.label))
                return self.inputs[name], f"{said} {translate_connector_text(field.help)}".strip()
        return None

    def _read_values(self) -> dict[str, Any]:
        values: dict[str, Any] = {}
        for name, field in self.inputs.items():
            if isinstance(field, QCheckBox):
                values[name] = field.isChecked()
            else:
                text = str(field.currentData()) if isinstance(field, QComboBox) else field.text()
                if text.strip():
                    values[name] = text if isinstance(field, QComboBox) or name in self.secret_names else text.strip()
        return values

    def _show_rows(self) -> None:
        values = self._read_values()
        for name, row in self._rows.items():
            self.form.setRowVisible(row, self._fields[name].is_used_with(values))
        self.updateGeometry()
        self.rows_changed.emit()

    def _make_input(self, field: Field, known: Mapping[str, Any], *, is_connected: bool) -> Input:
        value = known.get(field.name, field.default)
        made: Input
        if field.kind is FieldKind.FLAG:
            made = WrappingCheckBox(translate_connector_text(field.label))
            made.setChecked(bool(value))
        elif field.kind is FieldKind.CHOICE:
            made = QComboBox()
            for choice in field.choices:
                made.addItem(label_choice(choice), choice)
            made.setCurrentIndex(max(made.findData(str(value or "")), 0))
        else:
            made = QLineEdit("" if value is None or field.secret else str(value))
            if field.secret:
                made.setEchoMode(QLineEdit.EchoMode.Password)
                if is_connected and field.name not in known:
                    made.setPlaceholderText(self.tr("Leave empty to keep the current one"))
        made.setAccessibleName(translate_connector_text(field.label))
        made.setAccessibleDescription(translate_connector_text(field.help))
        return made

    def _make_row(self, connector: Connector, field: Field, widget: Input) -> QWidget:
        """The input, a button beside it if it is a path, and its hint below."""
        row = QWidget()
        whole = QVBoxLayout(row)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(Space.HAIR)
        line = QHBoxLayout()
        line.addWidget(widget, 1)
        whole.addLayout(line)
        if field.kind is FieldKind.PATH and isinstance(widget, QLineEdit):
            chosen = self.tr("Choose {label}").format(label=translate_connector_text(field.label))
            line.addWidget(make_path_button(widget, chosen, is_folder=_is_folder(connector, field)))
        if field.help:
            hint = make_label(translate_connector_text(field.help), "muted")
            hint.setFont(make_font(TextStyle.CAPTION, hint.font()))
            whole.addWidget(hint)
            self.hints[field.name] = hint
        return row


def _is_folder(connector: Connector, field: Field) -> bool:
    """A files connection is a folder; elsewhere the field is named so."""
    return connector.kind == "files" or field.name == "folder"
