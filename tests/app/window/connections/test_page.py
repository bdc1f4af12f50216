"""The Connections page: state of each connection, test, connect, reconnect and disconnect."""

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QCheckBox, QComboBox, QLabel, QLineEdit
from pytestqt.qtbot import QtBot

from app.background import run_command
from app.session import Session
from app.theme.tokens import Tone
from app.widgets.details_view import DetailsView
from app.window.connections.connect_dialog import ConnectDialog
from app.window.connections.page import ConnectionsPage
from scheduler.connections.connector import Call, Connector, Field, FieldKind
from scheduler.store import connections
from tests.app.app_fixture import Wait
from tests.app.window.session_fixture import few
from tests.connections.keyring_fixtures import vault_of
from tests.connections.password_server import PasswordServer, door
from tests.connections.secret_service import SecretService

__all__ = ["few"]

MAIL = Connector(
    kind="mail",
    title="Mail",
    help="A mailbox.",
    fields=(
        Field(name="server", label="Server"),
        Field(name="password", label="Password", secret=True),
        Field(name="port", label="Port", kind=FieldKind.NUMBER, default=993),
        Field(name="safe", label="Encrypted", kind=FieldKind.FLAG, default=True),
        Field(name="folder", label="Folder", kind=FieldKind.CHOICE, choices=("Inbox", "All"), required=False),
    ),
    tools=(),
    test=lambda call: f"Reached {call.settings['server']}.",
)


@pytest.fixture
def page(qtbot: QtBot, few: Session, wait: Wait) -> ConnectionsPage:
    made = ConnectionsPage(few)
    qtbot.addWidget(made)
    made.resize(1000, 700)
    made.show()
    made.refresh()
    wait(lambda: made.model.rowCount() == 2)
    return made


def choose(page: ConnectionsPage, name: str) -> None:
    page.list.setCurrentIndex(page.model.index(page.model.find_row(name)))


def facts(page: ConnectionsPage) -> dict[str, str]:
    """The details of the chosen connection."""
    texts = [one.text() for one in page.pane.findChildren(DetailsView)[-1].findChildren(QLabel)]
    return dict(zip(texts[::2], texts[1::2], strict=True))


def dialog_of(page: ConnectionsPage) -> ConnectDialog:
    return page.findChildren(ConnectDialog)[-1]


def line(dialog: ConnectDialog, name: str) -> QLineEdit:
    field = dialog.inputs[name]
    assert isinstance(field, QLineEdit)
    return field


def test_a_connection_shows_its_type_its_users_and_when_it_was_last_used(
    page: ConnectionsPage, few: Session, wait: Wait
) -> None:
    choose(page, "table:expenses")
    assert page.chip.text() == "Connected"
    assert (page.name.text(), page.summary.text()) == ("expenses", "Table")
    assert facts(page)["Used by"] == "Receipts, Back up photos, Morning digest, Tidy downloads"
    assert facts(page)["Name in scripts"] == "table:expenses"
    assert facts(page)["Connected since"].startswith("today ")
    assert facts(page)["Last used"] == "never"
    with few._runtime.database.write() as db:
        connections.note_use(db, "table:expenses", few.now())
    page.refresh()
    wait(lambda: facts(page)["Last used"].startswith("today "))
    choose(page, "files:receipts")
    assert facts(page)["Used by"] == "no workflow"


def test_a_connection_can_be_tested_from_the_page(page: ConnectionsPage, few: Session, wait: Wait) -> None:
    choose(page, "files:receipts")
    page.test.click()
    wait(lambda: page.status_line.message and not page.status_line.message.startswith("Testing"))
    assert page.status_line._label.property("ink") == Tone.GOOD.value
    run_command(few, "connect", name="files:receipts", settings={"path": str(few.folder / "gone")}, test=False)
    page.refresh()
    wait(lambda: (page.selected_row() or page.model.rows[0]).view.settings["path"].endswith("gone"))
    page.test.click()
    wait(lambda: page.status_line._label.property("ink") == Tone.BAD.value)
    assert "gone" in page.status_line.message


def test_a_connection_with_trouble_shows_the_reason_and_can_be_reconnected(
    page: ConnectionsPage, few: Session, wait: Wait
) -> None:
    choose(page, "table:expenses")
    with few._runtime.database.write() as db:
        connections.set_trouble(db, "table:expenses", "The disk is not there. Plug it in and connect again.")
    page.refresh()
    wait(lambda: page.chip.text() == "Reconnect")
    assert page.summary.text() == "The disk is not there. Plug it in and connect again."
    page.connect_button.click()
    dialog = dialog_of(page)
    assert line(dialog, "path").text() == str(few.folder / "expenses.csv")
    dialog.connect_button.click()
    wait(lambda: page.chip.text() == "Connected")


