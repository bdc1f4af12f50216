"""What became of planned times, counted. Every time that came is in exactly one of the numbers that add up to `due`."""

from dataclasses import dataclass, field, fields
from datetime import datetime, timedelta
from typing import Any

from scheduler.engine.context import EngineContext
from scheduler.store import schedules, statistics
from scheduler.timing.catchup import MAX_EXACT_COUNT
from scheduler.timing.errors import BadScheduleError
from scheduler.timing.occurrences import OccurrenceReason, OccurrenceState

_DRIFT_LABELS = {
    10: "≤ 10 ms",
    100: "≤ 100 ms",
    1_000: "≤ 1 s",
    10_000: "≤ 10 s",
    60_000: "≤ 1 min",
    600_000: "≤ 10 min",
    3_600_000: "≤ 1 h",
}
"""The classes of the drift histogram by their upper bound in milliseconds."""
_BEYOND = "> 1 h"
_RAN = (OccurrenceState.STARTED, OccurrenceState.SUCCEEDED, OccurrenceState.FAILED, OccurrenceState.CANCELLED)
_MICROSECOND = timedelta(microseconds=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class DriftCount:
    """One class of the drift histogram.

    label: its upper bound in words, such as `≤ 10 s`.
    within_ms: the upper bound in milliseconds; None for the last class, which has none.
    runs: how many runs started that close to their planned time.
    """

    label: str
    within_ms: int | None
    runs: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Counters:
    """What became of planned times, and of manual runs and backfills.

    `due` is always the sum of `ran`, `queued`, `skipped`, `missed`, `coalesced` and `dropped`.

    due: the schedule's own times that came, whatever became of them.
    ran: of these, those that started, succeeded, failed or were cancelled; also if they failed before they began.
    queued: of these, those that wait to run, including missed ones that are still to be caught up.
    missed: of these, those that passed and did not run later.
    missed_outside_window: of the missed ones, those that were older than the catch-up window.
    coalesced: of the due ones, those that a later one replaced.
    held_up: of the coalesced ones, those behind a run that had failed or waited for an answer.
    dropped: of the due ones, those that can no longer run.
    skipped: of the due ones, those that were not run on purpose, by reason.
    planned: due times by state.
    emitted: occurrences that were to run, including those that the user started; so are the following numbers.
    succeeded: those that succeeded.
    failed: those that failed.
    failed_to_launch: those that could not start.
    cancelled: those that were stopped.
    underway: those that are queued or running.
    transient_failures: attempts that failed and were retried without the user.
    more: whether a gap was too long to count: the true `due` is higher.
    drift: automatic runs by the difference between their planned time and their start.
    """

    due: int = 0
    ran: int = 0
    queued: int = 0
    missed: int = 0
    missed_outside_window: int = 0
    coalesced: int = 0
    held_up: int = 0
    dropped: int = 0
    skipped: dict[str, int] = field(default_factory=dict)
    planned: dict[str, int] = field(default_factory=dict)
    emitted: int = 0
    succeeded: int = 0
    failed: int = 0
    failed_to_launch: int = 0
    cancelled: int = 0
    underway: int = 0
    transient_failures: int = 0
    more: bool = False
    drift: tuple[DriftCount, ...] = ()


def count(context: EngineContext, schedule: str | None, since: datetime | None) -> Counters:
    """Counters of one schedule or all, for times planned since then."""
    db = context.database.read()
    every: dict[OccurrenceState, int] = dict.fromkeys(OccurrenceState, 0)
    planned: dict[str, int] = {}
    skipped: dict[str, int] = {}
    reasons: dict[OccurrenceReason | None, int] = {}
    waiting, is_more = _count_cursors(context, schedule, since)
    failed_to_launch = 0
    for tally in statistics.count_states(db, schedule, since):
        every[tally.state] += tally.number
        is_more |= tally.more
        failed_to_launch += tally.number if tally.reason is OccurrenceReason.COULD_NOT_START else 0
        if tally.is_planned:
            planned[tally.state] = planned.get(tally.state, 0) + tally.number
            reasons[tally.reason] = reasons.get(tally.reason, 0) + tally.number
            if tally.state is OccurrenceState.SKIPPED:
                reason = tally.reason or OccurrenceReason.UNREADABLE
                skipped[reason] = skipped.get(reason, 0) + tally.number
    if waiting:
        planned[OccurrenceState.QUEUED] = planned.get(OccurrenceState.QUEUED, 0) + waiting
    underway = every[OccurrenceState.QUEUED] + every[OccurrenceState.STARTED]
    ended = sum(every[state] for state in _RAN if state is not OccurrenceState.STARTED)
    return Counters(
        due=sum(planned.values()),
        ran=sum(planned.get(state, 0) for state in _RAN),
        queued=planned.get(OccurrenceState.QUEUED, 0),
        missed=planned.get(OccurrenceState.MISSED, 0),
        missed_outside_window=reasons.get(OccurrenceReason.EXPIRED, 0),
        coalesced=planned.get(OccurrenceState.COALESCED, 0),
        held_up=reasons.get(OccurrenceReason.HELD_UP, 0),
        dropped=planned.get(OccurrenceState.DROPPED, 0),
        skipped=skipped,
        planned=planned,
        emitted=underway + ended,
        succeeded=every[OccurrenceState.SUCCEEDED],
        failed=every[OccurrenceState.FAILED] - failed_to_launch,
        failed_to_launch=failed_to_launch,
        cancelled=every[OccurrenceState.CANCELLED],
        underway=underway,
        transient_failures=statistics.count_transient_failures(db, schedule, since),
        more=is_more,
        drift=_label_drifts(statistics.count_drifts(db, schedule, since, tuple(_DRIFT_LABELS))),
    )


def add(counters: list[Counters]) -> Counters:
    if not counters:
        return Counters()
    total: dict[str, Any] = {}
    for name in (one.name for one in fields(Counters)):
        values = [getattr(counted, name) for counted in counters]
        if name in ("skipped", "planned"):
            total[name] = {key: sum(one.get(key, 0) for one in values) for one in values for key in one}
        elif name == "drift":
            total[name] = _label_drifts([sum(one.runs for one in parts) for parts in zip(*values, strict=True)])
        else:
            total[name] = any(values) if name == "more" else sum(values)
    return Counters(**total)


def _count_cursors(context: EngineContext, schedule: str | None, since: datetime | None) -> tuple[int, bool]:
    """Missed times that will run and have no row yet, and whether there are more than were counted."""
    db = context.database.read()
    number, is_more = 0, False
    for row in schedules.list_with_cursor(db, schedule):
        try:
            state = context.timing_state(db, row)
        except BadScheduleError:
            continue  # nothing of it runs until it is repaired
        late = state.late
        if late is not None:
            first = late.next if since is None else max(late.next, since)
            found = state.unrecorded.count(first - _MICROSECOND, late.until, MAX_EXACT_COUNT)
            number, is_more = number + found.number, is_more or found.more
    return number, is_more


def _label_drifts(counts: list[int]) -> tuple[DriftCount, ...]:
    classes = [*((label, bound) for bound, label in _DRIFT_LABELS.items()), (_BEYOND, None)]
    return tuple(
        DriftCount(label=label, within_ms=bound, runs=runs)
        for (label, bound), runs in zip(classes, counts, strict=True)
    )
