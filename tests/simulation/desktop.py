"""A simulated desktop: a real engine over a real store, with time, threads, services and the user in the test's hand.

Each public method is a step of a story. A step that makes no sense at the moment changes nothing.
"""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from unittest.mock import patch

from scheduler.engine.errors import RefusedError
from scheduler.engine.maintenance import Maintenance
from scheduler.engine.ticker import Ticker
from scheduler.rules.failures import Failure, FailureClass
from scheduler.rules.handler_ids import lane_id
from scheduler.rules.requests import REQUESTS
from scheduler.store import key_values, migrations, workflows
from scheduler.store.errors import DiskFullError
from scheduler.store.runs import RunRow
from scheduler.timing.policies import Need
from tests.engine.engine_fixture import DAY, MINUTE
from tests.runs.change_log import record_changes
from tests.runs.knowing_user import ANSWERED_ONCE, KnowingUser
from tests.runs.random_scripts import script
from tests.runs.schedule_history import ScheduleHistory
from tests.runs.simulated_workers import SequentialUuids, SimulatedRuntime
from tests.simulation.outside import FakeKeyring, Outside
from tests.simulation.workflows import CHORES, IMPORTED

_HISTORY = 20 * DAY
"""How long history is kept: short, so that deleting it is part of every longer story."""


class SimulatedStore(SimulatedRuntime):
    """A runtime that ticks as the app does, and whose disk may be full."""

    full_for = 0
    """How many of the next transactions fail."""

    def open(self) -> None:
        super().open()
        write = self.database.write

        @contextmanager
        def write_if_there_is_room(*, durable: bool = False) -> Iterator[sqlite3.Connection]:
            with write(durable=durable) as db:
                yield db
                if self.full_for:
                    self.full_for -= 1
                    raise DiskFullError(Path("store"))  # as late as possible: everything was written

        self.database.write = write_if_there_is_room  # type: ignore[method-assign,assignment]
        self.maintenance = Maintenance(self.engine.context)
        self.ticker = Ticker(self.engine, self.clock, self._on_announcement)
        self.ticker._has_recovered = True  # by `open`

    def kill(self) -> None:
        self.full_for = 0
        super().kill()

    def quit(self) -> None:
        self.full_for = 0
        super().quit()

    def forget_changes(self) -> None:
        """Those that the test recorded; works on a full disk."""
        full_for, self.full_for = self.full_for, 0
        with self.database.write() as db:
            db.execute("DELETE FROM change_log")
        self.full_for = full_for

    def _tick_once(self) -> datetime:
        return self.ticker.tick(self.clock.wall)


