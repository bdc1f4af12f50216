"""Power, sleep, clock, look and session on Windows, from messages to a hidden window; tested under Wine."""

import ctypes
from collections.abc import Callable
from ctypes import wintypes
from enum import Enum
from importlib import import_module
from typing import Any

from PySide6.QtCore import QAbstractNativeEventFilter, QByteArray, QCoreApplication, QObject, Signal
from PySide6.QtGui import QWindow

_MESSAGE = b"windows_generic_MSG"
_POWER_BROADCAST, _TIME_CHANGE, _SETTING_CHANGE, _END_SESSION = 0x0218, 0x001E, 0x001A, 0x0016
_STATUS_CHANGE, _RESUME = 0x000A, 0x0012
_DEVICE_NOTIFY_WINDOW_HANDLE = 0
_PERSONALIZE = r"Software\Microsoft\Windows\CurrentVersion\Themes\Personalize"
_ON_BATTERY = {0: True, 1: False}
"""By ACLineStatus: offline, online; 255 is unknown."""


class WindowsEvent(Enum):
    """What a window message may be about."""

    RESUMED = "resumed"
    """The machine woke up; sent each time, even if no user is present."""
    POWER = "power"
    """The power supply or the battery changed."""
    CLOCK = "clock"
    """The clock or the time zone was set."""
    LOOK = "look"
    """A setting changed, such as the colour of the taskbar."""
    SESSION_END = "session end"
    """The user logs out or the machine is shut down, and all programs have agreed."""


class _SystemPowerStatus(ctypes.Structure):
    _fields_ = (
        ("line", wintypes.BYTE),
        ("flag", wintypes.BYTE),
        ("percent", wintypes.BYTE),
        ("saver", wintypes.BYTE),
        ("seconds_left", wintypes.DWORD),
        ("seconds_when_full", wintypes.DWORD),
    )


def parse_message(address: int) -> WindowsEvent | None:
    """The event in the MSG at that address; None for any other message."""
    message = wintypes.MSG.from_address(address)
    if message.message == _TIME_CHANGE:
        return WindowsEvent.CLOCK
    if message.message == _SETTING_CHANGE:
        return WindowsEvent.LOOK
    if message.message == _END_SESSION:
        return WindowsEvent.SESSION_END if message.wParam else None
    if message.message != _POWER_BROADCAST:
        return None
    return {_RESUME: WindowsEvent.RESUMED, _STATUS_CHANGE: WindowsEvent.POWER}.get(message.wParam)


def is_on_battery(libraries: Any = None) -> bool | None:
    status = _SystemPowerStatus()
    if not (libraries or _system_libraries()).kernel32.GetSystemPowerStatus(ctypes.byref(status)):
        return None
    return _ON_BATTERY.get(status.line & 0xFF)


def register_for_resume(window: int, libraries: Any = None) -> None:
    """Machines with Modern Standby report a resume only to windows that registered."""
    user32 = (libraries or _system_libraries()).user32
    user32.RegisterSuspendResumeNotification.argtypes = (wintypes.HANDLE, wintypes.DWORD)
    user32.RegisterSuspendResumeNotification.restype = wintypes.HANDLE
    user32.RegisterSuspendResumeNotification(window, _DEVICE_NOTIFY_WINDOW_HANDLE)


def is_taskbar_dark(registry: Any = None) -> bool:
    """`registry` is the module winreg. Without the setting, as before Windows 10 1903, the taskbar is dark."""
    reader = registry or import_module("winreg")
    try:
        with reader.OpenKey(reader.HKEY_CURRENT_USER, _PERSONALIZE) as key:
            value, _ = reader.QueryValueEx(key, "SystemUsesLightTheme")
    except OSError:
        return True
    return not value


def _system_libraries() -> Any:
    return ctypes.windll  # type: ignore[attr-defined]  # only exists on Windows


class _Filter(QAbstractNativeEventFilter):
    def __init__(self, handle: Callable[[WindowsEvent], None]) -> None:
        super().__init__()
        self._handle = handle

    def nativeEventFilter(  # noqa: N802  Qt's name
        self, kind: QByteArray | bytes | bytearray | memoryview, message: int
    ) -> tuple[bool, int]:
        """Reads every message and lets all of them through."""
        if kind == _MESSAGE and (event := parse_message(int(message))) is not None:
            self._handle(event)
        return False, 0


class WindowsMachine(QObject):
    """One object, since the same window gets messages about all of it; `clock_set` is for `ZoneWatch`."""

    changed = Signal()
    resumed = Signal()
    clock_set = Signal()
    look_changed = Signal()
    session_ends = Signal()
    """Windows waits until the slots have returned, and then ends the process."""

    def __init__(
        self,
        query_power: Callable[[], bool | None] = is_on_battery,
        register: Callable[[int], None] = register_for_resume,
    ) -> None:
        super().__init__()
        self._query_power = query_power
        self.is_on_battery = query_power()
        self._filter = _Filter(self._handle)
        app = QCoreApplication.instance()
        assert app is not None, "window messages need an application"
        app.installNativeEventFilter(self._filter)
        # Windows sends messages only to windows that exist, and an app started in the background has no other yet.
        self._window = QWindow()
        self._window.create()
        register(int(self._window.winId()))

    def _handle(self, event: WindowsEvent) -> None:
        self.is_on_battery = self._query_power()
        {
            WindowsEvent.RESUMED: self.resumed,
            WindowsEvent.POWER: self.changed,
            WindowsEvent.CLOCK: self.clock_set,
            WindowsEvent.LOOK: self.look_changed,
            WindowsEvent.SESSION_END: self.session_ends,
        }[event].emit()
