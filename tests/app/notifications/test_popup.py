"""Notifications in windows of our own; tests/desktop has them on a real screen."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import QApplication, QLabel
from pytestqt.qtbot import QtBot

from app.notifications.backend import choose_backend
from app.notifications.freedesktop import FreedesktopBackend
from app.notifications.native import NativeBackend
from app.notifications.notification import Notification, NotificationBackend, NullBackend, Urgency
from app.notifications.popup import PopupBackend, place_popups
from app.notifications.popup_window import PopupWindow
from app.platform.dbus import Bus

LIMIT = 60_000
ASK = Notification(
    key="request:7",
    title="Receipts wants to add 3 rows",
    text="To the table Expenses",
    actions=(("approve", "Approve"), ("reject", "Reject & more")),
)
NEWS = Notification(key="news", title="Backup done", urgency=Urgency.LOW)
SCREEN = QRect(0, 0, 1280, 800)


@pytest.fixture
def backend(qtbot: QtBot) -> Iterator[PopupBackend]:
    made = PopupBackend()
    yield made
    made.end()


@pytest.fixture
def signals(backend: PopupBackend) -> list[tuple[str, ...]]:
    emitted: list[tuple[str, ...]] = []
    backend.pressed.connect(lambda key, action: emitted.append(("pressed", key, action)))
    backend.closed.connect(lambda key: emitted.append(("closed", key)))
    return emitted


def windows(backend: PopupBackend) -> list[PopupWindow]:
    return list(backend._windows.values())


def armed(qtbot: QtBot, window: PopupWindow) -> PopupWindow:
    qtbot.waitUntil(lambda: window.is_armed, timeout=LIMIT)
    return window


def test_a_button_answers_and_closes(qtbot: QtBot, backend: PopupBackend, signals: list[tuple[str, ...]]) -> None:
    backend.send(ASK)
    [window] = windows(backend)
    assert [button.text() for button in window.buttons.values()] == ["Approve", "Reject && more"]
    qtbot.mouseClick(armed(qtbot, window).buttons["reject"], Qt.MouseButton.LeftButton)
    assert signals == [("pressed", ASK.key, "reject"), ("closed", ASK.key)]
    assert windows(backend) == []


def test_a_click_that_was_meant_for_something_else_does_not_answer(
    qtbot: QtBot, backend: PopupBackend, signals: list[tuple[str, ...]]
) -> None:
    """A window that has just appeared, or slid into the place of another, takes no answer yet."""
    backend.send(ASK)
    [window] = windows(backend)
    window.buttons["approve"].click()
    assert signals == []
    armed(qtbot, window).move(window.pos() + QPoint(1, 1))
    window.buttons["approve"].click()
    assert signals == []
    armed(qtbot, window).buttons["approve"].click()
    assert signals == [("pressed", ASK.key, "approve"), ("closed", ASK.key)]


def test_it_is_answered_by_keyboard(qtbot: QtBot, backend: PopupBackend, signals: list[tuple[str, ...]]) -> None:
    backend.send(ASK)
    [window] = windows(backend)
    armed(qtbot, window).activateWindow()
    qtbot.waitUntil(window.isActiveWindow, timeout=LIMIT)
    assert not any(button.hasFocus() for button in window.buttons.values()), "nothing is pressed by accident"
    window.buttons["approve"].setFocus()
    qtbot.keyClick(window.buttons["approve"], Qt.Key.Key_Tab)
    assert window.buttons["reject"].hasFocus()
    qtbot.keyClick(window.buttons["reject"], Qt.Key.Key_Return)
    assert signals == [("pressed", ASK.key, "reject"), ("closed", ASK.key)]


def test_escape_and_the_close_button_answer_nothing(
    qtbot: QtBot, backend: PopupBackend, signals: list[tuple[str, ...]]
) -> None:
    backend.send(ASK)
    qtbot.keyClick(windows(backend)[0], Qt.Key.Key_Escape)
    backend.send(ASK)
    windows(backend)[0].close_button.click()
    assert signals == [("closed", ASK.key), ("closed", ASK.key)]


def test_a_click_on_the_window_is_the_default_action(
    qtbot: QtBot, backend: PopupBackend, signals: list[tuple[str, ...]]
) -> None:
    backend.send(NEWS)
    qtbot.mouseClick(armed(qtbot, windows(backend)[0]), Qt.MouseButton.LeftButton, pos=QPoint(9, 9))
    assert signals == [("pressed", NEWS.key, "default"), ("closed", NEWS.key)]


@pytest.mark.parametrize(
    ("notification", "stays"),
    [(ASK, True), (NEWS, False), (Notification(key="k", title="Failed", urgency=Urgency.CRITICAL), True)],
)
def test_what_asks_or_is_critical_stays_and_the_rest_disappears(
    qtbot: QtBot, backend: PopupBackend, signals: list[tuple[str, ...]], notification: Notification, *, stays: bool
) -> None:
    backend.send(notification)
    [window] = windows(backend)
    assert window._timer.isActive() is not stays
    if not stays:
        window._timer.setInterval(0)
        qtbot.waitUntil(lambda: signals == [("closed", notification.key)], timeout=LIMIT)


def test_a_withdrawn_one_is_gone_without_a_signal(backend: PopupBackend, signals: list[tuple[str, ...]]) -> None:
    backend.send(ASK)
    backend.withdraw("another")
    assert len(windows(backend)) == 1
    backend.withdraw(ASK.key)
    assert windows(backend) == []
    assert signals == []


def test_a_later_one_with_the_same_key_takes_its_place(backend: PopupBackend) -> None:
    for notification in (ASK, NEWS, Notification(key=ASK.key, title="Receipts wants to add 4 rows")):
        backend.send(notification)
    assert [window.accessibleName() for window in windows(backend)] == ["Receipts wants to add 4 rows", "Backup done"]


def test_they_do_not_cover_each_other_and_stay_on_the_screen(backend: PopupBackend) -> None:
    for number in range(3):
        backend.send(Notification(key=str(number), title="Long " * 20, text="text " * (30 * number)))
    frames = [window.geometry() for window in windows(backend)]
    available = QApplication.primaryScreen().availableGeometry()
    assert all(available.contains(frame) for frame in frames if frame.height() < available.height())
    assert not any(one.intersects(other) for one in frames for other in frames if one is not other)


def test_all_text_and_buttons_are_visible(backend: PopupBackend) -> None:
    actions = tuple((f"a{number}", f"A rather long button {number}") for number in range(4))
    backend.send(
        Notification(key="k", title="A title of many words " * 6, text="Text of two\nlines. " * 9, actions=actions)
    )
    [window] = windows(backend)
    for label in window.findChildren(QLabel):
        assert label.height() >= label.heightForWidth(label.width())
    assert all(window.rect().contains(button.geometry()) for button in window.buttons.values())


def test_those_without_room_wait(backend: PopupBackend) -> None:
    for number in range(30):
        backend.send(Notification(key=str(number), title="Title", actions=(("a", "Act"),)))
    shown = [window.isVisible() for window in windows(backend)]
    assert shown[0] and not shown[-1]
    first_hidden = shown.index(False)
    backend.withdraw("0")
    assert windows(backend)[first_hidden - 1].isVisible()


def test_a_screen_reader_gets_its_name_text_and_buttons(backend: PopupBackend) -> None:
    backend.send(ASK)
    [window] = windows(backend)
    interface = QAccessible.queryAccessibleInterface(window)
    assert interface.text(QAccessible.Text.Name) == ASK.title
    assert interface.text(QAccessible.Text.Description) == ASK.text
    names = [interface.child(number).text(QAccessible.Text.Name) for number in range(interface.childCount())]
    assert {"Approve", "Reject & more", "Close"} <= set(names)


def test_text_is_shown_as_it_is(backend: PopupBackend) -> None:
    backend.send(Notification(key="k", title="<b>not bold</b>", text="<a href='x'>no link</a>"))
    assert windows(backend)[0].accessibleName() == "<b>not bold</b>"


def test_it_does_not_take_the_keyboard(backend: PopupBackend) -> None:
    backend.send(ASK)
    assert windows(backend)[0].testAttribute(Qt.WidgetAttribute.WA_ShowWithoutActivating)


@given(st.lists(st.integers(20, 900), max_size=8), st.sampled_from([(0, 40), (0, 0), (40, 0)]))
def test_every_place_is_on_the_screen_and_apart_from_the_others(heights: list[int], panel: tuple[int, int]) -> None:
    available = SCREEN.adjusted(0, panel[0], 0, -panel[1])
    sizes = [QSize(380, height) for height in heights]
    places = place_popups(sizes, SCREEN, available)
    frames = [QRect(place, size) for place, size in zip(places, sizes, strict=True) if place is not None]
    assert len(places) == len(sizes)
    assert not places or places[0] is not None
    assert all(available.contains(frame) or frame.height() > available.height() - 24 for frame in frames)
    assert not any(one.intersects(other) for one in frames for other in frames if one is not other)


def test_they_stand_next_to_the_panel() -> None:
    sizes = [QSize(380, 100)] * 2
    below, above = SCREEN.adjusted(0, 0, 0, -40), SCREEN.adjusted(0, 40, 0, 0)
    assert place_popups(sizes, SCREEN, below) == [QPoint(888, 648), QPoint(888, 540)]
    assert place_popups(sizes, SCREEN, above) == [QPoint(888, 52), QPoint(888, 160)]


def test_the_null_backend_shows_nothing(qtbot: QtBot) -> None:
    backend: NotificationBackend = NullBackend()
    presses: list[str] = []
    backend.pressed.connect(presses.append)
    backend.send(ASK)
    backend.withdraw(ASK.key)
    assert presses == []


def test_linux_uses_the_desktop_with_popups_as_fallback(qtbot: QtBot, backend: PopupBackend, tmp_path: Path) -> None:
    bus = Bus(None)
    chosen = choose_backend(bus, backend, tmp_path, "linux")
    assert isinstance(chosen, FreedesktopBackend)
    bus.open()
    chosen.send(ASK)
    qtbot.waitUntil(lambda: len(windows(backend)) == 1, timeout=LIMIT)
    chosen.end()
    assert windows(backend) == []
    bus.close()


@pytest.mark.parametrize("platform", ["win32", "darwin"])
def test_windows_and_macos_use_native_notifications_with_popups_as_fallback(
    qtbot: QtBot, backend: PopupBackend, platform: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("desktop_notifier.DesktopNotifier", None)
    chosen = choose_backend(Bus(None), backend, tmp_path, platform)
    assert isinstance(chosen, NativeBackend)
    chosen.send(ASK)
    qtbot.waitUntil(lambda: len(windows(backend)) == 1, timeout=LIMIT)
    chosen.end()
    assert windows(backend) == []


def test_an_unknown_system_uses_popups(backend: PopupBackend, tmp_path: Path) -> None:
    assert choose_backend(Bus(None), backend, tmp_path, "sunos5") is backend
