"""Files in one folder: read and list them; the tools that change them are in actions."""

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
    ToolExample,
    ToolFailedError,
)
from scheduler.connections.connectors.files.actions import (
    PART_PREFIX,
    check_delete,
    check_move,
    check_write,
    delete,
    identify_deleted,
    identify_moved,
    identify_written,
    move,
    write,
)
from scheduler.connections.connectors.files.changes import ASIDE_PREFIX
from scheduler.connections.connectors.files.move_many import check_move_many, identify_moves, move_many
from scheduler.connections.connectors.folder import pinned_path, resolve_path, resolve_root
from scheduler.connections.errors import logic_failure
from scheduler.connections.safe_files import converting_disk_errors
from scheduler.file_system import open_no_follow
from scheduler.user_text import UserText

_MAX_BYTES = 10 * 1024 * 1024
_MAX_FILES = 10_000


def _describe(root: Path, place: Path, facts: os.stat_result) -> dict[str, Any]:
    return {
        "path": place.relative_to(root).as_posix(),
        "name": place.name,
        "size": facts.st_size,
        "modified": datetime.fromtimestamp(facts.st_mtime, UTC).isoformat(),
        "is_folder": stat.S_ISDIR(facts.st_mode),
    }


def _read_file(root: Path, place: Path, given: str) -> tuple[bytes, os.stat_result]:
    with (
        converting_disk_errors(given),
        pinned_path(root, place) as there,
        open(there, "rb", opener=open_no_follow) as file,
    ):
        facts = os.fstat(file.fileno())
        if not stat.S_ISREG(facts.st_mode):
            raise logic_failure(UserText("{given} is not a file.", given=given))
        content = file.read(_MAX_BYTES + 1)
    if len(content) > _MAX_BYTES:
        raise logic_failure(UserText("{given} is too large for a script to read; the limit is 10 MB.", given=given))
    return content, facts


def _read(call: Call) -> dict[str, Any]:
    root = resolve_root(call)
    given = call.parameters["path"]
    content, facts = _read_file(root, resolve_path(root, given, follow=True), given)
    description = _describe(root, resolve_path(root, given, follow=False), facts)
    try:
        if b"\0" not in content:
            return {**description, "text": content.decode()}
    except UnicodeDecodeError:
        pass
    return {**description, "base64": base64.b64encode(content).decode()}


def _list(call: Call) -> list[dict[str, Any]]:
    root = resolve_root(call)
    given = call.parameters.get("path") or "."
    folder = root if given == "." else resolve_path(root, given, follow=True)
    pattern = call.parameters.get("pattern") or "*"
    if "/" in pattern:
        raise logic_failure(
            UserText(
                '"{pattern}" is not a name pattern. Give the folder as "path", for example path="2026".',
                pattern=pattern,
            )
        )
    deadline = time.monotonic() + call.seconds
    found = []
    for entry in _walk(root, folder, recursive=bool(call.parameters.get("recursive"))):
        if fnmatch.fnmatchcase(entry["name"], pattern):
            found.append(entry)
        if len(found) > _MAX_FILES:
            raise logic_failure(
                UserText(
                    "More than {max_files} files match. Narrow the pattern, or list one folder at a time.",
                    max_files=_MAX_FILES,
                )
            )
        if time.monotonic() > deadline:
            raise logic_failure(
                UserText(
                    "{given} is too large to list in {seconds} seconds. List one folder at a time.",
                    given=given,
                    seconds=f"{call.seconds:g}",
                )
            )
    return sorted(found, key=lambda entry: entry["path"])


def _walk(root: Path, folder: Path, *, recursive: bool) -> Iterator[dict[str, Any]]:
    """Everything in the folder except links that lead out or nowhere, and names that are not text."""
    folders = [folder]
    while folders:
        current = folders.pop()
        with converting_disk_errors(current.relative_to(root).as_posix()), os.scandir(current) as entries:
            children = list(entries)
        for entry in children:
            place = Path(entry.path)
            if entry.name.startswith((PART_PREFIX, ASIDE_PREFIX)) or not _is_text(entry.name):
                continue
            try:
                facts = resolve_path(root, place.relative_to(root).as_posix(), follow=True).stat()
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
    root = resolve_root(call)
    with converting_disk_errors(str(root)), os.scandir(root) as entries:
        count = sum(1 for _ in entries)
    access = (
        UserText("{root} can be read and changed", root=root)
        if os.access(root, os.W_OK)
        else UserText("{root} can be read, but not changed", root=root)
    )
    return (
        UserText("{access}; it contains {count} entry.", access=access, count=count)
        if count == 1
        else UserText("{access}; it contains {count} entries.", access=access, count=count)
    )


