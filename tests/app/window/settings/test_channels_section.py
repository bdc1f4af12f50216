"""The channels in the settings, and the dialog with the rules of one."""

from collections.abc import Iterator

import pytest
from pytestqt.qtbot import QtBot

from app.background import run_command
from app.session import Session
from app.window.settings.channel_dialog import ChannelDialog
from app.window.settings.channels_section import ChannelsSection
from scheduler.engine.queries.channels import ChannelView
from scheduler.rules.channels import ChannelTiming, ChannelTopic
from tests.app.app_fixture import Wait
from tests.connections.secret_service import SecretService

NTFY, MAIL = "ntfy:me", "smtp:work"


@pytest.fixture
def section(qtbot: QtBot, empty: Session, keyring: SecretService) -> Iterator[ChannelsSection]:
    made = ChannelsSection(empty)
    qtbot.addWidget(made)
    made.show()
    return made


def connect(session: Session, section: ChannelsSection, wait: Wait) -> None:
    settings = {"server": "http://127.0.0.1:1", "topic": "dayhand-x"}
    run_command(session, "connect", name=NTFY, settings=settings, test=False)
    mail = {"host": "127.0.0.1", "port": 1, "security": "none", "from": "me@example.org"}
    run_command(session, "connect", name=MAIL, settings=mail, test=False)
    section.refresh()
    wait(lambda: len(section.rows) == 2)


def view(session: Session, name: str = NTFY) -> ChannelView:
    return next(one for one in session.queries.channels() if one.channel == name)


def test_without_a_channel_it_offers_to_connect_a_phone(section: ChannelsSection, wait: Wait) -> None:
    section.refresh()
    assert section.rows == {}
    assert all(button.isVisible() for button in section.connect_buttons)


def test_a_channel_is_switched_and_says_what_is_missing(section: ChannelsSection, empty: Session, wait: Wait) -> None:
    connect(empty, section, wait)
    row = section.rows[NTFY]
    assert row.box.isChecked()
    assert "authenticator app" in row.state.text()
    assert not section.connect_buttons[0].isVisible()
    assert not section.rows[MAIL].box.isChecked()
    row.box.click()
    wait(lambda: not view(empty).rules["is_on"])
    run_command(empty, "channel_code", channel=NTFY)
    section.refresh()
    wait(lambda: section.rows[NTFY].state.text() == "")
    empty.channels.outbox.lock_after_foreign_message(NTFY)
    section.refresh()
    wait(lambda: "Somebody else published" in section.rows[NTFY].state.text())
    section.rows[NTFY].unlock_button.click()
    wait(lambda: not view(empty).locked)


def test_mail_needs_a_recipient_first(section: ChannelsSection, empty: Session, wait: Wait) -> None:
    connect(empty, section, wait)
    section.rows[MAIL].box.click()
    [dialog] = section.findChildren(ChannelDialog)
    assert not view(empty, MAIL).rules["is_on"]
    dialog.save_button.click()
    wait(lambda: "Say where" in dialog.status_line.message)
    dialog.to.setText("anna@example.org")
    dialog.save_button.click()
    wait(lambda: view(empty, MAIL).rules["is_on"])
    assert view(empty, MAIL).rules["to"] == "anna@example.org"


def test_rules_are_shown_and_saved_as_they_are(section: ChannelsSection, empty: Session, wait: Wait) -> None:
    connect(empty, section, wait)
    changes = {"topics": "problems", "minutes": 9, "is_quiet": True, "quiet_from": "21:30", "workflows": "backup"}
    run_command(empty, "channel_change", channel=NTFY, changes=changes)
    before = view(empty)
    assert before.rules["quiet_from"] == "21:30"
    dialog = section.open_rules(before)
    assert not dialog.topics[ChannelTopic.QUESTIONS].isChecked()
    dialog.save_button.click()
    wait(lambda: not dialog.isVisible())
    assert view(empty) == before
    dialog = section.open_rules(before)
    dialog.timing.setCurrentIndex(dialog.timing.findData(ChannelTiming.ALWAYS))
    dialog.timing.activated.emit(dialog.timing.currentIndex())
    assert not dialog.minutes.isEnabled()
    dialog.shows_call.setChecked(True)
    dialog.workflows.setText("")
    dialog.save_button.click()
    wait(lambda: view(empty).rules["timing"] == "always")
    assert view(empty).rules["shows_call"]
    assert view(empty).rules["workflows"] == []


def test_a_key_for_the_authenticator_app_is_shown_once(section: ChannelsSection, empty: Session, wait: Wait) -> None:
    connect(empty, section, wait)
    dialog = section.open_rules(view(empty))
    dialog.code_button.click()
    wait(lambda: view(empty).has_code)
    wait(dialog.key.isVisible)
    key = dialog.key.text().partition("\n")[2].replace(" ", "")
    assert key == empty.channels.read_code(NTFY)
