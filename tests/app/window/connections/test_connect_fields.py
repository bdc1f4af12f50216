"""The form of a connection asks only what counts, and says what is meant."""

import pytest
from PySide6.QtWidgets import QComboBox, QLabel, QLineEdit
from pytestqt.qtbot import QtBot

from app.life.installation import Installation
from app.window.connect_dialog import ConnectDialog
from app.window.connect_fields import ConnectFields
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
    box.setCurrentText(choice)


def write(form: ConnectFields, name: str, text: str) -> None:
    line = form.inputs[name]
    assert isinstance(line, QLineEdit)
    line.setText(text)


def shown(form: ConnectFields) -> set[str]:
    return {name for name, widget in form.inputs.items() if widget.isVisibleTo(form)}


@pytest.mark.parametrize(("login", "wanted"), BY_LOGIN.items())
def test_a_web_api_asks_for_what_its_login_needs(form: ConnectFields, login: str, wanted: set[str]) -> None:
    choose(form, "auth", login)
    others = set().union(*BY_LOGIN.values()) - wanted
    assert shown(form) == set(form.inputs) - others >= {"base_url", "auth"}


def test_every_login_of_a_web_api_is_known_here(web: Connector) -> None:
    [login] = [field for field in web.fields if field.name == "auth"]
    assert set(login.choices) == set(BY_LOGIN)


def test_what_does_not_count_is_not_given_and_not_lost_while_one_looks_around(form: ConnectFields) -> None:
    write(form, "base_url", " https://api.example.org ")
    choose(form, "auth", "basic")
    write(form, "user", "anna")
    write(form, "secret", " as typed ")
    choose(form, "auth", "none")
    assert form.given() == {"base_url": "https://api.example.org", "auth": "none"}
    choose(form, "auth", "basic")
    assert form.given()["user"] == "anna" and form.given()["secret"] == " as typed "


def test_hints_are_written_in_full_below_their_fields(form: ConnectFields, web: Connector) -> None:
    for field in web.fields:
        hint = form.hints[field.name]
        assert isinstance(hint, QLabel) and hint.text() == field.help and hint.wordWrap()
        assert form.inputs[field.name].accessibleDescription() == field.help
    choose(form, "auth", "basic")
    hint, line = form.hints["user"], form.inputs["user"]
    assert hint.mapTo(form, hint.rect().topLeft()).y() >= line.mapTo(form, line.rect().bottomLeft()).y()


def test_a_login_that_is_kept_is_shown_with_its_fields(qtbot: QtBot, web: Connector) -> None:
    form = ConnectFields()
    qtbot.addWidget(form)
    form.show_connector(web, {"base_url": "https://api.example.org", "auth": "header"}, is_connected=True)
    assert BY_LOGIN["header"] <= shown(form) and "user" not in shown(form)
    secret = form.inputs["secret"]
    assert isinstance(secret, QLineEdit)
    assert secret.placeholderText() == "Leave it empty to keep the one from before"


def test_the_form_grows_with_what_it_asks_and_stays_on_the_screen(qtbot: QtBot, empty: Installation) -> None:
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
def test_a_field_counts_with_some_choices_of_another(given: dict[str, str], counts: bool) -> None:  # noqa: FBT001  the case
    assert Field(name="x", label="X", when=("how", ("b", "c"))).counts(given) is counts
    assert Field(name="x", label="X", kind=FieldKind.FLAG).counts(given)
    assert Field(name="x", label="X", when=("how", ())).counts(given) is ("how" in given)


def test_what_fields_of_all_connectors_depend_on_is_a_choice_of_theirs() -> None:
    registry = builtin_registry(lambda *_: None)
    for kind in registry.kinds():
        fields = {field.name: field for field in registry.connector(kind).fields}
        for field in fields.values():
            if field.when is not None:
                name, choices = field.when
                assert set(choices) < set(fields[name].choices) or (not choices and not fields[name].required)


def test_where_sent_mail_is_asked_for_only_with_its_server(qtbot: QtBot) -> None:
    form = ConnectFields()
    qtbot.addWidget(form)
    form.show_connector(builtin_registry(lambda *_: None).connector("smtp"), {}, is_connected=False)
    form.show()
    theirs = {"imap_port", "imap_security", "imap_user", "imap_password", "sent_folder"}
    assert not theirs & shown(form)
    server = form.inputs["imap_host"]
    assert isinstance(server, QLineEdit)
    server.setText("imap.example.org")
    assert theirs <= shown(form)
    server.clear()
    assert not theirs & shown(form) and not theirs & set(form.given())