_PATH = Parameter(ParameterKind.TEXT, help="Path below the folder of the connection, such as notes/today.txt.")

files = Connector(
    kind="files",
    title="Files",
    help=UserText("Reads and changes files in one folder on this computer."),
    fields=(Field(name="path", label="Folder", help="Nothing outside this folder is changed.", kind=FieldKind.PATH),),
    tools=(
        Tool(
            name="read",
            may=UserText("read files in {name}"),
            help=UserText("Read a file as text, or as base64 if it is not UTF-8; at most 10 MB."),
            parameters={"path": _PATH},
            example=ToolExample(
                {"path": "notes/today.txt"},
                {
                    "path": "notes/today.txt",
                    "name": "today.txt",
                    "size": 5,
                    "modified": "2026-05-04T07:00:00+00:00",
                    "is_folder": False,
                    "text": "Hello",
                },
            ),
            run=_read,
        ),
        Tool(
            name="list",
            may=UserText("list files in {name}"),
            help=UserText("List a folder, sorted by path; links that lead out of it are omitted."),
            parameters={
                "path": Parameter(ParameterKind.TEXT, required=False, help="A folder; default all."),
                "pattern": Parameter(ParameterKind.TEXT, required=False, help="Name pattern, such as *.pdf."),
                "recursive": Parameter(ParameterKind.FLAG, required=False, help="Include subfolders."),
            },
            example=ToolExample(
                {"pattern": "*.pdf"},
                [
                    {
                        "path": "bill.pdf",
                        "name": "bill.pdf",
                        "size": 20480,
                        "modified": "2026-05-04T07:00:00+00:00",
                        "is_folder": False,
                    }
                ],
            ),
            run=_list,
        ),
        Tool(
            # This and the following keep the default apply_window: the folder may be on a network disk, whose server
            # can carry out a request after the process that made it has ended.
            name="write",
            may=UserText("write files in {name}"),
            help=UserText("Write a whole file and create its folders; writing the same content again changes nothing."),
            parameters={
                "path": _PATH,
                "text": Parameter(
                    ParameterKind.TEXT, required=False, help="The content as text, written as UTF-8.", editable=True
                ),
                "base64": Parameter(
                    ParameterKind.TEXT, required=False, help="The content as base64, if it is not text."
                ),
                "overwrite": Parameter(ParameterKind.FLAG, required=False, help="Replace an existing file."),
            },
            example=ToolExample({"path": "notes/today.txt", "text": "Hello"}, {"path": "notes/today.txt", "size": 5}),
            run=write,
            mutating=True,
            check=check_write,
            identify_target=identify_written,
        ),
        Tool(
            name="move",
            may=UserText("move files in {name}"),
            help=UserText("Move or rename a file or folder; existing files are never replaced."),
            parameters={"source": _PATH, "target": _PATH},
            example=ToolExample({"source": "bill.pdf", "target": "Bills/bill.pdf"}, {"path": "Bills/bill.pdf"}),
            run=move,
            mutating=True,
            check=check_move,
            identify_target=identify_moved,
        ),
        Tool(
            name="move_many",
            may=UserText("move files in {name}"),
            help=UserText("Move several files, all of them or none; existing files are never replaced."),
            parameters={
                "moves": Parameter(
                    ParameterKind.LIST, help="Up to 100 objects with source and target, paths as in move."
                )
            },
            example=ToolExample(
                {"moves": [{"source": "bill.pdf", "target": "Bills/bill.pdf"}]}, {"paths": ["Bills/bill.pdf"]}
            ),
            run=move_many,
            mutating=True,
            check=check_move_many,
            identify_target=identify_moves,
        ),
        Tool(
            name="delete",
            may=UserText("delete files in {name}"),
            help=UserText("Delete a file, a link or an empty folder."),
            parameters={"path": _PATH},
            example=ToolExample({"path": "notes/today.txt"}, None),
            run=delete,
            mutating=True,
            acts_on_others=True,
            check=check_delete,
            identify_target=identify_deleted,
        ),
    ),
    test=_test,
)
