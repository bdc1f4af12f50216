"""Where the socket of a data folder is: inside it, or in a private folder under /tmp if the path is too long."""

import hashlib
import os
import socket
import stat
from pathlib import Path

_MAX_PATH_BYTES = 100
"""Of a socket, on every system."""


class NotPrivateError(Exception):
    """Other users have access to the folder of the socket."""

    def __init__(self, folder: Path) -> None:
        super().__init__(f"Other users have access to {folder}, so it cannot be used for commands. Remove it.")


def candidate_paths(folder: Path) -> list[Path]:
    """Where the socket may be, in order of preference; the same for the app and its clients.

    Empty without Unix sockets.
    """
    if not hasattr(socket, "AF_UNIX"):
        return []
    whole = folder.resolve()
    name = hashlib.sha256(os.fsencode(whole)).hexdigest()[:16]
    inside = whole / "control" / "socket"
    elsewhere = Path("/tmp") / f"dayhand-{os.getuid()}" / name  # noqa: S108  made private before it is used
    return [place for place in (inside, elsewhere) if len(os.fsencode(place)) <= _MAX_PATH_BYTES]


def make_private_dir(folder: Path) -> None:
    """Create the folder, or take access away from other users; NotPrivateError if that is not possible."""
    folder.mkdir(mode=0o700, exist_ok=True)
    status = os.lstat(folder)
    if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.getuid():
        raise NotPrivateError(folder)
    if status.st_mode & 0o077:
        folder.chmod(0o700)
        if os.lstat(folder).st_mode & 0o077:
            raise NotPrivateError(folder)
