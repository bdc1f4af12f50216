"""One look at the store: everything that a view is made from, at one instant."""

import sqlite3
from dataclasses import dataclass
from datetime import datetime
from zoneinfo import ZoneInfo

from scheduler.connections.registry import Registry
from scheduler.engine.context import Context
from scheduler.engine.engine import PAUSED
from scheduler.engine.plans import Plans
from scheduler.store import facts
from scheduler.timing.date_words import MONTHS
from scheduler.timing.zones import find_zone

_FAR_YEAR = 9000
"""A pause until then has no end."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    context: Context
    plans: Plans
    registry: Registry
    db: sqlite3.Connection
    now: datetime
    everything_paused_until: datetime | None
    """As it is stored, so that it is right beside a running app too."""

    @classmethod
    def take(cls, context: Context, plans: Plans, registry: Registry) -> "Look":
        db = context.database.read()
        written = facts.read(db, PAUSED)
        return cls(
            context=context,
            plans=plans,
            registry=registry,
            db=db,
            now=context.clock.now(),
            everything_paused_until=None if not written else datetime.fromisoformat(written),
        )

    def say_at(self, at: datetime) -> str:
        """`at 14:05`, with the day where it is another one, in the zone of this machine."""
        zone: ZoneInfo = find_zone(self.context.machine_zone)
        local, today = at.astimezone(zone), self.now.astimezone(zone).date()
        return (
            f"at {local:%H:%M}"
            if local.date() == today
            else f"on {local.day} {MONTHS[local.month - 1]} at {local:%H:%M}"
        )


def say_pause(look: Look, until: datetime | None) -> str:
    """What follows `paused`: nothing if it has no end."""
    return "" if until is None or until.year > _FAR_YEAR else f" It goes on {look.say_at(until)}."
