"""Appends to a file safely: recorded in the ledger as begun, written, recorded as done.

After a crash, the next access first resolves the interrupted addition from the ledger and the end of the file.
"""

import hashlib
import os
import sqlite3
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any, Self

from scheduler.connections.connector import ToolFailedError
from scheduler.connections.connectors.table.ledger import Addition, Ledger
from scheduler.connections.safe_files import confirming_save, converting_disk_errors, write_all, write_part
from scheduler.file_system import open_no_follow, swap_files, sync_file, sync_folder
from scheduler.rules.failures import FailureClass
from scheduler.user_text import UserText


class AdditionTrace(StrEnum):
    """How much of an addition is in the file."""

    WHOLE = "whole"
    NONE = "none"
    """Nothing, or only its beginning at the end of the file."""
    UNKNOWN = "unknown"
    """Another program changed the file since."""


def sidecar_path(place: Path, what: str) -> Path:
    """A hidden file next to this one."""
    return place.with_name(f".{place.name}.dayhand-{what}")


@dataclass(frozen=True, slots=True)
class FileVersion:
    """The state of a file; another version means that another program changed or replaced it."""

    inode: int
    size: int
    modified: int

    @classmethod
    def of(cls, file: Path | int) -> Self | None:
        """None if it does not exist."""
        try:
            facts = os.stat(file)  # noqa: PTH116  a path or a descriptor
        except FileNotFoundError:
            return None
        return cls(facts.st_ino, facts.st_size, facts.st_mtime_ns)


def changed_while_adding_error(place: Path) -> ToolFailedError:
    sentence = UserText(
        "{place} was changed by another program while rows were added. Check whether they are in it.", place=place
    )
    return ToolFailedError.because(FailureClass.UNSURE, sentence)


def require_unchanged(place: Path, seen: FileVersion | None) -> None:
    """Refuse to act unless the file is unchanged."""
    if seen != FileVersion.of(place):
        raise _changed_before(place)


def _changed_before(place: Path) -> ToolFailedError:
    sentence = UserText("{place} was just changed by another program, so nothing was done.", place=place)
    return ToolFailedError.because(FailureClass.TRANSIENT, sentence)


def append_bytes(place: Path, payload: bytes, key: str, result: Any, ledger: Ledger, seen: FileVersion | None) -> None:
    """Append to the file if it is still the version `seen`; create it if there was none."""
    flags = os.O_WRONLY | os.O_APPEND | (os.O_CREAT | os.O_EXCL if seen is None else 0)
    try:
        descriptor = open_no_follow(place, flags)
    except (FileExistsError, FileNotFoundError) as error:
        raise _changed_before(place) from error
    try:
        now = FileVersion.of(descriptor)
        assert now is not None
        if seen not in (None, now):
            raise _changed_before(place)
        addition = Addition(
            key=key, result=result, payload=payload, size=now.size, inode=now.inode, modified=now.modified
        )
        try:
            ledger.begin(addition)
            _write(descriptor, place, addition, ledger)
        except (OSError, sqlite3.Error):
            if seen is None and ledger.find_state(key) is None:  # created for rows that were not written
                place.unlink(missing_ok=True)
            raise
        _finish(descriptor, place, addition, ledger)
    finally:
        os.close(descriptor)


def _write(descriptor: int, place: Path, addition: Addition, ledger: Ledger) -> None:
    assert addition.size is not None
    try:
        write_all(descriptor, addition.payload)
    except OSError:
        with confirming_save(str(place)):
            os.ftruncate(descriptor, addition.size)
            os.fsync(descriptor)
        ledger.remove(addition.key)
        raise


def _finish(descriptor: int, place: Path, addition: Addition, ledger: Ledger) -> None:
    with confirming_save(str(place)):
        os.fsync(descriptor)
        if addition.size == 0:
            sync_folder(place.parent)
        after = FileVersion.of(place)
        if after is None or after.inode != addition.inode:  # replaced by another program, without the rows
            ledger.mark_unknown(addition.key)
            raise changed_while_adding_error(place)
        ledger.finish(addition.key)


