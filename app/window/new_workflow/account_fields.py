"""A field for each account of a template: choose one that is connected, or connect a new one here."""

from collections.abc import Mapping
from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from app.i18n.template_labels import translate_template_text
from app.session import Session
from app.template_questions import TemplateQuestion
from app.templates import choose_connection_name
from app.theme.tokens import Space, Tone
from app.widgets.details_view import make_label
from app.widgets.form_controls import install_wheel_guard, name_combo_box
from app.window.connections.connect_dialog import ConnectDialog
from app.window.feedback import make_button
from app.window.new_workflow.answer_fields import BadFieldError
from app.window.new_workflow.template_setup import KnownSetup

_NEW = ""
"""The choice that connects a new account."""


class AccountFields(QWidget):
    connected = Signal(str)
    """A new connection; it exists from now on."""
    abandoned = Signal(str)
    """A connection that was made although the user had cancelled by then."""
    rows_changed = Signal()

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self._known = KnownSetup(connections={})
        self._fields: dict[str, AccountField] = {}
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._layout.setSpacing(Space.LARGE)

    @property
    def fields(self) -> "Mapping[str, AccountField]":
        return self._fields

    def show_accounts(
        self, questions: tuple[TemplateQuestion, ...], answers: Mapping[str, Any], known: KnownSetup
    ) -> None:
        """Show these accounts with these answers, or else with a connection of that kind."""
        for field in self._fields.values():
            self._layout.removeWidget(field)
            field.setParent(None)
            field.deleteLater()
        self._known, self._fields = known, {}
        for question in questions:
            field = AccountField(question)
            field.connect_requested.connect(self._open_connect)
            field.choices_changed.connect(self.rows_changed)
            field.show_choices(known, str(answers.get(question.name, question.default)))
            self._fields[question.name] = field
            self._layout.addWidget(field)
        install_wheel_guard(self)

    def read(self) -> dict[str, str]:
        """The chosen connections. BadFieldError for the first that is missing."""
        for field in self._fields.values():
            if not field.value():
                missing = translate_template_text(field.question.missing)
                raise BadFieldError(
                    field.button, self.tr("{missing}. Connect one to continue.").format(missing=missing)
                )
        return {name: field.value() for name, field in self._fields.items()}

    def is_connecting(self) -> bool:
        """Whether an account is being connected, in a dialog that is open or was cancelled just now."""
        dialogs = self.window().findChildren(ConnectDialog)
        return any(not one.connect_button.isEnabled() for one in dialogs)

    def _open_connect(self, question: TemplateQuestion) -> None:
        wanted = str(question.default)
        name, _ = choose_connection_name(wanted, {}, self._known.connections)
        dialog = ConnectDialog(self._session, name, parent=self.window())
        dialog.connected.connect(lambda name, _said: self._keep(question, name, is_wanted=not was_rejected))
        was_rejected: list[bool] = []
        dialog.rejected.connect(lambda: was_rejected.append(True))
        dialog.open()

    def _keep(self, question: TemplateQuestion, name: str, *, is_wanted: bool) -> None:
        if not is_wanted:
            self.abandoned.emit(name)
            return
        before = self._known
        self._known = KnownSetup(
            workflows=before.workflows,
            connections={**before.connections, name: {}},
            connected=(*before.connected, name),
        )
        for one in self._fields.values():
            one.show_choices(self._known, name if one.question is question else one.value())
        self.connected.emit(name)


class AccountField(QWidget):
    connect_requested = Signal(object)
    """The question."""
    choices_changed = Signal()

    def __init__(self, question: TemplateQuestion) -> None:
        super().__init__()
        self.question = question
        words = translate_template_text(question.text)
        self.label = QLabel(words)
        self.choice = QComboBox()
        name_combo_box(self.choice, words)
        self.label.setBuddy(self.choice)
        self.missing = make_label(translate_template_text(question.missing), Tone.ATTENTION.value)
        self.button: QPushButton = make_button(self.tr("Connect…"), importance="primary")
        self.button.setAccessibleDescription(translate_template_text(question.missing))
        self._last = _NEW
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(Space.TIGHT)
        column.addWidget(self.label)
        column.addWidget(self.choice)
        row = QHBoxLayout()
        row.addWidget(self.missing, 1)
        row.addWidget(self.button)
        column.addLayout(row)
        self.choice.activated.connect(self._choose)
        self.button.clicked.connect(lambda: self.connect_requested.emit(question))

    def show_choices(self, known: KnownSetup, wanted: str) -> None:
        """The connections of its kind; the wanted one is chosen if it exists."""
        kind = f"{self.question.connector}:"
        names = [name for name in known.connected if name.startswith(kind)]
        self.choice.clear()
        for name in names:
            self.choice.addItem(_describe(name, known.connections.get(name, {})), name)
        if names:
            self.choice.addItem(self.tr("Connect a new one…"), _NEW)
            self.choice.setCurrentIndex(max(self.choice.findData(wanted), 0))
        self._last = self.value()
        parts: dict[QWidget, bool] = {self.label: True, self.choice: True, self.missing: False, self.button: False}
        for part, is_choice in parts.items():
            part.setVisible(is_choice == bool(names))
        self.choices_changed.emit()

    def value(self) -> str:
        return str(self.choice.currentData() or "")

    def _choose(self) -> None:
        if self.value():
            self._last = self.value()
            return
        self.choice.setCurrentIndex(self.choice.findData(self._last))  # until another one is connected
        self.connect_requested.emit(self.question)


def _describe(name: str, settings: Mapping[str, Any]) -> str:
    """Its own name, and whose account it is if that is known."""
    own = name.partition(":")[2]
    owner = next((str(settings[field]) for field in ("account", "user", "url", "host") if settings.get(field)), "")
    return f"{own} ({owner})" if owner else own
