"""Power on macOS, through ctypes: AC or battery, and a callback when that changes. Not tested on macOS.

Sleep is left out: a wrong reply to its notification keeps the machine awake, and the clock shows at the next tick that
it slept.
"""

import ctypes
from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QObject, Signal

_FRAMEWORKS = "/System/Library/Frameworks/{0}.framework/{0}"
_UTF8 = 0x08000100
_MAX_NAME_BYTES = 64
_ON_BATTERY = {b"AC Power": False, b"Battery Power": True, b"UPS Power": True}
_Changed = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


class PowerSources:
    """The functions of IOKit and Core Foundation that are used here."""

    def __init__(self, load: Callable[[str], Any] = ctypes.CDLL) -> None:
        self._kit = load(_FRAMEWORKS.format("IOKit"))
        self._core = load(_FRAMEWORKS.format("CoreFoundation"))
        for function, result, arguments in (
            (self._kit.IOPSCopyPowerSourcesInfo, ctypes.c_void_p, ()),
            (self._kit.IOPSGetProvidingPowerSourceType, ctypes.c_void_p, (ctypes.c_void_p,)),
            (self._kit.IOPSCreateLimitedPowerNotification, ctypes.c_void_p, (_Changed, ctypes.c_void_p)),
            (self._core.CFRunLoopGetMain, ctypes.c_void_p, ()),
            (self._core.CFRunLoopAddSource, None, (ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)),
            (
                self._core.CFStringGetCString,
                ctypes.c_bool,
                (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_long, ctypes.c_uint32),
            ),
            (self._core.CFRelease, None, (ctypes.c_void_p,)),
        ):
            function.restype, function.argtypes = result, arguments
        self._callback: Any = None

    def is_on_battery(self) -> bool | None:
        info = self._kit.IOPSCopyPowerSourcesInfo()
        if not info:
            return None
        name = ctypes.create_string_buffer(_MAX_NAME_BYTES)
        source = self._kit.IOPSGetProvidingPowerSourceType(info)
        read = bool(source) and self._core.CFStringGetCString(source, name, _MAX_NAME_BYTES, _UTF8)
        self._core.CFRelease(info)
        return _ON_BATTERY.get(name.value) if read else None

    def watch(self, changed: Callable[[], None]) -> None:
        """Call back in the main thread, whose loop Qt shares, when the power source changes."""
        self._callback = _Changed(lambda _: changed())  # keep a reference: macOS holds only its address
        source = self._kit.IOPSCreateLimitedPowerNotification(self._callback, None)
        if source:
            modes = ctypes.c_void_p.in_dll(self._core, "kCFRunLoopDefaultMode")
            self._core.CFRunLoopAddSource(self._core.CFRunLoopGetMain(), source, modes)


class IOKitPower(QObject):
    changed = Signal()

    def __init__(self, sources: PowerSources | None = None) -> None:
        super().__init__()
        self._sources = sources or PowerSources()
        self.is_on_battery = self._sources.is_on_battery()
        self._sources.watch(self._refresh)

    def _refresh(self) -> None:
        self.is_on_battery = self._sources.is_on_battery()
        self.changed.emit()
