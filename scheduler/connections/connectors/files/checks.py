"""Whether a file was written, moved or deleted: by what was approved, not by the name alone.

A "yes" is on the disk before it is given: what is seen after a kill may be in memory only.
"""

from pathlib import Path
from typing import Any

from scheduler.connections.connector import Call, Checked, ToolFailedError
from scheduler.connections.connectors.content import content_of
from scheduler.connections.connectors.files.actions import describe_written, ends_of, part_of
from scheduler.connections.connectors.files.changes import aside_of, finish_removal, holds, was_replaced
from scheduler.connections.connectors.files.identity import Match, compare, identify
from scheduler.connections.connectors.folder import held, place_in, root_of
from scheduler.connections.disk import explained, sync_file, sync_folder
from scheduler.rules.failures import FailureClass

_NO = Checked(happened=False)


def check_write(call: Call) -> Checked:
    content = content_of(call)
    root, given = root_of(call), call.parameters["path"]
    place = place_in(root, given, follow=True)
    with explained(given):
        try:
            with held(root, place) as there:
                happened = _was_written(there, content, call, given)
                if happened:
                    sync_folder(there.parent)
        except FileNotFoundError as error:  # not even its folder
            raise _nobody_knows(given) from error
    return Checked(happened=True, result=describe_written(root, place, content)) if happened else _NO


def _was_written(there: Path, content: bytes, call: Call, given: str) -> bool:
    if call.target is not None:
        known = was_replaced(there, content, call.target, aside_of(there, call.key), given)
        if known is not None:
            return known
    if holds(there, content):
        sync_file(there)
        return True
    if call.target is None and part_of(there, call.key).exists():  # it would have lost that name to get its own
        part_of(there, call.key).unlink(missing_ok=True)
        return False
    if call.target is not None and compare(call.target, identify(there)) is Match.SAME:
        return False
    raise _nobody_knows(given)


def _nobody_knows(given: str) -> ToolFailedError:
    """A file that is not there may have been written, and taken by whoever waited for it."""
    sentence = f"{given} was moved or changed since, or never written, and Dayhand cannot tell which."
    return ToolFailedError.because(FailureClass.UNSURE, sentence)


def check_move(call: Call) -> Checked:
    root, source, target = ends_of(call)
    with explained(call.parameters["source"]):
        there, arrived = compare(call.target, _look(root, source)), compare(call.target, _look(root, target))
        if call.target is None or Match.SAME not in (there, arrived):
            raise ToolFailedError.because(
                FailureClass.UNSURE,
                f"What was to be moved is no longer at {call.parameters['source']} nor at {call.parameters['target']}, "
                "so nobody can tell whether it was moved.",
            )
        if there is Match.SAME:
            return _NO
        with held(root, target) as new:
            sync_folder(new.parent)
        with held(root, source) as old:
            sync_folder(old.parent)
    return Checked(happened=True, result={"path": target.relative_to(root).as_posix()})


def check_delete(call: Call) -> Checked:
    root, given = root_of(call), call.parameters["path"]
    place = place_in(root, given, follow=False)
    with explained(given):
        try:
            with held(root, place) as there:
                return _was_deleted(there, call, given)
        except FileNotFoundError:  # with the folder that it was in
            return Checked(happened=True)


def _was_deleted(there: Path, call: Call, given: str) -> Checked:
    if call.target is not None:
        finish_removal(there, call.target, aside_of(there, call.key), given)
    found = compare(call.target, identify(there))
    if call.target is None or found is Match.ALIKE:
        sentence = f"{given} looks like the one that was to be deleted, but may be another. Look whether it is."
        raise ToolFailedError.because(FailureClass.UNSURE, sentence)
    if found is Match.SAME:
        return _NO
    sync_folder(there.parent)
    return Checked(happened=True)


def _look(root: Path, place: Path) -> dict[str, Any] | None:
    try:
        with held(root, place) as there:
            return identify(there)
    except FileNotFoundError:
        return None
