"""Schedules of every kind under random events, checked against a model that lists every planned time."""

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from scheduler.engine.errors import RefusedError
from scheduler.engine.scheduling.clock_rollback import CLOCK_TOLERANCE
from scheduler.engine.scheduling.launcher import Result
from scheduler.rules.requests import Block
from scheduler.store import backfills, schedules
from scheduler.store.occurrences import OccurrenceRow
from scheduler.store.schedules import ScheduleRow
from scheduler.timing.catchup import Gap
from scheduler.timing.compiled import PlannedTimes
from scheduler.timing.occurrences import OccurrenceOrigin, OccurrenceReason, OccurrenceState
from scheduler.timing.policies import Catchup, Need, Overlap
from scheduler.timing.spec import ScheduleSpec
from tests.engine.engine_fixture import START, Bench

ZONES = ("UTC", "Europe/Berlin", "America/New_York", "local")


def minutes(number: float) -> timedelta:
    return timedelta(minutes=number)


# Each with its approximate interval.
kinds = st.sampled_from(
    [
        ({"every": "10s"}, timedelta(seconds=10)),
        ({"every": "45s"}, timedelta(seconds=45)),
        ({"every": "7m"}, minutes(7)),
        ({"every": "1h", "anchor": "2026-11-16T10:20Z"}, minutes(60)),
        ({"cron": "* * * * *"}, minutes(1)),
        ({"cron": ["*/20 * * * *", "5 * * * *"]}, minutes(15)),
        ({"cron": "30 */3 * * *"}, minutes(180)),
        ({"cron": "15,45 * * * * *"}, timedelta(seconds=30)),
        ({"calendar": {"minute": [0, 30]}}, minutes(30)),
        ({"calendar": {"hour": "*/2", "minute": 10}}, minutes(120)),
        ({"every": "30m", "exclude": {"hour": "12-13"}}, minutes(30)),
        ({"once": "2026-11-16T10:45Z"}, minutes(20)),
        ({"once": "2026-11-16T13:00Z"}, minutes(60)),
    ]
)
extras = st.fixed_dictionaries(
    {},
    optional={
        "timezone": st.sampled_from(ZONES),
        "jitter": st.sampled_from(["10s", "+10s", "10m", "+10m", "2h"]),
        "limit": st.integers(1, 6),
        "end_at": st.sampled_from(["2026-11-16T16:00Z", "2026-11-17T12:00Z"]),
    },
)
specs = st.tuples(kinds, extras).map(lambda both: ({**both[0][0], **both[1]}, both[0][1]))
policies = st.fixed_dictionaries(
    {"overlap": st.sampled_from(Overlap), "catchup": st.sampled_from(Catchup)},
    optional={
        "catchup_window": st.sampled_from(["0", "30s", "20m", "3h"]),
        "pause_on_failure": st.just(True),  # noqa: FBT003
        "needs": st.just(["network"]),
    },
)
factors = st.sampled_from([0.05, 0.3, 1, 1.7, 3])
long_factors = st.sampled_from([0.5, 1, 2.5, 8, 40, 150])


@dataclass(frozen=True, slots=True)
class Segment:
    """One set of times that applies after `since`, up to and including `until`."""

    times: PlannedTimes
    since: datetime
    until: datetime | None = None

    def cut(self, now: datetime) -> "Segment":
        """The segment after the clock was set back to now; a correction by seconds changes nothing."""
        until = self.until if self.until is None or self.until <= now + CLOCK_TOLERANCE else now
        return replace(self, since=min(self.since, now), until=until)

    def planned(self, now: datetime) -> list[datetime]:
        until = now if self.until is None else min(now, self.until)
        return list(self.times.between(self.since, until))


def is_recorded(one: OccurrenceRow) -> bool:
    """Whether it records a planned time; one dropped by a wrong clock does not."""
    return one.origin is OccurrenceOrigin.AUTOMATIC and one.reason is not OccurrenceReason.CLOCK


