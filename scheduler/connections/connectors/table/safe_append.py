"""Bytes brought into a file for certain: begun in the ledger, written, finished in the ledger.

Whoever comes after a crash settles it first: the ledger and the end of the file say together what happened.
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
from scheduler.connections.disk import exchange, explained, kept, sync_folder, write_all, write_part
from scheduler.rules.failures import FailureClass


class Trace(StrEnum):
    """What a file shows of an addition that was begun."""

    WHOLE = "whole"
    NONE = "none"
    """Nothing, or the beginning of it at the end of the file."""
    UNKNOWN = "unknown"
    """Something else changed the file since."""


def beside(place: Path, what: str) -> Path:
    """A hidden file that belongs to this one."""
    return place.with_name(f".{place.name}.dayhand-{what}")


@dataclass(frozen=True, slots=True)
class Version:
    """A file as it was at one moment; another one means that somebody else changed or replaced it."""

    inode: int
    size: int
    modified: int

    @classmethod
    def of(cls, file: Path | int) -> Self | None:
        """None if it is not there."""
        try:
            facts = os.stat(file)  # noqa: PTH116  a path or a descriptor
        except FileNotFoundError:
            return None
        return cls(facts.st_ino, facts.st_size, facts.st_mtime_ns)


def changed_while_added(place: Path) -> ToolFailedError:
    sentence = f"{place} was changed by something else while rows were added. Look whether they are in it."
    return ToolFailedError.because(FailureClass.UNSURE, sentence)


def require(place: Path, seen: Version | None) -> None:
    """The file is still as it was seen."""
    if seen != Version.of(place):
        raise _changed_before(place)


def _changed_before(place: Path) -> ToolFailedError:
    sentence = f"{place} was changed by something else just now, so nothing was done."
    return ToolFailedError.because(FailureClass.TRANSIENT, sentence)


def append_bytes(place: Path, payload: bytes, key: str, result: Any, ledger: Ledger, seen: Version | None) -> None:
    """Add them at the end of the file as it was seen; one that was not there is made."""
    flags = os.O_WRONLY | os.O_APPEND | os.O_NOFOLLOW | os.O_NONBLOCK
    try:
        descriptor = os.open(place, flags | (os.O_CREAT | os.O_EXCL if seen is None else 0), 0o666)
    except (FileExistsError, FileNotFoundError) as error:
        raise _changed_before(place) from error
    try:
        now = Version.of(descriptor)
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
            if seen is None and ledger.state(key) is None:  # made for rows that did not come
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
        with kept(str(place)):
            os.ftruncate(descriptor, addition.size)
            os.fsync(descriptor)
        ledger.forget(addition.key)
        raise


def _finish(descriptor: int, place: Path, addition: Addition, ledger: Ledger) -> None:
    with kept(str(place)):
        os.fsync(descriptor)
        if addition.size == 0:
            sync_folder(place.parent)
        after = Version.of(place)
        if after is None or after.inode != addition.inode:  # saved by another program: what it put there lacks the rows
            ledger.give_up(addition.key)
            raise changed_while_added(place)
        ledger.finish(addition.key)


def replace_content(place: Path, content: bytes, key: str, result: Any, ledger: Ledger, seen: Version | None) -> None:
    """Put a new content in place of the old as it was seen, in one step."""
    part, old = beside(place, "part"), place.read_bytes()
    require(place, seen)
    ledger.begin(Addition(key=key, result=result, old=_digest(old), new=_digest(content)))
    try:
        write_part(part, content, place)
    except OSError:
        ledger.forget(key)
        raise
    try:
        with explained(str(place), perhaps_done=True):
            swapped = _swap(part, place, seen)
    except ToolFailedError as error:
        if error.failure.kind is not FailureClass.UNSURE:
            part.unlink(missing_ok=True)
            ledger.forget(key)
        raise
    if swapped:
        _look_at_the_old(part, place, old, key, ledger)
    with kept(str(place)):
        sync_folder(place.parent)
        ledger.finish(key)


def _swap(part: Path, place: Path, seen: Version | None) -> bool:
    """Give the part its name; False where this disk cannot swap two files, so that the old one is gone already."""
    if exchange(part, place):
        return True
    require(place, seen)  # the moment between this look and the step is as short as can be
    part.replace(place)
    return False


def _look_at_the_old(part: Path, place: Path, old: bytes, key: str, ledger: Ledger) -> None:
    """What was replaced is what was read; else another program was quicker, and gets its file back."""
    with kept(str(place)):
        if part.read_bytes() != old:
            exchange(part, place)
            part.unlink()
            ledger.forget(key)
            raise _changed_before(place)
        part.unlink()


def settle(place: Path, ledger: Ledger) -> None:
    """Find out about an addition whose writer was interrupted, and leave the file without half of it."""
    addition, part = ledger.unfinished(), beside(place, "part")
    if addition is not None and _took_another(part, place, addition):
        exchange(part, place)  # killed before another program got its file back
        ledger.forget(addition.key)
        addition = None
    part.unlink(missing_ok=True)
    if addition is None:
        return
    match _trace(place, addition):
        case Trace.WHOLE:
            with suppress(FileNotFoundError), place.open("rb") as file:
                os.fsync(file.fileno())
            sync_folder(place.parent)
            ledger.finish(addition.key)
        case Trace.NONE:
            if addition.size is not None and place.exists():
                with place.open("r+b") as file:
                    file.truncate(addition.size)
                    os.fsync(file.fileno())
            ledger.forget(addition.key)
        case Trace.UNKNOWN:
            ledger.give_up(addition.key)


def _took_another(part: Path, place: Path, addition: Addition) -> bool:
    """Whether the new content replaced another one than that which it was made from."""
    if addition.size is not None or not part.exists() or not place.exists():
        return False
    is_ours = _digest(part.read_bytes()) in (addition.old, addition.new)
    return not is_ours and _digest(place.read_bytes()) == addition.new


def _trace(place: Path, addition: Addition) -> Trace:
    if addition.size is None:
        digest = _digest(place.read_bytes()) if place.exists() else ""
        return {addition.new: Trace.WHOLE, addition.old: Trace.NONE}.get(digest, Trace.UNKNOWN)
    now = Version.of(place)
    size, end = 0 if now is None else now.size, b""
    if size < addition.size:
        return Trace.UNKNOWN
    if size > addition.size:
        with place.open("rb") as file:
            file.seek(addition.size)
            end = file.read()
    if end.startswith(addition.payload):
        return Trace.WHOLE
    if addition.inode is not None and (now is None or now.inode != addition.inode):
        return Trace.UNKNOWN
    if not end and now is not None and addition.modified not in (None, now.modified):
        return Trace.UNKNOWN  # the rows came and were deleted again, or never came
    # After a power cut a file may be longer than what reached the disk; the rest reads as zeros.
    return Trace.NONE if addition.payload.startswith(end.rstrip(b"\0")) else Trace.UNKNOWN


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
