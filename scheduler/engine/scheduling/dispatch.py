"""Chooses what starts next: one thing at a time in each lane, a limited number overall, the longest due first."""

import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime

from scheduler.engine.context import EngineContext
from scheduler.engine.scheduling.conditions import list_unmet
from scheduler.engine.scheduling.emission import Emission
from scheduler.engine.scheduling.in_flight import InFlight
from scheduler.engine.scheduling.launcher import Announcement, Launcher, Work
from scheduler.engine.scheduling.occurrence_lifecycle import OccurrenceLifecycle
from scheduler.rules.handler_ids import lane_id, split_handler_id
from scheduler.rules.lanes import Candidate, LanePriority, choose_next, producer_candidate
from scheduler.store import occurrences, schedules
from scheduler.store.next_wake import NextWake
from scheduler.store.occurrences import OccurrenceRow, QueuedRow
from scheduler.timing.catchup import MAX_GRACE
from scheduler.timing.errors import BadScheduleError
from scheduler.timing.occurrences import OccurrenceOrigin, OccurrenceReason, OccurrenceState
from scheduler.timing.policies import Catchup, Overlap, Policies

_MAX_CONSIDERED = 100
"""How many occurrences of a long queue are considered at once."""


@dataclass(slots=True)
class Selection:
    """What to do with everything that waits."""

    candidates: dict[str, list[tuple[Candidate, Work]]] = field(default_factory=dict)
    """What could start, by lane; what may run in parallel has a lane each."""
    ended: list[tuple[OccurrenceRow, OccurrenceState, OccurrenceReason]] = field(default_factory=list)
    """Those that will never start."""
    broken: dict[str, str] = field(default_factory=dict)
    """Schedules that cannot be read, each with what is wrong."""
    starving: set[str] = field(default_factory=set)
    """The keys of producers that go ahead of the others of their lane."""
    overtaken: list[tuple[str, Overlap]] = field(default_factory=list)
    """The keys of running work that must stop for newer work, and by which policy."""
    contested_lanes: set[str] = field(default_factory=set)
    """Lanes in which something other than a consumer waits."""
    is_waiting: bool = False
    """Something that is due cannot start now."""

    def add(self, lane: str, candidate: Candidate, work: Work) -> None:
        self.candidates.setdefault(lane, []).append((candidate, work))
        if candidate.priority is LanePriority.STARVING:
            self.starving.add(work.key)

    def pick_first(self) -> list[Work]:
        """The first of each lane, the longest due first, backfills last."""
        chosen = []
        for turns in self.candidates.values():
            first = turns[0]
            if len(turns) > 1:
                one = choose_next(candidate for candidate, _ in turns)
                first = next(turn for turn in turns if turn[0] is one)
                self.is_waiting = True
            chosen.append(first)
        return [
            work
            for _, work in sorted(
                chosen, key=lambda turn: (turn[1].origin is OccurrenceOrigin.BACKFILL, turn[0].due_since)
            )
        ]


