"""Connecting: a form made from what the connector asks for. What is secret is never shown."""

from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDialog,
    QFileDialog,
    QFormLayout,
    QHBoxLayout,
    QLineEdit,
    QVBoxLayout,
    QWidget,
)

from app.asking import Asking, command
from app.connector_words import say_connector
from app.installation import Installation
from app.theme import Space, Tone
from app.widgets.details_view import make_text
from app.window.saying import Saying, add_row, make_button, make_heading
from scheduler.connections.connector import Connector, Field, FieldKind, ToolFailedError
from scheduler.connections.errors import ConnectionRuleError


def try_connection(installation: Installation, name: str, given: dict[str, Any] | None = None) -> str:
    """Whether it works with these settings, else as it is kept, in a sentence; raises what is wrong. Waits."""
    return installation.house.connecting.test(name, given)


def say_trouble(error: Exception) -> str:
    match error:
        case ConnectionRuleError():
            return error.sentence
        case ToolFailedError():
            return error.failure.sentence
        case _:
            return str(error)


class ConnectDialog(QDialog):
    connected = Signal(str, str)
    """Name and a sentence."""

    def __init__(
        self,
        installation: Installation,
        name: str = "",
        settings: dict[str, Any] | None = None,
        parent: QWidget | None = None,
    ) -> None:
        """Without a name a kind is chosen and a name given; with one, it is that connection and no other."""
        super().__init__(parent)
        self._installation, self._asking = installation, Asking(self)
        self._fixed, self._known = name, dict(settings or {})
        self._is_connected = settings is not None
        self.setWindowTitle(self.tr("Connect"))
        self.setMinimumWidth(520)  # the height is that of its fields
        self.inputs: dict[str, QLineEdit | QCheckBox | QComboBox] = {}
        self._secret: set[str] = set()
        """The names of those that only the keyring keeps."""
        self.kind = QComboBox()
        self.kind.setAccessibleName(self.tr("Kind"))
        registry = installation.house.registry
        for kind in registry.kinds():
            if registry.connector(kind).fields:
                self.kind.addItem(say_connector(registry.connector(kind).title), kind)
        self.name = QLineEdit(name.partition(":")[2])
        self.name.setPlaceholderText(self.tr("for example expenses"))
        if name:
            self.kind.setCurrentIndex(max(self.kind.findData(name.partition(":")[0]), 0))
        for widget in (self.kind, self.name):
            widget.setEnabled(not name)
        self.help = make_text("", "muted")
        self.saying = Saying()
        self.test = make_button(self.tr("Test"), "Ctrl+T")
        self.cancel = make_button(self.tr("Cancel"))
        self.connect_button = make_button(self.tr("Connect"), "Ctrl+Return", importance="primary")
        self._form = QFormLayout()
        self._form.setSpacing(Space.MEDIUM)
        self._form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        add_row(self._form, self.tr("&Kind"), self.kind)
        add_row(self._form, self.tr("&Name"), self.name)
        self._lay_out()
        self.kind.currentIndexChanged.connect(self._make_fields)
        self.test.clicked.connect(self._test)
        self.cancel.clicked.connect(self.reject)
        self.connect_button.clicked.connect(self._connect)
        self._make_fields()

    @property
    def connection(self) -> str:
        return self._fixed or f"{self.kind.currentData()}:{self.name.text().strip()}"

    def reject(self) -> None:
        """Whoever closes the form does not wait for the browser either."""
        self._installation.house.connecting.give_up(self.connection)
        super().reject()

    def given(self) -> dict[str, Any]:
        """What was typed; empty fields are left out."""
        found: dict[str, Any] = {}
        for name, field in self.inputs.items():
            if isinstance(field, QCheckBox):
                found[name] = field.isChecked()
            else:
                text = field.currentText() if isinstance(field, QComboBox) else field.text()
                if text.strip():
                    found[name] = text if isinstance(field, QComboBox) or name in self._secret else text.strip()
        return found

    def _lay_out(self) -> None:
        layout = QVBoxLayout(self)
        layout.setContentsMargins(Space.WIDE, Space.WIDE, Space.WIDE, Space.LARGE)
        layout.setSpacing(Space.MEDIUM)
        title = self.tr("Connect {name}").format(name=self._fixed) if self._fixed else self.tr("New connection")
        layout.addWidget(make_heading(title))
        layout.addWidget(self.help)
        layout.addLayout(self._form)
        layout.addWidget(self.saying)
        layout.addStretch(1)
        row = QHBoxLayout()
        row.addWidget(self.test)
        row.addStretch(1)
        row.addWidget(self.cancel)
        row.addWidget(self.connect_button)
        layout.addLayout(row)

    def _make_fields(self) -> None:
        while self._form.rowCount() > 2:
            self._form.removeRow(2)
        self.inputs = {}
        self._secret = set()
        connector: Connector = self._installation.house.registry.connector(self.kind.currentData())
        self.help.setText(say_connector(connector.help))
        for field in connector.fields:
            widget = self._make_field(field)
            widget.setAccessibleName(say_connector(field.label))
            widget.setAccessibleDescription(say_connector(field.help))
            widget.setToolTip(say_connector(field.help))
            if field.secret:
                self._secret.add(field.name)
            self.inputs[field.name] = widget
            label = say_connector(field.label)
            if not field.required:
                label = self.tr("{label} (if you like)").format(label=label)
            add_row(self._form, "" if isinstance(widget, QCheckBox) else label, self._with_button(field, widget))
        self.adjustSize()

    def _make_field(self, field: Field) -> QLineEdit | QCheckBox | QComboBox:
        known = self._known.get(field.name, field.default)
        if field.kind is FieldKind.FLAG:
            check = QCheckBox(say_connector(field.label))
            check.setChecked(bool(known))
            return check
        if field.kind is FieldKind.CHOICE:
            box = QComboBox()
            box.addItems(field.choices)
            box.setCurrentText(str(known or field.choices[0]))
            return box
        line = QLineEdit("" if known is None or field.secret else str(known))
        is_kept = field.secret and self._is_connected and field.name not in self._known
        line.setPlaceholderText(
            self.tr("Leave it empty to keep the one from before") if is_kept else say_connector(field.help)
        )
        if field.secret:
            line.setEchoMode(QLineEdit.EchoMode.Password)
        return line

    def _with_button(self, field: Field, widget: QLineEdit | QCheckBox | QComboBox) -> QWidget:
        if field.kind is not FieldKind.PATH or not isinstance(widget, QLineEdit):
            return widget
        box = QWidget()
        row = QHBoxLayout(box)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(widget, 1)
        choose = make_button(self.tr("Choose…"))
        choose.setAccessibleName(self.tr("Choose {label}").format(label=say_connector(field.label)))
        is_folder = self.kind.currentData() == "files"
        choose.clicked.connect(lambda: self._choose(widget, is_folder=is_folder))
        row.addWidget(choose)
        return box

    def _choose(self, line: QLineEdit, *, is_folder: bool) -> None:
        if is_folder:
            found = QFileDialog.getExistingDirectory(self, self.tr("Choose a folder"), line.text())
        else:
            found, _ = QFileDialog.getSaveFileName(
                self, self.tr("Choose a file"), line.text(), options=QFileDialog.Option.DontConfirmOverwrite
            )
        if found:
            line.setText(found)

    def _test(self) -> None:
        installation, name, given = self._installation, self.connection, self.given()
        self._wait(self.tr("Testing…"))
        self._asking.ask(
            lambda: try_connection(installation, name, given),
            lambda sentence: self._say(sentence, Tone.GOOD),
            lambda error: self._say(say_trouble(error), Tone.BAD),
        )

    def _connect(self) -> None:
        installation, name, given = self._installation, self.connection, self.given()
        secrets = {field: given.pop(field) for field in self._secret & given.keys()}
        oauth = installation.house.registry.connector(self.kind.currentData()).oauth
        signs_in = oauth is not None and oauth.wanted({**given, **secrets})
        self._wait(self.tr("Sign in in the browser that opens now…") if signs_in else self.tr("Connecting…"))
        self._asking.ask(
            lambda: command(installation, "connect", name=name, settings=given, secrets=secrets),
            lambda answer: self._finish(name, str(answer["sentence"])),
            lambda error: self._say(say_trouble(error), Tone.BAD),
        )

    def _wait(self, sentence: str) -> None:
        self.saying.say(sentence, Tone.QUIET)
        for button in (self.test, self.connect_button):
            button.setEnabled(False)

    def _say(self, sentence: str, tone: Tone) -> None:
        self.saying.say(sentence, tone)
        for button in (self.test, self.connect_button):
            button.setEnabled(True)

    def _finish(self, name: str, sentence: str) -> None:
        self.accept()
        self.connected.emit(name, sentence)
        self.deleteLater()
