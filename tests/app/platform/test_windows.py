"""Power, sleep and clock on Windows, with made-up messages; not run on Windows."""

import ctypes
from ctypes import wintypes
from types import SimpleNamespace
from typing import Any

import pytest
from PySide6.QtCore import QByteArray
from pytestqt.qtbot import QtBot

from app.platform import windows
from app.platform.detect import system_bus, watch_machine
from app.platform.machine_conditions import MachineConditions, UnknownNetwork
from app.platform.windows import WindowsMachine, is_on_battery, is_taskbar_dark, register_for_resume
from app.platform.zone_watch import ZoneWatch
from scheduler.timing.policies import Need
from tests.app.platform.fake_winreg import Registry

PERSONALIZE = r"Software\Microsoft\Windows\CurrentVersion\Themes\Personalize"
KIND = QByteArray(b"windows_generic_MSG")
POWER_BROADCAST, TIME_CHANGE, PAINT = 0x0218, 0x001E, 0x000F
SETTING_CHANGE, QUERY_END_SESSION, END_SESSION = 0x001A, 0x0011, 0x0016
STATUS_CHANGE, RESUME_AUTOMATIC, RESUME_SUSPEND, SUSPEND = 0x000A, 0x0012, 0x0007, 0x0004


class FakePower:
    """The power supply, and the windows registered for resume events."""

    def __init__(self) -> None:
        self.on_battery: bool | None = False
        self.windows: list[int] = []

    def query(self) -> bool | None:
        return self.on_battery


@pytest.fixture
def power() -> FakePower:
    return FakePower()


@pytest.fixture
def machine(qtbot: QtBot, power: FakePower) -> WindowsMachine:
    return WindowsMachine(power.query, power.windows.append)


def post(machine: WindowsMachine, message: int, word: int = 0) -> None:
    made = wintypes.MSG(message=message, wParam=word)
    assert machine._filter.nativeEventFilter(KIND, ctypes.addressof(made)) == (False, 0), "the message is let through"


@pytest.mark.parametrize(
    ("message", "word", "signals"),
    [
        (POWER_BROADCAST, RESUME_AUTOMATIC, ["resumed"]),
        (POWER_BROADCAST, RESUME_SUSPEND, []),
        (POWER_BROADCAST, SUSPEND, []),
        (POWER_BROADCAST, STATUS_CHANGE, ["changed"]),
        (TIME_CHANGE, 0, ["clock_set"]),
        (SETTING_CHANGE, 0, ["look_changed"]),
        (END_SESSION, 1, ["session_ends"]),
        (END_SESSION, 0, []),
        (QUERY_END_SESSION, 1, []),
        (PAINT, RESUME_AUTOMATIC, []),
    ],
)
def test_each_message_emits_its_signal(machine: WindowsMachine, message: int, word: int, signals: list[str]) -> None:
    emitted: list[str] = []
    for name in ("resumed", "changed", "clock_set", "look_changed", "session_ends"):
        getattr(machine, name).connect(lambda name=name: emitted.append(name))
    post(machine, message, word)
    assert emitted == signals


def test_messages_of_other_systems_are_ignored(machine: WindowsMachine) -> None:
    assert machine._filter.nativeEventFilter(b"xcb_generic_event_t", 1) == (False, 0)


def test_a_hidden_window_registers_for_resume_events(machine: WindowsMachine, power: FakePower) -> None:
    assert power.windows == [int(machine._window.winId())]
    assert not machine._window.isVisible()


def test_machine_conditions_follow_power_resume_and_clock(
    qtbot: QtBot, power: FakePower, monkeypatch: pytest.MonkeyPatch, tmp_path: Any
) -> None:
    made: list[WindowsMachine] = []

    def make() -> WindowsMachine:
        made.append(WindowsMachine(power.query, power.windows.append))
        return made[-1]

    monkeypatch.setattr(windows, "WindowsMachine", make)
    (tmp_path / "etc").mkdir()
    zone = ZoneWatch({"TZ": "Europe/Berlin"}, tmp_path)
    conditions: MachineConditions = watch_machine(system_bus({}, "win32"), zone, UnknownNetwork, "win32")
    assert conditions.holds(Need.POWER) is True
    power.on_battery = True
    post(made[0], POWER_BROADCAST, STATUS_CHANGE)
    assert conditions.holds(Need.POWER) is False
    power.on_battery = False
    with qtbot.waitSignal(conditions.resumed, timeout=60_000):
        post(made[0], POWER_BROADCAST, RESUME_AUTOMATIC)
    assert conditions.holds(Need.POWER) is True, "plugged in while it slept"
    zone._environment = {"TZ": "Asia/Tokyo"}
    with qtbot.waitSignal(conditions.zone_changed, timeout=60_000) as zone_changed:
        post(made[0], TIME_CHANGE)
    assert zone_changed.args == ["Asia/Tokyo"]


@pytest.mark.parametrize(("line_status", "expected"), [(0, True), (1, False), (255, None)])
def test_battery_is_read_from_the_system_power_status(line_status: int, *, expected: bool | None) -> None:
    def get(status: Any) -> int:
        ctypes.memset(status, line_status, 1)
        return 1

    assert is_on_battery(SimpleNamespace(kernel32=SimpleNamespace(GetSystemPowerStatus=get))) is expected


def test_a_failed_query_is_unknown() -> None:
    assert is_on_battery(SimpleNamespace(kernel32=SimpleNamespace(GetSystemPowerStatus=lambda _: 0))) is None


def test_registration_passes_the_window_handle() -> None:
    registrations: list[tuple[int, int]] = []

    def register(window: int, flags: int) -> int:
        registrations.append((window, flags))
        return 1

    register_for_resume(7, SimpleNamespace(user32=SimpleNamespace(RegisterSuspendResumeNotification=register)))
    assert registrations == [(7, 0)]


@pytest.mark.parametrize(("light", "dark"), [(1, False), (0, True), (None, True)])
def test_the_taskbar_has_a_colour_of_its_own(light: int | None, *, dark: bool) -> None:
    registry = Registry()
    if light is not None:
        registry.keys[PERSONALIZE] = {"SystemUsesLightTheme": light, "AppsUseLightTheme": 0}
    assert is_taskbar_dark(registry) is dark


def test_the_end_of_the_session_and_new_colours_reach_the_app(
    qtbot: QtBot, power: FakePower, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = WindowsMachine(power.query, power.windows.append)
    monkeypatch.setattr(windows, "WindowsMachine", lambda: made)
    conditions = watch_machine(system_bus({}, "win32"), None, UnknownNetwork, "win32")
    for signal, message, word in (
        (conditions.look_changed, SETTING_CHANGE, 0),
        (conditions.session_ends, END_SESSION, 1),
    ):
        with qtbot.waitSignal(signal, timeout=60_000):
            post(made, message, word)
