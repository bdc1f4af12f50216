"""The dialog that creates or changes a connection, built from its connector's fields. Secrets are never shown."""

from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QLineEdit, QWidget

from app.background import BackgroundTasks, run_command
from app.i18n.connector_labels import translate_connector_text
from app.i18n.time_text import format_number
from app.i18n.translate import translate_text
from app.session import Session
from app.theme.tokens import Tone
from app.widgets.details_view import make_label
from app.window.connections.connect_fields import ConnectFields, Input
from app.window.dialog import Dialog
from app.window.feedback import StatusLine, make_button
from scheduler.connections.connector import Connector, ToolFailedError
from scheduler.connections.errors import ConnectionRuleError
from scheduler.connections.registry import find_free_name, is_connection_name
from scheduler.engine.errors import RefusedError
from scheduler.rules.failures import FailureClass


def check_connection(session: Session, name: str, given: dict[str, Any] | None = None) -> str:
    """Test these settings, or the stored ones; the result as a sentence. Blocks; raises what is wrong."""
    return session.connection_setup.test(name, given)


def describe_connection_error(error: Exception) -> str:
    match error:
        case ConnectionRuleError():
            return translate_text(error.sentence)
        case ToolFailedError():
            return translate_text(error.failure.sentence)
        case _:
            return translate_text(str(error))


def is_login_refused(error: Exception) -> bool:
    if isinstance(error, ToolFailedError):
        return error.failure.kind is FailureClass.AUTH
    return isinstance(error, RefusedError) and error.code == "login"


