"""One writer for each keyring entry, among all processes of the user: whoever renews a login is seen by the others."""

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager

from platformdirs import user_cache_path

from scheduler.connections.entries import SERVICE
from scheduler.connections.locks import locked

_PATIENCE_S = 60.0
"""Longer than a renewal and the keyring may take together."""


@contextmanager
def only_writer(entry: str, connection: str) -> Iterator[None]:
    """ToolFailedError if somebody else takes too long with it. Not for one who has it already."""
    folder = user_cache_path("dayhand", appauthor=False) / "locks"
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    name = hashlib.sha256(f"{SERVICE}\0{entry}".encode()).hexdigest()[:32]
    with locked(folder / name, _PATIENCE_S, f"the login of {connection}"):
        yield
