"""Private temporary folders inside the data folder; those left by a crash are removed at the next start."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from scheduler.file_lock import try_lock

_PREFIX = ".dayhand-scratch-"
_LOCK = "lock"


@contextmanager
def temp_dir(folder: Path) -> Iterator[Path]:
    """An empty folder for the duration. After a crash, `remove_stale_temp_dirs` deletes it."""
    made = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=folder))
    lock = os.open(made / _LOCK, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        try_lock(lock)
        inside = made / "files"
        inside.mkdir(mode=0o700)
        yield inside
    finally:
        os.close(lock)
        shutil.rmtree(made, ignore_errors=True)


def remove_stale_temp_dirs(folder: Path) -> None:
    """Delete temporary folders that no process has locked."""
    for left in folder.glob(f"{_PREFIX}*"):
        with suppress(OSError):
            lock = os.open(left / _LOCK, os.O_RDWR | os.O_CREAT, 0o600)
            try:
                is_unused = try_lock(lock)
            finally:
                os.close(lock)
            if is_unused:
                shutil.rmtree(left, ignore_errors=True)
