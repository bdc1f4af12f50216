"""Workflows under random operations and faults: the invariants hold after every step, and nothing is lost.

DAYHAND_LIVES=N runs N random histories instead of the usual few, different each time.
"""

import os
import random
from collections import Counter
from collections.abc import Callable
from datetime import datetime, timedelta
from functools import wraps
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import seed, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    get_state_machine_test,
    initialize,
    invariant,
    precondition,
    rule,
)

from scheduler.engine.errors import RefusedError
from scheduler.rules.failures import Failure, FailureClass
from scheduler.rules.handler_ids import lane_id
from scheduler.rules.requests import REQUESTS
from scheduler.store import events, lanes, mutations, requests, runs, workflows
from scheduler.store.runs import RunRow
from tests.engine.engine_fixture import HOUR, MINUTE, SECOND
from tests.runs import invariants
from tests.runs.change_log import record_changes
from tests.runs.knowing_user import ANSWERED_ONCE, WORDS, KnowingUser
from tests.runs.random_scripts import OTHER, script
from tests.runs.schedule_history import ScheduleHistory
from tests.runs.simulated_workers import FAULTS, SequentialUuids, SimulatedRuntime
from tests.runs.true_world import TrueWorld

_LIVES = int(os.environ.get("DAYHAND_LIVES", "0"))

shapes = st.fixed_dictionaries(
    {},
    optional={
        "takes": st.just(False),  # noqa: FBT003
        "has_job": st.just(False),  # noqa: FBT003
        "approve": st.sampled_from(["always", "first"]),
        "tool": st.sampled_from(["blind", "send"]),
        "every": st.sampled_from(["30s", "3h"]),
        "wake": st.sampled_from(["seconds=1", "hours=5", "days=9"]),
        "after_crash": st.sampled_from(["ask", "again", "never"]),
        "overlap": st.sampled_from(["buffer_one", "terminate_other", "allow_all"]),
        "job_every": st.sampled_from(["20s", "2m"]),
        "retries": st.sampled_from([1, 2]),
        "max_failures": st.sampled_from([0, 2, 3]),
        "pause_on_failure": st.just(True),  # noqa: FBT003
        "asks": st.just(True),  # noqa: FBT003
        "expires": st.sampled_from(["'2m'", "'1h'"]),
        "on_expiry": st.just("leave"),
    },
)
failures = st.builds(
    Failure,
    kind=st.sampled_from(FailureClass),
    sentence=st.just("It failed."),
    retry_after=st.none() | st.just(timedelta(minutes=7)),
    counts=st.booleans(),
)
spans = st.sampled_from([SECOND, 31 * SECOND, 2 * MINUTE, 9 * MINUTE, HOUR])
jumps = st.sampled_from([20 * SECOND, 3 * MINUTE, HOUR, 30 * HOUR])
names = st.sampled_from([f"e{number}" for number in range(40)])


places = st.lists(st.integers(0, 2), max_size=14)


def move(**given: Any) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """A rule after which some threads move on, each to its next stop."""

    def decorate(act: Callable[..., None]) -> Callable[..., None]:
        @wraps(act)
        def act_and_step(life: "Life", moves: list[int], **chosen: Any) -> None:
            act(life, **chosen)
            life.step(moves)

        del act_and_step.__wrapped__  # type: ignore[attr-defined]  it takes more than what it wraps
        return rule(moves=places, **given)(act_and_step)  # type: ignore[no-any-return]

    return decorate


