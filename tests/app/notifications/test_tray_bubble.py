"""Bubbles at the tray icon, and which way is chosen. The icon is a stand-in; tests/desktop has a real one."""

import logging
from typing import Any

import pytest
from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QSystemTrayIcon
from pytestqt.qtbot import QtBot

from app.notices.choice import choose_notices
from app.notices.desktop import DesktopNotices
from app.notices.notice import NoNotices, Notice, Notices, Urgency
from app.notices.toasts import ToastNotices
from app.notices.tray import TrayNotices
from app.platform.bus import Bus

NOTICE = Notice(key="k", title="Backup failed", text="The disk is full.")


class StandInIcon(QObject):
    messageClicked = Signal()  # noqa: N815  Qt's name

    def __init__(self) -> None:
        super().__init__()
        self.bubbles: list[tuple[Any, ...]] = []

    def showMessage(self, *shown: Any) -> None:  # noqa: N802  Qt's name
        self.bubbles.append(shown)


@pytest.fixture
def icon(qtbot: QtBot) -> StandInIcon:
    return StandInIcon()


def pressed(notices: Notices) -> list[tuple[str, str]]:
    said: list[tuple[str, str]] = []
    notices.pressed.connect(lambda key, action: said.append((key, action)))
    return said


@pytest.mark.parametrize(
    ("urgency", "sign"),
    [
        (Urgency.LOW, QSystemTrayIcon.MessageIcon.NoIcon),
        (Urgency.NORMAL, QSystemTrayIcon.MessageIcon.Information),
        (Urgency.CRITICAL, QSystemTrayIcon.MessageIcon.Warning),
    ],
)
def test_a_bubble_has_title_text_and_a_sign(
    icon: StandInIcon, urgency: Urgency, sign: QSystemTrayIcon.MessageIcon
) -> None:
    TrayNotices(icon).send(Notice(key="k", title="Backup failed", text="The disk is full.", urgency=urgency))
    assert icon.bubbles == [("Backup failed", "The disk is full.", sign, 10_000)]


def test_a_click_is_the_default_action_of_the_last_bubble(icon: StandInIcon) -> None:
    notices = TrayNotices(icon)
    said = pressed(notices)
    icon.messageClicked.emit()
    notices.send(NOTICE)
    notices.send(Notice(key="later", title="Later"))
    icon.messageClicked.emit()
    assert said == [("later", "default")]


def test_a_click_on_what_was_withdrawn_is_not_passed_on(icon: StandInIcon) -> None:
    notices = TrayNotices(icon)
    said = pressed(notices)
    notices.send(NOTICE)
    notices.withdraw("another")
    icon.messageClicked.emit()
    notices.withdraw(NOTICE.key)
    icon.messageClicked.emit()
    assert said == [(NOTICE.key, "default")]


def test_without_a_tray_nothing_happens_and_one_that_comes_is_used(icon: StandInIcon) -> None:
    notices = TrayNotices()
    notices.send(NOTICE)
    notices.use(icon)
    assert icon.bubbles == []
    notices.send(NOTICE)
    assert len(icon.bubbles) == 1


def test_after_a_tray_was_made_anew_the_old_one_is_not_heard(icon: StandInIcon) -> None:
    notices, other = TrayNotices(icon), StandInIcon()
    said = pressed(notices)
    notices.use(other)
    notices.send(NOTICE)
    icon.messageClicked.emit()
    assert said == []
    other.messageClicked.emit()
    assert said == [(NOTICE.key, "default")]


def test_an_icon_that_fails_is_recorded_and_not_raised(icon: StandInIcon, caplog: pytest.LogCaptureFixture) -> None:
    icon.showMessage = None  # type: ignore[assignment,method-assign]
    with caplog.at_level(logging.ERROR, logger="app.notices.tray"):
        TrayNotices(icon).send(NOTICE)
    assert "A bubble could not be shown" in caplog.text


def test_nobody_sees_what_is_sent_to_nobody(qtbot: QtBot) -> None:
    notices: Notices = NoNotices()
    said = pressed(notices)
    notices.send(NOTICE)
    notices.withdraw(NOTICE.key)
    assert said == []


def test_on_linux_the_desktop_is_asked_first_and_the_tray_is_the_last_resort(qtbot: QtBot, icon: StandInIcon) -> None:
    bus, tray = Bus(None), TrayNotices(icon)
    notices = choose_notices(bus, tray, "linux")
    assert isinstance(notices, DesktopNotices)
    said = pressed(notices)
    bus.open()
    notices.send(NOTICE)
    qtbot.waitUntil(lambda: len(icon.bubbles) == 1, timeout=60_000)
    icon.messageClicked.emit()
    assert said == [(NOTICE.key, "default")]
    bus.close()


@pytest.mark.parametrize("platform", ["win32", "darwin"])
def test_windows_and_macos_have_toasts_and_the_tray_is_the_last_resort(
    qtbot: QtBot, icon: StandInIcon, platform: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("desktop_notifier.DesktopNotifier", None)
    notices = choose_notices(Bus(None), TrayNotices(icon), platform)
    assert isinstance(notices, ToastNotices)
    notices.send(NOTICE)
    qtbot.waitUntil(lambda: len(icon.bubbles) == 1, timeout=60_000)
    notices.end()


def test_a_system_that_nobody_has_thought_of_has_bubbles(qtbot: QtBot) -> None:
    tray = TrayNotices()
    assert choose_notices(Bus(None), tray, "sunos5") is tray
    tray.end()
