"""Errors of the store, worded for the user."""

import errno
import sqlite3
from pathlib import Path

from scheduler.user_text import UserText


class StoreError(Exception):
    """The store cannot be used; the message says what happened and what to do."""


class StaleError(StoreError):
    """A row was not in the expected state; nothing was written."""


class StoreClosedError(StoreError):
    def __init__(self) -> None:
        super().__init__(UserText("Dayhand is closing, so nothing more is read or saved."))


class NewerStoreError(StoreError):
    def __init__(self, found: int, known: int) -> None:
        super().__init__(
            UserText(
                "Your data was written by a newer Dayhand (format {found}; this one knows up to {known}). "
                "Nothing was changed. Install the newer version again, or start with another data folder.",
                found=found,
                known=known,
            )
        )


class OlderStoreError(StoreError):
    def __init__(self) -> None:
        super().__init__(
            UserText("Your data was written by an older Dayhand. Start the app once to bring it up to date.")
        )


class MigrationError(StoreError):
    def __init__(self, step: int, cause: str) -> None:
        super().__init__(
            UserText(
                "Your data could not be brought up to date (step {step}: {cause}). Nothing was changed, "
                "and the version you had before still works. Please report this.",
                step=step,
                cause=cause,
            )
        )


class NoBackupError(StoreError):
    def __init__(self, folder: Path) -> None:
        super().__init__(UserText("There is no readable backup in {folder}, so nothing was changed.", folder=folder))


class StoreBusyError(StoreError):
    def __init__(self, path: Path) -> None:
        super().__init__(
            UserText("Another program has locked {path}, so nothing was saved. Close it, then try again.", path=path)
        )


class DiskFullError(StoreError):
    def __init__(self, path: Path) -> None:
        super().__init__(UserText("The disk of {path} is full, so nothing was saved. Free some space.", path=path))


class StoreForbiddenError(StoreError):
    def __init__(self, path: Path) -> None:
        super().__init__(
            UserText("{path} cannot be opened or changed. Check the permissions of the file and its folder.", path=path)
        )


class DiskFailedError(StoreError):
    def __init__(self, path: Path, cause: str) -> None:
        super().__init__(
            UserText(
                "The disk could not read or write {path} ({cause}). Check the disk, then start Dayhand again.",
                path=path,
                cause=cause,
            )
        )


class StoreDamagedError(StoreError):
    def __init__(self, path: Path) -> None:
        super().__init__(
            UserText(
                "{path} is damaged. Quit Dayhand and start it again: it sets the file aside and offers the "
                "last backup.",
                path=path,
            )
        )


class StoreGoneError(StoreError):
    def __init__(self, path: Path) -> None:
        super().__init__(
            UserText(
                "{path}, or a file beside it, was deleted or replaced while Dayhand was using it, so "
                "nothing is saved. Put it back, or quit Dayhand and start it again: it offers the last "
                "backup.",
                path=path,
            )
        )


def to_store_error(error: sqlite3.Error | OSError | UnicodeDecodeError, path: Path) -> StoreError | None:
    """The error to show to the user, or None if it is a bug of ours."""
    if isinstance(error, UnicodeDecodeError):
        return StoreDamagedError(path)  # sqlite3 quoted a schema that is not text
    if isinstance(error, OSError):
        return _explain_system(error, path if error.filename is None else Path(error.filename))
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_OK)
    if code == sqlite3.SQLITE_BUSY_SNAPSHOT:
        return None  # this thread writes while it still reads an older snapshot
    match code & 0xFF:
        case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED | sqlite3.SQLITE_PROTOCOL:
            return StoreBusyError(path)
        case sqlite3.SQLITE_FULL:
            return DiskFullError(path)
        case sqlite3.SQLITE_READONLY | sqlite3.SQLITE_CANTOPEN | sqlite3.SQLITE_PERM | sqlite3.SQLITE_AUTH:
            return StoreForbiddenError(path)
        case sqlite3.SQLITE_IOERR:
            return DiskFailedError(path, str(error))
        case sqlite3.SQLITE_CORRUPT | sqlite3.SQLITE_NOTADB:
            return StoreDamagedError(path)
    return None


def _explain_system(error: OSError, path: Path) -> StoreError:
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return DiskFullError(path)
    if isinstance(error, PermissionError | FileExistsError | NotADirectoryError) or error.errno == errno.EROFS:
        return StoreForbiddenError(path)
    return DiskFailedError(path, error.strerror or str(error))
