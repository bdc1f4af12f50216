"""The fixer settings show only the fields of the chosen kind, and stay off until they are complete."""

import pytest
from PySide6.QtWidgets import QLineEdit
from pytestqt.qtbot import QtBot

from app.background import run_command
from app.data.preferences import read_preferences
from app.session import Session
from app.window.settings.fixer_section import FixerSection
from scheduler.engine.fixer_config import KEYRING_ENTRY, FixerConfig, FixerKind
from tests.app.app_fixture import Wait
from tests.connections.keyring_fixtures import vault_of
from tests.connections.secret_service import SecretService


@pytest.fixture
def section(qtbot: QtBot, empty: Session) -> FixerSection:
    """As on its page, which refreshes after saving."""
    made = FixerSection(empty, 200)
    qtbot.addWidget(made)
    made.saved.connect(lambda: made.show_choice(read_saved(empty)))
    made.show()
    return made


def read_saved(installation: Session) -> FixerConfig:
    return read_preferences(installation.folder).fixer


def pick(section: FixerSection, box: str, value: object) -> None:
    """As the user does."""
    field = getattr(section, box)
    field.setCurrentIndex(field.findData(value))
    field.activated.emit(field.currentIndex())


def write(field: QLineEdit, text: str) -> None:
    field.setText(text)
    field.editingFinished.emit()


def test_by_default_it_is_off_and_shows_no_other_fields(section: FixerSection) -> None:
    assert section.kind.currentData() == FixerKind.OFF
    for field in (section.command, section.url, section.key, section.tokens, section.seconds, section.applies):
        assert not field.isVisible()


def test_a_command_is_saved_and_applied_once_it_is_entered(section: FixerSection, empty: Session, wait: Wait) -> None:
    pick(section, "kind", FixerKind.COMMAND)
    assert section.command.isVisible() and not section.url.isVisible()
    assert "until" in section.status_line.message
    write(section.command, "llm -m small")
    wait(lambda: read_saved(empty).is_on)
    wait(lambda: not section.status_line.message)
    pick(section, "applies", True)  # noqa: FBT003  a value
    pick(section, "shows", True)  # noqa: FBT003
    section.seconds.setValue(60)
    wait(lambda: (read_saved(empty).applies, read_saved(empty).shows, read_saved(empty).seconds) == (True, True, 60))
    wait(lambda: empty._runtime.engine.context.settings.fixer == read_saved(empty))


def test_a_server_is_used_only_with_an_address_and_a_model(section: FixerSection, empty: Session, wait: Wait) -> None:
    pick(section, "kind", FixerKind.SERVER)
    write(section.url, "http://localhost:1/v1")
    wait(lambda: read_saved(empty).url)
    assert (read_saved(empty).kind, section.kind.currentData()) == (FixerKind.OFF, FixerKind.SERVER)
    write(section.model, "m")
    wait(lambda: read_saved(empty).kind is FixerKind.SERVER)


def test_switching_to_an_incomplete_kind_turns_repairs_off(section: FixerSection, empty: Session, wait: Wait) -> None:
    pick(section, "kind", FixerKind.COMMAND)
    write(section.command, "llm")
    wait(lambda: read_saved(empty).is_on)
    pick(section, "kind", FixerKind.SERVER)
    wait(lambda: not read_saved(empty).is_on)
    section.show_choice(read_saved(empty))
    assert section.kind.currentData() == FixerKind.SERVER, "what the user is typing is not overwritten"


def test_a_wrong_address_is_reported_and_not_saved(section: FixerSection, empty: Session, wait: Wait) -> None:
    pick(section, "kind", FixerKind.SERVER)
    write(section.model, "m")
    write(section.url, "localhost")
    wait(lambda: "http://" in section.status_line.message)
    assert not read_saved(empty).is_on
    write(section.url, "http://localhost:1/v1")
    wait(lambda: read_saved(empty).is_on)
    wait(lambda: not section.status_line.message)


def test_a_key_goes_to_the_keyring_and_the_field_is_cleared(
    section: FixerSection, empty: Session, keyring: SecretService, wait: Wait
) -> None:
    pick(section, "kind", FixerKind.SERVER)
    write(section.url, "http://localhost:1/v1")
    write(section.model, "m")
    wait(lambda: read_saved(empty).is_on)
    assert section.key.echoMode() is QLineEdit.EchoMode.Password and not section.delete_key_button.isVisible()
    write(section.key, "k3y")
    assert section.key.text() == ""
    wait(lambda: empty._runtime.engine.context.settings.fixer.has_key)
    wait(section.delete_key_button.isVisible)
    assert vault_of(empty.folder).get(KEYRING_ENTRY) == {"key": "k3y"}
    section.delete_key_button.click()
    wait(lambda: not section.delete_key_button.isVisible())
    assert not read_saved(empty).has_key


def test_settings_changed_elsewhere_are_shown(section: FixerSection, empty: Session) -> None:
    run_command(empty, "fixer", settings={"kind": "command", "command": "llm", "applies": True})
    section.show_choice(read_saved(empty))
    assert (section.command.text(), section.applies.currentData(), section.tokens.isVisible()) == ("llm", True, False)
    assert section.read_controls() == read_saved(empty)