def test_a_new_connection_is_created_from_the_fields_of_its_type(
    page: ConnectionsPage, few: Session, wait: Wait, tmp_path: Path
) -> None:
    page.add.click()
    dialog = dialog_of(page)
    dialog.kind.setCurrentIndex(dialog.kind.findData("files"))
    dialog.name.setText("inbox")
    line(dialog, "path").setText("not a full path")
    dialog.connect_button.click()
    wait(lambda: "full path" in dialog.status_line.message)
    assert connections.find(few._runtime.database.read(), "files:inbox") is None
    line(dialog, "path").setText(str(tmp_path))
    dialog.connect_button.click()
    wait(lambda: page.model.find_row("files:inbox") >= 0)
    wait(lambda: page.name.text() == "inbox")
    assert page.status_line.message == "files:inbox is connected."


def test_a_missing_field_is_named_and_focused(page: ConnectionsPage) -> None:
    page.add.click()
    dialog = dialog_of(page)
    dialog.test.click()
    assert dialog.status_line.message == "Enter a name. Scripts use it to refer to this connection."
    assert dialog.focusWidget() is dialog.name
    dialog.kind.setCurrentIndex(dialog.kind.findData("files"))
    dialog.name.setText("home")
    dialog.connect_button.click()
    assert dialog.status_line.message == "Folder is required. Nothing outside this folder is changed."
    assert dialog.focusWidget() is line(dialog, "path")


@pytest.mark.parametrize("name", ["two words", "files:box", "größe"])
def test_an_invalid_name_is_refused_in_the_form(page: ConnectionsPage, name: str) -> None:
    """The form adds the kind to the name itself."""
    page.add.click()
    dialog = dialog_of(page)
    dialog.kind.setCurrentIndex(dialog.kind.findData("files"))
    dialog.name.setText(name)
    line(dialog, "path").setText("/x")
    dialog.connect_button.click()
    assert dialog.status_line.message == "Use only letters, digits, dashes and underscores in the name."
    assert dialog.focusWidget() is dialog.name


def test_secrets_are_masked_and_never_filled_in(qtbot: QtBot, few: Session, wait: Wait) -> None:
    few._runtime.registry._connectors["mail"] = MAIL
    known = {"server": "mail.example", "password": "kept elsewhere"}
    dialog = ConnectDialog(few, "mail:home", known)
    qtbot.addWidget(dialog)
    assert line(dialog, "password").echoMode() is QLineEdit.EchoMode.Password
    assert line(dialog, "password").text() == ""
    assert isinstance(dialog.inputs["safe"], QCheckBox) and dialog.inputs["safe"].isChecked()
    assert isinstance(dialog.inputs["folder"], QComboBox)
    line(dialog, "password").setText("x")
    assert dialog.values() == {
        "server": "mail.example",
        "password": "x",
        "port": "993",
        "safe": True,
        "folder": "Inbox",
    }
    dialog.test.click()
    wait(lambda: dialog.status_line.message == "Reached mail.example.")


def test_an_error_of_the_connector_is_shown_and_the_form_stays_open(qtbot: QtBot, few: Session, wait: Wait) -> None:
    def fail(_: Call) -> str:
        raise OSError("The line is dead.")

    few._runtime.registry._connectors["mail"] = Connector(
        kind="mail", title="Mail", help="", fields=MAIL.fields[:1], tools=(), test=fail
    )
    dialog = ConnectDialog(few, "mail:home", {"server": "mail.example"})
    qtbot.addWidget(dialog)
    dialog.test.click()
    wait(lambda: "The line is dead." in dialog.status_line.message)
    assert dialog.connect_button.isEnabled()


@pytest.mark.parametrize("sure", [False, True], ids=["not sure", "sure"])
def test_disconnecting_needs_confirmation(
    page: ConnectionsPage,
    few: Session,
    wait: Wait,
    monkeypatch: pytest.MonkeyPatch,
    sure: bool,  # noqa: FBT001  a parameter
) -> None:
    choose(page, "files:receipts")
    monkeypatch.setattr(ConnectionsPage, "_confirm", lambda *_: sure)
    page.disconnect_button.click()
    if sure:
        wait(lambda: page.model.rowCount() == 1)
    assert (connections.find(few._runtime.database.read(), "files:receipts") is None) is sure


def test_a_connection_needed_by_a_workflow_but_not_connected_is_listed(
    page: ConnectionsPage, few: Session, wait: Wait
) -> None:
    run_command(few, "disconnect", name="table:expenses")
    page.open_subject("table:expenses")
    page.refresh()
    wait(lambda: page.chip.text() == "Not connected yet" and page.name.text() == "expenses")
    assert page.connect_button.isVisible() and not page.test.isEnabled()
    assert not page.disconnect_button.isVisible()


