"""The IANA name of the zone that this machine's clock is set to."""

import os
import sys
from collections.abc import Mapping
from pathlib import Path

from scheduler.timing.errors import BadScheduleError
from scheduler.timing.zones import find_zone

_FOLDER = "zoneinfo/"
# Copies of the whole tree inside the tree, with and without leap seconds.
_VARIANTS = ("posix/", "right/")


def machine_zone(
    environment: Mapping[str, str] = os.environ, root: Path = Path("/"), platform: str = sys.platform
) -> str:
    """`TZ` if it names a zone, else what /etc/localtime points to or Windows says, else /etc/timezone, else UTC."""
    named = (
        _name_in(environment.get("TZ", "").removeprefix(":")),
        _zone_of_qt() if platform == "win32" else _link_target(root / "etc/localtime"),
        _first_line(root / "etc/timezone"),
    )
    return next((name for name in named if _is_zone(name)), "UTC")


def _zone_of_qt() -> str:
    """Windows has names of its own, and Qt knows which zones they mean."""
    try:
        from PySide6.QtCore import QTimeZone  # noqa: PLC0415  much to load for what other systems say in a file
    except ImportError:
        return ""
    return bytes(QTimeZone.systemTimeZoneId().data()).decode("ascii", "replace")


def _name_in(path: str) -> str:
    """`Europe/Berlin` of /usr/share/zoneinfo/Europe/Berlin, and of itself."""
    name = path.rpartition(_FOLDER)[2]
    for variant in _VARIANTS:
        name = name.removeprefix(variant)
    return name


def _link_target(link: Path) -> str:
    """The first target that lies in a tree of zones: one further on may be another name of the same zone."""
    for _ in range(10):
        try:
            target = link.readlink()
        except (OSError, ValueError):
            return ""
        if _FOLDER in target.as_posix():
            return _name_in(target.as_posix())
        link = link.parent / target
    return ""


def _first_line(path: Path) -> str:
    try:
        return path.read_text(encoding="ascii", errors="replace").partition("\n")[0].strip()
    except OSError:
        return ""


def _is_zone(name: str) -> bool:
    try:
        find_zone(name)
    except BadScheduleError:
        return False
    return True
