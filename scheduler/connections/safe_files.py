"""Files that are whole or not there, and what an error of the disk means for a call."""

import ctypes
import errno
import os
import sqlite3
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from scheduler.connections.connector import ToolFailedError
from scheduler.rules.failures import FailureClass

_NO_REPLACE, _EXCHANGE = 1, 2
_HERE = -100
_NOT_OFFERED = (errno.ENOSYS, errno.EINVAL, errno.ENOTSUP)
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_MISTAKES = {
    errno.ENOENT: "is not there",
    errno.EEXIST: "is there already",
    errno.EISDIR: "is a folder",
    errno.ENOTDIR: "is below something that is not a folder",
    errno.ENOTEMPTY: "is a folder that is not empty",
    errno.ENAMETOOLONG: "has a name that is too long",
    errno.ELOOP: "is a link that leads to itself",
    errno.EXDEV: "cannot be moved to another disk",
    errno.EILSEQ: "has a name that this disk cannot write",
    errno.EINVAL: "cannot be put there",
}


def explain(error: OSError, what: str, *, perhaps_done: bool = False) -> ToolFailedError:
    """The failure behind an error of the disk; `perhaps_done` where a disk that failed may still have done it."""
    fail = ToolFailedError.because
    if error.errno in _MISTAKES:
        return fail(FailureClass.LOGIC, f"{what} {_MISTAKES[error.errno]}.")
    if isinstance(error, PermissionError) or error.errno == errno.EROFS:
        return fail(FailureClass.PERMISSION, f"{what} cannot be read or changed. Allow it in its permissions.")
    if error.errno in _FULL:
        return fail(FailureClass.TRANSIENT, f"There is no room left on the disk of {what}. Free some space.")
    cause = error.strerror or str(error)
    if perhaps_done:
        return fail(FailureClass.UNSURE, f"The disk failed ({cause}) while {what} was written. Look whether it was.")
    return fail(FailureClass.TRANSIENT, f"The disk could not read or write {what} ({cause}).")


@contextmanager
def explained(what: str, *, perhaps_done: bool = False) -> Iterator[None]:
    """Errors of the disk inside become failures of the tool."""
    try:
        yield
    except OSError as error:
        raise explain(error, what, perhaps_done=perhaps_done) from error


@contextmanager
def kept(what: str) -> Iterator[None]:
    """For what comes after the point of no return: an error leaves open whether a power cut would undo it."""
    try:
        yield
    except (OSError, sqlite3.Error) as error:
        sentence = f"The disk did not confirm that {what} is kept ({error}). Look whether it is."
        raise ToolFailedError.because(FailureClass.UNSURE, sentence) from error


def open_without_waiting(path: str, flags: int) -> int:
    """A pipe would keep us until somebody writes into it; a link was followed before, or was not there."""
    return os.open(path, flags | os.O_NONBLOCK | os.O_NOFOLLOW)


def write_part(part: Path, content: bytes, like: Path) -> None:
    """Write a new file beside its target, down to the disk, with the permissions that `like` has if it exists."""
    descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o666)
    try:
        with suppress(FileNotFoundError):
            os.fchmod(descriptor, stat.S_IMODE(os.stat(like).st_mode))  # noqa: PTH116  beside its sibling
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
    """Rename in one step; FileExistsError if the target is there, also when another program was quicker."""
    if _rename(source, target, _NO_REPLACE):
        return
    if is_there(target):
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(target))
    source.rename(target)


def exchange(one: Path, other: Path) -> bool:
    """Let two files swap their names in one step; False where the disk or the system cannot."""
    return _rename(one, other, _EXCHANGE)


def _rename(source: Path, target: Path, how: int) -> bool:
    rename = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)
    if rename is None:
        return False
    if rename(_HERE, os.fsencode(source), _HERE, os.fsencode(target), how) == 0:
        return True
    code = ctypes.get_errno()
    if code in _NOT_OFFERED:
        return False
    raise OSError(code, os.strerror(code), str(source))


def is_there(place: Path) -> bool:
    """Whether something has that name, if only a link to nowhere; an error is no answer."""
    try:
        place.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return False
    return True


def make_folders(folder: Path) -> None:
    """Make the folder and those above it, as far as they are missing, for good."""
    missing = [place for place in (folder, *folder.parents) if not place.exists()]
    for place in reversed(missing):
        place.mkdir(exist_ok=True)
        sync_folder(place.parent)


def sync_file(place: Path) -> None:
    """Make what is in a file survive a power cut."""
    descriptor = os.open(place, os.O_RDONLY | os.O_NOFOLLOW)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def sync_folder(folder: Path) -> None:
    """Make names that were added, changed or removed survive a power cut."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno != errno.EINVAL:  # this file system has no such thing
            raise
    finally:
        os.close(descriptor)
