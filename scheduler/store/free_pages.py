"""Giving back the room of what was deleted, in steps so small that nobody waits for them."""

import logging
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from scheduler.store.backups import FILE
from scheduler.store.connection import connect, explained
from scheduler.store.errors import StoreDamagedError, StoreError

log = logging.getLogger(__name__)

_INCREMENTAL = 2
_AT_ONCE = 100
"""Pages that one step gives back: less than half a megabyte, a few milliseconds."""
_WORTH_IT = 1_000
"""Free pages below which a file is left as it is: they are soon used again."""
_LARGEST_TO_CONVERT = 64 << 20
"""Bytes of a file that is written anew when it is opened."""


def convert(connection: sqlite3.Connection, path: Path) -> None:
    """Once, before a store is used: let it give back room later. One that cannot be converted is used as it is."""
    is_blank = connection.execute("PRAGMA page_count").fetchone()[0] == 0
    if not is_blank and connection.execute("PRAGMA auto_vacuum").fetchone()[0] == _INCREMENTAL:
        return
    connection.execute(f"PRAGMA auto_vacuum = {_INCREMENTAL}")
    if not is_blank and path.stat().st_size <= _LARGEST_TO_CONVERT:
        try:
            connection.execute("VACUUM")
        except StoreDamagedError:
            raise
        except StoreError as error:  # no room, or nowhere to put a temporary file; the next start tries again
            log.info("The store could not be made ready to shrink: %s", error)


def give_back(folder: Path, pause: Callable[[], bool]) -> int:
    """Shrink the file while there is much free in it, with a pause after each step; how many pages went.

    `pause` waits a moment, and says whether to stop. Not on the thread of the engine.
    """
    store, given = folder / FILE, 0
    with explained(store), closing(connect(store)) as connection:
        if connection.execute("PRAGMA auto_vacuum").fetchone()[0] != _INCREMENTAL:
            return 0
        left = connection.execute("PRAGMA freelist_count").fetchone()[0]
        while left >= _WORTH_IT:
            connection.executescript(f"PRAGMA incremental_vacuum({_AT_ONCE})")  # `execute` would stop after one page
            before, left = left, connection.execute("PRAGMA freelist_count").fetchone()[0]
            given += before - left
            if pause() or left >= before:
                break
    return given
