"""Connections: what there is, how it stands, and putting it right."""

from pathlib import Path

import pytest
from PySide6.QtWidgets import QCheckBox, QComboBox, QLabel, QLineEdit
from pytestqt.qtbot import QtBot

from app.asking import command
from app.life.installation import Installation
from app.look.theme import Tone
from app.widgets.details_view import DetailsView
from app.window.connect_dialog import ConnectDialog
from app.window.connections import ConnectionsPage
from scheduler.connections.connector import Call, Connector, Field, FieldKind
from scheduler.store import connections
from tests.app.living import Wait
from tests.app.window.filling import few
from tests.connections.doorman import Doorman, door
from tests.connections.kept import vault_of
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
def page(qtbot: QtBot, few: Installation, wait: Wait) -> ConnectionsPage:
    made = ConnectionsPage(few)
    qtbot.addWidget(made)
    made.resize(1000, 700)
    made.show()
    made.refresh()
    wait(lambda: made.model.rowCount() == 2)
    return made


def choose(page: ConnectionsPage, name: str) -> None:
    page.list.setCurrentIndex(page.model.index(page.model.place_of(name)))


def facts(page: ConnectionsPage) -> dict[str, str]:
    """What is shown of the chosen one, line by line."""
    texts = [one.text() for one in page.pane.findChildren(DetailsView)[-1].findChildren(QLabel)]
    return dict(zip(texts[::2], texts[1::2], strict=True))


def dialog_of(page: ConnectionsPage) -> ConnectDialog:
    return page.findChildren(ConnectDialog)[-1]


def line(dialog: ConnectDialog, name: str) -> QLineEdit:
    field = dialog.inputs[name]
    assert isinstance(field, QLineEdit)
    return field


def test_each_says_what_it_is_who_uses_it_and_when_it_was_used_last(
    page: ConnectionsPage, few: Installation, wait: Wait
) -> None:
    choose(page, "table:expenses")
    assert page.chip.text() == "Connected"
    assert (page.name.text(), page.words.text()) == ("expenses", "Table")
    assert facts(page)["Used by"] == "Receipts, Back up photos, Morning digest, Tidy downloads"
    assert facts(page)["In scripts"] == "table:expenses"
    assert facts(page)["Connected since"].startswith("today ")
    assert facts(page)["Last used"] == "never"
    with few.database.write() as db:
        connections.note_use(db, "table:expenses", few.house.engine.context.clock.now())
    page.refresh()
    wait(lambda: facts(page)["Last used"].startswith("today "))
    choose(page, "files:receipts")
    assert facts(page)["Used by"] == "Nobody"


def test_it_is_tested_where_it_stands(page: ConnectionsPage, few: Installation, wait: Wait) -> None:
    choose(page, "files:receipts")
    page.test.click()
    wait(lambda: page.saying.sentence and not page.saying.sentence.startswith("Testing"))
    assert page.saying._label.property("ink") == Tone.GOOD.value
    command(few, "connect", name="files:receipts", settings={"path": str(few.folder / "gone")}, test=False)
    page.refresh()
    wait(lambda: (page.chosen() or page.model.rows[0]).view.settings["path"].endswith("gone"))
    page.test.click()
    wait(lambda: page.saying._label.property("ink") == Tone.BAD.value)
    assert "gone" in page.saying.sentence


def test_a_lost_one_says_why_and_offers_to_connect(page: ConnectionsPage, few: Installation, wait: Wait) -> None:
    choose(page, "table:expenses")
    with few.database.write() as db:
        connections.set_trouble(db, "table:expenses", "The disk is not there. Plug it in and connect again.")
    page.refresh()
    wait(lambda: page.chip.text() == "Reconnect")
    assert page.words.text() == "The disk is not there. Plug it in and connect again."
    page.connect_button.click()
    dialog = dialog_of(page)
    assert line(dialog, "path").text() == str(few.folder / "expenses.csv")
    dialog.connect_button.click()
    wait(lambda: page.chip.text() == "Connected")


def test_a_new_one_is_made_with_the_fields_of_its_kind(
    page: ConnectionsPage, few: Installation, wait: Wait, tmp_path: Path
) -> None:
    page.add.click()
    dialog = dialog_of(page)
    dialog.kind.setCurrentIndex(dialog.kind.findData("files"))
    dialog.name.setText("inbox")
    line(dialog, "path").setText("not a full path")
    dialog.connect_button.click()
    wait(lambda: "full path" in dialog.saying.sentence)
    assert connections.find(few.database.read(), "files:inbox") is None
    line(dialog, "path").setText(str(tmp_path))
    dialog.connect_button.click()
    wait(lambda: page.model.place_of("files:inbox") >= 0)
    wait(lambda: page.name.text() == "inbox")
    assert page.saying.sentence == "files:inbox is connected."


def test_what_is_missing_is_said_in_the_words_of_the_form_and_the_cursor_goes_there(page: ConnectionsPage) -> None:
    page.add.click()
    dialog = dialog_of(page)
    dialog.test.click()
    assert dialog.saying.sentence == "Give it a name; scripts find it by that."
    assert dialog.focusWidget() is dialog.name
    dialog.kind.setCurrentIndex(dialog.kind.findData("files"))
    dialog.name.setText("home")
    dialog.connect_button.click()
    assert dialog.saying.sentence == "Folder is missing. Nothing outside it is touched."
    assert dialog.focusWidget() is line(dialog, "path")