class Dispatch:
    """Chooses what may start and hands it to the launcher, as far as there are free slots."""

    def __init__(
        self,
        context: EngineContext,
        launcher: Launcher,
        emission: Emission,
        lifecycle: OccurrenceLifecycle,
        in_flight: InFlight,
    ) -> None:
        self._context = context
        self._launcher = launcher
        self._emission = emission
        self._lifecycle = lifecycle
        self._in_flight = in_flight
        self.is_waiting = False
        """Something that is due could not start at the last look."""

    @property
    def in_flight(self) -> int:
        return len(self._in_flight)

    def recover(self, now: datetime) -> None:
        """After a restart: some attempts continue; everything else that had started is over."""
        with self._context.database.write() as db:
            self._lifecycle.interrupt(db, self._launcher.recover(db, now), now)

    def select(self, db: sqlite3.Connection, next_wake: NextWake, now: datetime) -> Selection:
        """What could start, and what must stop for it. Nothing starts until `start`."""
        self._in_flight.clear_ready()
        running = self._in_flight.list_running()
        choice = Selection()
        started: set[str] = set()
        if next_wake.has_started:
            started = occurrences.busy_schedules(db)
            choice.overtaken = occurrences.list_overtaken(db, now, self._context.settings.overlap)
        busy = {work.lane for work in running} | self._in_flight.held_lanes()
        started |= {work.subject for work in running}
        self._add_resumable(choice, db, busy, now)
        self._add_queued(choice, db, occurrences.iter_startable(db, now, backfill=False), busy, set(started), now)
        if next_wake.has_backfills:  # regular times go before backfills
            line = occurrences.iter_startable(db, now, backfill=True)
            self._add_queued(choice, db, line, busy | choice.candidates.keys(), started, now)
        return choice

    def start(self, selection: Selection) -> None:
        """Start what can start."""
        self._stop_overtaken(selection)
        if selection.ended or selection.broken:
            self._record_ended(selection)
        self._in_flight.add_ready(selection.pick_first(), selection.starving, selection.contested_lanes)
        while (work := self._in_flight.start_next()) is not None:
            self._launcher.start(work)
        self.is_waiting = selection.is_waiting or self._in_flight.has_ready_work

    def find_running(self, occurrence: str | None, lane: str) -> str | None:
        return self._in_flight.find_key(occurrence, lane)

    def stop(self, key: str, *, kill: bool, reason: OccurrenceReason = OccurrenceReason.STOPPED) -> None:
        """Stop what runs; an occurrence that only waits for its next attempt ends at once."""
        if self._in_flight.request_stop(key, kill=kill, reason=reason):
            self._launcher.stop(key, kill=kill)
            return
        now = self._context.clock.now()
        with self._context.database.write() as db:
            if self._lifecycle.cancel(db, key, reason, now):
                self._launcher.abandon(db, key, reason, now)
        self._context.announce(Announcement("runs"))

    def next_retry(self, now: datetime) -> datetime | None:
        """When the first lane that is held back may be tried again."""
        return self._in_flight.next_retry(now)

    def _add_resumable(self, choice: Selection, db: sqlite3.Connection, busy: set[str], now: datetime) -> None:
        """What the launcher itself could continue."""
        for candidate, work in self._launcher.list_ready(db, now):
            if work.lane in busy or work.key in self._in_flight or list_unmet(self._context.conditions, work.needs):
                choice.is_waiting = True
                if candidate.priority is not LanePriority.CONSUMER:
                    choice.contested_lanes.add(work.lane)
            else:
                choice.add(work.lane, candidate, work)

    def _add_queued(
        self,
        choice: Selection,
        db: sqlite3.Connection,
        line: Iterable[QueuedRow],
        busy: set[str],
        started: set[str],
        now: datetime,
    ) -> None:
        """From the queue of occurrences, up to a limit, one of each schedule at a time."""
        enough = len(choice.candidates) + _MAX_CONSIDERED
        held = self._in_flight.held_lanes()
        for one, written, kind, following in line:
            if one.key in self._in_flight or one.schedule in choice.broken:
                continue
            try:
                policies = self._context.parse_policies(written, kind)
                is_expired = self._is_expired(db, one, policies, now)
            except BadScheduleError as error:
                choice.broken[one.schedule] = error.sentence
                continue
            lane = lane_id(*split_handler_id(one.schedule), kind)
            beside = (one.overlap or policies.overlap) is Overlap.ALLOW_ALL
            if one.reason is OccurrenceReason.UNREADABLE:
                choice.ended.append((one, OccurrenceState.FAILED, OccurrenceReason.UNREADABLE))
            elif is_expired:
                choice.ended.append((one, OccurrenceState.MISSED, OccurrenceReason.EXPIRED))
            elif (
                lane in held
                or not self._may_start(one, policies)
                or _must_wait_for_missed(db, one, policies)
                or (not beside and (lane in busy or one.schedule in started))
            ):
                choice.is_waiting = True
                choice.contested_lanes.add(lane)
            elif one.retry_at is None or one.retry_at <= now:
                work = Work(key=one.key, lane=lane, subject=one.schedule, planned=one.planned, origin=one.origin)
                came_since = None if self._in_flight.is_favoured(lane) else following
                choice.add(
                    f"{lane} {one.key}" if beside else lane, producer_candidate(one.key, one.due, came_since, now), work
                )
                if not beside:
                    started.add(one.schedule)
            else:
                started.add(one.schedule)  # launched again a little later, it keeps its place in the queue
            if len(choice.candidates) >= enough:
                choice.is_waiting = True
                return

    def _may_start(self, one: OccurrenceRow, policies: Policies) -> bool:
        """Whether its machine conditions are met; a manual run does not wait for them."""
        return (
            not policies.needs
            or one.origin is OccurrenceOrigin.MANUAL
            or not list_unmet(self._context.conditions, policies.needs)
        )

    def _is_expired(self, db: sqlite3.Connection, one: OccurrenceRow, policies: Policies, now: datetime) -> bool:
        """Whether it waited longer than the catch-up window; what was recorded on time has at least the grace."""
        window = policies.catchup_window
        if not window or one.state is not OccurrenceState.QUEUED or one.origin is not OccurrenceOrigin.AUTOMATIC:
            return False
        waited = now - (one.planned if one.late else max(one.planned, one.due))
        if waited <= window or window >= MAX_GRACE:
            return waited > window
        row = schedules.find(db, one.schedule)
        assert row is not None
        return waited > self._context.build_timing_state(row).grace(one.planned)

    def _stop_overtaken(self, choice: Selection) -> None:
        """Stop what newer work waits for: ask once, and kill once if the policy says so."""
        for key, policy in choice.overtaken:
            kill = policy is Overlap.TERMINATE_OTHER
            asked = self._in_flight.stop_requested(key)
            if asked is None or (kill and not asked):
                self.stop(key, kill=kill, reason=OccurrenceReason.OVERTAKEN)

    def _record_ended(self, choice: Selection) -> None:
        now = self._context.clock.now()
        with self._context.database.write() as db:
            for schedule, sentence in choice.broken.items():
                self._emission.disable(db, schedule, sentence)
            for one, state, reason in choice.ended:
                occurrences.move(db, one.key, one.state, state, reason=reason, detail=one.detail, ended=now)
        for one, _, _ in choice.ended:
            self._context.announce(Announcement(one.schedule))


def _must_wait_for_missed(db: sqlite3.Connection, one: OccurrenceRow, policies: Policies) -> bool:
    """Whether missed times come first that are only due a little later, because they are spread."""
    return (
        policies.catchup is Catchup.SPREAD
        and one.origin is OccurrenceOrigin.AUTOMATIC
        and not one.late
        and occurrences.has_late_before(db, one.schedule, one.planned)
    )
