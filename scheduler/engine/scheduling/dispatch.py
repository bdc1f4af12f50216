"""Whose turn it is: one thing at a time in each lane, so many at once over all, the longest due first."""

import sqlite3
import threading
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from scheduler.engine.backoff import Backoff
from scheduler.engine.book import Book
from scheduler.engine.conditions import unmet
from scheduler.engine.context import Context
from scheduler.engine.emission import Emission
from scheduler.engine.launcher import Announcement, Launcher, Outcome, Result, Work, lane_name
from scheduler.rules.lanes import Candidate, Turn, choose, producer
from scheduler.store import occurrences
from scheduler.store.agenda import Agenda
from scheduler.store.occurrences import OccurrenceRow, QueuedRow
from scheduler.timing.catchup import GRACE
from scheduler.timing.errors import BadScheduleError
from scheduler.timing.occurrences import Origin, Reason, State
from scheduler.timing.policies import Overlap, Policies

_LONGEST_LINE = 100
"""How many occurrences of a long queue are looked at, and started without another look."""


@dataclass(slots=True)
class _Stop:
    """What was asked of a running one."""

    reason: Reason
    kill: bool


@dataclass(slots=True)
class Choice:
    """What to do with all that waits."""

    turns: dict[str, list[tuple[Candidate, Work]]] = field(default_factory=dict)
    """What could start, by lane; those that start side by side have a lane each."""
    ends: list[tuple[OccurrenceRow, State, Reason]] = field(default_factory=list)
    """Those that will never start."""
    broken: dict[str, str] = field(default_factory=dict)
    """Schedules that make no sense, with what is wrong."""
    starving: set[str] = field(default_factory=set)
    """The keys of producers that go ahead of the others of their lane."""
    overtaken: list[tuple[str, Overlap]] = field(default_factory=list)
    """The keys of those that run and must end for a newer one, and by which policy."""
    is_waiting: bool = False
    """Something that is due cannot start now."""

    def add(self, lane: str, candidate: Candidate, work: Work) -> None:
        self.turns.setdefault(lane, []).append((candidate, work))
        if candidate.turn is Turn.STARVING:
            self.starving.add(work.key)

    def first_ones(self) -> list[Work]:
        """The one whose turn it is in each lane, the longest due first; a backfill after everything else."""
        chosen = []
        for turns in self.turns.values():
            first = turns[0]
            if len(turns) > 1:
                one = choose(candidate for candidate, _ in turns)
                first = next(turn for turn in turns if turn[0] is one)
                self.is_waiting = True
            chosen.append(first)
        return [work for _, work in sorted(chosen, key=lambda turn: (turn[1].origin is Origin.BACKFILL, turn[0].since))]


