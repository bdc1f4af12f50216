"""Bytes brought into a file for certain: begun in the ledger, written, finished in the ledger.

Whoever comes after a crash settles it first: the ledger and the end of the file say together what happened.
"""

import hashlib
import os
from contextlib import suppress
from enum import StrEnum
from pathlib import Path
from typing import Any

from scheduler.connections.connectors.table.ledger import Addition, Ledger
from scheduler.connections.disk import explained, kept, sync_folder, write_all, write_part


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


def append_bytes(place: Path, payload: bytes, key: str, result: Any, ledger: Ledger) -> None:
    """Add them at the end of the file, which is made if need be."""
    descriptor = os.open(place, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o666)
    try:
        size = os.fstat(descriptor).st_size
        ledger.begin(Addition(key=key, result=result, size=size, payload=payload))
        try:
            write_all(descriptor, payload)
        except OSError:
            with kept(str(place)):
                os.ftruncate(descriptor, size)
                os.fsync(descriptor)
            ledger.forget(key)
            raise
        with kept(str(place)):
            os.fsync(descriptor)
            if size == 0:
                sync_folder(place.parent)
            ledger.finish(key)
    finally:
        os.close(descriptor)


def replace_content(place: Path, content: bytes, key: str, result: Any, ledger: Ledger) -> None:
    """Put a new content in place of the old, in one step."""
    part = beside(place, "part")
    ledger.begin(Addition(key=key, result=result, old=_digest(place.read_bytes()), new=_digest(content)))
    try:
        write_part(part, content, place)
    except OSError:
        ledger.forget(key)
        raise
    with explained(str(place), perhaps_done=True):
        part.replace(place)
    with kept(str(place)):
        sync_folder(place.parent)
        ledger.finish(key)


def settle(place: Path, ledger: Ledger) -> None:
    """Find out about an addition whose writer was interrupted, and leave the file without half of it."""
    beside(place, "part").unlink(missing_ok=True)
    addition = ledger.unfinished()
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


def _trace(place: Path, addition: Addition) -> Trace:
    if addition.size is None:
        digest = _digest(place.read_bytes()) if place.exists() else ""
        return {addition.new: Trace.WHOLE, addition.old: Trace.NONE}.get(digest, Trace.UNKNOWN)
    size = place.stat().st_size if place.exists() else 0
    if size < addition.size:
        return Trace.UNKNOWN
    end = b""
    if size > addition.size:
        with place.open("rb") as file:
            file.seek(addition.size)
            end = file.read()
    if end.startswith(addition.payload):
        return Trace.WHOLE
    # After a power cut a file may be longer than what reached the disk; the rest reads as zeros.
    return Trace.NONE if addition.payload.startswith(end.rstrip(b"\0")) else Trace.UNKNOWN


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
