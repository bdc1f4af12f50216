"""Writing, moving and deleting files: whole or not at all, also for a process that is killed, and how to tell later."""

import secrets
import stat
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from scheduler.connections.connector import Call, Checked, ToolFailedError
from scheduler.connections.connectors.content import content_of
from scheduler.connections.connectors.folder import held, place_in, root_of
from scheduler.connections.disk import explained, is_there, kept, rename_to_new, sync_folder, write_part
from scheduler.connections.mistakes import wrong
from scheduler.rules.failures import FailureClass

PART = ".dayhand-part-"
"""How the names of files begin that are being written; one that is left over is removed later."""
_ABANDONED = timedelta(hours=1)


def _written(root: Path, place: Path, content: bytes) -> dict[str, Any]:
    return {"path": place.relative_to(root).as_posix(), "size": len(content)}


def _holds(place: Path, content: bytes) -> bool:
    try:
        return place.is_file() and place.stat().st_size == len(content) and place.read_bytes() == content
    except FileNotFoundError:
        return False


def write(call: Call) -> dict[str, Any]:
    content = content_of(call)
    root, given = root_of(call), call.parameters["path"]
    place = place_in(root, given, follow=True)
    with explained(given), held(root, place, make=True) as there:
        if there.is_dir():
            raise wrong(f"{given} is a folder.")
        _sweep(there.parent, call.now)
        if not _holds(there, content):
            part = there.with_name(PART + secrets.token_hex(8))
            write_part(part, content, there)
            try:
                with explained(given, perhaps_done=True):
                    part.replace(there) if call.parameters.get("overwrite") else rename_to_new(part, there)
            finally:
                part.unlink(missing_ok=True)
        with kept(given):
            sync_folder(there.parent)
    return _written(root, place, content)


def _sweep(folder: Path, now: datetime) -> None:
    """Remove what writers left that were killed."""
    for part in folder.glob(f"{PART}*"):
        with suppress(OSError):
            if datetime.fromtimestamp(part.stat().st_mtime, UTC) < now - _ABANDONED:
                part.unlink()


def check_write(call: Call) -> Checked:
    content = content_of(call)
    root, given = root_of(call), call.parameters["path"]
    place = place_in(root, given, follow=True)
    with explained(given):
        happened = _holds(place, content)
    return Checked(happened=happened, result=_written(root, place, content) if happened else None)


def _ends(call: Call) -> tuple[Path, Path, Path]:
    root = root_of(call)
    source, target = (place_in(root, call.parameters[name], follow=False) for name in ("source", "target"))
    return root, source, target


def move(call: Call) -> dict[str, Any]:
    root, source, target = _ends(call)
    with explained(call.parameters["source"]), held(root, source) as old:
        old.lstat()
        with explained(call.parameters["target"]), held(root, target, make=True) as new:
            with explained(call.parameters["target"], perhaps_done=True):
                rename_to_new(old, new)
            with kept(call.parameters["target"]):
                sync_folder(new.parent)
                sync_folder(old.parent)
    return {"path": target.relative_to(root).as_posix()}


def check_move(call: Call) -> Checked:
    root, source, target = _ends(call)
    with explained(call.parameters["source"]):
        there, arrived = is_there(source), is_there(target)
    if not there and not arrived:
        raise ToolFailedError.because(
            FailureClass.UNSURE,
            f"Neither {call.parameters['source']} nor {call.parameters['target']} is there, so nobody can tell "
            "whether it was moved.",
        )
    happened = arrived and not there
    return Checked(happened=happened, result={"path": target.relative_to(root).as_posix()} if happened else None)


def delete(call: Call) -> None:
    root, given = root_of(call), call.parameters["path"]
    with explained(given), held(root, place_in(root, given, follow=False)) as there:
        with explained(given, perhaps_done=True):
            there.rmdir() if stat.S_ISDIR(there.lstat().st_mode) else there.unlink()
        with kept(f"the removal of {given}"):
            sync_folder(there.parent)


def check_delete(call: Call) -> Checked:
    given = call.parameters["path"]
    place = place_in(root_of(call), given, follow=False)
    with explained(given):
        return Checked(happened=not is_there(place))