class ScheduleMachine(RuleBasedStateMachine):
    """One schedule from its creation on."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = TemporaryDirectory()
        self.bench = Bench(
            Path(self.folder.name) / "data",
            concurrency=2,
            catchup_per_tick=3,
            backfill_per_tick=2,
            waiting_at_most=5,
        )
        self.bench.deploy("h")
        self.before_block: set[str] | None = None
        """The keys of the occurrences that were recorded before the lane was blocked; None if it is not."""
        self.segments: list[Segment] = []
        self.period = minutes(1)
        self.beside = False
        self.was_set_back = False
        self.edited = START
        self.allowed = 0
        self.requests = 0
        self.early: set[Gap] = set()

    def teardown(self) -> None:
        self.bench.database.close()
        self.folder.cleanup()

    @property
    def now(self) -> datetime:
        return self.bench.clock.wall

    @property
    def row(self) -> ScheduleRow:
        row = schedules.find(self.bench.database.read(), "w/h")
        assert row is not None
        return row

    @property
    def spec(self) -> ScheduleSpec:
        return ScheduleSpec.read(json.loads(self.row.spec), machine_zone=self.bench.zone, now=self.now)

    def follow(self, *, is_new_schedule: bool = False) -> None:
        """Tell the model which times apply from now on."""
        row = self.row
        limit = self.spec.limit
        if row.removed is not None or (row.next_at is None and limit is not None and row.runs >= limit):
            self.close()
            return
        times = self.spec.compile(self.bench.zone)
        if self.segments and self.segments[-1].until is None:
            if times == self.segments[-1].times and not is_new_schedule:
                return
            self.close()
        self.segments.append(Segment(times, self.now))

    def close(self) -> None:
        if self.segments and self.segments[-1].until is None:
            self.segments[-1] = replace(self.segments[-1], until=self.now)
            # Early jitter: missed before its planned time, which now belongs to no segment.
            self.early |= {gap for gap in self.bench.gaps() if gap.last > self.now}

    def tick(self) -> datetime:
        wake = self.bench.tick()
        self.follow()
        assert wake <= self.now + timedelta(seconds=60)
        row = self.row
        assert row.paused or row.next_due is None or row.next_due > self.now
        return wake

    def live(self, until: datetime, *, finish: bool) -> None:
        """Let time pass as the host does."""
        wake = self.tick()
        while True:
            while finish and self.bench.launcher.running:
                self.bench.launcher.finish()
                wake = self.tick()
            if wake > until:
                break
            self.bench.clock.move(wake - self.now)
            wake = self.tick()
        self.bench.clock.move(until - self.now)

    def request(self) -> str:
        """A unique but reproducible idempotency key: occurrence keys and so retries depend on it."""
        self.requests += 1
        return f"request {self.requests}"

    def ask(self, command: Callable[..., Any], *given: Any, **named: Any) -> bool:
        """Run a command; a refused one changes nothing."""
        before = self.row
        try:
            command(*given, **named)
        except RefusedError:
            assert self.row == before
            return False
        return True

    @initialize(spec=specs, policies=policies)
    def add(self, spec: tuple[dict[str, Any], timedelta], policies: dict[str, Any]) -> None:
        written, self.period = spec
        self.beside |= policies["overlap"] is Overlap.ALLOW_ALL
        self.bench.commands.add("w", "h", written, policies)
        self.follow()

    @rule(factor=factors, finish=st.booleans())
    def pass_time(self, factor: float, finish: bool) -> None:  # noqa: FBT001
        self.live(self.now + self.period * factor, finish=finish)

    @rule(factor=long_factors, then_tick=st.booleans())
    def sleep(self, factor: float, then_tick: bool) -> None:  # noqa: FBT001
        self.bench.sleep(self.period * factor)
        if then_tick:
            self.tick()

    @rule(factor=long_factors, tick_first=st.booleans())
    def crash(self, factor: float, tick_first: bool) -> None:  # noqa: FBT001
        if tick_first:
            self.tick()
        self.bench.crash(self.period * factor)
        self.follow()

    @rule(factor=long_factors, crash=st.booleans())
    def set_the_clock_back(self, factor: float, crash: bool) -> None:  # noqa: FBT001
        """Not before the last edit of the times: gaps of other times cannot be counted again."""
        back = min(self.period * factor, self.now - self.edited)
        if back <= timedelta():
            return
        self.was_set_back = True
        if crash:
            self.bench.crash(-back)
        else:
            self.bench.clock.wall -= back
            self.bench.tick()
        self.segments = [one.cut(self.now) for one in self.segments]
        self.follow()

    @rule(factor=st.none() | factors)
    def pause(self, factor: float | None) -> None:
        until = None if factor is None else self.now + self.period * factor
        self.ask(self.bench.commands.pause, "w/h", until=until)

    @precondition(lambda self: self.segments and self.row.paused)
    @rule()
    def resume(self) -> None:
        self.ask(self.bench.commands.resume, "w/h")

    @rule(kind=st.sampled_from(Block), factor=st.none() | factors)
    def block(self, kind: Block, factor: float | None) -> None:
        """A run of the lane failed or waits: nothing starts until it is resolved."""
        if self.before_block is None:
            self.before_block = {one.key for one in self.bench.occurrences()}
            self.bench.block("h", kind=kind, until=None if factor is None else self.now + self.period * factor)

    @precondition(lambda self: self.before_block is not None)
    @rule()
    def unblock(self) -> None:
        self.before_block = None
        self.bench.unblock("h")
        self.tick()

    @rule()
    def skip_next(self) -> None:
        self.ask(self.bench.commands.skip_next, "w/h")

    @rule(spec=specs)
    def edit_times(self, spec: tuple[dict[str, Any], timedelta]) -> None:
        if self.ask(self.bench.commands.edit, "w/h", version=self.row.version, spec=spec[0]):
            self.period = spec[1]
            self.allowed = self.row.runs
            self.edited = self.now
            self.follow()

    @rule(policies=policies)
    def edit_policies(self, policies: dict[str, Any]) -> None:
        if self.ask(self.bench.commands.edit, "w/h", version=self.row.version, policies=policies):
            self.beside |= policies["overlap"] is Overlap.ALLOW_ALL
            self.follow()

    @rule(overlap=st.none() | st.sampled_from(Overlap))
    def trigger(self, overlap: Overlap | None) -> None:
        self.beside |= overlap is Overlap.ALLOW_ALL
        self.ask(self.bench.commands.trigger, "w/h", overlap=overlap, idempotency_key=self.request())

    @rule(factor=factors, overlap=st.sampled_from(Overlap), missing=st.booleans())
    def backfill(self, factor: float, overlap: Overlap, missing: bool) -> None:  # noqa: FBT001
        self.beside |= overlap is Overlap.ALLOW_ALL
        span = (self.now - self.period * factor * 2, self.now)
        request = self.request()
        self.ask(self.bench.commands.backfill, "w/h", [span], overlap=overlap, missing=missing, idempotency_key=request)

    @precondition(lambda self: backfills.list_open(self.bench.database.read()))
    @rule()
    def cancel_backfills(self) -> None:
        for one in backfills.list_open(self.bench.database.read()):
            self.bench.commands.cancel_backfill(one.id)

    @precondition(lambda self: self.bench.launcher.running)
    @rule(result=st.sampled_from(Result), last=st.booleans())
    def finish(self, result: Result, last: bool) -> None:  # noqa: FBT001
        self.bench.launcher.finish([*self.bench.launcher.running][-1 if last else 0], result)
        self.tick()

    @precondition(lambda self: self.bench.launcher.running)
    @rule(last=st.booleans())
    def rest(self, last: bool) -> None:  # noqa: FBT001
        """An attempt is over, and another will follow."""
        self.bench.launcher.rest([*self.bench.launcher.running][-1 if last else 0])
        self.tick()

    @precondition(lambda self: self.bench.resting)
    @rule()
    def go_on(self) -> None:
        for work in self.bench.resting.values():
            self.bench.launcher.offer(work)
        self.bench.engine.wake()
        self.tick()

    @precondition(lambda self: self.bench.resting)
    @rule()
    def stop(self) -> None:
        self.ask(self.bench.commands.stop, "w/h")
        self.tick()

    @precondition(lambda self: self.bench.launcher.stops)
    @rule()
    def stop_when_asked(self) -> None:
        """End the runs that were asked to stop."""
        for key, _ in self.bench.launcher.stops:
            if key in self.bench.launcher.running:
                self.bench.launcher.finish(key, Result.CANCELLED)
        self.tick()

    @rule(broken=st.booleans(), slow=st.booleans(), online=st.sampled_from([True, False, None]))
    def change_conditions(self, broken: bool, slow: bool, online: bool | None) -> None:  # noqa: FBT001
        self.bench.launcher.broken, self.bench.launcher.slow = broken, slow
        if online is None:
            self.bench.conditions.held.pop(Need.NETWORK, None)
        else:
            self.bench.conditions.held[Need.NETWORK] = online
        self.bench.engine.wake()

    @precondition(lambda self: self.bench.launcher.waiting)
    @rule()
    def begin(self) -> None:
        self.bench.launcher.begin()
        self.follow()

    @rule(zone=st.sampled_from(["UTC", "Europe/Berlin", "Asia/Kathmandu"]), away=st.booleans())
    def move_to(self, zone: str, away: bool) -> None:  # noqa: FBT001
        self.bench.zone = zone
        if away:
            self.bench.crash()
        else:
            self.bench.engine.change_zone(zone)
        self.edited = self.now
        self.follow()

    @rule(spec=specs, policies=policies, factor=factors)
    def delete_and_add_again(
        self, spec: tuple[dict[str, Any], timedelta], policies: dict[str, Any], factor: float
    ) -> None:
        version = self.bench.commands.delete("w/h").version
        self.follow()
        self.live(self.now + self.period * factor, finish=True)
        written, self.period = spec
        written = {**written, "every": "20m", "end_at": None} if "once" in written else {**written, "end_at": None}
        written.pop("once", None)
        self.beside |= policies["overlap"] is Overlap.ALLOW_ALL
        assert self.bench.commands.add("w", "h", written, policies).version == version + 1
        self.allowed = 0
        self.edited = self.now
        self.follow(is_new_schedule=True)

    @rule(number=st.integers(1, 4))
    def upcoming_times_are_what_runs(self, number: int) -> None:
        self.bench.launcher.broken = self.bench.launcher.slow = False
        self.bench.launcher.begin()
        self.bench.conditions.held.clear()
        self.unblock()
        self.go_on()
        self.wait_until_idle()
        row = self.row
        shown = self.bench.schedule_queries.upcoming("w/h", number)
        if row.paused or not shown or shown[-1] - self.now > timedelta(days=3):
            return
        begun = len(self.bench.launcher.begun)
        jitter = self.spec.jitter
        self.live(shown[-1] + (jitter.max_shift if jitter else timedelta()), finish=True)
        fired = [
            work.planned for work in self.bench.launcher.begun[begun:] if work.origin is OccurrenceOrigin.AUTOMATIC
        ]
        assert fired[: len(shown)] == shown

    def wait_until_idle(self) -> None:
        """Until nothing is queued or running."""
        for _ in range(3_000):
            self.tick()
            if self.bench.launcher.running:
                self.bench.launcher.finish()
                continue
            waiting = self.bench.occurrences("w/h", OccurrenceState.QUEUED, OccurrenceState.STARTED)
            row = self.row
            if not waiting and row.late_next is None:
                return
            if row.paused:
                return
            self.live(max([self.now, *(one.retry_at or one.due for one in waiting)]), finish=True)
        raise AssertionError("it never comes to rest")

    @invariant()
    def every_planned_time_is_recorded_once(self) -> None:
        """The counts of gaps are exact."""
        if not self.segments:
            return
        row = self.row
        rows = {one.planned for one in self.bench.occurrences() if is_recorded(one)}
        gaps = self.bench.gaps()
        counted = dict.fromkeys(gaps, 0)
        open_from = row.next_at
        late = None if row.late_next is None or row.late_until is None else (row.late_next, row.late_until)
        for segment in self.segments:
            for planned in segment.planned(self.now):
                covering = [gap for gap in gaps if gap.first <= planned <= gap.last]
                if planned in rows:
                    continue
                if segment.until is None and open_from is not None and planned >= open_from:
                    continue
                if late is not None and late[0] <= planned <= late[1]:
                    assert not covering
                    continue
                assert len(covering) == 1, f"{planned} is in {len(covering)} gaps; next is {row.next_at}"
                counted[covering[0]] += 1
        for gap, number in counted.items():
            if gap.last <= self.now and gap not in self.early:
                assert gap.count.number == number and not gap.count.more, gap

    @invariant()
    def due_times_add_up(self) -> None:
        """Every time that came is counted once, by what became of it."""
        if not self.segments:
            return
        counters = self.bench.schedule_queries.statistics(schedule="w/h")
        skipped = sum(counters.skipped.values())
        assert counters.due == (
            counters.ran + counters.queued + skipped + counters.missed + counters.coalesced + counters.dropped
        )
        row, gaps = self.row, self.bench.gaps()
        if self.was_set_back or self.early or any(gap.last > self.now for gap in gaps):
            return  # some of them are not yet, or no longer, in the past
        came = {one.planned for one in self.bench.occurrences() if one.origin is OccurrenceOrigin.AUTOMATIC}
        for segment in self.segments:
            is_open = segment.until is None and row.next_at is not None
            came |= {at for at in segment.planned(self.now) if not (is_open and row.next_at and at >= row.next_at)}
        assert counters.due == len(came)

    @invariant()
    def times_behind_a_block_say_so(self) -> None:
        """None of them claims that the previous run was still running, or that it had not started yet."""
        if self.segments and self.before_block is not None:
            wrong = (OccurrenceReason.OVERLAP, OccurrenceReason.NOT_STARTED)
            behind = [
                one
                for one in self.bench.occurrences()
                if one.origin is OccurrenceOrigin.AUTOMATIC and one.key not in self.before_block
            ]
            assert not [one for one in behind if one.reason in wrong]
            held = [one for one in behind if one.reason is OccurrenceReason.HELD_UP]
            assert all(one.detail and one.detail.startswith("Held up: ") for one in held)

    @invariant()
    def rows_are_consistent(self) -> None:
        if not self.segments:
            return
        row, occurrences = self.row, self.bench.occurrences()
        assert row.trouble is None
        assert len({one.key for one in occurrences}) == len(occurrences)
        automatic = [one.planned for one in occurrences if one.origin is OccurrenceOrigin.AUTOMATIC]
        assert len(set(automatic)) == len(automatic)
        for one in occurrences:
            if one.state in (OccurrenceState.QUEUED, OccurrenceState.STARTED):
                assert one.reason is None and one.ended is None
            else:
                assert one.ended is not None
                assert (one.reason is None) == (one.state is OccurrenceState.SUCCEEDED)
            assert one.retry_at is None or one.state is OccurrenceState.QUEUED
            assert one.began is None or one.state not in (
                OccurrenceState.QUEUED,
                OccurrenceState.SKIPPED,
                OccurrenceState.COALESCED,
                OccurrenceState.MISSED,
            )
        started = [one for one in occurrences if one.state is OccurrenceState.STARTED]
        assert len(started) <= 1 or self.beside
        running = {one.key for one in started} - set(self.bench.resting)
        assert running == set(self.bench.launcher.running) or row.removed
        assert set(self.bench.resting) <= {one.key for one in started}
        assert len(running) <= self.bench.settings.concurrency
        if row.next_at is not None:
            recorded = {one.planned for one in occurrences if is_recorded(one)}
            assert row.next_at not in recorded
            # A clock that was set back leaves rows in the future; so does early jitter after an edit.
            assert self.was_set_back or len(self.segments) > 1 or all(at < row.next_at for at in recorded)

    @invariant()
    def the_limit_holds(self) -> None:
        if self.segments and (limit := self.spec.limit) is not None:
            assert self.row.runs <= max(limit, self.allowed)

    @invariant()
    def an_idle_engine_does_nothing(self) -> None:
        if self.segments:
            self.bench.schedule_queries.describe("w/h")
            self.bench.schedule_queries.resume_preview("w/h")


ScheduleMachine.TestCase.settings = settings(
    derandomize=True, deadline=None, database=None, max_examples=120, stateful_step_count=30
)
TestSchedules = ScheduleMachine.TestCase