class ConnectDialog(Dialog):
    connected = Signal(str, str)
    """Its name, and a message."""

    def __init__(
        self,
        session: Session,
        name: str = "",
        settings: dict[str, Any] | None = None,
        parent: QWidget | None = None,
    ) -> None:
        """With a name, connect that one; without, the user chooses a type and a name."""
        self.fields = ConnectFields()
        super().__init__(580, parent, body=self.fields)
        heading = (
            self.tr("Connect {name}").format(name=name.partition(":")[2] or name) if name else self.tr("New connection")
        )
        self.set_titles(self.tr("Connect"), heading)
        self._session, self._background = session, BackgroundTasks(self)
        self._fixed, self._known = name, dict(settings or {})
        self._is_connected = settings is not None
        self._taken: set[str] = set()
        """Names of other connections, once read."""
        self.kind = QComboBox()
        self.kind.setAccessibleName(self.tr("Type"))
        registry = session.registry
        for kind in registry.kinds():
            if registry.connector(kind).fields:
                self.kind.addItem(translate_connector_text(registry.connector(kind).title), kind)
        self.name = QLineEdit(name.partition(":")[2])
        self.name.setPlaceholderText(self.tr("for example, expenses"))
        if name:
            self.kind.setCurrentIndex(max(self.kind.findData(name.partition(":")[0]), 0))
        for widget in (self.kind, self.name):
            widget.setEnabled(not name)
        self.help = make_label("", "muted")
        self.status_line = StatusLine()
        self.test = make_button(self.tr("Test"), "Ctrl+T")
        self.cancel = make_button(self.tr("Cancel"))
        self.connect_button = make_button(self.tr("Connect"), "Ctrl+Return", importance="primary")
        self.fields.add_row(self.tr("&Type"), self.kind)
        self.fields.add_row(self.tr("&Name"), self.name)
        self._lay_out()
        self.kind.currentIndexChanged.connect(self._make_fields)
        self.fields.rows_changed.connect(self.fit)
        self.test.clicked.connect(self._test)
        self.cancel.clicked.connect(self.reject)
        self.connect_button.clicked.connect(self._connect)
        self.fields.edited.connect(self._forget_error)
        self.name.textEdited.connect(lambda _: self._forget_error())
        self._make_fields()
        if name:
            self._focus_first()
        else:
            self._background.run(lambda: [one.connection for one in session.queries.connections()], self._taken.update)

    @property
    def connection_name(self) -> str:
        return self._fixed or f"{self.kind.currentData()}:{self.name.text().strip()}"

    def reject(self) -> None:
        """Also stop waiting for a sign-in in the browser."""
        self._session.connection_setup.cancel_sign_in(self.connection_name)
        super().reject()

    def values(self) -> dict[str, Any]:
        """The values of the fields that apply."""
        return self.fields.values()

    @property
    def inputs(self) -> dict[str, Input]:
        return self.fields.inputs

    def _lay_out(self) -> None:
        self.main_layout.insertWidget(1, self.help)
        self.main_layout.insertWidget(3, self.status_line)
        self.add_buttons(self.test, others=[self.cancel], last=self.connect_button)

    def _make_fields(self) -> None:
        connector: Connector = self._session.registry.connector(self.kind.currentData())
        self.help.setText(translate_connector_text(connector.help))
        self.fields.show_connector(connector, self._known, is_connected=self._is_connected)
        last = self.previousInFocusChain()  # among the new fields; the buttons come after them
        assert last is not None
        for button in (self.test, self.cancel, self.connect_button):
            self.setTabOrder(last, button)
            last = button

    def _focus_first(self) -> None:
        """What is left to enter; in a connection that exists, usually it is the password that changed."""
        secrets = [one for name, one in self.inputs.items() if name in self.fields.secret_names]
        if self._is_connected and secrets:
            secrets[0].setFocus()
        else:
            (self.fields.find_first_empty() or next(iter(self.inputs.values()))).setFocus()

    def _forget_error(self) -> None:
        if self.connect_button.isEnabled():
            self.status_line.clear()

    def _is_complete(self) -> bool:
        """If something is missing, say so and focus that field."""
        missing: tuple[QWidget, str] | None = self.fields.find_missing()
        if not self.name.text().strip():
            missing = self.name, self.tr("Enter a name. Scripts use it to refer to this connection.")
        elif not is_connection_name(self.connection_name):
            missing = self.name, self.tr("Use only letters, digits, dashes and underscores in the name.")
        elif (free := find_free_name(self.connection_name, self._taken)) != self.connection_name:
            said = self.tr("{name} exists already. This connection gets a name of its own: {free}.")
            missing = self.name, said.format(name=self.connection_name, free=free)
            self.name.setText(free.partition(":")[2])
        if missing is not None:
            field, sentence = missing
            self._say(sentence, Tone.BAD)
            field.setFocus()
            self.fields.ensureWidgetVisible(field)
        return missing is None

    def _test(self) -> None:
        if not self._is_complete():
            return
        session, name, given = self._session, self.connection_name, self.values()
        self._wait(self.tr("Testing…"))
        self._background.run(
            lambda: check_connection(session, name, given),
            lambda sentence: self._say(translate_text(sentence), Tone.GOOD),
            self._show_error,
        )

    def _connect(self) -> None:
        if not self._is_complete():
            return
        session, name, given = self._session, self.connection_name, self.values()
        secrets = {field: given.pop(field) for field in self.fields.secret_names & given.keys()}
        oauth = session.registry.connector(self.kind.currentData()).oauth
        signs_in = oauth is not None and oauth.is_needed({**given, **secrets})
        self._wait(self.tr("Sign in using the browser window that opened") if signs_in else self.tr("Connecting…"))
        self._background.run(
            lambda: run_command(session, "connect", name=name, settings=given, secrets=secrets),
            lambda answer: self._finish(name, str(answer["sentence"])),
            self._show_error,
        )

    def _show_error(self, error: Exception) -> None:
        """Lead to what helps: the password field, or a list of what the service offers instead."""
        said, choices = describe_connection_error(error), self._session.registry.connector(self._kind()).choices
        if is_login_refused(error):
            self._say(said, Tone.BAD)
            if (field := self.fields.find_refused()) is not None:
                field.setFocus()
                field.selectAll()
                self.fields.ensureWidgetVisible(field)
        elif choices is None or self.fields.choices is not None:
            self._say(said, Tone.BAD)
        else:
            session, name, given = self._session, self.connection_name, self.values()
            self._background.run(
                lambda: session.connection_setup.find_choices(name, given),
                lambda found: self._offer(choices.field, found, said),
                lambda _: self._say(said, Tone.BAD),
            )

    def _offer(self, field: str, found: list[dict[str, str]], said: str) -> None:
        if not found:
            self._say(said, Tone.BAD)
            return
        self.fields.show_choices(field, found)
        self.fields.ensureWidgetVisible(self.inputs[field])
        several = self.tr("The server offers {number}. Choose one, then connect.")
        one = self.tr("The server offers this one. Connect to use it.")
        self._say(one if len(found) == 1 else several.format(number=format_number(len(found))), Tone.ATTENTION)

    def _kind(self) -> str:
        return str(self.kind.currentData())

    def _wait(self, sentence: str) -> None:
        self.status_line.show_message(sentence, Tone.QUIET)
        for button in (self.test, self.connect_button):
            button.setEnabled(False)

    def _say(self, sentence: str, tone: Tone) -> None:
        self.status_line.show_message(sentence, tone)
        self.fit()
        for button in (self.test, self.connect_button):
            button.setEnabled(True)

    def _finish(self, name: str, sentence: str) -> None:
        self.accept()
        self.connected.emit(name, sentence)
        self.deleteLater()
