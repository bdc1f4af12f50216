"""Imports an exported store. What this computer lacks is reported where it is missing, never guessed."""

import json
import os
import sqlite3
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from itertools import count
from pathlib import Path
from uuid import uuid4

from dayhand._workflow import make_slug

from scheduler.connections.errors import ConnectionRuleError
from scheduler.connections.registry import Registry, is_connection_name
from scheduler.engine.script_plan import ScriptPlan
from scheduler.file_system import open_no_follow
from scheduler.rules.requests import RequestKind
from scheduler.store import connections, requests, schedules, transfer, workflows
from scheduler.store.requests import RequestRow
from scheduler.store.workflows import WorkflowRow
from scheduler.timing.errors import BadScheduleError
from scheduler.timing.spec import ScheduleSpec
from scheduler.user_text import UserText

SCRIPTS_FOLDER = "workflows"
"""The folder for scripts whose file is not on this computer."""
_MAX_FILE_NAME_LETTERS = 60
"""Each takes at most four bytes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportSummary:
    workflows: int
    connections: tuple[str, ...] = ()
    """Those to connect again, as secrets are not exported."""
    schedules: tuple[str, ...] = ()
    """Those that are not valid on this computer."""
    aside: Path | None = None
    """Where the replaced data was moved."""


def import_store(folder: Path, source: Path, registry: Registry, machine_zone: str, now: datetime) -> ImportSummary:
    """Replace the folder's store with that checked copy. Raises StoreError; nothing has changed then."""
    lost: list[str] = []
    disabled: list[str] = []
    written: list[Path] = []
    number = 0

    def adjust(db: sqlite3.Connection) -> None:
        nonlocal number
        known = workflows.list_all(db)
        _check(db, known)
        number = len(known)
        written.extend(path for row in known if (path := _write_missing_script(db, row, folder)) is not None)
        lost.extend(_ask_to_reconnect(db, registry, now))
        disabled.extend(_disable_invalid_schedules(db, machine_zone, now))

    try:
        aside = transfer.import_store(folder, source, adjust, now)
    except BaseException:
        for path in written:
            path.unlink(missing_ok=True)
        raise
    return ImportSummary(workflows=number, connections=tuple(lost), schedules=tuple(disabled), aside=aside)


def _check(db: sqlite3.Connection, known: list[WorkflowRow]) -> None:
    """Check what the store cannot: rows that are individually valid must also make valid names, files and plans."""
    for row in known:
        if row.slug != make_slug(row.name):
            raise transfer.InvalidStoreFileError
        for script in workflows.list_scripts(db, row.slug):
            try:
                plan = ScriptPlan.from_description(row.slug, script.number, row.path, script.source, script.described)
            except (LookupError, TypeError, ValueError, AttributeError, BadScheduleError) as error:
                raise transfer.InvalidStoreFileError from error
            if make_slug(plan.name) != row.slug:
                raise transfer.InvalidStoreFileError
    if not all(is_connection_name(row.name) for row in connections.list_all(db)):
        raise transfer.InvalidStoreFileError


def _write_missing_script(db: sqlite3.Connection, row: WorkflowRow, folder: Path) -> Path | None:
    """Write a file for a script that is not at its old path, so that it can be edited; its path if it is new."""
    path = Path(row.path)
    with suppress(OSError):  # a path may be longer than this system allows
        if path.is_absolute() and path.is_file():
            return None
    script = workflows.find_script(db, row.slug, row.script)
    assert script is not None, "checked before"
    path, is_new = _write_script(folder / SCRIPTS_FOLDER, row.slug[:_MAX_FILE_NAME_LETTERS], script.source)
    workflows.save(db, row._replace(path=str(path)))
    return path if is_new else None


def _write_script(folder: Path, name: str, source: str) -> tuple[Path, bool]:
    """Write a file of that name, numbered until one is free or has the same content; whether it is new."""
    folder.mkdir(exist_ok=True, mode=0o700)
    for number in count(1):
        path = folder / (f"{name}.py" if number == 1 else f"{name}-{number}.py")
        with suppress(OSError):
            if path.is_file() and path.read_bytes() == source.encode():
                return path, False
        with suppress(FileExistsError):
            descriptor = open_no_follow(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(descriptor, "w", encoding="utf-8", newline="") as file:
                file.write(source)
            return path, True
    raise AssertionError("unreachable")


def _ask_to_reconnect(db: sqlite3.Connection, registry: Registry, now: datetime) -> list[str]:
    lost = []
    for row in connections.list_all(db):
        try:
            connector = registry.connector_of(row.name)
        except ConnectionRuleError:
            continue
        if not connector.has_secrets(row.settings):
            continue
        sentence = UserText("{name} was imported without its password. Connect it again.", name=row.name)
        connections.set_trouble(db, row.name, sentence)
        lost.append(row.name)
        user = next((one.slug for one in workflows.list_all(db) if row.name in _connections_of(db, one)), None)
        if user is not None:
            requests.add(
                db,
                RequestRow(
                    id=uuid4().hex[:12],
                    kind=RequestKind.RECONNECT,
                    workflow=user,
                    subject=row.name,
                    sentence=sentence,
                    created=now,
                ),
            )
    return lost


def _connections_of(db: sqlite3.Connection, row: WorkflowRow) -> list[str]:
    script = workflows.find_script(db, row.slug, row.script)
    return [] if script is None else list(script.described.get("connections") or [])


def _disable_invalid_schedules(db: sqlite3.Connection, machine_zone: str, now: datetime) -> list[str]:
    """Disable schedules in a zone that is unknown here, with the reason, rather than run them at another time."""
    found = []
    for row in schedules.list_all(db):
        try:
            ScheduleSpec.read(json.loads(row.spec), machine_zone=machine_zone, now=now).compile(machine_zone)
        except BadScheduleError as error:
            schedules.update(db, row.id, trouble=error.sentence)
            found.append(row.id)
        except (ValueError, TypeError, AttributeError):
            schedules.update(db, row.id, trouble=UserText("The stored text cannot be read."))
            found.append(row.id)
    return found
