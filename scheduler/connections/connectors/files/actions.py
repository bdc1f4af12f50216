"""Writing, moving and deleting exactly the approved file, atomically even if killed, and checking whether it was done.

A checker's "yes" is on the disk before it is given: what is visible after a kill may be in memory only.
"""

from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from scheduler.connections.connector import Call, Checked, ToolFailedError
from scheduler.connections.connectors.content import read_content
from scheduler.connections.connectors.files import changes
from scheduler.connections.connectors.files.changes import (
    aside_path,
    finish_removal,
    has_content,
    require_approved,
    was_replaced,
)
from scheduler.connections.connectors.files.identity import FileMatch, compare, identify
from scheduler.connections.connectors.folder import pinned_path, resolve_path, resolve_root
from scheduler.connections.errors import logic_failure
from scheduler.connections.safe_files import confirming_save, converting_disk_errors, path_exists, write_part
from scheduler.file_system import sync_file, sync_folder
from scheduler.rules.failures import FailureClass
from scheduler.user_text import UserText

PART_PREFIX = ".dayhand-part-"
"""Prefix of the names of files being written; leftovers are removed later."""
_MAX_LEFTOVER_AGE = timedelta(hours=1)


def part_path(place: Path, key: str) -> Path:
    return place.with_name(PART_PREFIX + key)


def describe_written(root: Path, place: Path, content: bytes) -> dict[str, Any]:
    return {"path": place.relative_to(root).as_posix(), "size": len(content)}


def identify_written(call: Call) -> dict[str, Any] | None:
    """The file that has the name now: it would be replaced, or is in the way."""
    root, given = resolve_root(call), call.parameters["path"]
    return _identify(root, resolve_path(root, given, follow=True), given)


def identify_deleted(call: Call) -> dict[str, Any]:
    return _identify_existing(call, "path")


def identify_moved(call: Call) -> dict[str, Any]:
    return _identify_existing(call, "source")


def _identify_existing(call: Call, parameter: str) -> dict[str, Any]:
    root, given = resolve_root(call), call.parameters[parameter]
    found = _identify(root, resolve_path(root, given, follow=False), given)
    if found is None:
        raise logic_failure(UserText("{given} does not exist.", given=given))
    return found


def _identify(root: Path, place: Path, given: str) -> dict[str, Any] | None:
    with converting_disk_errors(given):
        try:
            with pinned_path(root, place) as there:
                return identify(there)
        except FileNotFoundError:  # its folder does not exist either
            return None


def write(call: Call) -> dict[str, Any]:
    content = read_content(call)
    root, given = resolve_root(call), call.parameters["path"]
    place = resolve_path(root, given, follow=True)
    with converting_disk_errors(given), pinned_path(root, place, make=True) as there:
        _remove_leftovers(there.parent, call.now)
        if not has_content(there, content):
            _write_file(there, content, call, given)
        with confirming_save(given):
            sync_folder(there.parent)
    return describe_written(root, place, content)


def _write_file(there: Path, content: bytes, call: Call, given: str) -> None:
    require_approved(there, call.target, given)
    if call.target is None:
        part = part_path(there, call.key)
        part.unlink(missing_ok=True)  # from a killed attempt with the same content
        write_part(part, content, there)
        changes.create(part, there, given)
        return
    if call.target["kind"] != "file":
        raise logic_failure(
            UserText("{given} is a folder.", given=given)
            if call.target["kind"] == "folder"
            else UserText("{given} is not a file.", given=given)
        )
    if not call.parameters.get("overwrite"):
        raise logic_failure(UserText("{given} already exists.", given=given))
    part = aside_path(there, call.key)
    changes.was_replaced(there, content, call.target, part, given)
    write_part(part, content, there)
    changes.replace(part, there, call.target, given)


def _remove_leftovers(folder: Path, now: datetime) -> None:
    """Remove what killed writers left behind."""
    for part in folder.glob(f"{PART_PREFIX}*"):
        with suppress(OSError):
            if datetime.fromtimestamp(part.stat().st_mtime, UTC) < now - _MAX_LEFTOVER_AGE:
                part.unlink()


def _require_existing(there: Path, approved: dict[str, Any] | None, given: str) -> None:
    require_approved(there, approved, given)
    if approved is None:
        raise logic_failure(UserText("{given} does not exist.", given=given))


def resolve_source_and_target(call: Call) -> tuple[Path, Path, Path]:
    root = resolve_root(call)
    source, target = (resolve_path(root, call.parameters[name], follow=False) for name in ("source", "target"))
    return root, source, target


