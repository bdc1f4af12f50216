"""The backend for Windows and macOS on a real desktop: the same library talks to xfce4-notifyd."""

from collections.abc import Iterator

import pytest
from dbus_fast.aio.message_bus import MessageBus
from pytestqt.qtbot import QtBot

from app.notifications.native import NativeBackend
from app.notifications.notification import Notification, Urgency
from tests.app.notifications.recording_backend import RecordingBackend
from tests.desktop.desktop import Desktop
from tests.desktop.notification_screen import ASK, DAEMON, LIMIT, WaitForText


@pytest.fixture
def backend(
    qtbot: QtBot, desk: Desktop, fallback: RecordingBackend, monkeypatch: pytest.MonkeyPatch
) -> Iterator[NativeBackend]:
    buses: list[MessageBus] = []

    def connect() -> MessageBus:
        buses.append(MessageBus())
        return buses[-1]

    monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", desk.bus.address)
    monkeypatch.setattr("desktop_notifier.backends.dbus.MessageBus", connect)
    made = NativeBackend(fallback)
    yield made
    made.end()
    for bus in buses:  # the library leaves its connections open
        bus._stream.close()
        bus._sock.close()


@pytest.mark.parametrize(("action", "label"), ASK.actions)
def test_a_real_button_emits_its_action_and_closes_the_notification(
    qtbot: QtBot,
    desk: Desktop,
    backend: NativeBackend,
    signals: list[tuple[str, ...]],
    wait_until_shown: WaitForText,
    wait_until_gone: WaitForText,
    *,
    action: str,
    label: str,
) -> None:
    desk.start_notifications()
    backend.send(ASK)
    wait_until_shown(ASK.title)
    desk.press(DAEMON, label)
    qtbot.waitUntil(lambda: len(signals) == 2, timeout=LIMIT)
    assert signals == [("pressed", ASK.key, action), ("closed", ASK.key)]
    wait_until_gone(ASK.title)


def test_a_notification_is_replaced_and_withdrawn(
    desk: Desktop,
    backend: NativeBackend,
    signals: list[tuple[str, ...]],
    wait_until_shown: WaitForText,
    wait_until_gone: WaitForText,
) -> None:
    desk.start_notifications()
    backend.send(ASK)
    wait_until_shown(ASK.title)
    backend.send(Notification(key=ASK.key, title="Failed 2 times", urgency=Urgency.CRITICAL))
    wait_until_shown("Failed 2 times")
    wait_until_gone(ASK.title)
    backend.withdraw(ASK.key)
    wait_until_gone("Failed 2 times")
    assert signals == []


def test_without_a_daemon_the_fallback_is_used_until_one_starts(
    qtbot: QtBot, desk: Desktop, backend: NativeBackend, fallback: RecordingBackend, wait_until_shown: WaitForText
) -> None:
    backend.send(ASK)
    qtbot.waitUntil(lambda: fallback.shown == {ASK.key: ASK}, timeout=LIMIT)
    desk.start_notifications()
    backend.send(ASK)
    wait_until_shown(ASK.title)
    assert fallback.shown == {}


def test_notifications_with_buttons_are_removed_when_the_app_ends(
    desk: Desktop, backend: NativeBackend, wait_until_shown: WaitForText, wait_until_gone: WaitForText
) -> None:
    desk.start_notifications()
    backend.send(ASK)
    backend.send(Notification(key="told:1", title="Backed up", urgency=Urgency.CRITICAL))
    wait_until_shown(ASK.title)
    wait_until_shown("Backed up")
    backend.end()
    wait_until_gone(ASK.title)
    assert "Backed up" in desk.texts(DAEMON)
