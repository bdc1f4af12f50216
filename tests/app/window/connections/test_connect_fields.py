"""The connection form shows only the fields that apply, with their hints."""

import pytest
from PySide6.QtWidgets import QComboBox, QLabel, QLineEdit
from pytestqt.qtbot import QtBot

from app.session import Session
from app.window.connections.connect_dialog import ConnectDialog
from app.window.connections.connect_fields import ConnectFields
from scheduler.connections.connector import Connector, Field, FieldKind
from scheduler.connections.registry import builtin_registry

SIGN_IN = {"client_id", "client_secret", "account", "authorize_url", "token_url", "scopes"}
BY_LOGIN = {
    "none": set(),
    "basic": {"user", "secret"},
    "bearer": {"secret"},
    "header": {"secret", "header"},
    "oauth2": SIGN_IN,
}


@pytest.fixture
def web() -> Connector:
    return builtin_registry(lambda *_: None).connector("http")


@pytest.fixture
def form(qtbot: QtBot, web: Connector) -> ConnectFields:
    made = ConnectFields()
    qtbot.addWidget(made)
    made.resize(460, 600)
    made.show_connector(web, {}, is_connected=False)
    made.show()
    return made


def choose(form: ConnectFields, name: str, choice: str) -> None:
    box = form.inputs[name]
    assert isinstance(box, QComboBox)
    box.setCurrentIndex(box.findData(choice))


def write(form: ConnectFields, name: str, text: str) -> None:
    line = form.inputs[name]
    assert isinstance(line, QLineEdit)
    line.setText(text)


def shown(form: ConnectFields) -> set[str]:
    return {name for name, widget in form.inputs.items() if widget.isVisibleTo(form)}


@pytest.mark.parametrize(("login", "fields"), BY_LOGIN.items())
def test_an_http_connection_shows_the_fields_of_its_auth_method(
    form: ConnectFields, login: str, fields: set[str]
) -> None:
    choose(form, "auth", login)
    others = set().union(*BY_LOGIN.values()) - fields
    assert shown(form) == set(form.inputs) - others >= {"base_url", "auth"}


def test_every_auth_method_is_tested_here(web: Connector) -> None:
    [login] = [field for field in web.fields if field.name == "auth"]
    assert set(login.choices) == set(BY_LOGIN)


def test_values_of_hidden_fields_are_not_returned_but_kept(form: ConnectFields) -> None:
    write(form, "base_url", " https://api.example.org ")
    choose(form, "auth", "basic")
    write(form, "user", "anna")
    write(form, "secret", " as typed ")
    choose(form, "auth", "none")
    assert form.values() == {"base_url": "https://api.example.org", "auth": "none"}
    choose(form, "auth", "basic")
    assert form.values()["user"] == "anna" and form.values()["secret"] == " as typed "


def test_hints_are_shown_in_full_below_their_fields(form: ConnectFields, web: Connector) -> None:
    for field in web.fields:
        hint = form.hints[field.name]
        assert isinstance(hint, QLabel) and hint.text() == field.help and hint.wordWrap()
        assert form.inputs[field.name].accessibleDescription() == field.help
    choose(form, "auth", "basic")
    hint, line = form.hints["user"], form.inputs["user"]
    assert hint.mapTo(form, hint.rect().topLeft()).y() >= line.mapTo(form, line.rect().bottomLeft()).y()


def test_a_stored_auth_method_is_shown_with_its_fields(qtbot: QtBot, web: Connector) -> None:
    form = ConnectFields()
    qtbot.addWidget(form)
    form.show_connector(web, {"base_url": "https://api.example.org", "auth": "header"}, is_connected=True)
    assert BY_LOGIN["header"] <= shown(form) and "user" not in shown(form)
    secret = form.inputs["secret"]
    assert isinstance(secret, QLineEdit)
    assert secret.placeholderText() == "Leave empty to keep the current one"


def test_the_dialog_grows_with_its_fields_and_stays_on_the_screen(qtbot: QtBot, empty: Session) -> None:
    dialog = ConnectDialog(empty)
    qtbot.addWidget(dialog)
    dialog.kind.setCurrentIndex(dialog.kind.findData("http"))
    with qtbot.waitExposed(dialog):
        dialog.show()
    low = dialog.height()
    choose(dialog.fields, "auth", "oauth2")
    assert low < dialog.height() <= dialog.screen().availableGeometry().height()
    choose(dialog.fields, "auth", "none")
    assert dialog.height() == low


@pytest.mark.parametrize(
    ("given", "counts"), [({}, False), ({"how": "a"}, False), ({"how": "b"}, True), ({"how": "c", "other": "b"}, True)]
)
def test_a_field_applies_depending_on_another(given: dict[str, str], counts: bool) -> None:  # noqa: FBT001  a parameter
    assert Field(name="x", label="X", when=("how", ("b", "c"))).is_used_with(given) is counts
    assert Field(name="x", label="X", kind=FieldKind.FLAG).is_used_with(given)
    assert Field(name="x", label="X", when=("how", ())).is_used_with(given) is ("how" in given)


def test_every_field_depends_on_an_existing_choice_of_its_connector() -> None:
    registry = builtin_registry(lambda *_: None)
    for kind in registry.kinds():
        fields = {field.name: field for field in registry.connector(kind).fields}
        for field in fields.values():
            if field.when is not None:
                name, choices = field.when
                assert set(choices) < set(fields[name].choices) or (not choices and not fields[name].required)


def test_the_sent_folder_is_asked_for_only_with_an_imap_server(qtbot: QtBot) -> None:
    form = ConnectFields()
    qtbot.addWidget(form)
    form.show_connector(builtin_registry(lambda *_: None).connector("smtp"), {}, is_connected=False)
    form.show()
    imap_fields = {"imap_port", "imap_security", "imap_user", "imap_password", "sent_folder"}
    assert not imap_fields & shown(form)
    server = form.inputs["imap_host"]
    assert isinstance(server, QLineEdit)
    server.setText("imap.example.org")
    assert imap_fields <= shown(form)
    server.clear()
    assert not imap_fields & shown(form) and not imap_fields & set(form.values())


def test_choices_are_shown_in_words_and_returned_as_stored(form: ConnectFields) -> None:
    box = form.inputs["auth"]
    assert isinstance(box, QComboBox)
    choose(form, "auth", "basic")
    assert (box.currentText(), form.values()["auth"]) == ("User name and password (basic)", "basic")


@pytest.mark.parametrize("kind", ["http", "smtp"])
def test_tab_leads_from_the_name_through_the_fields_of_a_new_type_to_the_buttons(
    qtbot: QtBot, empty: Session, kind: str
) -> None:
    dialog = ConnectDialog(empty)
    qtbot.addWidget(dialog)
    dialog.show()
    dialog.kind.setCurrentIndex(dialog.kind.findData("files"))
    dialog.kind.setCurrentIndex(dialog.kind.findData(kind))
    expected = [dialog.name, *dialog.inputs.values(), dialog.test, dialog.cancel, dialog.connect_button]
    found, widget = [], dialog.name.nextInFocusChain()
    while widget is not None and widget is not dialog.name:
        found += [widget] if widget in expected else []
        widget = widget.nextInFocusChain()
    assert [dialog.name, *found] == expected
