"""Atomic, durable file operations, lock files, and disk errors as failures of a tool call."""

import errno
import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from scheduler.connections.connector import ToolFailedError
from scheduler.file_lock import wait_for_lock
from scheduler.file_system import copy_permissions, open_no_follow, sync_folder
from scheduler.rules.failures import FailureClass
from scheduler.user_text import UserText

_DISK_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_IN_USE = (32, 33)
"""Error codes of Windows: another program has the file open, or has locked a part of it."""
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
    if getattr(error, "winerror", None) in _IN_USE:
        return fail(
            FailureClass.TRANSIENT, UserText("{what} is open in another program. Close it there first.", what=what)
        )
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


def write_part(part: Path, content: bytes, like: Path) -> None:
    """Write and sync a new file, with the permissions of `like` if that exists."""
    descriptor = open_no_follow(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL)
    try:
        try:
            with suppress(FileNotFoundError):
                copy_permissions(descriptor, like)
            write_all(descriptor, content)
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


def write_all(descriptor: int, content: bytes) -> None:
    left = memoryview(content)
    while left:
        left = left[os.write(descriptor, left) :]


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


@contextmanager
def locked(lock: Path, seconds: float, what: str) -> Iterator[None]:
    """Hold the lock file; on timeout, raise ToolFailedError that says that `what` is in use."""
    descriptor = open_no_follow(lock, os.O_RDWR | os.O_CREAT)
    try:
        if not wait_for_lock(descriptor, seconds):
            raise ToolFailedError.because(
                FailureClass.TRANSIENT, UserText("Something else is using {what}, so nothing was done.", what=what)
            )
        yield
    finally:
        os.close(descriptor)
