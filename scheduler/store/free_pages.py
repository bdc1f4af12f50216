"""Shrinks the file after deletions, in steps too small to delay anyone."""

import logging
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from scheduler.store.backups import STORE_FILE
from scheduler.store.errors import StoreDamagedError, StoreError
from scheduler.store.sqlite import connect, converted_errors

log = logging.getLogger(__name__)

_INCREMENTAL = 2
_PAGES_PER_STEP = 100
"""Less than half a megabyte, a few milliseconds."""
_MIN_FREE_PAGES = 1_000
"""With fewer free pages the file is remaining alone: they are soon used again."""
_MAX_BYTES_TO_CONVERT = 64 << 20
"""Larger files are not rewritten on opening."""


def enable_incremental_vacuum(connection: sqlite3.Connection, path: Path) -> None:
    """Enable incremental vacuum, once, before the store is used. A store that cannot be converted is used as it is."""
    is_blank = connection.execute("PRAGMA page_count").fetchone()[0] == 0
    if not is_blank and connection.execute("PRAGMA auto_vacuum").fetchone()[0] == _INCREMENTAL:
        return
    connection.execute(f"PRAGMA auto_vacuum = {_INCREMENTAL}")
    if not is_blank and path.stat().st_size <= _MAX_BYTES_TO_CONVERT:
        try:
            connection.execute("VACUUM")
        except StoreDamagedError:
            raise
        except StoreError as error:  # disk full, or no place for a temporary file; the next start tries again
            log.info("Incremental vacuum could not be enabled: %s", error)


def shrink(folder: Path, pause: Callable[[], bool]) -> int:
    """Shrink the file while it has many free pages, with a pause after each step; returns the pages freed.

    `pause` waits a moment and returns whether to stop. Not for the engine's thread.
    """
    store, freed = folder / STORE_FILE, 0
    with converted_errors(store), closing(connect(store)) as connection:
        if connection.execute("PRAGMA auto_vacuum").fetchone()[0] != _INCREMENTAL:
            return 0
        remaining = connection.execute("PRAGMA freelist_count").fetchone()[0]
        while remaining >= _MIN_FREE_PAGES:
            # `execute` would stop after one page.
            connection.executescript(f"PRAGMA incremental_vacuum({_PAGES_PER_STEP})")
            before, remaining = remaining, connection.execute("PRAGMA freelist_count").fetchone()[0]
            freed += before - remaining
            if pause() or remaining >= before:
                break
    return freed
