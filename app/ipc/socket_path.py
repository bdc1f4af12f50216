"""Where the socket of a data folder is: inside it, or in a private folder where its path would be too long."""

import hashlib
import os
import socket
import stat
from pathlib import Path

_LONGEST = 100
"""Bytes that the path of a socket may have, on every system."""


class NotPrivateError(Exception):
    """A folder for the socket is not this user's alone."""

    def __init__(self, folder: Path) -> None:
        super().__init__(f"{folder} is not yours alone, so commands cannot be heard there. Remove it.")


def places(folder: Path) -> list[Path]:
    """Where to look for the socket, the likeliest first. The same for the app and for every command.

    Nowhere on Windows, whose Python has no such sockets: no command reaches the app there yet.
    """
    if not hasattr(socket, "AF_UNIX"):
        return []
    whole = folder.resolve()
    name = hashlib.sha256(os.fsencode(whole)).hexdigest()[:16]
    inside = whole / "control" / "socket"
    elsewhere = Path("/tmp") / f"dayhand-{os.getuid()}" / name  # noqa: S108  made private before it is used
    return [place for place in (inside, elsewhere) if len(os.fsencode(place)) <= _LONGEST]


def make_private(folder: Path) -> None:
    """A folder that nobody else can look into; NotPrivateError if there is one that somebody else can."""
    folder.mkdir(mode=0o700, exist_ok=True)
    facts = os.lstat(folder)
    if not stat.S_ISDIR(facts.st_mode) or facts.st_uid != os.getuid():
        raise NotPrivateError(folder)
    if facts.st_mode & 0o077:
        folder.chmod(0o700)
        if os.lstat(folder).st_mode & 0o077:
            raise NotPrivateError(folder)
