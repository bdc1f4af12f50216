"""What must hold for every store file at any moment: one function per invariant.

Each reads the database and fails with what it found. Those about changes need a recorded file (change_log.py).
"""

import sqlite3
from collections.abc import Callable, Iterable
from datetime import datetime, timedelta

from scheduler.engine.context import EngineContext
from scheduler.engine.queries.schedules import ScheduleQueries
from scheduler.rules.phases import PHASE_MOVES, RunPhase
from scheduler.rules.wake_time import MAX_WAKE_DELAY, MIN_WAKE_DELAY
from scheduler.store.database import from_ms, to_ms
from scheduler.timing.catchup import MAX_GRACE
from scheduler.timing.compiled import PlannedTimes
from tests.runs.change_log import Change, changes

_LANE = "CASE r.kind WHEN 'job' THEN r.handler ELSE '' END"
_GOES_ON = (
    "(r.status = 'active' OR (r.status LIKE 'paused:%' AND r.followed = 0) "
    "OR (r.status LIKE 'failed:%' AND r.followed = 0) OR (r.status = 'crashed' AND r.resume_at IS NOT NULL))"
)
"""Active, waiting, or to be retried automatically or by the user."""
_LAUNCH_TIME = timedelta(seconds=10)
"""How long three failed launches may take."""
_UNDECIDED = {"in_flight", "unsure", "applied", "skipped"}


def one_active_run_per_lane(db: sqlite3.Connection, side_by_side: Iterable[str] = ()) -> None:
    """1. At most one active run per lane, except `allow_all` jobs given as workflow/handler."""
    query = f"SELECT r.workflow || '/' || {_LANE} AS lane, count(*) FROM runs r WHERE r.status = 'active' GROUP BY lane"
    crowded = {lane: number for lane, number in db.execute(query) if number > 1 and lane not in set(side_by_side)}
    assert not crowded, f"more than one active run in a lane: {crowded}"


def phases_go_forward(db: sqlite3.Connection) -> None:
    """2. The phase of a run never goes back."""
    for change in changes(db, "run"):
        if change.old is not None and change.old != change.new:
            assert RunPhase(change.new) in PHASE_MOVES[RunPhase(change.old)], f"a phase went back or sideways: {change}"


def one_outside_action_at_a_time(db: sqlite3.Connection) -> None:
    """3. At most one mutation per run, and one in flight per workflow."""
    per_run = db.execute("SELECT run, count(*) FROM mutations GROUP BY run HAVING count(*) > 1").fetchall()
    assert not per_run, f"two outside actions of one run: {[tuple(row) for row in per_run]}"
    query = "SELECT workflow, count(*) FROM mutations WHERE status = 'in_flight' GROUP BY workflow HAVING count(*) > 1"
    flying = db.execute(query).fetchall()
    assert not flying, f"two outside actions in flight in one workflow: {[tuple(row) for row in flying]}"


def reserved_events_have_an_open_run(db: sqlite3.Connection) -> None:
    """4. A reserved event belongs to a run that is active, waiting or to be retried."""
    query = (
        "SELECT e.topic, e.id, e.run, r.status, r.phase FROM events e LEFT JOIN runs r ON r.id = e.run "
        f"WHERE e.state = 'reserved' AND (r.id IS NULL OR NOT {_GOES_ON})"
    )
    lost = [tuple(row) for row in db.execute(query)]
    assert not lost, f"events reserved by no open run: {lost}"


def events_stay_in_their_chain(db: sqlite3.Connection) -> None:
    """5. An event is handed from attempt to attempt of one chain and settled when the last one ends."""
    chains = dict(db.execute("SELECT id, chain FROM runs").fetchall())
    # A run that failed stays failed when the user gives it up; its action counts all the same.
    ended_as = "SELECT id, CASE WHEN followed AND status LIKE 'failed:%' THEN 'cancelled' ELSE status END FROM runs"
    statuses = dict(db.execute(ended_as).fetchall())
    after = _next_steps(db, "status")
    holder: dict[str, str] = {}
    for change in changes(db, "event"):
        run = change.details.get("run")
        if run is None:
            continue  # released; skipped at once if its topic is gone
        if change.old == "pending" and change.new == "reserved":
            holder[change.name] = chains[run]
        elif change.old == "reserved" and change.new in ("reserved", "consumed", "skipped"):
            assert chains[run] == holder[change.name], f"another chain took it: {change}"
        if change.old == "reserved" and change.new in ("consumed", "skipped"):
            ended = after(run, change.number) or statuses[run]
            assert ended in ("committed", "cancelled", "crashed"), f"settled by another run: {change}"


def applied_actions_are_never_begun_again(db: sqlite3.Connection) -> None:
    """6. An action starts only if all earlier ones of its chain certainly did not happen."""
    settled: dict[str, str] = {}
    for change in changes(db, "mutation"):
        if change.old is None:
            assert set(change.details["before"]) <= {"failed"}, f"begun after another that may have happened: {change}"
            assert settled.get(change.name) not in ("applied", "skipped"), f"the same call again: {change}"
        settled[change.name] = str(change.new)


