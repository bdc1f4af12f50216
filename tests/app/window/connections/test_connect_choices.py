"""What the dialog does with a login that is not accepted, and with an address that leads to several calendars."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLineEdit, QWidget
from pytestqt.qtbot import QtBot

from app.session import Session
from app.window.connections.connect_dialog import ConnectDialog
from tests.app.app_fixture import Wait
from tests.connections.radicale_server import PASSWORD, USER, ask, radicale


@pytest.fixture
def server(tmp_path: Path) -> Iterator[str]:
    folder = tmp_path / "radicale"
    folder.mkdir()
    with radicale(folder) as address:
        for name in ("home", "work"):
            ask("MKCALENDAR", f"{address}/{USER}/{name}/")
        yield address


@pytest.fixture
def dialog(qtbot: QtBot, empty: Session) -> Iterator[ConnectDialog]:
    """It deletes itself once connected, so its window is what is cleaned up."""
    window = QWidget()
    qtbot.addWidget(window)
    window.show()
    made = ConnectDialog(empty, "caldav:home", parent=window)
    with qtbot.waitActive(made, timeout=60_000):
        made.show()
    yield made
    window.close()


def enter(dialog: ConnectDialog, **values: str) -> None:
    for name, value in values.items():
        field = dialog.inputs[name]
        assert isinstance(field, QLineEdit)
        field.setText(value)


@pytest.mark.parametrize("button", ["test", "connect_button"])
def test_a_refused_login_leads_to_the_password(dialog: ConnectDialog, server: str, wait: Wait, button: str) -> None:
    enter(dialog, url=f"{server}/{USER}/home/", user=USER, password="wrong")
    getattr(dialog, button).click()
    wait(
        lambda: (
            dialog.status_line.message == ("127.0.0.1 did not accept this password for me, or there is no such user.")
        )
    )
    password = dialog.inputs["password"]
    assert dialog.focusWidget() is password
    assert isinstance(password, QLineEdit) and password.selectedText() != ""


def test_a_missing_login_leads_to_the_user_name(dialog: ConnectDialog, server: str, wait: Wait) -> None:
    enter(dialog, url=f"{server}/{USER}/home/")
    dialog.connect_button.click()
    wait(lambda: dialog.status_line.message == "127.0.0.1 asks for a user name and a password.")
    assert dialog.focusWidget() is dialog.inputs["user"]


@pytest.mark.usefixtures("keyring")
def test_the_calendars_of_a_server_are_chosen_from_a_list(
    qtbot: QtBot, dialog: ConnectDialog, server: str, wait: Wait, empty: Session
) -> None:
    enter(dialog, url=server, user=USER, password=PASSWORD)
    dialog.connect_button.click()
    wait(lambda: dialog.fields.choices)
    choices = dialog.fields.choices
    assert choices is not None and dialog.focusWidget() is choices
    assert dialog.status_line.message == "The server offers 2. Choose one, then connect."
    address = dialog.inputs["url"]
    assert isinstance(address, QLineEdit)
    offered = {choices.item(row).toolTip() for row in range(2)}
    assert offered == {f"{server}/{USER}/home/", f"{server}/{USER}/work/"}
    assert {choices.item(row).text() for row in range(2)} == {"home", "work"}
    assert address.text() == choices.item(0).toolTip()
    qtbot.keyClick(choices, Qt.Key.Key_Down)
    second = choices.item(1).toolTip()
    assert address.text() == second
    with qtbot.waitSignal(dialog.connected, timeout=60_000):
        qtbot.keyClick(choices, Qt.Key.Key_Return)
    [connected] = [one for one in empty.queries.connections() if one.connection == "caldav:home"]
    assert connected.settings["url"].rstrip("/") == second.rstrip("/")


def test_the_list_disappears_when_another_address_is_typed(
    qtbot: QtBot, dialog: ConnectDialog, server: str, wait: Wait
) -> None:
    enter(dialog, url=server, user=USER, password=PASSWORD)
    dialog.test.click()
    wait(lambda: dialog.fields.choices)
    qtbot.keyClicks(dialog.inputs["url"], "x")
    assert dialog.fields.choices is None
