"""Chooses the notification backend for this operating system."""

import sys
from pathlib import Path

from app.notifications.freedesktop import FreedesktopBackend
from app.notifications.notification import NotificationBackend
from app.notifications.shown_file import ShownFile
from app.platform.dbus import Bus
from app.resources import MissingResourceError, find_resource

_SHOWN_FILE = "notifications.json"


def choose_backend(
    bus: Bus, fallback: NotificationBackend, folder: Path, platform: str = sys.platform
) -> NotificationBackend:
    """The desktop's daemon on Linux, native ones on Windows and macOS, with `fallback` for what they do not show."""
    if platform.startswith("linux"):
        return FreedesktopBackend(bus, fallback, ShownFile(folder / _SHOWN_FILE))
    if platform in ("win32", "darwin"):
        from app.notifications.native import NativeBackend  # noqa: PLC0415  only for these systems

        return NativeBackend(fallback, _find_icon())
    return fallback


def _find_icon() -> Path | None:
    """Windows needs a bitmap, which only its installer ships; a macOS bundle has its own icon."""
    try:
        return find_resource("icons/app.png")
    except MissingResourceError:
        return None
