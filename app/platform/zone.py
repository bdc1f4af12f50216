"""The machine's time zone for the app. Must not load Qt except on Windows."""

import os
import sys
from collections.abc import Mapping
from pathlib import Path

from scheduler.machine_zone import find_machine_zone


def machine_zone(
    environment: Mapping[str, str] = os.environ, root: Path = Path("/"), platform: str = sys.platform
) -> str:
    """From `TZ`, else /etc/localtime or the Windows setting, else /etc/timezone, else UTC."""
    return find_machine_zone(environment, root, platform, _qt_zone)


def _qt_zone() -> str:
    """Qt converts the zone names of Windows."""
    try:
        from PySide6.QtCore import QTimeZone  # noqa: PLC0415  slow to import, and only needed here
    except ImportError:
        return ""
    return bytes(QTimeZone.systemTimeZoneId().data()).decode("ascii", "replace")
