"""A marker file next to the store that says whether the store must be checked before its next use."""

import os
from contextlib import suppress
from pathlib import Path

_IN_USE = "in use"
_SUSPECT = "suspect"


def mark_in_use(store: Path) -> None:
    """Mark the store as in use; any exit before `clear` is an unclean one."""
    _marker(store).touch(mode=0o600)
    with _marker(store).open("w") as file:
        file.write(_IN_USE)
        file.flush()
        os.fsync(file.fileno())


def is_set(store: Path) -> bool:
    return _marker(store).exists()


def mark_suspect(store: Path) -> None:
    """Mark the store as possibly damaged: even a clean exit keeps the marker."""
    with suppress(OSError):
        if is_set(store):
            _marker(store).write_text(_SUSPECT)


def clear(store: Path) -> None:
    """Remove the marker after a clean exit, unless the store is suspect."""
    with suppress(OSError):
        if _marker(store).read_text() == _IN_USE:
            _marker(store).unlink()


def _marker(store: Path) -> Path:
    return store.with_name(f"{store.name}-in-use")
