"""Which file a name means: what tells the file that the user was shown from any other under the same name.

The number of the device is left out: it changes when a disk is mounted again, so it would make one file look like two.
The time of the last change of the entry itself (ctime) is left out as well: every backup by hard links changes it.
"""

import errno
import hashlib
import os
import stat
from enum import StrEnum
from pathlib import Path
from typing import Any

_MAX_HASHED_BYTES = 1 << 20
"""What of a larger file tells it from another is its inode, its size and the nanosecond of its last change."""
_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOFOLLOW", 0)


class Match(StrEnum):
    """How what has a name now compares to what had it before."""

    SAME = "same"
    ALIKE = "alike"
    """All is the same but the inode: a faithful copy, or the same file on a disk that numbers anew when mounted."""
    OTHER = "other"


def identify(place: Path) -> dict[str, Any] | None:
    """What has that name, a link as itself, as JSON; None if nothing has. Reads small files, and waits for no pipe."""
    try:
        facts = place.lstat()
        if stat.S_ISREG(facts.st_mode):
            return _identify_file(place, facts)
        if stat.S_ISLNK(facts.st_mode):
            return {**_describe("link", facts), "leads_to": os.fsencode(place.readlink()).decode(errors="replace")}
    except (FileNotFoundError, NotADirectoryError):
        return None
    if stat.S_ISDIR(facts.st_mode):
        return {"kind": "folder", "inode": facts.st_ino}  # what is put into it does not make it another
    return _describe("special", facts)


def compare(before: dict[str, Any] | None, now: dict[str, Any] | None) -> Match:
    if before == now:
        return Match.SAME
    if before is None or now is None:
        return Match.OTHER
    return Match.ALIKE if {**before, "inode": 0} == {**now, "inode": 0} else Match.OTHER


def _identify_file(place: Path, facts: os.stat_result) -> dict[str, Any]:
    if facts.st_size > _MAX_HASHED_BYTES:
        return _describe("file", facts)
    try:
        descriptor = os.open(place, _FLAGS)
    except PermissionError:  # a file that nobody here may read can be deleted all the same
        return _describe("file", facts)
    except OSError as error:
        if error.errno != errno.ELOOP:  # it became a link this very moment
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
