"""Writing, moving and deleting files: that very file or none, and whole or not at all, even if killed."""

from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from scheduler.connections.connector import Call
from scheduler.connections.connectors.content import content_of
from scheduler.connections.connectors.files import changes
from scheduler.connections.connectors.files.changes import aside_of, holds, require
from scheduler.connections.connectors.files.identity import identify
from scheduler.connections.connectors.folder import held, place_in, root_of
from scheduler.connections.disk import explained, is_there, kept, sync_folder, write_part
from scheduler.connections.mistakes import wrong

PART = ".dayhand-part-"
"""How the names of files begin that are being written; one that is left over is removed later."""
_ABANDONED = timedelta(hours=1)


def part_of(place: Path, key: str) -> Path:
    return place.with_name(PART + key)


def describe_written(root: Path, place: Path, content: bytes) -> dict[str, Any]:
    return {"path": place.relative_to(root).as_posix(), "size": len(content)}


def identify_written(call: Call) -> dict[str, Any] | None:
    """What has the name now: it would be replaced, or is in the way."""
    root, given = root_of(call), call.parameters["path"]
    return _identify(root, place_in(root, given, follow=True), given)


def identify_deleted(call: Call) -> dict[str, Any]:
    return _identify_existing(call, "path")


def identify_moved(call: Call) -> dict[str, Any]:
    return _identify_existing(call, "source")


def _identify_existing(call: Call, parameter: str) -> dict[str, Any]:
    root, given = root_of(call), call.parameters[parameter]
    found = _identify(root, place_in(root, given, follow=False), given)
    if found is None:
        raise wrong(f"{given} is not there.")
    return found


def _identify(root: Path, place: Path, given: str) -> dict[str, Any] | None:
    with explained(given):
        try:
            with held(root, place) as there:
                return identify(there)
        except FileNotFoundError:  # not even the folder that it would be in
            return None


def write(call: Call) -> dict[str, Any]:
    content = content_of(call)
    root, given = root_of(call), call.parameters["path"]
    place = place_in(root, given, follow=True)
    with explained(given), held(root, place, make=True) as there:
        _sweep(there.parent, call.now)
        if not holds(there, content):
            _put(there, content, call, given)
        with kept(given):
            sync_folder(there.parent)
    return describe_written(root, place, content)


def _put(there: Path, content: bytes, call: Call, given: str) -> None:
    require(there, call.target, given)
    if call.target is None:
        part = part_of(there, call.key)
        part.unlink(missing_ok=True)  # of an attempt that was killed: it holds nothing but this content
        write_part(part, content, there)
        changes.create(part, there, given)
        return
    if call.target["kind"] != "file":
        raise wrong(f"{given} is a folder." if call.target["kind"] == "folder" else f"{given} is not a file.")
    if not call.parameters.get("overwrite"):
        raise wrong(f"{given} is there already.")
    part = aside_of(there, call.key)
    changes.was_replaced(there, content, call.target, part, given)
    write_part(part, content, there)
    changes.replace(part, there, call.target, given)


def _sweep(folder: Path, now: datetime) -> None:
    """Remove what writers left that were killed."""
    for part in folder.glob(f"{PART}*"):
        with suppress(OSError):
            if datetime.fromtimestamp(part.stat().st_mtime, UTC) < now - _ABANDONED:
                part.unlink()


def _require_existing(there: Path, approved: dict[str, Any] | None, given: str) -> None:
    require(there, approved, given)
    if approved is None:
        raise wrong(f"{given} is not there.")


def ends_of(call: Call) -> tuple[Path, Path, Path]:
    root = root_of(call)
    source, target = (place_in(root, call.parameters[name], follow=False) for name in ("source", "target"))
    return root, source, target


def move(call: Call) -> dict[str, Any]:
    root, source, target = ends_of(call)
    given, wanted = call.parameters["source"], call.parameters["target"]
    with explained(given), held(root, source) as old:
        _require_existing(old, call.target, given)
        with explained(wanted), held(root, target, make=True) as new:
            changes.move(old, new, call.target, wanted)
            with kept(wanted):
                sync_folder(new.parent)
                sync_folder(old.parent)
    return {"path": target.relative_to(root).as_posix()}


def delete(call: Call) -> None:
    root, given = root_of(call), call.parameters["path"]
    with explained(given), held(root, place_in(root, given, follow=False)) as there:
        aside = aside_of(there, call.key)
        if is_there(aside):
            changes.finish_removal(there, call.target, aside, given)
        _require_existing(there, call.target, given)
        if call.target["kind"] == "folder":
            with explained(given, perhaps_done=True):
                there.rmdir()  # only an empty one goes, and one empty folder is as good as another
        else:
            changes.remove(there, call.target, aside, given)
        with kept(f"the removal of {given}"):
            sync_folder(there.parent)
