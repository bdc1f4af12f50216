"""Taking an export in: what this computer lacks is said where it is missing, never guessed."""

import json
import sqlite3
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from uuid import uuid4

from scheduler.connections.errors import ConnectionRuleError
from scheduler.connections.registry import Registry
from scheduler.engine.runs.tools import keeps_secrets
from scheduler.store import connections, moving, requests, schedules, workflows
from scheduler.store.requests import RequestKind, RequestRow
from scheduler.store.workflows import WorkflowRow
from scheduler.timing.errors import BadScheduleError
from scheduler.timing.spec import Spec

SCRIPTS = "workflows"
"""The folder for scripts whose file did not come along."""


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
    number = 0

    def adjust(db: sqlite3.Connection) -> None:
        nonlocal number
        known = workflows.every_one(db)
        number = len(known)
        for row in known:
            _give_file(db, row, folder)
        lost.extend(_ask_to_reconnect(db, registry, now))
        aside_schedules.extend(_set_aside(db, machine_zone, now))

    aside = moving.take_in(folder, source, adjust, now)
    return TakenIn(workflows=number, connections=tuple(lost), schedules=tuple(aside_schedules), aside=aside)


def _give_file(db: sqlite3.Connection, row: WorkflowRow, folder: Path) -> None:
    """A script that is not where it was on the other computer gets a file here, to be edited."""
    if Path(row.path).is_file():
        return
    script = workflows.find_script(db, row.slug, row.script)
    if script is not None:
        path = folder / SCRIPTS / f"{row.slug}.py"
        path.parent.mkdir(exist_ok=True, mode=0o700)
        path.write_text(script.source, encoding="utf-8")
        workflows.save(db, row._replace(path=str(path)))


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
