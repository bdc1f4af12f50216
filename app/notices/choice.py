"""Which way notices take on this operating system."""

import sys

from app.notices.desktop import DesktopNotices
from app.notices.notice import Notices
from app.notices.tray import TrayNotices
from app.platform.bus import Bus


def choose_notices(bus: Bus, last_resort: TrayNotices, platform: str = sys.platform) -> Notices:
    """The desktop's daemon on Linux, and bubbles at the tray icon where nothing better answers.

    Windows and macOS have notices with buttons of their own. A backend for them keeps to the Protocol, with its signals
    emitted in the GUI thread, and is returned here; until there is one they have bubbles.
    """
    return DesktopNotices(bus, last_resort) if platform.startswith("linux") else last_resort