class Life(RuleBasedStateMachine):
    """Two workflows from their first deploy on, under random operations."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = TemporaryDirectory()
        self.names = SequentialUuids().use()
        self.runtime = SimulatedRuntime(Path(self.folder.name) / "data")
        self.world = TrueWorld()
        self.began = self.runtime.clock.wall
        self.user = KnowingUser(self.runtime, self.world)
        self.history = ScheduleHistory(self.runtime)
        self.edited = self.runtime.clock.wall
        self.published: set[tuple[str, str]] = set()
        self.side_by_side: set[str] = set()
        """Jobs that may have been started with `allow_all`."""
        self.runtime.kill()
        self.runtime.service = self.world
        self.start()

    def start(self) -> None:
        """Open the existing store file."""
        self.runtime.open()
        self.world.wait_here = self.runtime.stepper.wait_here
        self.world.elapsed = self.runtime.clock.monotonic
        self.world.look_up = self._ledger
        self.world.expected_text = self.user.expected_text
        record_changes(self.db)

    def teardown(self) -> None:
        try:
            if self.history:
                self._finish_everything()
        finally:
            self.runtime.kill()
            self.names.close()
            self.folder.cleanup()

    @property
    def db(self) -> Any:
        return self.runtime.database.read()

    @property
    def now(self) -> datetime:
        return self.runtime.clock.wall

    @initialize(shape=shapes)
    def begin(self, shape: dict[str, Any]) -> None:
        self.world.inbox = [["e0", 0], ["e1", 0], ["e2", 0]]
        self.runtime.deploy(OTHER, path="v.py")
        self._deploy(shape, grant=True)

    @move(shape=shapes, grant=st.booleans())
    def redeploy(self, shape: dict[str, Any], grant: bool) -> None:  # noqa: FBT001
        self._deploy(shape, grant=grant)
        self.edited = self.now

    @move(identity=names, data=st.integers(0, 2))
    def publish(self, identity: str, data: int) -> None:
        """Publishing an id again changes a pending event and revives nothing."""
        topic = "t" if self.has_taker else "u"
        before = self.runtime.events(topic).get(identity)
        self.runtime.publish(identity, data, topic=topic)
        assert self.runtime.events(topic)[identity] == (before or "pending")
        self.published.add((topic, identity))

    @move(inbox=st.lists(st.tuples(names, st.integers(0, 2)), max_size=3))
    def mail_arrives(self, inbox: list[tuple[str, int]]) -> None:
        self.world.inbox = [list(one) for one in inbox]

    @move(handler=st.sampled_from(["p", "j"]), when_finished=st.booleans())
    def run_now(self, handler: str, when_finished: bool) -> None:  # noqa: FBT001
        self.ask(self.runtime.commands.run, "w", handler, when_finished=when_finished)

    @move(more=places)
    def move_on(self, more: list[int]) -> None:
        self.step(more)

    def step(self, places: list[int]) -> None:
        for place in places:
            self.runtime.engine.wake()
            self.runtime.tick_until_idle()
            if self.runtime.stepper.waiting:
                self.runtime.stepper.release(place)

    @rule()
    def come_to_rest(self) -> None:
        self.runtime.run_until_idle()
        self.history.follow()

    @rule(span=spans)
    def pass_time(self, span: timedelta) -> None:
        """As in the app: wake when the engine asks for it, and let runs finish."""
        end = self.now + span
        since = max(self.now, self.runtime.engine.context.paused_until or self.now)  # a pause delays everything
        self.runtime.run_until_idle()
        while (wake := self.runtime.engine.tick(self.now)) <= end:
            self.runtime.clock.move(max(wake - self.now, timedelta()))
            self.runtime.run_until_idle()
            self._other_is_on_time()
        self.runtime.clock.move(end - self.now)
        self.runtime.run_until_idle()
        invariants.runs_on_time(self.db, "v/k", since)

    @move(span=jumps)
    def sleep(self, span: timedelta) -> None:
        """The wall clock jumps ahead while runs are active."""
        self.runtime.clock.wall += span

    @rule(span=jumps)
    def set_the_clock_back(self, span: timedelta) -> None:
        """Not to before the last schedule change: gaps of other times cannot be counted again."""
        back = min(span, self.now - self.edited)
        if back > timedelta():
            self.runtime.clock.wall -= back
            self.runtime.tick_until_idle()
            self.history.cut(self.now)

    @rule(off=jumps, moves=places)
    def crash(self, off: timedelta, moves: list[int]) -> None:
        """Kill between any two commits, including right after an outside call."""
        self.step(moves)
        self.runtime.kill()
        self.runtime.clock.move(off)
        self.start()
        invariants.no_run_is_active(self.db)
        self.history.follow()

    @rule(off=jumps)
    def quit_and_start(self, off: timedelta) -> None:
        self.runtime.quit()
        self.runtime.clock.move(off)
        self.start()
        invariants.no_run_is_active(self.db)
        self.history.follow()

    @move(failure=failures, number=st.integers(1, 5), happens=st.booleans())
    def actions_will_fail(self, failure: Failure, number: int, happens: bool) -> None:  # noqa: FBT001
        self.world.fails = [failure] * number
        self.world.happens, self.world.late_s = happens, None

    @move(number=st.integers(1, 3), late_s=st.sampled_from([1, 10, 59]))
    def actions_will_be_late(self, number: int, late_s: float) -> None:
        """No response arrives, and the service acts later."""
        self.world.fails = [Failure(kind=FailureClass.UNSURE, sentence="No answer came.")] * number
        self.world.happens, self.world.late_s = False, late_s

    @move(failure=failures, number=st.integers(1, 5))
    def reads_will_fail(self, failure: Failure, number: int) -> None:
        self.world.read_fails = [failure] * number

    @rule(failure=failures, number=st.integers(1, 6))
    def checks_will_fail(self, failure: Failure, number: int) -> None:
        self.world.check_fails = [failure] * number

    @move(fault=st.sampled_from(list(FAULTS)), after=st.integers(0, 3))
    def phases_will_fail(self, fault: str, after: int) -> None:
        self.runtime.workers.faults = [None] * after + [fault]

    @rule(why=st.sampled_from(["no worker", "bad script"]), number=st.integers(1, 4))
    def workers_will_not_start(self, why: str, number: int) -> None:
        self.runtime.workers.unstartable = [why] * number

    @move()
    def pause(self) -> None:
        self.ask(self.runtime.commands.pause, "w")

    @move()
    def resume(self) -> None:
        self.ask(self.runtime.commands.resume, "w")

    @rule(span=st.none() | spans)
    def pause_everything(self, span: timedelta | None) -> None:
        self.ask(self.runtime.commands.pause_all, None if span is None else self.now + span)

    @rule()
    def resume_everything(self) -> None:
        self.ask(self.runtime.commands.resume_all)

    @move(what=st.sampled_from(["w", "w/p", "w/C", "w/j"]), kill=st.booleans())
    def stop(self, what: str, kill: bool) -> None:  # noqa: FBT001
        self.ask(self.runtime.commands.stop, what, kill=kill)

    @precondition(lambda self: any(REQUESTS[one.kind].can_be_dismissed for one in self.runtime.requests()))
    @move()
    def dismiss(self) -> None:
        for one in self.runtime.requests():
            if REQUESTS[one.kind].can_be_dismissed:
                self.runtime.request_commands.dismiss(one.id)

    @move()
    def resume_the_job(self) -> None:
        self.ask(self.runtime.commands.resume, "w", "j")

    @move()
    def try_again(self) -> None:
        self.ask(self.runtime.request_commands.retry, "w")

    @rule()
    def revoke(self) -> None:
        self.ask(self.runtime.services.grant_commands.revoke, "w")

    @precondition(lambda self: self.runtime.requests())
    @move(place=st.integers(0, 3), word=st.sampled_from(WORDS), mistaken=st.booleans())
    def answer(self, place: int, word: str, mistaken: bool) -> None:  # noqa: FBT001
        """The first answer counts; the same again changes nothing, another one is refused."""
        row = self.runtime.requests()[place % len(self.runtime.requests())]
        give, other = self.user.answers(row, word, mistaken=mistaken)
        give()
        before = self._snapshot()
        if row.kind in ANSWERED_ONCE:
            give()
            assert self.ask(other) is False
            assert self._snapshot() == before

    @invariant()
    def all_invariants_hold(self) -> None:
        if self.history:
            invariants.check(self.db, self.side_by_side)
            invariants.no_run_is_active(
                self.db, running=[run.id for run in runs.list_active(self.db) if self._is_running(run)]
            )
            for schedule, periods in self.history.periods(self.now):
                invariants.every_planned_time_has_one_outcome(self.db, schedule, periods)
                invariants.due_times_add_up(self.runtime.engine.context, schedule)

    @invariant()
    def nothing_is_done_twice(self) -> None:
        """By what really happened: each event was acted on at most once, unless the user answered wrongly."""
        self.world.carry_out()
        number = Counter(identity for _, batch in self.world.done for identity in batch)
        twice = {identity for identity, times in number.items() if times > 1} - self.user.answered_wrong
        assert not twice, f"done twice: {twice}"

    def _is_running(self, run: RunRow) -> bool:
        """Whether its lane has work in flight; a lane does one thing at a time."""
        lane = lane_id(run.workflow, run.handler, run.kind)
        return self.runtime.engine.dispatch.find_running(run.occurrence, lane) is not None

    @property
    def has_taker(self) -> bool:
        row = workflows.find(self.db, "w")
        assert row is not None
        return "C" in self.runtime.services.plans.current(self.db, "w").handlers

    def ask(self, command: Callable[..., Any], *given: Any, **named: Any) -> bool:
        """Give a command; a refusal changes nothing."""
        before = self._snapshot()
        try:
            command(*given, **named)
        except RefusedError:
            assert self._snapshot() == before
            return False
        return True

    def _deploy(self, shape: dict[str, Any], *, grant: bool) -> None:
        self.runtime.deploy(script(**shape), grant=grant)
        if shape.get("overlap") == "allow_all":
            self.side_by_side.add("w/j")
        self.history.follow()

    def _ledger(self, key: str) -> list[str]:
        """The statuses of the mutations in the chain of that call."""
        query = (
            "SELECT m.status FROM mutations m JOIN runs r ON r.id = m.run WHERE m.status <> 'failed' AND r.chain = "
            "(SELECT r.chain FROM runs r JOIN mutations m ON m.run = r.id WHERE m.key = ? LIMIT 1)"
        )
        return [row[0] for row in self.db.execute(query, (key,))]

    def _snapshot(self) -> Any:
        """Everything that a refused command must not change."""
        tables = ("runs", "events", "mutations", "requests", "lanes", "occurrences", "grants", "workflows", "handlers")
        return [[tuple(row) for row in self.db.execute(f"SELECT * FROM {table}")] for table in tables]

    def _other_is_on_time(self) -> None:
        """The other workflow's job starts on time, whatever happens to the first."""
        lane = lanes.find(self.db, "v", "k")
        assert lane is not None
        if lane.blocked is None and not self.runtime.engine.context.is_paused(self.now):
            query = "SELECT count(*) FROM occurrences WHERE schedule = 'v/k' AND state = 'queued' AND retry_at IS NULL"
            assert self.db.execute(query).fetchone()[0] == 0, "another workflow delays it"

    def _finish_everything(self) -> None:
        """Once nothing fails any more and every request is answered, everything finishes."""
        self.world.fails, self.world.read_fails, self.world.check_fails, self.world.inbox = [], [], [], []
        self.runtime.workers.faults, self.runtime.workers.unstartable = [], []
        self.ask(self.runtime.commands.resume_all)
        # Stopped consumers do not restart on their own; after a pause each consumer runs once.
        self.ask(self.runtime.commands.pause, "w")
        self.runtime.commands.resume("w")
        self.ask(self.runtime.services.grant_commands.grant, "w")
        for step in (*[11 * MINUTE] * 20, *[2 * HOUR] * 20, *[12 * HOUR] * 20):
            self.runtime.run_until_idle()
            self.ask(self.runtime.request_commands.retry, "w")  # also what was dismissed
            for one in self.runtime.requests():
                if requests.find(self.db, one.id).answer is None:  # type: ignore[union-attr]
                    self.user.answers(one, "yes", mistaken=False)[0]()
            self.runtime.run_until_idle()
            if self._is_finished():
                break
            self.runtime.clock.move(step)
        self.all_invariants_hold()
        self.nothing_is_done_twice()
        assert self._is_finished(), self._unfinished()
        self._check_everything_settled()

    def _is_finished(self) -> bool:
        return not any(self._unfinished().values())

    def _unfinished(self) -> dict[str, Any]:
        names = {"pending": "state = 'pending'", "reserved": "state = 'reserved'"}
        left = {
            name: [tuple(row) for row in self.db.execute(f"SELECT topic, id FROM events WHERE {where}")]
            for name, where in names.items()
        }
        return left | {
            "requests": self.runtime.requests(),
            "lanes": lanes.list_blocked(self.db),
            "runs": [one for one in runs.list_unfinished(self.db, "w") if not one.followed],
            "unsettled": mutations.list_unresolved(self.db),
        }

    def _check_everything_settled(self) -> None:
        """No event is lost, and consumed events were acted on, unless the user answered wrongly."""
        done = {identity for _, batch in self.world.done for identity in batch}
        for topic, identity in self.published:
            assert self.runtime.events(topic)[identity] in ("consumed", "skipped")
        taken = {identity for identity, state in self.runtime.events("t").items() if state == "consumed"}
        assert taken - done <= self.user.answered_wrong, "consumed but never acted on"
        assert events.topics_with_pending(self.db, "w") == set()


_SETTINGS = settings(deadline=None, database=None, max_examples=_LIVES or 8, stateful_step_count=40)
_NUMBERS = [random.randrange(1 << 32)] if _LIVES else range(8)


# Several short series are more varied than one long one, which repeats what it has seen.
@pytest.mark.parametrize("number", _NUMBERS)
def test_the_invariants_hold_over_random_histories(number: int) -> None:
    """All numbered invariants hold, and everything finishes."""
    seed(number)(get_state_machine_test(Life, settings=_SETTINGS))()
