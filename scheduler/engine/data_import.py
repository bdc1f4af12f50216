"""Taking an export in: what this computer lacks is said where it is missing, never guessed."""

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
from scheduler.connections.registry import Registry, is_name
from scheduler.engine.plans import Plan
from scheduler.engine.runs.tools import keeps_secrets
from scheduler.store import connections, moving, requests, schedules, workflows
from scheduler.store.requests import RequestKind, RequestRow
from scheduler.store.workflows import WorkflowRow
from scheduler.timing.errors import BadScheduleError
from scheduler.timing.spec import Spec

SCRIPTS = "workflows"
"""The folder for scripts whose file did not come along."""
_LONGEST_FILE_NAME = 60
"""Letters, each of at most four bytes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TakenIn:
    workflows: int
    connections: tuple[str, ...] = ()
    """Those that must be connected again, since secrets do not travel."""
    schedules: tuple[str, ...] = ()
    """Those that make no sense here."""
    aside: Path | None = None
    """Where the data that was here before is."""


def take_in(folder: Path, source: Path, registry: Registry, machine_zone: str, now: datetime) -> TakenIn:
    """Put that copy of a store, which was checked, in place of the folder's. StoreError, and nothing has changed."""
    lost: list[str] = []
    aside_schedules: list[str] = []
    written: list[Path] = []
    number = 0

    def adjust(db: sqlite3.Connection) -> None:
        nonlocal number
        known = workflows.every_one(db)
        _check(db, known)
        number = len(known)
        written.extend(path for row in known if (path := _give_file(db, row, folder)) is not None)
        lost.extend(_ask_to_reconnect(db, registry, now))
        aside_schedules.extend(_set_aside(db, machine_zone, now))

    try:
        aside = moving.take_in(folder, source, adjust, now)
    except BaseException:
        for path in written:
            path.unlink(missing_ok=True)
        raise
    return TakenIn(workflows=number, connections=tuple(lost), schedules=tuple(aside_schedules), aside=aside)


def _check(db: sqlite3.Connection, known: list[WorkflowRow]) -> None:
    """What only the engine can tell of rows that are in order by themselves: they become names, files and plans."""
    for row in known:
        if row.slug != make_slug(row.name):
            raise moving.NotOursError
        for script in workflows.scripts(db, row.slug):
            try:
                plan = Plan.read(row.slug, script.number, row.path, script.source, script.described)
            except (LookupError, TypeError, ValueError, AttributeError, BadScheduleError) as error:
                raise moving.NotOursError from error
            if make_slug(plan.name) != row.slug:
                raise moving.NotOursError
    if not all(is_name(row.name) for row in connections.every_one(db)):
        raise moving.NotOursError


def _give_file(db: sqlite3.Connection, row: WorkflowRow, folder: Path) -> Path | None:
    """A script that is not where it was on the other computer gets a file here, to be edited; if that is new, it."""
    path = Path(row.path)
    with suppress(OSError):  # a path may be longer than this system can have
        if path.is_absolute() and path.is_file():
            return None
    script = workflows.find_script(db, row.slug, row.script)
    assert script is not None, "it was checked"
    path, is_new = _write_script(folder / SCRIPTS, row.slug[:_LONGEST_FILE_NAME], script.source)
    workflows.save(db, row._replace(path=str(path)))
    return path if is_new else None


def _write_script(folder: Path, name: str, source: str) -> tuple[Path, bool]:
    """A file of that name, or of the first one with a number that is free or says the same; whether it is new."""
    folder.mkdir(exist_ok=True, mode=0o700)
    for number in count(1):
        path = folder / (f"{name}.py" if number == 1 else f"{name}-{number}.py")
        with suppress(OSError):
            if path.is_file() and path.read_bytes() == source.encode():
                return path, False
        with suppress(FileExistsError):
            descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0), 0o600)
            with os.fdopen(descriptor, "w", encoding="utf-8", newline="") as file:
                file.write(source)
            return path, True
    raise AssertionError("unreachable")


def _ask_to_reconnect(db: sqlite3.Connection, registry: Registry, now: datetime) -> list[str]:
    lost = []
    for row in connections.every_one(db):
        try:
            connector = registry.connector(registry.parse_name(row.name)[0])
        except ConnectionRuleError:
            continue
        if not keeps_secrets(connector, row.settings):
            continue
        sentence = f"{row.name} came without its password. Connect it again."
        connections.set_trouble(db, row.name, sentence)
        lost.append(row.name)
        user = next((one.slug for one in workflows.every_one(db) if row.name in _connections_of(db, one)), None)
        if user is not None:
            requests.put(
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


def _set_aside(db: sqlite3.Connection, machine_zone: str, now: datetime) -> list[str]:
    """Schedules in a zone that nobody knows here wait with the reason, rather than run at another time."""
    found = []
    for row in schedules.every_one(db):
        try:
            Spec.read(json.loads(row.spec), machine_zone=machine_zone, now=now).times(machine_zone)
        except BadScheduleError as error:
            schedules.update(db, row.id, trouble=error.sentence)
            found.append(row.id)
        except (ValueError, TypeError, AttributeError):
            schedules.update(db, row.id, trouble="The stored text cannot be read.")
            found.append(row.id)
    return found