@pytest.mark.parametrize("name", ["two words", "files:box", "größe"])
def test_a_name_that_cannot_be_one_is_refused_in_place(page: ConnectionsPage, name: str) -> None:
    """In the words of the form, which puts the kind before the name by itself."""
    page.add.click()
    dialog = dialog_of(page)
    dialog.kind.setCurrentIndex(dialog.kind.findData("files"))
    dialog.name.setText(name)
    line(dialog, "path").setText("/x")
    dialog.connect_button.click()
    assert dialog.saying.sentence == "Write the name with letters, digits, dashes and underscores only."
    assert dialog.focusWidget() is dialog.name


def test_what_is_secret_is_masked_and_never_filled_in(qtbot: QtBot, few: Installation, wait: Wait) -> None:
    few.house.registry._connectors["mail"] = MAIL
    known = {"server": "mail.example", "password": "kept elsewhere"}
    dialog = ConnectDialog(few, "mail:home", known)
    qtbot.addWidget(dialog)
    assert line(dialog, "password").echoMode() is QLineEdit.EchoMode.Password
    assert line(dialog, "password").text() == ""
    assert isinstance(dialog.inputs["safe"], QCheckBox) and dialog.inputs["safe"].isChecked()
    assert isinstance(dialog.inputs["folder"], QComboBox)
    line(dialog, "password").setText("x")
    assert dialog.given() == {"server": "mail.example", "password": "x", "port": "993", "safe": True, "folder": "Inbox"}
    dialog.test.click()
    wait(lambda: dialog.saying.sentence == "Reached mail.example.")


def test_a_fault_of_a_connector_is_said_and_the_form_stays(qtbot: QtBot, few: Installation, wait: Wait) -> None:
    def fail(_: Call) -> str:
        raise OSError("The line is dead.")

    few.house.registry._connectors["mail"] = Connector(
        kind="mail", title="Mail", help="", fields=MAIL.fields[:1], tools=(), test=fail
    )
    dialog = ConnectDialog(few, "mail:home", {"server": "mail.example"})
    qtbot.addWidget(dialog)
    dialog.test.click()
    wait(lambda: "The line is dead." in dialog.saying.sentence)
    assert dialog.connect_button.isEnabled()


@pytest.mark.parametrize("sure", [False, True], ids=["not sure", "sure"])
def test_it_is_disconnected_only_if_one_is_sure(
    page: ConnectionsPage,
    few: Installation,
    wait: Wait,
    monkeypatch: pytest.MonkeyPatch,
    sure: bool,  # noqa: FBT001  the case
) -> None:
    choose(page, "files:receipts")
    monkeypatch.setattr(ConnectionsPage, "_confirm", lambda *_: sure)
    page.disconnect_button.click()
    if sure:
        wait(lambda: page.model.rowCount() == 1)
    assert (connections.find(few.database.read(), "files:receipts") is None) is sure


def test_one_that_workflows_want_and_nobody_connected_is_listed(
    page: ConnectionsPage, few: Installation, wait: Wait
) -> None:
    command(few, "disconnect", name="table:expenses")
    page.open_subject("table:expenses")
    page.refresh()
    wait(lambda: page.chip.text() == "Not connected" and page.name.text() == "expenses")
    assert page.connect_button.isVisible() and not page.test.isEnabled()
    assert not page.disconnect_button.isVisible()


def test_an_empty_page_says_what_a_connection_is(qtbot: QtBot, empty: Installation, wait: Wait) -> None:
    page = ConnectionsPage(empty)
    qtbot.addWidget(page)
    page.show()
    page.refresh()
    wait(lambda: page.body.currentWidget() is page.empty)


def test_what_is_secret_goes_to_the_keyring_and_stays_when_it_is_left_empty(
    qtbot: QtBot, few: Installation, wait: Wait, keyring: SecretService
) -> None:
    few.house.registry._connectors["door"] = door
    with Doorman().working() as doorman:
        dialog = ConnectDialog(few, "door:home")
        qtbot.addWidget(dialog)
        assert dialog.heading.text() == "Connect home"
        assert dialog.focusWidget() is line(dialog, "password")
        line(dialog, "url").setText(doorman.url)
        line(dialog, "password").setText(" wrong ")
        dialog.connect_button.click()
        wait(lambda: dialog.saying.sentence == "The doorman did not let door:home in with •••.")
        assert doorman.seen == ["wrong "], "a header loses what is before it; the rest is as typed"
        line(dialog, "password").setText("hunter2")
        with qtbot.waitSignal(dialog.connected, timeout=60_000):
            dialog.connect_button.click()
        assert vault_of(few.folder).get("door:home") == {"password": "hunter2"}
        row = connections.find(few.database.read(), "door:home")
        assert row is not None and row.settings == {"url": doorman.url, "badge": None}
        again = ConnectDialog(few, "door:home", dict(row.settings))
        qtbot.addWidget(again)
        assert line(again, "password").placeholderText() == "Leave it empty to keep the one from before"
        assert line(again, "badge").placeholderText() == ""
        with qtbot.waitSignal(again.connected, timeout=60_000):
            again.connect_button.click()
        assert doorman.let_in == ["/test", "/test"]


def test_who_comes_to_reconnect_gets_the_form_at_once(page: ConnectionsPage, few: Installation, wait: Wait) -> None:
    """From a card or a notice; one that works is only shown."""
    page.open_subject("files:receipts")
    page.refresh()
    wait(lambda: page.name.text() == "receipts")
    assert page.findChild(ConnectDialog) is None
    with few.database.write() as db:
        connections.set_trouble(db, "table:expenses", "The disk is not there. Plug it in and connect again.")
    page.open_subject("table:expenses")
    page.refresh()
    wait(lambda: page.findChild(ConnectDialog))
    dialog = dialog_of(page)
    assert dialog.connection == "table:expenses"
    dialog.connect_button.click()
    wait(lambda: page.chip.text() == "Connected")
    page.refresh()
    wait(lambda: page.findChild(ConnectDialog) is None)