def replace_content(
    place: Path, content: bytes, key: str, result: Any, ledger: Ledger, seen: FileVersion | None
) -> None:
    """Replace the content in one step if the file is still the version `seen`."""
    part, old = sidecar_path(place, "part"), place.read_bytes()
    require_unchanged(place, seen)
    ledger.begin(Addition(key=key, result=result, old=_digest(old), new=_digest(content)))
    try:
        write_part(part, content, place)
    except OSError:
        ledger.remove(key)
        raise
    try:
        with converting_disk_errors(str(place), perhaps_done=True):
            swapped = _swap(part, place, seen)
    except ToolFailedError as error:
        if error.failure.kind is not FailureClass.UNSURE:
            part.unlink(missing_ok=True)
            ledger.remove(key)
        raise
    if swapped:
        _verify_replaced(part, place, old, key, ledger)
    with confirming_save(str(place)):
        sync_folder(place.parent)
        ledger.finish(key)


def _swap(part: Path, place: Path, seen: FileVersion | None) -> bool:
    """Put the part in place; False if this disk cannot swap files, so that the old one is already gone."""
    if swap_files(part, place):
        return True
    require_unchanged(place, seen)  # keep the race as short as possible
    part.replace(place)
    return False


def _verify_replaced(part: Path, place: Path, old: bytes, key: str, ledger: Ledger) -> None:
    """If another program replaced the file first, give it its file back."""
    with confirming_save(str(place)):
        if part.read_bytes() != old:
            swap_files(part, place)
            part.unlink()
            ledger.remove(key)
            raise _changed_before(place)
        part.unlink()


def recover(place: Path, ledger: Ledger) -> None:
    """Resolve an interrupted addition, and remove it if it is incomplete."""
    addition, part = ledger.find_unfinished(), sidecar_path(place, "part")
    if addition is not None and _replaced_another(part, place, addition):
        swap_files(part, place)  # killed before the other program's file was put back
        ledger.remove(addition.key)
        addition = None
    part.unlink(missing_ok=True)
    if addition is None:
        return
    match _trace(place, addition):
        case AdditionTrace.WHOLE:
            with suppress(FileNotFoundError):
                sync_file(place)
            sync_folder(place.parent)
            ledger.finish(addition.key)
        case AdditionTrace.NONE:
            if addition.size is not None and place.exists():
                with place.open("r+b") as file:
                    file.truncate(addition.size)
                    os.fsync(file.fileno())
            ledger.remove(addition.key)
        case AdditionTrace.UNKNOWN:
            ledger.mark_unknown(addition.key)


def _replaced_another(part: Path, place: Path, addition: Addition) -> bool:
    """Whether the new content replaced a file other than the one it was made from."""
    if addition.size is not None or not part.exists() or not place.exists():
        return False
    is_ours = _digest(part.read_bytes()) in (addition.old, addition.new)
    return not is_ours and _digest(place.read_bytes()) == addition.new


def _trace(place: Path, addition: Addition) -> AdditionTrace:
    if addition.size is None:
        digest = _digest(place.read_bytes()) if place.exists() else ""
        return {addition.new: AdditionTrace.WHOLE, addition.old: AdditionTrace.NONE}.get(digest, AdditionTrace.UNKNOWN)
    now = FileVersion.of(place)
    size, end = 0 if now is None else now.size, b""
    if size < addition.size:
        return AdditionTrace.UNKNOWN
    if size > addition.size:
        with place.open("rb") as file:
            file.seek(addition.size)
            end = file.read()
    if end.startswith(addition.payload):
        return AdditionTrace.WHOLE
    if addition.inode is not None and (now is None or now.inode != addition.inode):
        return AdditionTrace.UNKNOWN
    if not end and now is not None and addition.modified not in (None, now.modified):
        return AdditionTrace.UNKNOWN  # the rows were added and deleted again, or never added
    # After a power cut a file may be longer than the data on the disk; the rest reads as zeros.
    return AdditionTrace.NONE if addition.payload.startswith(end.rstrip(b"\0")) else AdditionTrace.UNKNOWN


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
