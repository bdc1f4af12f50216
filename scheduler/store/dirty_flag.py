"""A small file beside the store that says whether the store must be checked before it is used again."""

import os
from contextlib import suppress
from pathlib import Path

_IN_USE = "in use"
_SUSPECT = "suspect"


def put(store: Path) -> None:
    """The store is about to be used; until `lift`, every end is an unclean one."""
    _marker(store).touch(mode=0o600)
    with _marker(store).open("w") as file:
        file.write(_IN_USE)
        file.flush()
        os.fsync(file.fileno())


def is_there(store: Path) -> bool:
    return _marker(store).exists()


def suspect(store: Path) -> None:
    """Trouble was seen while the store was in use: even a clean end does not lift the marker."""
    with suppress(OSError):
        if is_there(store):
            _marker(store).write_text(_SUSPECT)


def lift(store: Path) -> None:
    """The store was left as it should be."""
    with suppress(OSError):
        if _marker(store).read_text() == _IN_USE:
            _marker(store).unlink()


def _marker(store: Path) -> Path:
    return store.with_name(f"{store.name}-in-use")
