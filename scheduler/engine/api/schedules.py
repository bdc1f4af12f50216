"""The verb that changes a schedule."""

from typing import Any

from scheduler.engine.api.backend import Backend
from scheduler.engine.api.json_values import to_json
from scheduler.engine.errors import RefusedError
from scheduler.timing.instants import format_instant
from scheduler.timing.time_expressions import Direction, parse_time
from scheduler.timing.zones import LOCAL, find_zone

_INSTANTS = ("once", "anchor", "start_at", "end_at")


class ScheduleApi:
    def __init__(self, backend: Backend) -> None:
        self._backend = backend

    def schedule_edit(
        self,
        schedule: str,
        changes: dict[str, Any] | None = None,
        policies: dict[str, Any] | None = None,
        *,
        if_version: int | None = None,
        idempotency_key: str | None = None,
    ) -> dict[str, Any]:
        """Change parts of its times and policies; None removes one, so that its default applies.

        Refused if it has another version than `if_version`.
        """
        if not changes and not policies:
            raise RefusedError("nothing", "Say what to change, for example --every 2h or --overlap skip.")
        before = self._backend.queries.schedule_report(schedule)
        written = None if not changes else self._use_instants(changes, before.timezone)
        self._backend.execute(
            lambda runtime: runtime.schedule_commands.edit(
                before.schedule,
                version=if_version,
                changes=written,
                policies=policies or None,
                idempotency_key=idempotency_key,
            )
        )
        report: dict[str, Any] = to_json(self._backend.queries.schedule_report(before.schedule))
        return report

    def _use_instants(self, changes: dict[str, Any], stored_zone: str) -> dict[str, Any]:
        """The changes with times such as `tomorrow 09:00` as instants, in the schedule's zone."""
        named = str(changes.get("timezone") or stored_zone)
        zone = find_zone(self._backend.zone if named == LOCAL else named)
        found = {name: changes[name] for name in _INSTANTS if isinstance(changes.get(name), str)}
        now = self._backend.now()
        parsed = {
            name: format_instant(parse_time(text, name, zone, now, Direction.FUTURE, end_of_day=name == "end_at"))
            for name, text in found.items()
        }
        return {**changes, **parsed}