def move(call: Call) -> dict[str, Any]:
    root, source, target = resolve_source_and_target(call)
    given, wanted = call.parameters["source"], call.parameters["target"]
    with converting_disk_errors(given), pinned_path(root, source) as old:
        _require_existing(old, call.target, given)
        with converting_disk_errors(wanted), pinned_path(root, target, make=True) as new:
            changes.move(old, new, call.target, wanted)
            with confirming_save(wanted):
                sync_folder(new.parent)
                sync_folder(old.parent)
    return {"path": target.relative_to(root).as_posix()}


def delete(call: Call) -> None:
    root, given = resolve_root(call), call.parameters["path"]
    with converting_disk_errors(given), pinned_path(root, resolve_path(root, given, follow=False)) as there:
        aside = aside_path(there, call.key)
        if path_exists(aside):
            changes.finish_removal(there, call.target, aside, given)
        _require_existing(there, call.target, given)
        if call.target["kind"] == "folder":
            with converting_disk_errors(given, perhaps_done=True):
                there.rmdir()  # removes only an empty folder, and any empty folder is the same
        else:
            changes.remove(there, call.target, aside, given)
        with confirming_save(UserText("the removal of {given}", given=given)):
            sync_folder(there.parent)


_NOT_DONE = Checked(happened=False)


def check_write(call: Call) -> Checked:
    content = read_content(call)
    root, given = resolve_root(call), call.parameters["path"]
    place = resolve_path(root, given, follow=True)
    with converting_disk_errors(given):
        try:
            with pinned_path(root, place) as there:
                happened = _was_written(there, content, call, given)
                if happened:
                    sync_folder(there.parent)
        except FileNotFoundError as error:  # its folder does not exist either
            raise _cannot_tell(given) from error
    return Checked(happened=True, result=describe_written(root, place, content)) if happened else _NOT_DONE


def _was_written(there: Path, content: bytes, call: Call, given: str) -> bool:
    if call.target is not None:
        known = was_replaced(there, content, call.target, aside_path(there, call.key), given)
        if known is not None:
            return known
    if has_content(there, content):
        sync_file(there)
        return True
    if call.target is None and part_path(there, call.key).exists():  # it was not renamed yet
        part_path(there, call.key).unlink(missing_ok=True)
        return False
    if call.target is not None and compare(call.target, identify(there)) is FileMatch.SAME:
        return False
    raise _cannot_tell(given)


def _cannot_tell(given: str) -> ToolFailedError:
    """A missing file may have been written and then taken by another program."""
    sentence = UserText(
        "{given} was either moved or changed since, or never written. Dayhand cannot tell which.", given=given
    )
    return ToolFailedError.because(FailureClass.UNSURE, sentence)


def check_move(call: Call) -> Checked:
    root, source, target = resolve_source_and_target(call)
    with converting_disk_errors(call.parameters["source"]):
        there, arrived = (
            compare(call.target, _identify_or_none(root, source)),
            compare(call.target, _identify_or_none(root, target)),
        )
        if call.target is None or FileMatch.SAME not in (there, arrived):
            raise ToolFailedError.because(
                FailureClass.UNSURE,
                UserText(
                    "The file is neither at {source} nor at {target}, so it is unclear whether it was moved.",
                    source=call.parameters["source"],
                    target=call.parameters["target"],
                ),
            )
        if there is FileMatch.SAME:
            return _NOT_DONE
        with pinned_path(root, target) as new:
            sync_folder(new.parent)
        with pinned_path(root, source) as old:
            sync_folder(old.parent)
    return Checked(happened=True, result={"path": target.relative_to(root).as_posix()})


def check_delete(call: Call) -> Checked:
    root, given = resolve_root(call), call.parameters["path"]
    place = resolve_path(root, given, follow=False)
    with converting_disk_errors(given):
        try:
            with pinned_path(root, place) as there:
                return _was_deleted(there, call, given)
        except FileNotFoundError:  # its folder was deleted too
            return Checked(happened=True)


def _was_deleted(there: Path, call: Call, given: str) -> Checked:
    if call.target is not None:
        finish_removal(there, call.target, aside_path(there, call.key), given)
    found = compare(call.target, identify(there))
    if call.target is None or found is FileMatch.ALIKE:
        sentence = UserText(
            "{given} looks like the file to delete, but may be another one. Check whether it is.", given=given
        )
        raise ToolFailedError.because(FailureClass.UNSURE, sentence)
    if found is FileMatch.SAME:
        return _NOT_DONE
    sync_folder(there.parent)
    return Checked(happened=True)


def _identify_or_none(root: Path, place: Path) -> dict[str, Any] | None:
    try:
        with pinned_path(root, place) as there:
            return identify(there)
    except FileNotFoundError:
        return None
