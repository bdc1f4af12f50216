"""Opening the user's browser from an app that may be frozen with its own libraries."""

import os
import shutil
import subprocess
import sys
import threading
import webbrowser
from collections.abc import Mapping, Sequence

from scheduler.connections.oauth.errors import NoBrowserError

_OPENERS = (("xdg-open",), ("gio", "open"), ("x-www-browser",))
_LIBRARY_PATHS = ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "LIBPATH")
_ORIGINAL_SUFFIX = "_ORIG"
"""PyInstaller saves the original values under these names."""
_SECONDS = 5.0


def open_browser(url: str) -> None:
    """Open an address in the system's browser; NoBrowserError if there is none."""
    if sys.platform != "linux":
        if not webbrowser.open(url):
            raise NoBrowserError
        return
    environment = clean_environment(os.environ, getattr(sys, "_MEIPASS", None))
    if not any(_start((*opener, url), environment) for opener in _OPENERS if shutil.which(opener[0])):
        raise NoBrowserError


def clean_environment(environment: Mapping[str, str], bundle: str | None) -> dict[str, str]:
    """The environment from before the app started; `bundle` is the folder of a frozen app.

    A browser that loads our libraries may crash or not start.
    """
    cleaned = dict(environment)
    for kept in [name for name in cleaned if name.endswith(_ORIGINAL_SUFFIX) and name.startswith(_LIBRARY_PATHS)]:
        before = cleaned.pop(kept)
        cleaned.pop(kept.removesuffix(_ORIGINAL_SUFFIX), None)
        if before:
            cleaned[kept.removesuffix(_ORIGINAL_SUFFIX)] = before
    if bundle is None:
        return cleaned
    cleaned_paths = {
        name: _without_bundle(value, bundle) for name, value in cleaned.items() if not name.startswith("_PYI_")
    }
    return {name: value for name, value in cleaned_paths.items() if value or not cleaned[name]}


def _without_bundle(value: str, bundle: str) -> str:
    """A path list without entries inside the bundle."""
    paths = value.split(os.pathsep)
    return os.pathsep.join(path for path in paths if path != bundle and not path.startswith(bundle + os.sep))


def _start(command: Sequence[str], environment: Mapping[str, str]) -> bool:
    """Whether the command succeeded; if it keeps running, it is the browser itself."""
    try:
        process = subprocess.Popen(  # noqa: S603  the address is a single argument
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