def events_are_released_only_if_nothing_happened(db: sqlite3.Connection) -> None:
    """7. Events are released only if nothing was done with them."""
    for change in changes(db, "event"):
        is_released = change.old == "reserved" and change.details.get("run") is None
        if is_released:
            assert not _UNDECIDED & set(change.details["acted"]), f"released although it was acted on: {change}"


def settled_events_are_final(db: sqlite3.Connection) -> None:
    """8. Consumed and skipped are final."""
    for change in changes(db, "event"):
        if change.old in ("consumed", "skipped"):
            assert change.new == change.old and change.details["same"], f"changed after it was settled: {change}"


def state_changes_only_with_a_commit_or_a_checkpoint(db: sqlite3.Connection) -> None:
    """9. State changes only with an active run; unless it is a producer, only with its commit."""
    after = _next_steps(db, "phase")
    kinds = dict(db.execute("SELECT id, kind FROM runs").fetchall())
    for change in changes(db, "state"):
        run = change.details["run"]
        assert run is not None, f"state was changed without an active run: {change}"
        committed = after(run, change.number) == "committed"
        assert committed or kinds[run] == "producer", f"state was changed before the commit: {change}"


def every_planned_time_has_one_outcome(
    db: sqlite3.Connection, schedule: str, periods: Iterable[tuple[PlannedTimes, datetime, datetime]]
) -> None:
    """10. Each planned time has one row or lies in one gap. `periods`: the times in force between two instants."""
    query = "SELECT planned, count(*) FROM occurrences WHERE schedule = ? AND origin = 'automatic' GROUP BY planned"
    rows = {from_ms(planned): number for planned, number in db.execute(query, (schedule,))}
    twice = [planned for planned, number in rows.items() if number > 1]
    assert not twice, f"{schedule} has two rows for {twice}"
    gaps = [
        (first, last)
        for first, last in db.execute("SELECT first, last FROM gaps WHERE schedule = ?", (schedule,)).fetchall()
    ]
    next_at, late_next, late_until = db.execute(
        "SELECT next_at, late_next, late_until FROM schedules WHERE id = ?", (schedule,)
    ).fetchone()
    for times, since, until in periods:
        for planned in times.between(since, until):
            ms = to_ms(planned) or 0
            is_open = (next_at is not None and ms >= next_at) or (
                late_next is not None and late_next <= ms <= late_until
            )
            covering = [gap for gap in gaps if gap[0] <= ms <= gap[1]]
            if planned not in rows and not is_open:
                assert len(covering) == 1, f"{planned} of {schedule} is in {len(covering)} gaps and has no row"


def due_times_add_up(context: EngineContext, schedule: str) -> None:
    """16. Every time that came is counted once: it ran, waits, or has the reason why it did not run."""
    counted = ScheduleQueries(context).statistics(schedule=schedule)
    outcomes = (counted.ran, counted.queued, counted.missed, counted.coalesced, counted.dropped)
    assert counted.due == sum(outcomes) + sum(counted.skipped.values()), f"{schedule} does not add up: {counted}"
    db = context.database.read()
    rows = "SELECT count(*) FROM occurrences WHERE schedule = ? AND origin = 'automatic'"
    gaps = "SELECT coalesce(sum(number), 0) FROM gaps WHERE schedule = ?"
    recorded = sum(db.execute(query, (schedule,)).fetchone()[0] for query in (rows, gaps))
    cursor = db.execute("SELECT late_next FROM schedules WHERE id = ?", (schedule,)).fetchone()[0]
    assert counted.due == recorded or (cursor is not None and counted.due > recorded), f"{schedule}: {counted}"


def times_that_did_not_run_say_why(db: sqlite3.Connection) -> None:
    """Whatever did not run has a reason, and what was held up says by what."""
    query = (
        "SELECT schedule, planned, state, reason, detail FROM occurrences "
        "WHERE state IN ('skipped', 'coalesced', 'missed', 'dropped', 'cancelled', 'failed') "
        "AND (reason IS NULL OR (reason = 'held up' AND detail IS NULL))"
    )
    silent = [tuple(row) for row in db.execute(query)]
    assert not silent, f"times that do not say why they did not run: {silent}"


def wakes_are_near(db: sqlite3.Connection) -> None:
    """11. A wake time is at least 30 s and at most a day after the prepare that set it."""
    of_run: dict[str, list[Change]] = {}
    for change in changes(db, "run"):
        of_run.setdefault(change.name, []).append(change)
    for change in changes(db, "wake"):
        following = (one for one in of_run.get(change.details["run"], ()) if one.number > change.number)
        prepared = next(following, None)
        if prepared is None or prepared.old != "preparing":  # no prepare set it: the clock was set back
            assert change.old is not None and int(change.new or 0) < int(change.old), f"set without a prepare: {change}"
            continue
        set_at, wake = from_ms(prepared.details["at"]), from_ms(int(change.new or 0))
        assert set_at is not None and wake is not None
        assert set_at + MIN_WAKE_DELAY <= wake <= set_at + MAX_WAKE_DELAY, (
            f"wake time too early or too late: {change}, set at {set_at}"
        )