class Dispatch:
    """Hands to the launcher what may start, at most `concurrency` at once. Reports may come from any thread."""

    def __init__(self, context: Context, launcher: Launcher, emission: Emission, book: Book) -> None:
        self._context = context
        self._launcher = launcher
        self._emission = emission
        self._book = book
        self._lock = threading.Lock()
        self._flights: dict[str, Work] = {}
        self._stops: dict[str, _Stop] = {}
        self.is_waiting = False
        """Something that is due could not start at the last look."""
        self._line: deque[Work] = deque()
        """What may start as soon as there is a slot, each in a lane of its own; from the last look."""
        self._others: set[str] = set()
        """Lanes in which something else than a consumer waits."""
        self._starving: set[str] = set()
        self._backoff = Backoff()
        """By lane: what failed without a row that says when to try again."""
        self._favoured: set[str] = set()
        """Lanes whose last start was a starving producer: the others come first now."""

    @property
    def in_flight(self) -> int:
        return len(self._flights)

    def recover(self, now: datetime) -> None:
        """After a restart: some attempts go on; everything else that had begun is over."""
        with self._context.database.write() as db:
            self._book.interrupt(db, self._launcher.recover(db, now), now)

    def look(self, db: sqlite3.Connection, agenda: Agenda, now: datetime) -> Choice:
        """What could start, and what must end for it. Until it is taken up, nothing is handed on."""
        with self._lock:  # others land while this one looks
            self._line.clear()
            flights = list(self._flights.values())
        choice = Choice()
        started: set[str] = set()
        if agenda.is_anything_begun:
            started = occurrences.busy_schedules(db)
            choice.overtaken = occurrences.overtaken(db, now)
        busy = {work.lane for work in flights} | self._held_lanes()
        started |= {work.subject for work in flights}
        self._go_on(choice, db, busy, now)
        self._take(choice, occurrences.queue(db, now, backfill=False), busy, set(started), now)
        if agenda.has_backfills:  # what is regular goes before what is made up for
            line = occurrences.queue(db, now, backfill=True)
            self._take(choice, line, busy | choice.turns.keys(), started, now)
        return choice

    def take_up(self, choice: Choice) -> None:
        """Start what can start."""
        self._stop_overtaken(choice)
        if choice.ends or choice.broken:
            self._clear_away(choice)
        with self._lock:
            self._line.extend(choice.first_ones())
            self._starving = choice.starving
        while self._start_first():
            pass
        self.is_waiting = choice.is_waiting or bool(self._line)

    def may_go_on(self, lane: str) -> bool:
        """Whether a lane may take up its next consumer at once: nothing else waits for its turn or for a slot."""
        return not self._line and lane not in self._others

    def flight_of(self, occurrence: str | None, lane: str) -> str | None:
        """The key of a run that is under way: its occurrence's, else of the one thing that its lane does."""
        with self._lock:
            if occurrence in self._flights:
                return occurrence
            return next((key for key, work in self._flights.items() if work.lane == lane), None)

    def stop(self, key: str, *, kill: bool, reason: Reason = Reason.STOPPED) -> None:
        """End what is under way; an occurrence that only waits for its next attempt ends at once."""
        with self._lock:
            flies = key in self._flights
            if flies:
                self._stops.setdefault(key, _Stop(reason, kill)).kill = kill
        if flies:
            self._launcher.stop(key, kill=kill)
            return
        now = self._context.clock.now()
        with self._context.database.write() as db:
            if self._book.give_up(db, key, reason, now):
                self._launcher.abandon(db, key, now)
        self._context.announce(Announcement("runs"))

    def give_up(
        self,
        db: sqlite3.Connection,
        key: str,
        now: datetime,
        reason: Reason = Reason.STOPPED,
        detail: str | None = None,
    ) -> None:
        """An occurrence whose attempts are over ends, in a transaction of the caller's."""
        self._book.give_up(db, key, reason, now, detail)

    def settle(self, db: sqlite3.Connection, key: str, now: datetime, *, happened: bool) -> None:
        """The person says what became of one that was interrupted."""
        outcome = Outcome(Result.SUCCEEDED) if happened else Outcome(Result.CANCELLED, "You left it at that.")
        self._book.end(db, key, outcome, now, None)

    def begin(self, db: sqlite3.Connection, work: Work, now: datetime) -> bool:
        return self._book.begin(db, work, now)

    def end(self, db: sqlite3.Connection, work: Work, outcome: Outcome, now: datetime) -> None:
        stop = self._stops.get(work.key)
        self._book.end(db, work.key, outcome, now, None if stop is None else stop.reason)

    def could_not_start(self, work: Work, sentence: str) -> None:
        try:
            with self._context.database.write() as db:
                self._book.could_not_start(db, work.key, sentence, self._context.clock.now())
        finally:
            self.land(work)

    def hold_back(self, work: Work) -> None:
        with self._lock:
            self._backoff.fail(work.lane, self._context.clock.monotonic())

    def next_try(self, now: datetime) -> datetime | None:
        """When the first lane that is held back may be tried again."""
        with self._lock:
            seconds = self._backoff.next_end(self._context.clock.monotonic())
        return None if seconds is None else now + timedelta(seconds=seconds)

    def _held_lanes(self) -> set[str]:
        with self._lock:
            return self._backoff.held(self._context.clock.monotonic())

    def land(self, work: Work) -> None:
        with self._lock:
            self._forget(work)
        self._context.announce(Announcement(work.subject))

    def relay(self, work: Work) -> Work | None:
        if self._context.is_paused(self._context.clock.now()):
            return None
        with self._lock:
            if work.key not in self._flights or not self._line:
                return None
            self._forget(work)
            following = self._take_first()
        self._context.tell(Announcement(work.subject))
        return following

    def _start_first(self) -> bool:
        """Give a free slot to the first in line; says whether there were both."""
        with self._lock:
            if not self._line or len(self._flights) >= self._context.settings.concurrency:
                return False
            work = self._take_first()
        self._launcher.start(work, self)
        return True

    def _take_first(self) -> Work:
        work = self._line.popleft()
        self._flights[work.key] = work
        (self._favoured.add if work.key in self._starving else self._favoured.discard)(work.lane)
        return work

    def _forget(self, work: Work) -> None:
        self._flights.pop(work.key, None)
        self._stops.pop(work.key, None)

    def _go_on(self, choice: Choice, db: sqlite3.Connection, busy: set[str], now: datetime) -> None:
        """What the launcher has under way and could take up again."""
        self._others = set()
        for candidate, work in self._launcher.turns(db, now):
            if work.lane in busy or work.key in self._flights or unmet(self._context.conditions, work.needs):
                choice.is_waiting = True
                if candidate.turn is not Turn.CONSUMER:
                    self._others.add(work.lane)
            else:
                choice.add(work.lane, candidate, work)

    def _take(
        self,
        choice: Choice,
        line: Iterable[QueuedRow],
        busy: set[str],
        started: set[str],
        now: datetime,
    ) -> None:
        """From the queue of occurrences, as many as are worth looking at, one of each schedule at a time."""
        enough = len(choice.turns) + _LONGEST_LINE
        held = self._held_lanes()
        for one, written, kind, following in line:
            if one.key in self._flights or one.schedule in choice.broken:
                continue
            try:
                policies = self._context.read_policies(written, kind)
            except BadScheduleError as error:
                choice.broken[one.schedule] = error.sentence
                continue
            workflow, _, handler = one.schedule.partition("/")
            lane = lane_name(workflow, handler, kind)
            beside = (one.overlap or policies.overlap) is Overlap.ALLOW_ALL
            if one.reason is Reason.UNREADABLE:
                choice.ends.append((one, State.FAILED, Reason.UNREADABLE))
            elif _is_expired(one, policies, now):
                choice.ends.append((one, State.MISSED, Reason.EXPIRED))
            elif (
                lane in held
                or not self._may_start(one, policies)
                or (not beside and (lane in busy or one.schedule in started))
            ):
                choice.is_waiting = True
                self._others.add(lane)
            elif one.retry_at is None or one.retry_at <= now:
                work = Work(key=one.key, lane=lane, subject=one.schedule, planned=one.planned, origin=one.origin)
                came_since = None if lane in self._favoured else following
                choice.add(f"{lane} {one.key}" if beside else lane, producer(one.key, one.due, came_since, now), work)
                if not beside:
                    started.add(one.schedule)
            else:
                started.add(one.schedule)  # to be launched again a little later, it keeps its place in the line
            if len(choice.turns) >= enough:
                choice.is_waiting = True
                return

    def _may_start(self, one: OccurrenceRow, policies: Policies) -> bool:
        """Whether the machine offers what it needs; a person's own wish is not held back."""
        return not policies.needs or one.origin is Origin.MANUAL or not unmet(self._context.conditions, policies.needs)

    def _stop_overtaken(self, choice: Choice) -> None:
        """Ask those to end that a newer one waits for; once, and once more if it is to be by force."""
        for key, policy in choice.overtaken:
            kill = policy is Overlap.TERMINATE_OTHER
            asked = self._stops.get(key)
            if asked is None or (kill and not asked.kill):
                self.stop(key, kill=kill, reason=Reason.OVERTAKEN)

    def _clear_away(self, choice: Choice) -> None:
        now = self._context.clock.now()
        with self._context.database.write() as db:
            for schedule, sentence in choice.broken.items():
                self._emission.set_aside(db, schedule, sentence)
            for one, state, reason in choice.ends:
                occurrences.move(
                    db, one.key, one.state, state, reason=reason, detail=one.detail, retry_at=None, ended=now
                )
        for one, _, _ in choice.ends:
            self._context.announce(Announcement(one.schedule))


def _is_expired(one: OccurrenceRow, policies: Policies, now: datetime) -> bool:
    """Whether it has waited beyond the catch-up window; what was recorded in time has the grace at least."""
    window = policies.catchup_window
    if not window or one.state is not State.QUEUED or one.origin is not Origin.AUTOMATIC:
        return False
    since = one.planned if one.late else max(one.planned, one.due)
    return since < now - max(window, GRACE)
