"""Opening the person's own browser, from an app that may be frozen with libraries of its own."""

import os
import shutil
import subprocess
import sys
import threading
import webbrowser
from collections.abc import Mapping, Sequence

from scheduler.connections.oauth.errors import NoBrowserError

_OPENERS = (("xdg-open",), ("gio", "open"), ("x-www-browser",))
_LOADERS = ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "LIBPATH")
_BEFORE = "_ORIG"
"""Where the start of a frozen app keeps what they held."""
_SECONDS = 5.0


def open_browser(url: str) -> None:
    """Show an address in the browser of the system; NoBrowserError if there is none."""
    if sys.platform != "linux":
        if not webbrowser.open(url):
            raise NoBrowserError
        return
    environment = clean_environment(os.environ, getattr(sys, "_MEIPASS", None))
    if not any(_start((*opener, url), environment) for opener in _OPENERS if shutil.which(opener[0])):
        raise NoBrowserError


def clean_environment(environment: Mapping[str, str], bundle: str | None) -> dict[str, str]:
    """As it was before the app began; `bundle` is the folder of a frozen one.

    A browser that loads our libraries may crash, or not start at all.
    """
    cleaned = dict(environment)
    for kept in [name for name in cleaned if name.endswith(_BEFORE) and name.startswith(_LOADERS)]:
        before = cleaned.pop(kept)
        cleaned.pop(kept.removesuffix(_BEFORE), None)
        if before:
            cleaned[kept.removesuffix(_BEFORE)] = before
    if bundle is None:
        return cleaned
    theirs = {name: _outside(value, bundle) for name, value in cleaned.items() if not name.startswith("_PYI_")}
    return {name: value for name, value in theirs.items() if value or not cleaned[name]}


def _outside(value: str, bundle: str) -> str:
    """What of a list of places is not in the bundle."""
    places = value.split(os.pathsep)
    return os.pathsep.join(place for place in places if place != bundle and not place.startswith(bundle + os.sep))


def _start(command: Sequence[str], environment: Mapping[str, str]) -> bool:
    """Whether it opened; one that has not ended yet is the browser itself, and is left alone."""
    try:
        process = subprocess.Popen(  # noqa: S603  the address goes in as one word
            command,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
    except OSError:
        return False
    try:
        return process.wait(_SECONDS) == 0
    except subprocess.TimeoutExpired:
        threading.Thread(target=process.wait, name="browser", daemon=True).start()
        return True
