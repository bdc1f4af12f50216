"""Changes exactly the approved file, even if another program replaces it at the same moment.

A user's file is never removed or replaced under its own name. It is renamed in one step to a private name, identified
there, and only then removed; another file is put back. A killed process leaves it under that name, which follows from
the key of the call, so that the checker finds it.
"""

from contextlib import suppress
from pathlib import Path
from typing import Any

from scheduler.connections.connector import ToolFailedError
from scheduler.connections.connectors.files.identity import FileMatch, compare, identify
from scheduler.connections.safe_files import confirming_save, converting_disk_errors, disk_failure, path_exists
from scheduler.file_system import open_no_follow, rename_to_new, swap_files
from scheduler.rules.failures import FailureClass
from scheduler.user_text import UserText

ASIDE_PREFIX = ".dayhand-aside-"
"""Prefix of the private names under which a file is identified before it is removed. Leftovers are never cleaned up."""

Identity = dict[str, Any]


def aside_path(place: Path, key: str) -> Path:
    return place.with_name(ASIDE_PREFIX + key)


def changed_error(given: str) -> ToolFailedError:
    """The file is not the approved one. The next attempt identifies the new one and asks again."""
    sentence = UserText("{given} was changed or replaced by another program, so nothing was done.", given=given)
    return ToolFailedError.because(FailureClass.TRANSIENT, sentence)


def require_approved(place: Path, approved: Identity | None, given: str) -> None:
    """Refuse to act unless the file is the approved one."""
    if compare(approved, identify(place)) is not FileMatch.SAME:
        raise changed_error(given)


def create(part: Path, place: Path, given: str) -> None:
    """Rename a finished file to a free name."""
    try:
        rename_to_new(part, place)
    except OSError as error:
        raise _discard(part, error, given) from error


def _discard(part: Path, error: OSError, given: str) -> ToolFailedError:
    """Remove a file that could not be renamed, unless that is unsure: then the checker needs it."""
    failed = disk_failure(error, given, perhaps_done=True)
    if failed.failure.kind is not FailureClass.UNSURE:
        with suppress(OSError):
            part.unlink(missing_ok=True)
    return failed


def replace(part: Path, place: Path, approved: Identity, given: str) -> None:
    """Replace exactly the approved file with a finished one, or change nothing."""
    try:
        if not swap_files(part, place):  # not supported on this disk: keep the race as short as possible
            require_approved(place, approved, given)
            part.replace(place)
            return
    except OSError as error:
        failed = _discard(part, error, given)
        raise (changed_error(given) if isinstance(error, FileNotFoundError) else failed) from error
    except ToolFailedError:
        part.unlink(missing_ok=True)
        raise
    if _is_approved(part, approved):
        with confirming_save(given):
            part.unlink()
        return
    _swap_back(part, place, given)
    raise changed_error(given)


def remove(place: Path, approved: Identity, aside: Path, given: str) -> None:
    """Remove exactly the approved file or link, or change nothing."""
    with converting_disk_errors(given, perhaps_done=True):
        rename_to_new(place, aside)
    if not _is_approved(aside, approved):
        _restore(aside, place, given)
        raise changed_error(given)
    try:
        aside.unlink(missing_ok=True)
    except OSError as error:
        with confirming_save(given):
            remains = path_exists(aside)
        if not remains:
            raise disk_failure(error, given, perhaps_done=True) from error
        _restore(aside, place, given)
        raise


def move(source: Path, target: Path, approved: Identity, given: str) -> None:
    """Rename exactly the approved file or folder to a free name, or change nothing."""
    with converting_disk_errors(given, perhaps_done=True):
        rename_to_new(source, target)
    if not _is_approved(target, approved):
        _restore(target, source, given)
        raise changed_error(given)


def finish_removal(place: Path, approved: Identity, aside: Path, given: str) -> None:
    """After a killed removal: finish it, or put back a file that was not approved."""
    if compare(approved, identify(aside)) is FileMatch.SAME:
        aside.unlink()
    elif path_exists(aside):
        _restore(aside, place, given)


def was_replaced(place: Path, content: bytes, approved: Identity, aside: Path, given: str) -> bool | None:
    """After a killed replacement: whether it was done; None if no file was left aside.

    The file aside is the approved one, which was replaced; or another that took its place at that moment, which gets
    its name back; or the new content, complete or not, which was never renamed.
    """
    found = identify(aside)
    if found is None:
        return None
    if compare(approved, found) is FileMatch.SAME:
        aside.unlink()
        return True
    if has_content(place, content):
        _swap_back(aside, place, given)
        return False
    if found["kind"] == "file" and content.startswith(aside.read_bytes()):
        aside.unlink()
        return False
    raise _left_aside(given, aside)


def has_content(place: Path, content: bytes) -> bool:
    """Whether the file exists with exactly that content."""
    found = identify(place)
    if found is None or found["kind"] != "file" or found["size"] != len(content):
        return False
    with open(place, "rb", opener=open_no_follow) as file:
        return bool(file.read(len(content) + 1) == content)


def _is_approved(place: Path, approved: Identity) -> bool:
    """Whether it is certainly the approved file."""
    try:
        return compare(approved, identify(place)) is FileMatch.SAME
    except OSError:
        return False


def _swap_back(part: Path, place: Path, given: str) -> None:
    """Give the other file its name back and remove the replacement."""
    try:
        swap_files(part, place)
    except FileNotFoundError:  # the new one was removed, so the name is free
        _restore(part, place, given)
        return
    except OSError as error:
        raise _left_aside(given, part) from error
    with suppress(OSError):
        part.unlink()


def _restore(aside: Path, place: Path, given: str) -> None:
    try:
        rename_to_new(aside, place)
    except OSError as error:
        raise _left_aside(given, aside) from error


def _left_aside(given: str, aside: Path) -> ToolFailedError:
    sentence = UserText(
        "{given} was renamed to {aside} and could not be renamed back. Rename it yourself.",
        given=given,
        aside=aside.name,
    )
    return ToolFailedError.because(FailureClass.UNSURE, sentence)
