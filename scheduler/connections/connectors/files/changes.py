"""Changing one very file: what a name means is looked at where it cannot change, and put back if it is another.

A file of the user's is never removed or replaced under its own name. It is renamed in one step to a name that only we
use, looked at there, and only then removed. A process that is killed in between leaves it under that name, which
follows from the key of the call, so that the checker finds it.
"""

from contextlib import suppress
from pathlib import Path
from typing import Any

from scheduler.connections.connector import ToolFailedError
from scheduler.connections.connectors.files.identity import Match, compare, identify
from scheduler.connections.disk import exchange, explain, explained, is_there, kept, open_without_waiting, rename_to_new
from scheduler.rules.failures import FailureClass

ASIDE = ".dayhand-aside-"
"""How the names begin under which a file is looked at before it is removed. Age alone never removes one."""

Identity = dict[str, Any]


def aside_of(place: Path, key: str) -> Path:
    return place.with_name(ASIDE + key)


def changed(given: str) -> ToolFailedError:
    """What has that name is not what was approved. The next attempt identifies what is there now, and asks again."""
    sentence = f"{given} was changed or replaced by something else, so nothing was done."
    return ToolFailedError.because(FailureClass.TRANSIENT, sentence)


def require(place: Path, approved: Identity | None, given: str) -> None:
    """Before anything is done: what has that name is what was approved."""
    if compare(approved, identify(place)) is not Match.SAME:
        raise changed(given)


def create(part: Path, place: Path, given: str) -> None:
    """Give a finished file a name that is free."""
    try:
        rename_to_new(part, place)
    except OSError as error:
        raise _give_up(part, error, given) from error


def _give_up(part: Path, error: OSError, given: str) -> ToolFailedError:
    """A file that could not get its name is removed, unless nobody knows whether it got it: the checker looks there."""
    failed = explain(error, given, perhaps_done=True)
    if failed.failure.kind is not FailureClass.UNSURE:
        with suppress(OSError):
            part.unlink(missing_ok=True)
    return failed


def replace(part: Path, place: Path, approved: Identity, given: str) -> None:
    """Give a finished file the name of that very file, which is gone then, or change nothing."""
    try:
        if not exchange(part, place):  # this disk cannot: the moment between look and step is as short as can be
            require(place, approved, given)
            part.replace(place)
            return
    except OSError as error:
        failed = _give_up(part, error, given)
        raise (changed(given) if isinstance(error, FileNotFoundError) else failed) from error
    except ToolFailedError:
        part.unlink(missing_ok=True)
        raise
    if _is(part, approved):
        with kept(given):
            part.unlink()
        return
    _swap_back(part, place, given)
    raise changed(given)


def remove(place: Path, approved: Identity, aside: Path, given: str) -> None:
    """Remove that very file or link, or change nothing."""
    with explained(given, perhaps_done=True):
        rename_to_new(place, aside)
    if not _is(aside, approved):
        _restore(aside, place, given)
        raise changed(given)
    try:
        aside.unlink(missing_ok=True)
    except OSError as error:
        with kept(given):
            remains = is_there(aside)
        if not remains:
            raise explain(error, given, perhaps_done=True) from error
        _restore(aside, place, given)
        raise


def move(source: Path, target: Path, approved: Identity, given: str) -> None:
    """Rename that very file or folder to a name that is free, or change nothing."""
    with explained(given, perhaps_done=True):
        rename_to_new(source, target)
    if not _is(target, approved):
        _restore(target, source, given)
        raise changed(given)


def finish_removal(place: Path, approved: Identity, aside: Path, given: str) -> None:
    """After a kill in the middle of a removal: finish it, or put back what nobody approved."""
    if compare(approved, identify(aside)) is Match.SAME:
        aside.unlink()
    elif is_there(aside):
        _restore(aside, place, given)


def was_replaced(place: Path, content: bytes, approved: Identity, aside: Path, given: str) -> bool | None:
    """After a kill in the middle of a replacement: whether it was made; None if nothing is left aside that tells.

    What is aside is the file that was approved, and has been replaced; or one that took its place in that very moment,
    and gets its name back; or the new content, whole or not, which never got its name.
    """
    found = identify(aside)
    if found is None:
        return None
    if compare(approved, found) is Match.SAME:
        aside.unlink()
        return True
    if holds(place, content):
        _swap_back(aside, place, given)
        return False
    if found["kind"] == "file" and content.startswith(aside.read_bytes()):
        aside.unlink()
        return False
    raise _left(given, aside)


def holds(place: Path, content: bytes) -> bool:
    """Whether a file is there with exactly that content."""
    found = identify(place)
    if found is None or found["kind"] != "file" or found["size"] != len(content):
        return False
    with open(place, "rb", opener=open_without_waiting) as file:
        return bool(file.read(len(content) + 1) == content)


def _is(place: Path, approved: Identity) -> bool:
    """Whether it certainly is that file."""
    try:
        return compare(approved, identify(place)) is Match.SAME
    except OSError:
        return False


def _swap_back(part: Path, place: Path, given: str) -> None:
    """Let the other file have its name again; what was to replace it is gone then."""
    try:
        exchange(part, place)
    except FileNotFoundError:  # somebody removed the new one: the name is free
        _restore(part, place, given)
        return
    except OSError as error:
        raise _left(given, part) from error
    with suppress(OSError):
        part.unlink()


def _restore(aside: Path, place: Path, given: str) -> None:
    try:
        rename_to_new(aside, place)
    except OSError as error:
        raise _left(given, aside) from error


def _left(given: str, aside: Path) -> ToolFailedError:
    sentence = f"{given} was set aside as {aside.name} and could not be put back. Rename it."
    return ToolFailedError.because(FailureClass.UNSURE, sentence)
