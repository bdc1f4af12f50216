"""Who repairs scripts, in the settings: only what belongs to the choice is shown, and nobody does until it is whole."""

import pytest
from PySide6.QtWidgets import QLineEdit
from pytestqt.qtbot import QtBot

from app.asking import command
from app.keeping.preferences import read_preferences
from app.life.installation import Installation
from app.window.settings_fixer import FixerSection
from scheduler.engine.fixing.choice import KEY, FixerChoice, FixerKind
from tests.app.living import Wait
from tests.connections.kept import vault_of
from tests.connections.secret_service import SecretService


@pytest.fixture
def section(qtbot: QtBot, empty: Installation) -> FixerSection:
    """As on its page, which looks again once something was kept."""
    made = FixerSection(empty, 200)
    qtbot.addWidget(made)
    made.kept.connect(lambda: made.show_choice(kept(empty)))
    made.show()
    return made


def kept(installation: Installation) -> FixerChoice:
    return read_preferences(installation.folder).fixer


def pick(section: FixerSection, box: str, value: object) -> None:
    """As a person does."""
    field = getattr(section, box)
    field.setCurrentIndex(field.findData(value))
    field.activated.emit(field.currentIndex())


def write(field: QLineEdit, text: str) -> None:
    field.setText(text)
    field.editingFinished.emit()


def test_it_is_off_and_shows_nothing_else(section: FixerSection) -> None:
    assert section.kind.currentData() == FixerKind.OFF
    for field in (section.command, section.url, section.key, section.tokens, section.seconds, section.applies):
        assert not field.isVisible()


def test_a_command_is_kept_and_followed_once_it_is_written(
    section: FixerSection, empty: Installation, wait: Wait
) -> None:
    pick(section, "kind", FixerKind.COMMAND)
    assert section.command.isVisible() and not section.url.isVisible()
    assert "until" in section.saying.sentence
    write(section.command, "llm -m small")
    wait(lambda: kept(empty).is_on)
    wait(lambda: not section.saying.sentence)
    pick(section, "applies", True)  # noqa: FBT003  a value
    pick(section, "shows", True)  # noqa: FBT003
    section.seconds.setValue(60)
    wait(lambda: (kept(empty).applies, kept(empty).shows, kept(empty).seconds) == (True, True, 60))
    wait(lambda: empty.house.engine.context.settings.fixer == kept(empty))


def test_a_server_is_asked_only_when_address_and_model_are_there(
    section: FixerSection, empty: Installation, wait: Wait
) -> None:
    pick(section, "kind", FixerKind.SERVER)
    write(section.url, "http://localhost:1/v1")
    wait(lambda: kept(empty).url)
    assert (kept(empty).kind, section.kind.currentData()) == (FixerKind.OFF, FixerKind.SERVER)
    write(section.model, "m")
    wait(lambda: kept(empty).kind is FixerKind.SERVER)


def test_from_one_choice_to_another_that_is_not_whole_nobody_repairs(
    section: FixerSection, empty: Installation, wait: Wait
) -> None:
    pick(section, "kind", FixerKind.COMMAND)
    write(section.command, "llm")
    wait(lambda: kept(empty).is_on)
    pick(section, "kind", FixerKind.SERVER)
    wait(lambda: not kept(empty).is_on)
    section.show_choice(kept(empty))
    assert section.kind.currentData() == FixerKind.SERVER, "what is being typed is not overwritten"


def test_a_wrong_address_is_said_and_not_kept(section: FixerSection, empty: Installation, wait: Wait) -> None:
    pick(section, "kind", FixerKind.SERVER)
    write(section.model, "m")
    write(section.url, "localhost")
    wait(lambda: "http://" in section.saying.sentence)
    assert not kept(empty).is_on
    write(section.url, "http://localhost:1/v1")
    wait(lambda: kept(empty).is_on)
    wait(lambda: not section.saying.sentence)


def test_a_key_goes_to_the_keyring_and_out_of_sight(
    section: FixerSection, empty: Installation, keyring: SecretService, wait: Wait
) -> None:
    pick(section, "kind", FixerKind.SERVER)
    write(section.url, "http://localhost:1/v1")
    write(section.model, "m")
    wait(lambda: kept(empty).is_on)
    assert section.key.echoMode() is QLineEdit.EchoMode.Password and not section.forget.isVisible()
    write(section.key, "k3y")
    assert section.key.text() == ""
    wait(lambda: empty.house.engine.context.settings.fixer.has_key)
    wait(section.forget.isVisible)
    assert vault_of(empty.folder).get(KEY) == {"key": "k3y"}
    section.forget.click()
    wait(lambda: not section.forget.isVisible())
    assert not kept(empty).has_key


def test_what_was_chosen_elsewhere_is_shown(section: FixerSection, empty: Installation) -> None:
    command(empty, "fixer", settings={"kind": "command", "command": "llm", "applies": True})
    section.show_choice(kept(empty))
    assert (section.command.text(), section.applies.currentData(), section.tokens.isVisible()) == ("llm", True, False)
    assert section.chosen() == kept(empty)
