"""How the keyring entries of one data folder are called: each folder has its own, whatever its connections are called.

A folder is known by an identity in its store, so one that is moved keeps its entries. A copy of a folder has the same
identity, and so the same entries: disconnecting in one disconnects in both. An import gives a folder a new one.
"""

from dataclasses import dataclass

SERVICE = "dayhand"


@dataclass(frozen=True, slots=True, kw_only=True)
class Entries:
    identity: str = ""
    """Empty where there is none yet: then entries are called as they were before there were identities."""
    inherited: frozenset[str] = frozenset()
    """Connections from before there were identities, whose old entries are taken over when they are first read."""
    owns_old: bool = False
    """Whether old entries are this folder's: it moves what it takes over. Other folders take a copy."""

    def name(self, connection: str) -> str:
        return f"{connection} ({self.identity})" if self.identity else connection

    def old_name(self, connection: str) -> str | None:
        """Where what this connection had before may be."""
        return connection if self.identity and connection in self.inherited else None
