"""The IANA name of this machine's time zone."""

import os
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

from scheduler.timing.errors import BadScheduleError
from scheduler.timing.zones import find_zone

_FOLDER = "zoneinfo/"
# Copies of the whole tree, with and without leap seconds.
_VARIANTS = ("posix/", "right/")


def find_machine_zone(
    environment: Mapping[str, str] = os.environ,
    root: Path = Path("/"),
    platform: str = sys.platform,
    windows_zone: Callable[[], str] = lambda: "",
) -> str:
    """From `TZ`, else /etc/localtime or the Windows setting, else /etc/timezone, else UTC.

    `windows_zone` reads the Windows setting as an IANA name, which the standard library cannot.
    """
    named = (
        _zone_name(environment.get("TZ", "").removeprefix(":")),
        windows_zone() if platform == "win32" else _link_target(root / "etc/localtime"),
        _first_line(root / "etc/timezone"),
    )
    return next((name for name in named if _is_zone(name)), "UTC")


def _zone_name(path: str) -> str:
    """`Europe/Berlin` for /usr/share/zoneinfo/Europe/Berlin, and for itself."""
    name = path.rpartition(_FOLDER)[2]
    for variant in _VARIANTS:
        name = name.removeprefix(variant)
    return name


def _link_target(link: Path) -> str:
    """The first target inside a zoneinfo tree: a later one may be an alias of the same zone."""
    for _ in range(10):
        try:
            target = link.readlink()
        except (OSError, ValueError):
            return ""
        if _FOLDER in target.as_posix():
            return _zone_name(target.as_posix())
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
