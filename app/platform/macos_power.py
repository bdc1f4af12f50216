"""What macOS says of its power, by ctypes: AC or battery, and a call when that changes. Not run on macOS.

Sleep is left out: whoever registers for it and answers wrongly keeps the machine awake, and the clock shows at the next
tick that it slept.
"""

import ctypes
from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QObject, Signal

_FRAMEWORKS = "/System/Library/Frameworks/{0}.framework/{0}"
_UTF8 = 0x08000100
_LONGEST = 64
_ON_BATTERY = {b"AC Power": False, b"Battery Power": True, b"UPS Power": True}
_Changed = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


class PowerSources:
    """The few functions of IOKit and Core Foundation that it takes."""

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
        self._heard: Any = None

    def is_on_battery(self) -> bool | None:
        info = self._kit.IOPSCopyPowerSourcesInfo()
        if not info:
            return None
        name = ctypes.create_string_buffer(_LONGEST)
        source = self._kit.IOPSGetProvidingPowerSourceType(info)
        read = bool(source) and self._core.CFStringGetCString(source, name, _LONGEST, _UTF8)
        self._core.CFRelease(info)
        return _ON_BATTERY.get(name.value) if read else None

    def call(self, changed: Callable[[], None]) -> None:
        """In the main thread, whose loop is Qt's too, whenever the machine goes over to battery or back."""
        self._heard = _Changed(lambda _: changed())  # kept, since macOS keeps only its address
        source = self._kit.IOPSCreateLimitedPowerNotification(self._heard, None)
        if source:
            modes = ctypes.c_void_p.in_dll(self._core, "kCFRunLoopDefaultMode")
            self._core.CFRunLoopAddSource(self._core.CFRunLoopGetMain(), source, modes)


class IOKitPower(QObject):
    changed = Signal()

    def __init__(self, sources: PowerSources | None = None) -> None:
        super().__init__()
        self._sources = sources or PowerSources()
        self.is_on_battery = self._sources.is_on_battery()
        self._sources.call(self._look)

    def _look(self) -> None:
        self.is_on_battery = self._sources.is_on_battery()
        self.changed.emit()
