"""Whether the user is at this computer: the screen is locked, or since when nobody has used it."""

import ctypes
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any, Protocol

from PySide6.QtCore import QObject, QTimer, Slot

from app.platform.dbus import Bus, DBusReply
from app.platform.dbus_service import DBusService
from scheduler.engine.clock import SystemClock
from scheduler.rules.channels import Presence

_POLL_MS = 20_000
_SYSTEM_CLOCK = SystemClock()
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_PROPERTIES = "org.freedesktop.DBus.Properties"
_LOGIND = ("org.freedesktop.login1", "/org/freedesktop/login1/session/auto")
_SESSION = "org.freedesktop.login1.Session"
_MUTTER = ("org.gnome.Mutter.IdleMonitor", "/org/gnome/Mutter/IdleMonitor/Core")
_SCREEN_SAVERS = (
    ("org.freedesktop.ScreenSaver", "/org/freedesktop/ScreenSaver"),
    ("org.gnome.ScreenSaver", "/org/gnome/ScreenSaver"),
    ("org.xfce.ScreenSaver", "/org/xfce/ScreenSaver"),
)
"""The name of each is also its interface."""
_SWITCH_DESKTOP = 0x0100


class PresenceSource(Protocol):
    def read(self) -> Presence:
        """What is known now; from any thread, and without waiting."""

    def watch(self, *, on: bool) -> None:
        """Keep it up to date from now on, or no longer. In the GUI thread."""


class UnknownPresence:
    """For systems that do not say, and without a window."""

    def read(self) -> Presence:
        return Presence()

    def watch(self, *, on: bool) -> None:
        """Nothing to watch."""


class LinuxPresence(QObject):
    """Asks logind and the desktop regularly, only while it is watched."""

    def __init__(self, system: Bus, session: Bus, now: Callable[[], datetime] = _SYSTEM_CLOCK.now) -> None:
        super().__init__()
        self._now = now
        self._logind = DBusService(system, _LOGIND[0])
        self._mutter = DBusService(session, _MUTTER[0])
        self._screen_savers = [DBusService(session, name) for name, _ in _SCREEN_SAVERS]
        self._locked: dict[str, bool] = {}
        """By who said it."""
        self._idle_since: dict[str, datetime | None] = {}
        self._presence = Presence()
        self._timer = QTimer(self, interval=_POLL_MS)
        self._timer.timeout.connect(self.poll)
        for service in (self._logind, self._mutter, *self._screen_savers):
            service.appeared.connect(self._poll_if_watched)

    def read(self) -> Presence:
        return self._presence

    def watch(self, *, on: bool) -> None:
        if on and not self._timer.isActive():
            self._timer.start()
            self.poll()
        elif not on:
            self._timer.stop()
            self._presence = Presence()

    @Slot()
    def poll(self) -> None:
        if self._logind.has_owner:
            self._logind.call(_LOGIND[1], _PROPERTIES, "GetAll", "s", (_SESSION,), callback=self._read_session)
        if self._mutter.has_owner:
            self._mutter.call(_MUTTER[1], _MUTTER[0], "GetIdletime", callback=self._read_idle_time)
        for service, (name, path) in zip(self._screen_savers, _SCREEN_SAVERS, strict=True):
            if service.has_owner:
                service.call(path, name, "GetActive", callback=self._reader_of(name))

    @Slot()
    def _poll_if_watched(self) -> None:
        if self._timer.isActive():
            self.poll()

    def _reader_of(self, name: str) -> Callable[[DBusReply], None]:
        def read(reply: DBusReply) -> None:
            self._note(name, None if reply.error is not None else bool(reply.body[0]))

        return read

    def _read_session(self, reply: DBusReply) -> None:
        if reply.error is not None:
            self._note(_SESSION, None)
            return
        values: dict[str, Any] = {name: value for name, (_, value) in reply.body[0].items()}
        since = values.get("IdleSinceHint")
        self._idle_since[_SESSION] = None
        if values.get("IdleHint") is True and isinstance(since, int) and since > 0:
            self._idle_since[_SESSION] = _EPOCH + timedelta(microseconds=since)
        locked = values.get("LockedHint")
        self._note(_SESSION, locked if isinstance(locked, bool) else None)

    def _read_idle_time(self, reply: DBusReply) -> None:
        value = None if reply.error is not None else reply.body[0]
        self._idle_since[_MUTTER[0]] = None
        if isinstance(value, int):
            self._idle_since[_MUTTER[0]] = self._now() - timedelta(milliseconds=value)
        self._update()

    def _note(self, source: str, locked: bool | None) -> None:  # noqa: FBT001  a reading
        if locked is None:
            self._locked.pop(source, None)
        else:
            self._locked[source] = locked
        self._update()

    def _update(self) -> None:
        locked = any(self._locked.values()) if self._locked else None
        since = [at for at in self._idle_since.values() if at is not None]
        self._presence = Presence(is_locked=locked, idle_since=min(since, default=None))


class WindowsPresence:
    """Windows answers at once."""

    def __init__(self, libraries: Any = None, now: Callable[[], datetime] = _SYSTEM_CLOCK.now) -> None:
        self._libraries = libraries
        self._now = now

    def read(self) -> Presence:
        libraries = self._libraries or ctypes.windll  # type: ignore[attr-defined]
        return Presence(is_locked=_is_locked(libraries.user32), idle_since=self._find_idle_since(libraries))

    def watch(self, *, on: bool) -> None:
        """Nothing to watch."""

    def _find_idle_since(self, libraries: Any) -> datetime | None:
        last = _LastInput(ctypes.sizeof(_LastInput), 0)
        if not libraries.user32.GetLastInputInfo(ctypes.byref(last)):
            return None
        passed_ms = (libraries.kernel32.GetTickCount() - last.ticks) % 2**32  # the counter starts again after 49 days
        return self._now() - timedelta(milliseconds=passed_ms)


class _LastInput(ctypes.Structure):
    _fields_ = (("size", ctypes.c_uint32), ("ticks", ctypes.c_uint32))


def _is_locked(user32: Any) -> bool:
    """Nobody but the system may look at the desktop of a locked screen."""
    desktop = user32.OpenInputDesktop(0, False, _SWITCH_DESKTOP)  # noqa: FBT003  Windows' signature
    if desktop:
        user32.CloseDesktop(desktop)
    return not desktop


def find_presence(system: Bus, session: Bus, platform: str) -> PresenceSource:
    """The source for that operating system. Create it before the buses are opened."""
    if platform.startswith("linux"):
        return LinuxPresence(system, session)
    return WindowsPresence() if platform == "win32" else UnknownPresence()
