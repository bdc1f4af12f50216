"""Power, sleep and clock on Windows, from messages to a hidden window. Tested under Wine, not on Windows."""

import ctypes
from collections.abc import Callable
from ctypes import wintypes
from enum import Enum
from typing import Any

from PySide6.QtCore import QAbstractNativeEventFilter, QByteArray, QCoreApplication, QObject, Signal
from PySide6.QtGui import QWindow

_MESSAGE = b"windows_generic_MSG"
_POWER_BROADCAST, _TIME_CHANGE = 0x0218, 0x001E
_STATUS_CHANGE, _RESUME = 0x000A, 0x0012
_DEVICE_NOTIFY_WINDOW_HANDLE = 0
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
    """Power and sleep in one, since the same window gets messages about both; `clock_set` is for `ZoneWatch`."""

    changed = Signal()
    resumed = Signal()
    clock_set = Signal()

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
        if event is WindowsEvent.RESUMED:
            self.resumed.emit()
        elif event is WindowsEvent.POWER:
            self.changed.emit()
        else:
            self.clock_set.emit()
