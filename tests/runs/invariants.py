"""What must hold of every store file at any moment, whatever happened to it: one function per invariant.

Each reads the database and fails with what it found. Those about changes need a file that was watched (witness.py).
"""

import sqlite3
from collections.abc import Callable, Iterable
from datetime import datetime, timedelta

from scheduler.rules.consumers import LATEST, SOONEST
from scheduler.rules.phases import PHASES, Phase
from scheduler.store.database import from_ms, to_ms
from scheduler.timing.catchup import GRACE
from scheduler.timing.times import Times
from tests.runs.witness import changes

_LANE = "CASE r.kind WHEN 'job' THEN r.handler ELSE '' END"
_GOES_ON = (
    "(r.status = 'active' OR (r.status LIKE 'paused:%' AND r.followed = 0) "
    "OR (r.status LIKE 'failed:%' AND r.followed = 0) OR (r.status = 'crashed' AND r.resume_at IS NOT NULL))"
)
"""Active, waiting, or to be tried again by itself or by a person."""
_TO_LAUNCH = timedelta(seconds=10)
"""What three launches in vain may take."""
_UNDECIDED = {"in_flight", "unsure", "applied", "skipped"}


def one_active_run_per_lane(db: sqlite3.Connection, side_by_side: Iterable[str] = ()) -> None:
    """1. Those of `allow_all` aside, as workflow/handler."""
    query = f"SELECT r.workflow || '/' || {_LANE} AS lane, count(*) FROM runs r WHERE r.status = 'active' GROUP BY lane"
    crowded = {lane: number for lane, number in db.execute(query) if number > 1 and lane not in set(side_by_side)}
    assert not crowded, f"more than one active run in a lane: {crowded}"


def phases_go_forward(db: sqlite3.Connection) -> None:
    """2. Also over the steps between."""
    for change in changes(db, "run"):
        if change.old is not None and change.old != change.new:
            assert Phase(change.new) in PHASES[Phase(change.old)], f"a phase went back or sideways: {change}"


def one_outside_action_at_a_time(db: sqlite3.Connection) -> None:
    """3."""
    per_run = db.execute("SELECT run, count(*) FROM mutations GROUP BY run HAVING count(*) > 1").fetchall()
    assert not per_run, f"two outside actions of one run: {[tuple(row) for row in per_run]}"
    query = "SELECT workflow, count(*) FROM mutations WHERE status = 'in_flight' GROUP BY workflow HAVING count(*) > 1"
    flying = db.execute(query).fetchall()
    assert not flying, f"two outside actions in flight in one workflow: {[tuple(row) for row in flying]}"


def reserved_events_have_a_run_that_goes_on(db: sqlite3.Connection) -> None:
    """4."""
    query = (
        "SELECT e.topic, e.id, e.run, r.status, r.phase FROM events e LEFT JOIN runs r ON r.id = e.run "
        f"WHERE e.state = 'reserved' AND (r.id IS NULL OR NOT {_GOES_ON})"
    )
    lost = [tuple(row) for row in db.execute(query)]
    assert not lost, f"events kept for nobody: {lost}"


def events_stay_in_their_chain(db: sqlite3.Connection) -> None:
    """5. An event is handed from attempt to attempt of one chain, and dealt with when its last one comes to its end."""
    chains = dict(db.execute("SELECT id, chain FROM runs").fetchall())
    stands = dict(db.execute("SELECT id, status FROM runs").fetchall())
    after = _next_steps(db, "status")
    holder: dict[str, str] = {}
    for change in changes(db, "event"):
        run = change.told.get("run")
        if run is None:
            continue  # given back; where its topic is gone, skipped at once
        if change.old == "pending" and change.new == "reserved":
            holder[change.name] = chains[run]
        elif change.old == "reserved" and change.new in ("reserved", "consumed", "skipped"):
            assert chains[run] == holder[change.name], f"another chain took it: {change}"
        if change.old == "reserved" and change.new in ("consumed", "skipped"):
            ended = after(run, change.number) or stands[run]
            assert ended in ("committed", "cancelled", "crashed"), f"dealt with by somebody else: {change}"


def applied_actions_are_never_begun_again(db: sqlite3.Connection) -> None:
    """6. An action begins only where every one before it in its chain certainly did not happen."""
    settled: dict[str, str] = {}
    for change in changes(db, "mutation"):
        if change.old is None:
            assert set(change.told["before"]) <= {"failed"}, f"begun after another that may have happened: {change}"
            assert settled.get(change.name) not in ("applied", "skipped"), f"the same call again: {change}"
        settled[change.name] = str(change.new)


def events_are_given_back_only_if_nothing_happened(db: sqlite3.Connection) -> None:
    """7."""
    for change in changes(db, "event"):
        is_given_back = change.old == "reserved" and change.told.get("run") is None
        if is_given_back:
            assert not _UNDECIDED & set(change.told["acted"]), f"given back although it was acted on: {change}"


def what_is_dealt_with_stays_so(db: sqlite3.Connection) -> None:
    """8."""
    for change in changes(db, "event"):
        if change.old in ("consumed", "skipped"):
            assert change.new == change.old and change.told["same"], f"it was dealt with: {change}"


def state_changes_only_with_a_commit_or_a_checkpoint(db: sqlite3.Connection) -> None:
    """9. Of a run that is active just then; of one that is no producer, only if that very run is committed next."""
    after = _next_steps(db, "phase")
    kinds = dict(db.execute("SELECT id, kind FROM runs").fetchall())
    for change in changes(db, "state"):
        run = change.told["run"]
        assert run is not None, f"state was changed by nobody: {change}"
        committed = after(run, change.number) == "committed"
        assert committed or kinds[run] == "producer", f"state was changed before the commit: {change}"


