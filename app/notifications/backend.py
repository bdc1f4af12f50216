"""Which way notices take on this operating system."""

import sys
from pathlib import Path

from app.notices.desktop import DesktopNotices
from app.notices.notice import Notices
from app.notices.tray import TrayNotices
from app.platform.bus import Bus
from app.resources import MissingResourceError, find_resource


def choose_notices(bus: Bus, last_resort: TrayNotices, platform: str = sys.platform) -> Notices:
    """The desktop's daemon on Linux, toasts on Windows and macOS; and bubbles at the tray icon where those fail."""
    if platform.startswith("linux"):
        return DesktopNotices(bus, last_resort)
    if platform in ("win32", "darwin"):
        from app.notices.toasts import ToastNotices  # noqa: PLC0415  of no use on other systems

        return ToastNotices(last_resort, _find_icon())
    return last_resort


def _find_icon() -> Path | None:
    """Toasts on Windows need a picture of pixels, which only its installer brings; a bundle on macOS has its own."""
    try:
        return find_resource("icons/app.png")
    except MissingResourceError:
        return None
