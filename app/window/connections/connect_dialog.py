"""Connecting: a form made from what the connector asks for. What is secret is never shown."""

from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QLineEdit, QWidget

from app.asking import Asking, command
from app.life.installation import Installation
from app.look.theme import Tone
from app.widgets.details_view import make_text
from app.window.connect_fields import ConnectFields, Input
from app.window.dialog import Dialog
from app.window.saying import Saying, make_button
from app.words.connectors import say_connector
from app.words.interpreting import interpret
from scheduler.connections.connector import Connector, ToolFailedError
from scheduler.connections.errors import ConnectionRuleError
from scheduler.connections.registry import is_name


def try_connection(installation: Installation, name: str, given: dict[str, Any] | None = None) -> str:
    """Whether it works with these settings, else as it is kept, in a sentence; raises what is wrong. Waits."""
    return installation.house.connecting.test(name, given)


def say_trouble(error: Exception) -> str:
    match error:
        case ConnectionRuleError():
            return interpret(error.sentence)
        case ToolFailedError():
            return interpret(error.failure.sentence)
        case _:
            return interpret(str(error))


class ConnectDialog(Dialog):
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
        self.fields = ConnectFields()
        super().__init__(580, parent, body=self.fields)
        heading = (
            self.tr("Connect {name}").format(name=name.partition(":")[2] or name) if name else self.tr("New connection")
        )
        self.entitle(self.tr("Connect"), heading)
        self._installation, self._asking = installation, Asking(self)
        self._fixed, self._known = name, dict(settings or {})
        self._is_connected = settings is not None
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
        self.fields.add(self.tr("&Kind"), self.kind)
        self.fields.add(self.tr("&Name"), self.name)
        self._lay_out()
        self.kind.currentIndexChanged.connect(self._make_fields)
        self.fields.fitted.connect(self.fit)
        self.test.clicked.connect(self._test)
        self.cancel.clicked.connect(self.reject)
        self.connect_button.clicked.connect(self._connect)
        self._make_fields()
        if name:
            secret = [self.inputs[one] for one in self.inputs if one in self.fields.secret]
            (*secret, *self.inputs.values())[0].setFocus()  # a password is what is usually asked for again

    @property
    def connection(self) -> str:
        return self._fixed or f"{self.kind.currentData()}:{self.name.text().strip()}"

    def reject(self) -> None:
        """Whoever closes the form does not wait for the browser either."""
        self._installation.house.connecting.give_up(self.connection)
        super().reject()

    def given(self) -> dict[str, Any]:
        """What was typed and counts."""
        return self.fields.given()

    @property
    def inputs(self) -> dict[str, Input]:
        return self.fields.inputs

    def _lay_out(self) -> None:
        self.whole.insertWidget(1, self.help)
        self.whole.insertWidget(3, self.saying)
        self.conclude(self.test, others=[self.cancel], last=self.connect_button)

    def _make_fields(self) -> None:
        connector: Connector = self._installation.house.registry.connector(self.kind.currentData())
        self.help.setText(say_connector(connector.help))
        self.fields.show_connector(connector, self._known, is_connected=self._is_connected)

    def _is_complete(self) -> bool:
        """Whether it can be tried; if not, it is said what is missing, and the cursor stands there."""
        missing: tuple[QWidget, str] | None = self.fields.find_missing()
        if not self.name.text().strip():
            missing = self.name, self.tr("Give it a name; scripts find it by that.")
        elif not is_name(self.connection):
            missing = self.name, self.tr("Write the name with letters, digits, dashes and underscores only.")
        if missing is not None:
            field, sentence = missing
            self._say(sentence, Tone.BAD)
            field.setFocus()
            self.fields.ensureWidgetVisible(field)
        return missing is None

    def _test(self) -> None:
        if not self._is_complete():
            return
        installation, name, given = self._installation, self.connection, self.given()
        self._wait(self.tr("Testing…"))
        self._asking.ask(
            lambda: try_connection(installation, name, given),
            lambda sentence: self._say(interpret(sentence), Tone.GOOD),
            lambda error: self._say(say_trouble(error), Tone.BAD),
        )

    def _connect(self) -> None:
        if not self._is_complete():
            return
        installation, name, given = self._installation, self.connection, self.given()
        secrets = {field: given.pop(field) for field in self.fields.secret & given.keys()}
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
        self.fit()
        for button in (self.test, self.connect_button):
            button.setEnabled(True)

    def _finish(self, name: str, sentence: str) -> None:
        self.accept()
        self.connected.emit(name, sentence)
        self.deleteLater()
