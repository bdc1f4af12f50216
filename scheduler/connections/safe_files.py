"""Atomic, durable file operations, lock files, and disk errors as failures of a tool call."""

import ctypes
import errno
import os
import sqlite3
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from scheduler.connections.connector import ToolFailedError
from scheduler.file_lock import wait_for_lock
from scheduler.rules.failures import FailureClass
from scheduler.user_text import UserText

_RENAME_NOREPLACE, _RENAME_EXCHANGE = 1, 2
_CURRENT_DIRECTORY = -100
_UNSUPPORTED = (errno.ENOSYS, errno.EINVAL, errno.ENOTSUP)
_DISK_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_MISTAKES = {
    errno.ENOENT: UserText("does not exist"),
    errno.EEXIST: UserText("already exists"),
    errno.EISDIR: UserText("is a folder"),
    errno.ENOTDIR: UserText("is inside something that is not a folder"),
    errno.ENOTEMPTY: UserText("is a folder that is not empty"),
    errno.ENAMETOOLONG: UserText("has a name that is too long"),
    errno.ELOOP: UserText("is a link that points to itself"),
    errno.EXDEV: UserText("cannot be moved to another disk"),
    errno.EILSEQ: UserText("has a name that this disk does not support"),
    errno.EINVAL: UserText("cannot be put there"),
}


def disk_failure(error: OSError, what: str, *, perhaps_done: bool = False) -> ToolFailedError:
    """Convert a disk error; `perhaps_done` if the operation may have succeeded anyway."""
    fail = ToolFailedError.because
    if error.errno in _MISTAKES:
        return fail(FailureClass.LOGIC, UserText("{what} {mistake}.", what=what, mistake=_MISTAKES[error.errno]))
    if isinstance(error, PermissionError) or error.errno == errno.EROFS:
        return fail(
            FailureClass.PERMISSION, UserText("{what} cannot be read or changed. Check its permissions.", what=what)
        )
    if error.errno in _DISK_FULL:
        return fail(
            FailureClass.TRANSIENT, UserText("There is no room left on the disk of {what}. Free some space.", what=what)
        )
    cause = error.strerror or str(error)
    if perhaps_done:
        return fail(
            FailureClass.UNSURE,
            UserText(
                "The disk failed ({cause}) while {what} was being written. Check whether it was saved.",
                cause=cause,
                what=what,
            ),
        )
    return fail(
        FailureClass.TRANSIENT, UserText("The disk could not read or write {what} ({cause}).", what=what, cause=cause)
    )


@contextmanager
def converting_disk_errors(what: str, *, perhaps_done: bool = False) -> Iterator[None]:
    """Convert disk errors to tool failures."""
    try:
        yield
    except OSError as error:
        raise disk_failure(error, what, perhaps_done=perhaps_done) from error


@contextmanager
def confirming_save(what: str) -> Iterator[None]:
    """For steps after the point of no return: after an error the change may not survive a power cut."""
    try:
        yield
    except (OSError, sqlite3.Error) as error:
        sentence = UserText(
            "The disk did not confirm that {what} was saved ({error}). Check whether it was.", what=what, error=error
        )
        raise ToolFailedError.because(FailureClass.UNSURE, sentence) from error


def open_nonblocking(path: str, flags: int) -> int:
    """Without blocking on a pipe, and without following a link: links are resolved by the caller."""
    return os.open(path, flags | os.O_NONBLOCK | os.O_NOFOLLOW)


def write_part(part: Path, content: bytes, like: Path) -> None:
    """Write and sync a new file, with the permissions of `like` if that exists."""
    descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o666)
    try:
        with suppress(FileNotFoundError):
            os.fchmod(descriptor, stat.S_IMODE(os.stat(like).st_mode))  # noqa: PTH116  next to os.fchmod
        write_all(descriptor, content)
        os.fsync(descriptor)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
    finally:
        os.close(descriptor)


def write_all(descriptor: int, content: bytes) -> None:
    left = memoryview(content)
    while left:
        left = left[os.write(descriptor, left) :]


def rename_to_new(source: Path, target: Path) -> None:
    """Rename atomically; FileExistsError if the target exists, even if another program just created it."""
    if _rename(source, target, _RENAME_NOREPLACE):
        return
    if path_exists(target):
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


def path_exists(place: Path) -> bool:
    """Whether anything has that name, even a broken link; other errors are raised."""
    try:
        place.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return False
    return True


def make_folders(folder: Path) -> None:
    """Create the folder and its missing parents durably."""
    missing = [place for place in (folder, *folder.parents) if not place.exists()]
    for place in reversed(missing):
        place.mkdir(exist_ok=True)
        sync_folder(place.parent)


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


@contextmanager
def locked(lock: Path, seconds: float, what: str) -> Iterator[None]:
    """Hold the lock file; on timeout, raise ToolFailedError that says that `what` is in use."""
    descriptor = os.open(lock, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o666)
    try:
        if not wait_for_lock(descriptor, seconds):
            raise ToolFailedError.because(
                FailureClass.TRANSIENT, UserText("Something else is using {what}, so nothing was done.", what=what)
            )
        yield
    finally:
        os.close(descriptor)
