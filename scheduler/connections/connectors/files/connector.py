"""Files of one folder: what is there, and the tools that change it."""

import base64
import fnmatch
import os
import stat
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from scheduler.connections.connector import (
    Call,
    Connector,
    Field,
    FieldKind,
    Parameter,
    ParameterKind,
    Tool,
    ToolFailedError,
)
from scheduler.connections.connectors.files.actions import (
    PART,
    delete,
    identify_deleted,
    identify_moved,
    identify_written,
    move,
    write,
)
from scheduler.connections.connectors.files.changes import ASIDE
from scheduler.connections.connectors.files.checks import check_delete, check_move, check_write
from scheduler.connections.connectors.folder import held, place_in, root_of
from scheduler.connections.disk import explained, open_without_waiting
from scheduler.connections.mistakes import wrong

_LARGEST = 10 * 1024 * 1024
_MOST = 10_000


def _describe(root: Path, place: Path, facts: os.stat_result) -> dict[str, Any]:
    return {
        "path": place.relative_to(root).as_posix(),
        "name": place.name,
        "size": facts.st_size,
        "modified": datetime.fromtimestamp(facts.st_mtime, UTC).isoformat(),
        "is_folder": stat.S_ISDIR(facts.st_mode),
    }


def _read_file(root: Path, place: Path, given: str) -> tuple[bytes, os.stat_result]:
    with explained(given), held(root, place) as there, open(there, "rb", opener=open_without_waiting) as file:
        facts = os.fstat(file.fileno())
        if not stat.S_ISREG(facts.st_mode):
            raise wrong(f"{given} is not a file.")
        content = file.read(_LARGEST + 1)
    if len(content) > _LARGEST:
        raise wrong(f"{given} is larger than 10 MB, the most that a script can read.")
    return content, facts


def _read(call: Call) -> dict[str, Any]:
    root = root_of(call)
    given = call.parameters["path"]
    content, facts = _read_file(root, place_in(root, given, follow=True), given)
    told = _describe(root, place_in(root, given, follow=False), facts)
    try:
        if b"\0" not in content:
            return {**told, "text": content.decode()}
    except UnicodeDecodeError:
        pass
    return {**told, "base64": base64.b64encode(content).decode()}


def _list(call: Call) -> list[dict[str, Any]]:
    root = root_of(call)
    given = call.parameters.get("path") or "."
    folder = root if given == "." else place_in(root, given, follow=True)
    pattern = call.parameters.get("pattern") or "*"
    if "/" in pattern:
        raise wrong(f'"{pattern}" is not a pattern for names. Name the folder in "path", as in path="2026".')
    give_up = time.monotonic() + call.seconds
    found = []
    for entry in _walk(root, folder, recursive=bool(call.parameters.get("recursive"))):
        if fnmatch.fnmatchcase(entry["name"], pattern):
            found.append(entry)
        if len(found) > _MOST:
            raise wrong(f"More than {_MOST} files match. Narrow the pattern, or list one folder at a time.")
        if time.monotonic() > give_up:
            raise wrong(f"{given} is too large to list in {call.seconds:g} seconds. List one folder at a time.")
    return sorted(found, key=lambda entry: entry["path"])


def _walk(root: Path, folder: Path, *, recursive: bool) -> Iterator[dict[str, Any]]:
    """Everything in the folder but links that lead out or nowhere, and names that are no text."""
    folders = [folder]
    while folders:
        looked_at = folders.pop()
        with explained(looked_at.relative_to(root).as_posix()), os.scandir(looked_at) as entries:
            inside = list(entries)
        for entry in inside:
            place = Path(entry.path)
            if entry.name.startswith((PART, ASIDE)) or not _is_text(entry.name):
                continue
            try:
                facts = place_in(root, place.relative_to(root).as_posix(), follow=True).stat()
            except (ToolFailedError, OSError):
                continue
            yield _describe(root, place, facts)
            if recursive and entry.is_dir(follow_symlinks=False):
                folders.append(place)


def _is_text(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def _test(call: Call) -> str:
    root = root_of(call)
    with explained(str(root)), os.scandir(root) as entries:
        count = sum(1 for _ in entries)
    able = f"{root} can be read and changed" if os.access(root, os.W_OK) else f"{root} can be read, but not changed"
    return f"{able}; it holds {count} {'entry' if count == 1 else 'entries'}."


_WHERE = Parameter(ParameterKind.TEXT, help="Below the folder of the connection, such as notes/today.txt.")

files = Connector(
    kind="files",
    title="Files",
    help="Reads and changes files in one folder of this computer.",
    fields=(Field(name="path", label="Folder", help="Nothing outside it is touched.", kind=FieldKind.PATH),),
    tools=(
        Tool(
            name="read",
            may="read files in {name}",
            help="The text of a file, or its base64 where it is not UTF-8 text; at most 10 MB.",
            parameters={"path": _WHERE},
            run=_read,
        ),
        Tool(
            name="list",
            may="see what is in {name}",
            help="What is in a folder, sorted by path; links that lead out of it are left out.",
            parameters={
                "path": Parameter(ParameterKind.TEXT, required=False, help="A folder; all of it if not given."),
                "pattern": Parameter(ParameterKind.TEXT, required=False, help="Which names, such as *.pdf."),
                "recursive": Parameter(ParameterKind.FLAG, required=False, help="Look into folders below as well."),
            },
            run=_list,
        ),
        Tool(
            # apply_window stays as it is for all three: the folder may be on a disk in the network, whose server can
            # carry out a request later than the process that made it has ended.
            name="write",
            may="write files in {name}",
            help="Write a whole file, and the folders that it is in; the same content again changes nothing.",
            parameters={
                "path": _WHERE,
                "text": Parameter(ParameterKind.TEXT, required=False, help="The content, written as UTF-8."),
                "base64": Parameter(ParameterKind.TEXT, required=False, help="The content of a file that is no text."),
                "overwrite": Parameter(ParameterKind.FLAG, required=False, help="Replace a file that is there."),
            },
            run=write,
            mutating=True,
            check=check_write,
            identify_target=identify_written,
        ),
        Tool(
            name="move",
            may="move files in {name}",
            help="Move or rename a file or folder; what is there already is never replaced.",
            parameters={"source": _WHERE, "target": _WHERE},
            run=move,
            mutating=True,
            check=check_move,
            identify_target=identify_moved,
        ),
        Tool(
            name="delete",
            may="delete files in {name}",
            help="Delete a file, a link or an empty folder.",
            parameters={"path": _WHERE},
            run=delete,
            mutating=True,
            acts_on_others=True,
            check=check_delete,
            identify_target=identify_deleted,
        ),
    ),
    test=_test,
)
