"""Everything a query needs, at one instant: the store connection, plans, registry and the time."""

import sqlite3
from dataclasses import dataclass, field
from datetime import datetime
from zoneinfo import ZoneInfo

from scheduler.connections.registry import Registry
from scheduler.engine.context import EngineContext
from scheduler.engine.scheduling.engine import PAUSE_NOTE_KEY, PAUSED_UNTIL_KEY
from scheduler.engine.script_plan import ScriptPlan, ScriptPlans
from scheduler.store import key_values, workflows
from scheduler.timing.date_words import MONTHS, describe_moment
from scheduler.timing.zones import find_zone
from scheduler.user_text import UserText, format_instants

_FAR_YEAR = 9000
"""A pause beyond this year has no end."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    context: EngineContext
    plans: ScriptPlans
    registry: Registry
    db: sqlite3.Connection
    now: datetime
    everything_paused_until: datetime | None
    """As stored, so that it is also right in another process than the engine's."""
    everything_pause_note: str | None = None
    _current_plans: dict[str, ScriptPlan | None] = field(default_factory=dict, repr=False, compare=False)
    """Those asked for so far: a page of history asks for the same few again and again."""

    @classmethod
    def take(cls, context: EngineContext, plans: ScriptPlans, registry: Registry) -> "Snapshot":
        db = context.database.read()
        written = key_values.read(db, PAUSED_UNTIL_KEY)
        return cls(
            context=context,
            plans=plans,
            registry=registry,
            db=db,
            now=context.clock.now(),
            everything_paused_until=None if not written else datetime.fromisoformat(written),
            everything_pause_note=key_values.read(db, PAUSE_NOTE_KEY) or None,
        )

    @property
    def is_paused_without_end(self) -> bool:
        """Whether everything is paused until the user resumes it."""
        return self.everything_paused_until is not None and self.everything_paused_until.year > _FAR_YEAR

    def find_plan(self, workflow: str) -> ScriptPlan | None:
        """The plan that new runs of it use; None if there is no such workflow."""
        if workflow not in self._current_plans:
            row = workflows.find(self.db, workflow)
            self._current_plans[workflow] = None if row is None else self.plans.find(self.db, workflow, row.script)
        return self._current_plans[workflow]

    def format_day(self, at: datetime) -> str:
        """`3 May`, with the year if it is another one, in the machine's time zone."""
        zone: ZoneInfo = find_zone(self.context.machine_zone)
        local = at.astimezone(zone)
        month = MONTHS[local.month - 1]
        if local.year == self.now.astimezone(zone).year:
            return UserText("{day} {month}", day=local.day, month=month)
        return UserText("{day} {month} {year}", day=local.day, month=month, year=local.year)

    def format_since(self, at: datetime) -> str:
        """`14:05`, or `3 May` on another day, in the machine's time zone."""
        zone: ZoneInfo = find_zone(self.context.machine_zone)
        local = at.astimezone(zone)
        is_today = local.date() == self.now.astimezone(zone).date()
        return f"{local:%H:%M}" if is_today else self.format_day(at)

    def format_at(self, at: datetime) -> str:
        """`at 14:05`, or `on 3 May at 14:05` on another day, in the machine's time zone."""
        return describe_moment(at, self.now, find_zone(self.context.machine_zone))

    def format_instants(self, text: str) -> str:
        """A stored text as it is shown now."""
        return format_instants(text, self.format_at)


def describe_pause_end(snapshot: Snapshot, until: datetime | None) -> list[str]:
    """The sentence after "paused"; empty if the pause has no end."""
    if until is None or until.year > _FAR_YEAR:
        return []
    return [UserText("It resumes {at}.", at=snapshot.format_at(until))]
