"""Power, sleep and clock of Windows, with messages and answers made by hand: nothing here has run on Windows."""

import ctypes
from ctypes import wintypes
from types import SimpleNamespace
from typing import Any

import pytest
from PySide6.QtCore import QByteArray
from pytestqt.qtbot import QtBot

from app.platform import windows
from app.platform.machine import system_bus, watch_machine
from app.platform.moods import Moods
from app.platform.seams import UnknownNetwork
from app.platform.windows import WindowsMachine
from app.platform.windows_power import ask_for_resumes, is_on_battery
from app.platform.zone_watch import ZoneWatch
from scheduler.timing.policies import Need

KIND = QByteArray(b"windows_generic_MSG")
POWER_BROADCAST, TIME_CHANGE, PAINT = 0x0218, 0x001E, 0x000F
STATUS_CHANGE, RESUME_AUTOMATIC, RESUME_SUSPEND, SUSPEND = 0x000A, 0x0012, 0x0007, 0x0004


class Line:
    """The power cord, and who asked to be told of resumes."""

    def __init__(self) -> None:
        self.on_battery: bool | None = False
        self.windows: list[int] = []

    def ask(self) -> bool | None:
        return self.on_battery


@pytest.fixture
def line() -> Line:
    return Line()


@pytest.fixture
def machine(qtbot: QtBot, line: Line) -> WindowsMachine:
    return WindowsMachine(line.ask, line.windows.append)


def post(machine: WindowsMachine, message: int, word: int = 0) -> None:
    made = wintypes.MSG(message=message, wParam=word)
    assert machine._filter.nativeEventFilter(KIND, ctypes.addressof(made)) == (False, 0), "the window gets it too"


@pytest.mark.parametrize(
    ("message", "word", "signals"),
    [
        (POWER_BROADCAST, RESUME_AUTOMATIC, ["resumed"]),
        (POWER_BROADCAST, RESUME_SUSPEND, []),
        (POWER_BROADCAST, SUSPEND, []),
        (POWER_BROADCAST, STATUS_CHANGE, ["changed"]),
        (TIME_CHANGE, 0, ["clock_set"]),
        (PAINT, RESUME_AUTOMATIC, []),
    ],
)
def test_each_message_is_told_as_what_it_means(
    machine: WindowsMachine, message: int, word: int, signals: list[str]
) -> None:
    heard: list[str] = []
    for name in ("resumed", "changed", "clock_set"):
        getattr(machine, name).connect(lambda name=name: heard.append(name))
    post(machine, message, word)
    assert heard == signals


def test_messages_of_other_systems_are_not_read(machine: WindowsMachine) -> None:
    assert machine._filter.nativeEventFilter(b"xcb_generic_event_t", 1) == (False, 0)


def test_a_window_that_nobody_sees_asks_to_be_told(machine: WindowsMachine, line: Line) -> None:
    assert line.windows == [int(machine._window.winId())]
    assert not machine._window.isVisible()


def test_the_moods_follow_the_cord_and_a_resume(
    qtbot: QtBot, line: Line, monkeypatch: pytest.MonkeyPatch, tmp_path: Any
) -> None:
    made: list[WindowsMachine] = []

    def make() -> WindowsMachine:
        made.append(WindowsMachine(line.ask, line.windows.append))
        return made[-1]

    monkeypatch.setattr(windows, "WindowsMachine", make)
    (tmp_path / "etc").mkdir()
    zone = ZoneWatch({"TZ": "Europe/Berlin"}, tmp_path)
    moods: Moods = watch_machine(system_bus({}, "win32"), zone, UnknownNetwork, "win32")
    assert moods.holds(Need.POWER) is True
    line.on_battery = True
    post(made[0], POWER_BROADCAST, STATUS_CHANGE)
    assert moods.holds(Need.POWER) is False
    line.on_battery = False
    with qtbot.waitSignal(moods.resumed, timeout=60_000):
        post(made[0], POWER_BROADCAST, RESUME_AUTOMATIC)
    assert moods.holds(Need.POWER) is True, "the cord was plugged in while it slept"
    zone._environment = {"TZ": "Asia/Tokyo"}
    with qtbot.waitSignal(moods.zone_changed, timeout=60_000) as told:
        post(made[0], TIME_CHANGE)
    assert told.args == ["Asia/Tokyo"]


@pytest.mark.parametrize(("line_status", "expected"), [(0, True), (1, False), (255, None)])
def test_the_line_is_read_from_the_status_of_the_system(line_status: int, *, expected: bool | None) -> None:
    def get(status: Any) -> int:
        ctypes.memset(status, line_status, 1)
        return 1

    assert is_on_battery(SimpleNamespace(kernel32=SimpleNamespace(GetSystemPowerStatus=get))) is expected


def test_a_system_that_does_not_tell_is_unknown() -> None:
    assert is_on_battery(SimpleNamespace(kernel32=SimpleNamespace(GetSystemPowerStatus=lambda _: 0))) is None


def test_resumes_are_asked_for_by_window() -> None:
    asked: list[tuple[int, int]] = []

    def register(window: int, flags: int) -> int:
        asked.append((window, flags))
        return 1

    ask_for_resumes(7, SimpleNamespace(user32=SimpleNamespace(RegisterSuspendResumeNotification=register)))
    assert asked == [(7, 0)]
