"""Which times each schedule had when, so that each planned time can be checked later."""

from collections.abc import Iterator
from datetime import datetime

from scheduler.store import schedules
from scheduler.timing.compiled import PlannedTimes
from tests.engine.test_properties import Segment
from tests.runs.runtime_fixture import RuntimeFixture


class ScheduleHistory:
    """Follows the schedules of a runtime from their first deploy on."""

    def __init__(self, runtime: RuntimeFixture) -> None:
        self._runtime = runtime
        self._segments: dict[str, list[Segment]] = {}

    def __bool__(self) -> bool:
        return bool(self._segments)

    def follow(self) -> None:
        """Record which schedules are in force from now on."""
        now, rows = self._runtime.clock.wall, schedules.list_all(self._runtime.database.read())
        for row in rows:
            _spec, times = self._runtime.engine.context.compile(row.id, row.spec)
            known = self._segments.setdefault(row.id, [])
            if not known or known[-1].until is not None or known[-1].times != times:
                self._close(row.id, now)
                known.append(Segment(times, now))
        for gone in self._segments.keys() - {row.id for row in rows}:
            self._close(gone, now)

    def cut(self, now: datetime) -> None:
        """The clock was set back to now."""
        self._segments = {name: [one.cut(now) for one in all_] for name, all_ in self._segments.items()}
        self.follow()

    def forget(self, workflow: str) -> None:
        """It was removed with its history."""
        self._segments = {name: all_ for name, all_ in self._segments.items() if not name.startswith(f"{workflow}/")}

    def periods(self, now: datetime) -> Iterator[tuple[str, list[tuple[PlannedTimes, datetime, datetime]]]]:
        """For each schedule, the times in force between two instants."""
        for schedule, segments in self._segments.items():
            yield schedule, [(one.times, one.since, min(now, one.until or now)) for one in segments]

    def _close(self, schedule: str, now: datetime) -> None:
        known = self._segments[schedule]
        if known and known[-1].until is None:
            known[-1] = Segment(known[-1].times, known[-1].since, now)
