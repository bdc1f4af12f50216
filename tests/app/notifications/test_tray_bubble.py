"""Bubbles at the tray icon, and the choice of backend. The icon is a fake; tests/desktop has a real one."""

import logging
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QSystemTrayIcon
from pytestqt.qtbot import QtBot

from app.notifications.backend import choose_backend
from app.notifications.freedesktop import FreedesktopBackend
from app.notifications.native import NativeBackend
from app.notifications.notification import Notification, NotificationBackend, NullBackend, Urgency
from app.notifications.tray_bubble import TrayBubbleBackend
from app.platform.dbus import Bus

NOTIFICATION = Notification(key="k", title="Backup failed", text="The disk is full.")


class FakeTrayIcon(QObject):
    messageClicked = Signal()  # noqa: N815  Qt's name

    def __init__(self) -> None:
        super().__init__()
        self.bubbles: list[tuple[Any, ...]] = []

    def showMessage(self, *shown: Any) -> None:  # noqa: N802  Qt's name
        self.bubbles.append(shown)


@pytest.fixture
def icon(qtbot: QtBot) -> FakeTrayIcon:
    return FakeTrayIcon()


def pressed(backend: NotificationBackend) -> list[tuple[str, str]]:
    presses: list[tuple[str, str]] = []
    backend.pressed.connect(lambda key, action: presses.append((key, action)))
    return presses


@pytest.mark.parametrize(
    ("urgency", "sign"),
    [
        (Urgency.LOW, QSystemTrayIcon.MessageIcon.NoIcon),
        (Urgency.NORMAL, QSystemTrayIcon.MessageIcon.Information),
        (Urgency.CRITICAL, QSystemTrayIcon.MessageIcon.Warning),
    ],
)
def test_a_bubble_has_title_text_and_icon(
    icon: FakeTrayIcon, urgency: Urgency, sign: QSystemTrayIcon.MessageIcon
) -> None:
    TrayBubbleBackend(icon).send(
        Notification(key="k", title="Backup failed", text="The disk is full.", urgency=urgency)
    )
    assert icon.bubbles == [("Backup failed", "The disk is full.", sign, 10_000)]


def test_a_click_is_the_default_action_of_the_last_bubble(icon: FakeTrayIcon) -> None:
    backend = TrayBubbleBackend(icon)
    presses = pressed(backend)
    icon.messageClicked.emit()
    backend.send(NOTIFICATION)
    backend.send(Notification(key="later", title="Later"))
    icon.messageClicked.emit()
    assert presses == [("later", "default")]


def test_a_click_on_a_withdrawn_bubble_is_ignored(icon: FakeTrayIcon) -> None:
    backend = TrayBubbleBackend(icon)
    presses = pressed(backend)
    backend.send(NOTIFICATION)
    backend.withdraw("another")
    icon.messageClicked.emit()
    backend.withdraw(NOTIFICATION.key)
    icon.messageClicked.emit()
    assert presses == [(NOTIFICATION.key, "default")]


def test_without_a_tray_nothing_happens_until_one_appears(icon: FakeTrayIcon) -> None:
    backend = TrayBubbleBackend()
    backend.send(NOTIFICATION)
    backend.set_tray(icon)
    assert icon.bubbles == []
    backend.send(NOTIFICATION)
    assert len(icon.bubbles) == 1


def test_after_the_tray_was_replaced_the_old_one_is_ignored(icon: FakeTrayIcon) -> None:
    backend, other = TrayBubbleBackend(icon), FakeTrayIcon()
    presses = pressed(backend)
    backend.set_tray(other)
    backend.send(NOTIFICATION)
    icon.messageClicked.emit()
    assert presses == []
    other.messageClicked.emit()
    assert presses == [(NOTIFICATION.key, "default")]


def test_a_failing_icon_is_logged_and_does_not_raise(icon: FakeTrayIcon, caplog: pytest.LogCaptureFixture) -> None:
    icon.showMessage = None  # type: ignore[assignment,method-assign]
    with caplog.at_level(logging.ERROR, logger="app.notifications.tray_bubble"):
        TrayBubbleBackend(icon).send(NOTIFICATION)
    assert "A tray bubble could not be shown" in caplog.text


def test_the_null_backend_shows_nothing(qtbot: QtBot) -> None:
    backend: NotificationBackend = NullBackend()
    presses = pressed(backend)
    backend.send(NOTIFICATION)
    backend.withdraw(NOTIFICATION.key)
    assert presses == []


def test_linux_uses_the_desktop_with_the_tray_as_fallback(qtbot: QtBot, icon: FakeTrayIcon, tmp_path: Path) -> None:
    bus, tray = Bus(None), TrayBubbleBackend(icon)
    backend = choose_backend(bus, tray, tmp_path, "linux")
    assert isinstance(backend, FreedesktopBackend)
    presses = pressed(backend)
    bus.open()
    backend.send(NOTIFICATION)
    qtbot.waitUntil(lambda: len(icon.bubbles) == 1, timeout=60_000)
    icon.messageClicked.emit()
    assert presses == [(NOTIFICATION.key, "default")]
    bus.close()


@pytest.mark.parametrize("platform", ["win32", "darwin"])
def test_windows_and_macos_use_native_notifications_with_the_tray_as_fallback(
    qtbot: QtBot, icon: FakeTrayIcon, platform: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("desktop_notifier.DesktopNotifier", None)
    backend = choose_backend(Bus(None), TrayBubbleBackend(icon), tmp_path, platform)
    assert isinstance(backend, NativeBackend)
    backend.send(NOTIFICATION)
    qtbot.waitUntil(lambda: len(icon.bubbles) == 1, timeout=60_000)
    backend.end()


def test_an_unknown_system_uses_bubbles(qtbot: QtBot, tmp_path: Path) -> None:
    tray = TrayBubbleBackend()
    assert choose_backend(Bus(None), tray, tmp_path, "sunos5") is tray
    tray.end()
