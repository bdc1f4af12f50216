"""What Windows itself says of power and sleep, by ctypes. Free of Qt; run under Wine, not on Windows."""

import ctypes
from ctypes import wintypes
from enum import Enum
from typing import Any

_POWER_BROADCAST, _TIME_CHANGE = 0x0218, 0x001E
_STATUS_CHANGE, _RESUME = 0x000A, 0x0012
_FOR_WINDOW = 0
_ON_BATTERY = {0: True, 1: False}
"""The line is off, or on; 255 is unknown."""


class News(Enum):
    """What a message to a window may be about."""

    RESUMED = "resumed"
    """The machine woke up; told each time, also while nobody sits before it."""
    POWER = "power"
    """The line or the battery changed."""
    CLOCK = "clock"
    """The clock was set, or moved to another zone."""


class _Status(ctypes.Structure):
    _fields_ = (
        ("line", wintypes.BYTE),
        ("flag", wintypes.BYTE),
        ("percent", wintypes.BYTE),
        ("saver", wintypes.BYTE),
        ("seconds_left", wintypes.DWORD),
        ("seconds_when_full", wintypes.DWORD),
    )


def read_message(address: int) -> News | None:
    """What the MSG at that address tells of this machine, if anything."""
    message = wintypes.MSG.from_address(address)
    if message.message == _TIME_CHANGE:
        return News.CLOCK
    if message.message != _POWER_BROADCAST:
        return None
    return {_RESUME: News.RESUMED, _STATUS_CHANGE: News.POWER}.get(message.wParam)


def is_on_battery(windows: Any = None) -> bool | None:
    status = _Status()
    if not (windows or _libraries()).kernel32.GetSystemPowerStatus(ctypes.byref(status)):
        return None
    return _ON_BATTERY.get(status.line & 0xFF)


def ask_for_resumes(window: int, windows: Any = None) -> None:
    """Machines that sleep lightly tell only those windows that asked."""
    user32 = (windows or _libraries()).user32
    user32.RegisterSuspendResumeNotification.argtypes = (wintypes.HANDLE, wintypes.DWORD)
    user32.RegisterSuspendResumeNotification.restype = wintypes.HANDLE
    user32.RegisterSuspendResumeNotification(window, _FOR_WINDOW)


def _libraries() -> Any:
    return ctypes.windll  # type: ignore[attr-defined]  # there is none on other systems
