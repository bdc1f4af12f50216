"""Names of keyring entries, separate for each data folder, and the lock on writing one.

An identity in the folder's store names its entries, so a moved folder keeps them. A copy shares the identity and so the
entries: disconnecting in one disconnects in both. An import gives a folder a new identity.
"""

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from platformdirs import user_cache_path

from scheduler.connections.safe_files import locked
from scheduler.user_text import UserText

SERVICE = "dayhand"
_LOCK_TIMEOUT_S = 60.0
"""Longer than a token refresh and the keyring take together."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyringEntries:
    identity: str = ""
    """Empty if there is none yet: then entries use the names from before identities existed."""
    inherited: frozenset[str] = frozenset()
    """Connections from before identities existed; their old entries are taken over when first read."""
    owns_old: bool = False
    """Whether the old entries belong to this folder, which then moves them. Other folders copy them."""

    def entry_name(self, connection: str) -> str:
        return f"{connection} ({self.identity})" if self.identity else connection

    def old_entry_name(self, connection: str) -> str | None:
        """The name from before identities existed, if the connection is that old."""
        return connection if self.identity and connection in self.inherited else None


@contextmanager
def lock_entry(entry: str, connection: str) -> Iterator[None]:
    """Exclude all other processes of the user; ToolFailedError on timeout. Not reentrant."""
    folder = user_cache_path("dayhand", appauthor=False) / "locks"
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    name = hashlib.sha256(f"{SERVICE}\0{entry}".encode()).hexdigest()[:32]
    with locked(folder / name, _LOCK_TIMEOUT_S, UserText("the login of {connection}", connection=connection)):
        yield
