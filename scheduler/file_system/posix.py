"""File operations on Linux and macOS."""

import ctypes
import errno
import fcntl
import os
import stat
from pathlib import Path
from typing import Self

from scheduler.user_text import UserText

_RENAME_NOREPLACE, _RENAME_EXCHANGE = 1, 2
_CURRENT_DIRECTORY = -100
_UNSUPPORTED = (errno.ENOSYS, errno.EINVAL, errno.ENOTSUP)


def find_name_mistake(_name: str) -> UserText | None:
    """Why this cannot be the name of a file, as the end of a sentence; None if it can."""
    return None


def open_no_follow(path: str | Path, flags: int, mode: int = 0o666) -> int:
    """Without blocking on a pipe, and without following a link: links are resolved by the caller."""
    return os.open(path, flags | os.O_NONBLOCK | os.O_NOFOLLOW, mode)


def copy_permissions(descriptor: int, like: Path) -> None:
    """Give an open file the permissions of another."""
    os.fchmod(descriptor, stat.S_IMODE(os.stat(like).st_mode))  # noqa: PTH116  next to os.fchmod


def rename_to_new(source: Path, target: Path) -> None:
    """Rename atomically; FileExistsError if the target exists, even if another program just created it."""
    if _rename(source, target, _RENAME_NOREPLACE):
        return
    if os.path.lexists(target):
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(target))
    source.rename(target)


def swap_files(one: Path, other: Path) -> bool:
    """Swap two files atomically; False if the disk or the system does not support it."""
    return _rename(one, other, _RENAME_EXCHANGE)


def _rename(source: Path, target: Path, flags: int) -> bool:
    rename = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)
    if rename is None:
        return False
    if rename(_CURRENT_DIRECTORY, os.fsencode(source), _CURRENT_DIRECTORY, os.fsencode(target), flags) == 0:
        return True
    code = ctypes.get_errno()
    if code in _UNSUPPORTED:
        return False
    raise OSError(code, os.strerror(code), str(source))


def sync_file(place: Path) -> None:
    """Make the content of a file survive a power cut."""
    descriptor = os.open(place, os.O_RDONLY | os.O_NOFOLLOW)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def sync_folder(folder: Path) -> None:
    """Make added, renamed and removed names survive a power cut."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno != errno.EINVAL:  # not supported by this file system
            raise
    finally:
        os.close(descriptor)


def try_lock(descriptor: int) -> bool:
    """Lock an open file; return whether the lock was acquired."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


class OpenFolder:
    """A folder that is open: paths through it cannot be redirected by a link that replaces it or its parents."""

    def __init__(self, path: str | Path, parent: int | None = None) -> None:
        """OSError if it is a link."""
        self._descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=parent)

    def close(self) -> None:
        os.close(self._descriptor)

    def enter(self, name: str) -> Self:
        """Open a folder in it."""
        return type(self)(name, self._descriptor)

    def make(self, name: str) -> None:
        """Create a folder in it; FileExistsError if there is one."""
        os.mkdir(name, dir_fd=self._descriptor)

    def sync(self) -> None:
        """As `sync_folder`."""
        os.fsync(self._descriptor)

    def remove(self, name: str) -> None:
        """Remove an empty folder in it that is not open."""
        os.rmdir(name, dir_fd=self._descriptor)

    def path_of(self, name: str) -> Path:
        """A path of what has that name in it, valid while this is open."""
        return Path(f"/proc/self/fd/{self._descriptor}") / name