def every_planned_time_has_one_fate(
    db: sqlite3.Connection, schedule: str, periods: Iterable[tuple[Times, datetime, datetime]]
) -> None:
    """10. `periods`: the times that were in force after one instant up to another. One row each, or within one gap."""
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


def wakes_are_near(db: sqlite3.Connection) -> None:
    """11. At least half a minute and at most a day after the prepare that asked for it."""
    when = {(change.name, change.number): change.told["at"] for change in changes(db, "run")}
    for change in changes(db, "wake"):
        run = change.told["run"]
        if run is None:
            assert change.old is not None and int(change.new or 0) < int(change.old), f"set by nobody: {change}"
            continue
        at = min(
            (number, instant) for (name, number), instant in when.items() if name == run and number > change.number
        )
        set_at, wake = from_ms(at[1]), from_ms(int(change.new or 0))
        assert set_at is not None and wake is not None
        assert set_at + SOONEST <= wake <= set_at + LATEST, f"woken too soon or too late: {change}, set at {set_at}"


def no_run_is_active(db: sqlite3.Connection, running: Iterable[str] = ()) -> None:
    """12. But those that really run."""
    left = {row[0] for row in db.execute("SELECT id FROM runs WHERE status = 'active'")} - set(running)
    assert not left, f"nobody runs them, and they are active: {left}"


def runs_on_time(db: sqlite3.Connection, schedule: str, since: datetime) -> None:
    """13. What was recorded in time began when it was due, whatever others did meanwhile."""
    query = (
        "SELECT planned, due, began FROM occurrences WHERE schedule = ? AND created >= ? AND late = 0 "
        "AND began IS NOT NULL AND began - due > ?"
    )
    patience = (GRACE + _TO_LAUNCH) // timedelta(milliseconds=1)
    slow = [tuple(row) for row in db.execute(query, (schedule, to_ms(since), patience))]
    assert not slow, f"{schedule} was held up by others: {slow}"


def begun_occurrences_go_on(db: sqlite3.Connection) -> None:
    """Beyond the numbered ones: a started occurrence has an attempt that goes on, or blocks its lane."""
    query = (
        "SELECT o.schedule, o.planned FROM occurrences o WHERE o.state = 'started' AND NOT EXISTS "
        f"(SELECT 1 FROM runs r WHERE r.occurrence = o.key AND {_GOES_ON}) AND NOT EXISTS "
        "(SELECT 1 FROM runs r JOIN lanes l ON l.run = r.id WHERE r.occurrence = o.key AND l.blocked IS NOT NULL)"
    )
    stuck = [tuple(row) for row in db.execute(query)]
    assert not stuck, f"begun, and nobody goes on with them: {stuck}"


def closed_lanes_can_be_opened(db: sqlite3.Connection) -> None:
    """Beyond the numbered ones: what holds up a lane goes on by itself, or a person is asked about it."""
    query = (
        "SELECT l.workflow, l.name, l.blocked, l.run, l.sentence FROM lanes l LEFT JOIN runs r ON r.id = l.run "
        "LEFT JOIN mutations m ON m.run = l.run "
        "WHERE l.blocked IS NOT NULL AND r.resume_at IS NULL AND m.check_at IS NULL AND NOT EXISTS "
        "(SELECT 1 FROM requests q WHERE q.answer IS NULL "
        "AND (q.run = l.run OR instr(coalesce(r.error, ''), q.subject)))"
    )
    stuck = [tuple(row) for row in db.execute(query)]
    assert not stuck, f"lanes that nobody can open: {stuck}"


def requests_are_about_something(db: sqlite3.Connection) -> None:
    """Beyond the numbered ones: nobody is asked about what is over."""
    query = (
        "SELECT q.kind, q.run, r.status FROM requests q JOIN runs r ON r.id = q.run WHERE q.answer IS NULL "
        "AND (r.status IN ('committed', 'cancelled') OR r.followed = 1) AND q.kind NOT IN ('reconnect', 'permission')"
    )
    idle = [tuple(row) for row in db.execute(query)]
    assert not idle, f"asked about what is over: {idle}"


ALWAYS: tuple[Callable[[sqlite3.Connection], None], ...] = (
    one_active_run_per_lane,
    phases_go_forward,
    one_outside_action_at_a_time,
    reserved_events_have_a_run_that_goes_on,
    events_stay_in_their_chain,
    applied_actions_are_never_begun_again,
    events_are_given_back_only_if_nothing_happened,
    what_is_dealt_with_stays_so,
    state_changes_only_with_a_commit_or_a_checkpoint,
    wakes_are_near,
    begun_occurrences_go_on,
    closed_lanes_can_be_opened,
    requests_are_about_something,
)
"""Those that need nothing but the file."""


def check(db: sqlite3.Connection) -> None:
    for holds in ALWAYS:
        holds(db)


def _next_steps(db: sqlite3.Connection, what: str) -> Callable[[str, int], str | None]:
    """By run: its phase or status after the next change of it that follows a change of something else."""
    steps: dict[str, list[tuple[int, str | None]]] = {}
    for change in changes(db, "run"):
        steps.setdefault(change.name, []).append((change.number, change.new if what == "phase" else change.told[what]))

    def after(run: str, number: int) -> str | None:
        return next((word for at, word in steps.get(run, ()) if at > number), None)

    return after