def test_the_empty_page_explains_connections(qtbot: QtBot, empty: Session, wait: Wait) -> None:
    page = ConnectionsPage(empty)
    qtbot.addWidget(page)
    page.show()
    page.refresh()
    wait(lambda: page.body.currentWidget() is page.empty)


def test_secrets_go_to_the_keyring_and_an_empty_field_keeps_the_stored_one(
    qtbot: QtBot, few: Session, wait: Wait, keyring: SecretService
) -> None:
    few._runtime.registry._connectors["door"] = door
    with PasswordServer().working() as doorman:
        dialog = ConnectDialog(few, "door:home")
        qtbot.addWidget(dialog)
        assert dialog.heading.text() == "Connect home"
        assert dialog.focusWidget() is line(dialog, "url")
        line(dialog, "url").setText(doorman.url)
        line(dialog, "password").setText(" wrong ")
        dialog.connect_button.click()
        wait(lambda: dialog.status_line.message == "The doorman did not let door:home in with •••.")
        assert doorman.seen == ["wrong "], "a header loses leading spaces; the rest is as typed"
        line(dialog, "password").setText("hunter2")
        with qtbot.waitSignal(dialog.connected, timeout=60_000):
            dialog.connect_button.click()
        assert vault_of(few.folder).get("door:home") == {"password": "hunter2"}
        row = connections.find(few._runtime.database.read(), "door:home")
        assert row is not None and row.settings == {"url": doorman.url, "badge": None}
        again = ConnectDialog(few, "door:home", dict(row.settings))
        qtbot.addWidget(again)
        assert line(again, "password").placeholderText() == "Leave empty to keep the current one"
        assert line(again, "badge").placeholderText() == ""
        with qtbot.waitSignal(again.connected, timeout=60_000):
            again.connect_button.click()
        assert doorman.let_in == ["/test", "/test"]


def test_opening_a_connection_with_trouble_opens_the_dialog(page: ConnectionsPage, few: Session, wait: Wait) -> None:
    """From a card or a notification; a working connection is only selected."""
    page.open_subject("files:receipts")
    page.refresh()
    wait(lambda: page.name.text() == "receipts")
    assert page.findChild(ConnectDialog) is None
    with few._runtime.database.write() as db:
        connections.set_trouble(db, "table:expenses", "The disk is not there. Plug it in and connect again.")
    page.open_subject("table:expenses")
    page.refresh()
    wait(lambda: page.findChild(ConnectDialog))
    dialog = dialog_of(page)
    assert dialog.connection_name == "table:expenses"
    dialog.connect_button.click()
    wait(lambda: page.chip.text() == "Connected")
    page.refresh()
    wait(lambda: page.findChild(ConnectDialog) is None)


def test_in_a_narrow_window_the_details_are_below_the_list(page: ConnectionsPage) -> None:
    page.resize(416, 700)
    assert page.split.orientation() is Qt.Orientation.Vertical
    page.resize(1000, 700)
    assert page.split.orientation() is Qt.Orientation.Horizontal


def test_the_dialog_begins_in_the_first_empty_field(qtbot: QtBot, few: Session) -> None:
    """In a connection that exists, in its password: usually that changed."""
    for settings, expected in ((None, "url"), ({"url": "https://example.org", "user": "me"}, "password")):
        dialog = ConnectDialog(few, "caldav:home", settings)
        qtbot.addWidget(dialog)
        dialog.show()
        assert dialog.focusWidget() is dialog.inputs[expected]


def test_an_error_disappears_when_the_user_types(qtbot: QtBot, few: Session) -> None:
    dialog = ConnectDialog(few, "caldav:home")
    qtbot.addWidget(dialog)
    dialog.show()
    dialog.connect_button.click()
    assert dialog.status_line.message.startswith("Address is required.")
    qtbot.keyClicks(dialog.inputs["url"], "h")
    assert dialog.status_line.message == ""


def test_a_second_connection_gets_a_name_of_its_own(qtbot: QtBot, few: Session, wait: Wait, tmp_path: Path) -> None:
    dialog = ConnectDialog(few)
    qtbot.addWidget(dialog)
    dialog.show()
    wait(lambda: "files:receipts" in dialog._taken)
    dialog.kind.setCurrentIndex(dialog.kind.findData("files"))
    dialog.name.setText("receipts")
    line = dialog.inputs["path"]
    assert isinstance(line, QLineEdit)
    line.setText(str(tmp_path))
    dialog.connect_button.click()
    said = "files:receipts exists already. This connection gets a name of its own: files:receipts-2."
    assert (dialog.status_line.message, dialog.name.text()) == (said, "receipts-2")
    with qtbot.waitSignal(dialog.connected) as connected:
        dialog.connect_button.click()
    assert connected.args is not None and connected.args[0] == "files:receipts-2"
    assert {one.connection for one in few.queries.connections()} >= {"files:receipts", "files:receipts-2"}