def no_run_is_active(db: sqlite3.Connection, running: Iterable[str] = ()) -> None:
    """12. No run stays active except those that really run."""
    left = {row[0] for row in db.execute("SELECT id FROM runs WHERE status = 'active'")} - set(running)
    assert not left, f"active although not running: {left}"


def runs_on_time(db: sqlite3.Connection, schedule: str, since: datetime) -> None:
    """13. A time recorded on time also starts on time, whatever other workflows do."""
    query = (
        "SELECT planned, due, began FROM occurrences WHERE schedule = ? AND created >= ? AND late = 0 "
        "AND began IS NOT NULL AND began - due > ?"
    )
    max_delay_ms = (MAX_GRACE + _LAUNCH_TIME) // timedelta(milliseconds=1)
    slow = [tuple(row) for row in db.execute(query, (schedule, to_ms(since), max_delay_ms))]
    assert not slow, f"{schedule} was delayed by others: {slow}"


def started_occurrences_continue(db: sqlite3.Connection) -> None:
    """A started occurrence has an attempt that continues, or blocks its lane."""
    query = (
        "SELECT o.schedule, o.planned FROM occurrences o WHERE o.state = 'started' AND NOT EXISTS "
        f"(SELECT 1 FROM runs r WHERE r.occurrence = o.key AND {_GOES_ON}) AND NOT EXISTS "
        "(SELECT 1 FROM runs r JOIN lanes l ON l.run = r.id WHERE r.occurrence = o.key AND l.blocked IS NOT NULL)"
    )
    stuck = [tuple(row) for row in db.execute(query)]
    assert not stuck, f"started occurrences without a continuing attempt: {stuck}"


def blocked_lanes_can_be_opened(db: sqlite3.Connection) -> None:
    """Whatever blocks a lane continues automatically, or the user is asked about it, or has dismissed the report."""
    query = (
        "SELECT l.workflow, l.name, l.blocked, l.run, l.sentence FROM lanes l LEFT JOIN runs r ON r.id = l.run "
        "LEFT JOIN mutations m ON m.run = l.run "
        "WHERE l.blocked IS NOT NULL AND l.until IS NULL AND r.resume_at IS NULL AND m.check_at IS NULL AND NOT EXISTS "
        "(SELECT 1 FROM requests q WHERE (q.answer IS NULL OR (q.answer = 'dismissed' AND q.run = l.run)) "
        "AND (q.run = l.run OR instr(coalesce(r.error, ''), q.subject)))"
    )
    stuck = [tuple(row) for row in db.execute(query)]
    assert not stuck, f"lanes blocked forever: {stuck}"


def requests_are_about_something(db: sqlite3.Connection) -> None:
    """No open request is about a finished run."""
    query = (
        "SELECT q.kind, q.run, r.status FROM requests q JOIN runs r ON r.id = q.run WHERE q.answer IS NULL "
        "AND (r.status IN ('committed', 'cancelled') OR r.followed = 1) AND q.kind NOT IN ('reconnect', 'permission')"
    )
    idle = [tuple(row) for row in db.execute(query)]
    assert not idle, f"requests about finished runs: {idle}"


ALWAYS: tuple[Callable[[sqlite3.Connection], None], ...] = (
    phases_go_forward,
    one_outside_action_at_a_time,
    reserved_events_have_an_open_run,
    events_stay_in_their_chain,
    applied_actions_are_never_begun_again,
    events_are_released_only_if_nothing_happened,
    settled_events_are_final,
    state_changes_only_with_a_commit_or_a_checkpoint,
    wakes_are_near,
    times_that_did_not_run_say_why,
    started_occurrences_continue,
    blocked_lanes_can_be_opened,
    requests_are_about_something,
)
"""Invariants that need only the file."""


def check(db: sqlite3.Connection, side_by_side: Iterable[str] = ()) -> None:
    """`side_by_side`: the `allow_all` jobs as workflow/handler."""
    one_active_run_per_lane(db, side_by_side)
    for holds in ALWAYS:
        holds(db)


def _next_steps(db: sqlite3.Connection, what: str) -> Callable[[str, int], str | None]:
    """A function that gives a run's next phase or status after a change number."""
    steps: dict[str, list[tuple[int, str | None]]] = {}
    for change in changes(db, "run"):
        steps.setdefault(change.name, []).append(
            (change.number, change.new if what == "phase" else change.details[what])
        )

    def after(run: str, number: int) -> str | None:
        return next((word for at, word in steps.get(run, ()) if at > number), None)

    return after
