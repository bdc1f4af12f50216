"""The notifications with buttons that are shown now, in a file: an app that was killed leaves them on the screen."""

import json
import logging
from collections.abc import Iterable
from pathlib import Path

from app.data.atomic_file import write_atomically

log = logging.getLogger(__name__)


class ShownFile:
    """The daemon's ids, which mean nothing to another daemon."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._written: tuple[str, tuple[int, ...]] | None = None

    def read(self, daemon: str) -> tuple[int, ...]:
        """What an earlier app left behind in this daemon."""
        try:
            content = json.loads(self._path.read_bytes())
            numbers = content["numbers"] if content["daemon"] == daemon else []
            return tuple(number for number in numbers if isinstance(number, int) and 0 < number < 1 << 32)
        except FileNotFoundError:
            return ()
        except (OSError, ValueError, LookupError, TypeError):
            log.warning("The list of shown notifications could not be read", exc_info=True)
            return ()

    def write(self, daemon: str, numbers: Iterable[int]) -> None:
        shown = (daemon, tuple(sorted(numbers)))
        if shown == self._written:
            return
        self._written = shown
        try:
            write_atomically(self._path, json.dumps({"daemon": daemon, "numbers": shown[1]}).encode())
        except OSError:
            log.warning("The list of shown notifications could not be written", exc_info=True)
