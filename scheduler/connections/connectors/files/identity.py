"""Identifies a file, to distinguish the one that the user approved from another with the same name.

The device number is left out because it changes when a disk is mounted again, and ctime because every backup with hard
links changes it.
"""

import errno
import hashlib
import os
import stat
from enum import StrEnum
from pathlib import Path
from typing import Any

from scheduler.file_system import open_no_follow

_MAX_HASHED_BYTES = 1 << 20
"""A larger file is identified by inode, size and modification time in nanoseconds."""


class FileMatch(StrEnum):
    """How the file that has a name now compares to the one that had it before."""

    SAME = "same"
    ALIKE = "alike"
    """Only the inode differs: an exact copy, or the same file on a disk that renumbers when mounted."""
    OTHER = "other"


def identify(place: Path) -> dict[str, Any] | None:
    """The identity of a path as JSON, without following links; None if nothing is there. Never blocks on a pipe."""
    try:
        facts = place.lstat()
        if stat.S_ISREG(facts.st_mode):
            return _identify_file(place, facts)
        if stat.S_ISLNK(facts.st_mode):
            return {**_describe("link", facts), "leads_to": os.fsencode(place.readlink()).decode(errors="replace")}
    except (FileNotFoundError, NotADirectoryError):
        return None
    if stat.S_ISDIR(facts.st_mode):
        return {"kind": "folder", "inode": facts.st_ino}  # new content does not make it another folder
    return _describe("special", facts)


def compare(before: dict[str, Any] | None, now: dict[str, Any] | None) -> FileMatch:
    if before == now:
        return FileMatch.SAME
    if before is None or now is None:
        return FileMatch.OTHER
    return FileMatch.ALIKE if {**before, "inode": 0} == {**now, "inode": 0} else FileMatch.OTHER


def _identify_file(place: Path, facts: os.stat_result) -> dict[str, Any]:
    if facts.st_size > _MAX_HASHED_BYTES:
        return _describe("file", facts)
    try:
        descriptor = open_no_follow(place, os.O_RDONLY)
    except PermissionError:  # an unreadable file can still be deleted
        return _describe("file", facts)
    except OSError as error:
        if error.errno != errno.ELOOP:  # it was just replaced by a link
            raise
        return _describe("link", place.lstat())
    try:
        facts = os.fstat(descriptor)
        if not stat.S_ISREG(facts.st_mode) or facts.st_size > _MAX_HASHED_BYTES:
            return _describe("file" if stat.S_ISREG(facts.st_mode) else "special", facts)
        content = b""
        while part := os.read(descriptor, _MAX_HASHED_BYTES + 1 - len(content)):
            content += part
        return {**_describe("file", facts), "sha256": hashlib.sha256(content).hexdigest()}
    finally:
        os.close(descriptor)


def _describe(kind: str, facts: os.stat_result) -> dict[str, Any]:
    return {"kind": kind, "inode": facts.st_ino, "size": facts.st_size, "modified_ns": facts.st_mtime_ns}
