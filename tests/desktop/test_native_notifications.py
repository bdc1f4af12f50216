"""Toasts, as Windows and macOS get them, on a real desktop: the same library speaks to xfce4-notifyd."""

from collections.abc import Iterator

import pytest
from dbus_fast.aio.message_bus import MessageBus
from pytestqt.qtbot import QtBot

from app.notices.notice import Notice, Urgency
from app.notices.toasts import ToastNotices
from tests.app.notices.recording import RecordingNotices
from tests.desktop.desktop import Desktop
from tests.desktop.notices import ASK, DAEMON, LIMIT, See


@pytest.fixture
def notices(
    qtbot: QtBot, desk: Desktop, otherwise: RecordingNotices, monkeypatch: pytest.MonkeyPatch
) -> Iterator[ToastNotices]:
    buses: list[MessageBus] = []

    def connect() -> MessageBus:
        buses.append(MessageBus())
        return buses[-1]

    monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", desk.bus.address)
    monkeypatch.setattr("desktop_notifier.backends.dbus.MessageBus", connect)
    made = ToastNotices(otherwise)
    yield made
    made.end()
    for bus in buses:  # the library leaves its connections open
        bus._stream.close()
        bus._sock.close()


@pytest.mark.parametrize(("action", "label"), ASK.actions)
def test_a_real_button_brings_back_its_action_and_the_notice_goes(
    qtbot: QtBot,
    desk: Desktop,
    notices: ToastNotices,
    heard: list[tuple[str, ...]],
    see: See,
    miss: See,
    *,
    action: str,
    label: str,
) -> None:
    desk.start_notifications()
    notices.send(ASK)
    see(ASK.title)
    desk.press(DAEMON, label)
    qtbot.waitUntil(lambda: len(heard) == 2, timeout=LIMIT)
    assert heard == [("pressed", ASK.key, action), ("closed", ASK.key)]
    miss(ASK.title)


def test_one_takes_the_place_of_another_and_goes_when_it_is_solved(
    desk: Desktop, notices: ToastNotices, heard: list[tuple[str, ...]], see: See, miss: See
) -> None:
    desk.start_notifications()
    notices.send(ASK)
    see(ASK.title)
    notices.send(Notice(key=ASK.key, title="Failed 2 times", urgency=Urgency.CRITICAL))
    see("Failed 2 times")
    miss(ASK.title)
    notices.withdraw(ASK.key)
    miss("Failed 2 times")
    assert heard == []


def test_without_a_daemon_it_is_shown_elsewhere_and_with_one_that_came_here_again(
    qtbot: QtBot, desk: Desktop, notices: ToastNotices, otherwise: RecordingNotices, see: See
) -> None:
    notices.send(ASK)
    qtbot.waitUntil(lambda: otherwise.shown == {ASK.key: ASK}, timeout=LIMIT)
    desk.start_notifications()
    notices.send(ASK)
    see(ASK.title)
    assert otherwise.shown == {}


def test_when_the_app_ends_nobody_can_press_a_button_that_nobody_hears(
    desk: Desktop, notices: ToastNotices, see: See, miss: See
) -> None:
    desk.start_notifications()
    notices.send(ASK)
    notices.send(Notice(key="told:1", title="Backed up", urgency=Urgency.CRITICAL))
    see(ASK.title)
    see("Backed up")
    notices.end()
    miss(ASK.title)
    assert "Backed up" in desk.texts(DAEMON)
