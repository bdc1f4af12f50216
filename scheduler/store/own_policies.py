"""Reduces the stored policies of schedules to those that their script sets.

Earlier versions stored the defaults with every schedule, so that a changed default had no effect on it.
"""

import sqlite3

from scheduler.store import key_values
from scheduler.store.database import Database

_IS_DONE = "only own policies are stored"
_NAMES = ("overlap", "catchup")
_REMOVE = (
    "UPDATE schedules SET policies = json_remove(policies, '$.{name}') "
    "WHERE json_valid(policies) AND policies ->> '{name}' IS NOT NULL AND NOT EXISTS ("
    "SELECT 1 FROM workflows w JOIN scripts s ON s.workflow = w.slug AND s.number = w.script "
    "JOIN json_each(s.described, '$.handlers') h "
    "WHERE w.slug = schedules.workflow AND json_valid(s.described) "
    "AND h.value ->> 'name' = schedules.handler AND h.value -> 'policies' ->> '{name}' IS NOT NULL)"
)


def keep_own_policies(database: Database) -> None:
    """Once per store."""
    if key_values.read(database.read(), _IS_DONE) is not None:
        return
    with database.write() as db:
        _remove_defaults(db)
        key_values.write(db, _IS_DONE, "yes")


def _remove_defaults(db: sqlite3.Connection) -> None:
    for name in _NAMES:
        db.execute(_REMOVE.format(name=name))