class Desktop:
    """What the story happens to."""

    def __init__(self, folder: Path) -> None:
        self._stack = ExitStack()
        self._upgrades: list[tuple[int, str]] = []
        known = migrations._steps()
        self._stack.enter_context(patch.object(migrations, "_steps", lambda: [*known, *self._upgrades]))
        self._next_schema = len(known) + 1
        self._stack.enter_context(SequentialUuids().use())
        self.outside, self.keyring = Outside(), FakeKeyring()
        self.runtime = SimulatedStore(folder, kept=_HISTORY)
        self.runtime.kill()
        self.runtime.service, self.runtime.secrets = self.outside, self.keyring
        self.user = KnowingUser(self.runtime, self.outside)
        self.history = ScheduleHistory(self.runtime)
        self.edited = self.now
        """When the times of a schedule changed last: before it, nothing can be counted again."""
        self._start()
        self._write_settings()

    def close(self) -> None:
        self.runtime.kill()
        self._stack.close()

    @property
    def now(self) -> datetime:
        return self.runtime.clock.wall

    @property
    def db(self) -> sqlite3.Connection:
        return self.runtime.database.read()

    # Time passes

    def work(self, minutes: int) -> None:
        """As in the app: wake when the engine asks for it, let runs finish, and tidy up when idle."""
        end = self.now + minutes * MINUTE
        self.runtime.run_until_idle()
        while (wake := self.runtime._tick_once()) <= end:
            self.runtime.clock.move(max(wake - self.now, timedelta(seconds=1)))
            self.runtime.run_until_idle()
        self.runtime.clock.move(max(end - self.now, timedelta()))
        self.runtime.run_until_idle()
        while self.runtime.full_for == 0 and self.runtime.maintenance.step():
            pass

    def sleep(self, minutes: int, moves: list[int]) -> None:
        """The wall clock goes on while runs are in the middle of something."""
        self._move_threads(moves)
        self.runtime.clock.wall += minutes * MINUTE

    def shut_down(self, minutes: int) -> None:
        self.runtime.quit()
        self.runtime.clock.move(minutes * MINUTE)
        self._start()

    def crash(self, minutes: int, moves: list[int]) -> None:
        """Killed between any two commits, also right after an outside call."""
        self._move_threads(moves)
        self.runtime.kill()
        self.runtime.clock.move(minutes * MINUTE)
        self._start()

    def upgrade(self) -> None:
        """The next version, whose schema differs."""
        number = self._next_schema
        self._next_schema += 1
        later = f"ALTER TABLE runs ADD COLUMN later_{number} TEXT;\nUPDATE runs SET later_{number} = status;"
        self.runtime.quit()
        self._upgrades.append((number, later))
        self._start()

    def set_clock_back(self, minutes: int) -> None:
        back = min(minutes * MINUTE, self.now - self.edited)
        if back > timedelta():
            self.runtime.clock.wall -= back
            self.runtime.tick_until_idle()
            self.history.cut(self.now)

    def travel(self, zone: str) -> None:
        self.give(self.runtime.engine.change_zone, zone)
        self._follow_edit()

    # What goes wrong

    def go_offline(self) -> None:
        self.outside.is_online = self.runtime.conditions.held[Need.NETWORK] = False

    def go_online(self) -> None:
        self.outside.is_online = self.runtime.conditions.held[Need.NETWORK] = True
        self.runtime.engine.wake()

    def lock_keyring(self) -> None:
        self.keyring.is_locked = True

    def unlock_keyring(self) -> None:
        self.keyring.is_locked = False
        self.give(self.runtime.services.grant_commands.resume_keyring_waits)

    def fill_disk(self, writes: int) -> None:
        self.runtime.full_for = writes

    def services_fail(self, kind: str, number: int, *, happens: bool) -> None:
        self.outside.fails, self.outside.happens, self.outside.late_s = [_failure(kind)] * number, happens, None

    def services_act_late(self, number: int, seconds: int) -> None:
        """No response arrives, and the service acts later."""
        self.outside.fails = [_failure("unsure")] * number
        self.outside.happens, self.outside.late_s = False, seconds

    def services_lie(self, number: int) -> None:
        self.outside.lies = number

    def checkers_lag(self, seconds: int) -> None:
        self.outside.check_lag_s = seconds

    def reads_fail(self, kind: str, number: int) -> None:
        self.outside.read_fails = [_failure(kind)] * number

    def checks_fail(self, kind: str, number: int) -> None:
        self.outside.check_fails = [_failure(kind)] * number

    def phases_fail(self, fault: str, after: int) -> None:
        self.runtime.workers.faults = [None] * after + [fault]

    def workers_fail(self, why: str, number: int) -> None:
        self.runtime.workers.unstartable = [why] * number

    # What the user and others do

    def receive(self, number: int) -> None:
        """New messages, beside some that were there already."""
        first = int(self.outside.inbox[-1][0][1:]) if self.outside.inbox else 0
        new = [[f"e{first + 1 + index}", index % 3] for index in range(number)]
        self.outside.inbox = [*self.outside.inbox, *new][-6:]

    def publish(self, name: str, data: int) -> None:
        self.give(lambda: self.runtime.publish(name, data, topic="t" if self._has_taker() else "u"))

    def answer(self, place: int, word: str, *, mistaken: bool) -> None:
        """The first answer counts; the same again changes nothing, another one is refused."""
        rows = [one for one in self.runtime.requests() if one.kind != "keyring"]
        if not rows:
            return
        row = rows[place % len(rows)]
        give, other = self.user.answers(row, word, mistaken=mistaken)
        if self.give(give) and row.kind in ANSWERED_ONCE and self.runtime.full_for == 0:
            version = self._data_version()
            give()
            assert not self.give(other), f"a second, different answer was taken for {row.kind}"
            assert self._data_version() == version, "a second answer changed something"

    def run_now(self, handler: str, *, when_finished: bool) -> None:
        self.give(lambda: self.runtime.commands.run("w", handler, when_finished=when_finished))

    def stop(self, what: str, moves: list[int], *, kill: bool) -> None:
        self._move_threads(moves)
        self.give(lambda: self.runtime.commands.stop(what, kill=kill))

    def pause(self, workflow: str, minutes: int | None) -> None:
        until = None if minutes is None else self.now + minutes * MINUTE
        self.give(lambda: self.runtime.commands.pause(workflow, until=until))

    def resume(self, workflow: str) -> None:
        self.give(self.runtime.commands.resume, workflow)

    def resume_job(self, workflow: str) -> None:
        self.give(self.runtime.commands.resume, *workflow.split("/"))

    def pause_all(self, minutes: int | None) -> None:
        self.give(self.runtime.commands.pause_all, None if minutes is None else self.now + minutes * MINUTE)

    def resume_all(self) -> None:
        self.give(self.runtime.commands.resume_all)

    def edit_schedule(self, schedule: str, hour: int) -> None:
        spec = {"cron": f"30 {hour} * * *", "timezone": "local"}
        self.give(lambda: self.runtime.services.schedule_commands.edit(schedule, version=None, spec=spec))
        self._follow_edit()

    def skip_next(self, schedule: str) -> None:
        self.give(self.runtime.commands.skip_next, *schedule.split("/"))

    def backfill(self, schedule: str, days: int, *, missing: bool) -> None:
        span = (self.now - days * DAY, self.now)
        self.give(lambda: self.runtime.commands.backfill(*schedule.split("/"), [span], missing=missing))

    def dismiss(self) -> None:
        for one in self.runtime.requests():
            if REQUESTS[one.kind].can_be_dismissed:
                self.give(self.runtime.request_commands.dismiss, one.id)

    def retry(self, workflow: str) -> None:
        self.give(self.runtime.request_commands.retry, workflow)

    def revoke(self) -> None:
        self.give(self.runtime.services.grant_commands.revoke, "w")

    def deploy_acting(self, options: dict[str, Any], *, allowed: bool) -> None:
        self.give(lambda: self.runtime.deploy(script(**options), grant=allowed))
        self._follow_edit()

    def deploy_chores(self, options: dict[str, Any]) -> None:
        self.give(lambda: self.runtime.deploy(CHORES.format(**options), path="chores.py"))
        self._follow_edit()

    def import_jobs(self, hour: int) -> None:
        self.give(lambda: self.runtime.deploy(IMPORTED.format(hour=hour), path="imported.py"))
        self._follow_edit()

    def remove_imported(self) -> None:
        if self.give(self.runtime.commands.remove, "imported"):
            self.history.forget("imported")
        self._follow_edit()

    # Between the steps

    def _start(self) -> None:
        self.runtime.open()
        self.outside.wait_here = self.runtime.stepper.wait_here
        self.outside.elapsed = self.runtime.clock.monotonic
        self.outside.look_up = self._statuses_of_call
        self.outside.expected_text = self.user.expected_text
        record_changes(self.db)
        self.history.follow()

    def _write_settings(self) -> None:
        with self.runtime.database.write() as db:
            key_values.write(db, "simulated", "yes")
        self.runtime.services.grant_commands.save_connection("world:x", {})

    def _move_threads(self, moves: list[int]) -> None:
        for place in moves:
            self.runtime.engine.wake()
            self.runtime.tick_until_idle()
            if self.runtime.stepper.waiting:
                self.runtime.stepper.release(place)

    def give(self, command: Callable[..., Any], *given: Any) -> bool:
        """Give a command as the user does; a refused one, and one that cannot be stored, changes nothing."""
        before = self._data_version()
        try:
            command(*given)
        except (RefusedError, DiskFullError):
            assert self._data_version() == before, "a refused command changed something"
            return False
        return True

    def _follow_edit(self) -> None:
        self.history.follow()
        self.edited = self.now

    def is_running(self, run: RunRow) -> bool:
        """Whether its lane has work in flight; a lane does one thing at a time."""
        lane = lane_id(run.workflow, run.handler, run.kind)
        return self.runtime.engine.dispatch.find_running(run.occurrence, lane) is not None

    def _data_version(self) -> int:
        """Grows with every commit of the writer."""
        return int(self.db.execute("PRAGMA data_version").fetchone()[0])

    def _has_taker(self) -> bool:
        found = workflows.find(self.db, "w")
        return found is not None and "C" in self.runtime.services.plans.current(self.db, "w").handlers

    def _statuses_of_call(self, key: str) -> list[str]:
        """The statuses of the mutations in the chain of that call."""
        query = (
            "SELECT m.status FROM mutations m JOIN runs r ON r.id = m.run WHERE m.status <> 'failed' AND r.chain = "
            "(SELECT r.chain FROM runs r JOIN mutations m ON m.run = r.id WHERE m.key = ? LIMIT 1)"
        )
        return [row[0] for row in self.db.execute(query, (key,))]


def _failure(kind: str) -> Failure:
    return Failure(kind=FailureClass(kind), sentence="It failed.")
