"""Folders for what is made or unpacked for a while: inside the data folder, private, and gone after a crash as well."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from scheduler.file_lock import try_to_lock

_PREFIX = ".dayhand-scratch-"
_LOCK = "lock"


@contextmanager
def scratch_folder(folder: Path) -> Iterator[Path]:
    """Empty, for as long as this holds. Whoever dies meanwhile leaves it to `remove_leftovers`."""
    made = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=folder))
    lock = os.open(made / _LOCK, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        try_to_lock(lock)
        inside = made / "files"
        inside.mkdir(mode=0o700)
        yield inside
    finally:
        os.close(lock)
        shutil.rmtree(made, ignore_errors=True)


def remove_leftovers(folder: Path) -> None:
    """Those that nobody uses any more."""
    for left in folder.glob(f"{_PREFIX}*"):
        with suppress(OSError):
            lock = os.open(left / _LOCK, os.O_RDWR | os.O_CREAT, 0o600)
            try:
                is_left = try_to_lock(lock)
            finally:
                os.close(lock)
            if is_left:
                shutil.rmtree(left, ignore_errors=True)
