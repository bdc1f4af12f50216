"""What holds after every step of a story, and at its end."""

import hashlib
import sqlite3
from collections import Counter
from typing import Any

from scheduler.store import lanes, mutations, requests, runs
from tests.engine.engine_fixture import DAY, HOUR, MINUTE
from tests.runs import invariants
from tests.simulation.desktop import Desktop
from tests.simulation.outside import TOKEN

_CHECKED = 3 * DAY
"""How far back planned times are checked again after every step; each was checked when it came."""
_REST = (*[11 * MINUTE] * 20, *[2 * HOUR] * 20, *[12 * HOUR] * 100)
"""How long everything may take to finish."""


class StoryChecker:
    """Checks one desktop. Forgets the recorded changes whenever nothing is open that they could contradict."""

    def __init__(self, desktop: Desktop) -> None:
        self._desktop = desktop
        self.digest = ""
        """Of everything that is stored at the end: the same for the same story."""

    @property
    def _db(self) -> sqlite3.Connection:
        return self._desktop.db

    def check(self) -> None:
        """After every step."""
        desktop, db = self._desktop, self._db
        invariants.check(db)
        invariants.no_run_is_active(db, running=[run.id for run in runs.list_active(db) if desktop.is_running(run)])
        for schedule, periods in desktop.history.periods(desktop.now):
            recent = [(times, max(since, desktop.now - _CHECKED), until) for times, since, until in periods]
            invariants.every_planned_time_has_one_outcome(db, schedule, [one for one in recent if one[1] < one[2]])
            invariants.due_times_add_up(desktop.runtime.engine.context, schedule)
        self._check_nothing_done_twice()
        self._forget_changes()

    def finish(self) -> None:
        """Once everything works and every request is answered truthfully, everything finishes."""
        desktop = self._desktop
        runtime = desktop.runtime
        desktop.outside.recover()
        desktop.go_online()
        desktop.unlock_keyring()
        runtime.full_for, runtime.workers.faults, runtime.workers.unstartable = 0, [], []
        desktop.resume_all()
        for workflow in ("w", "chores"):
            # Stopped consumers do not restart on their own; after a pause each consumer runs once.
            desktop.pause(workflow, None)
            desktop.resume(workflow)
        desktop.give(runtime.services.grant_commands.grant, "w")
        for span in _REST:
            runtime.run_until_idle()
            self._answer_everything()
            runtime.run_until_idle()
            if not any(self._unfinished().values()):
                break
            runtime.clock.move(span)
        self.check()
        assert not any(self._unfinished().values()), self._unfinished()
        self._check_everything_settled()
        self._check_no_secret_is_stored()
        self.digest = hashlib.sha256("\n".join(self._db.iterdump()).encode()).hexdigest()

    def _answer_everything(self) -> None:
        desktop = self._desktop
        for workflow in ("w", "chores"):
            desktop.retry(workflow)  # also what was dismissed
        for one in desktop.runtime.requests():
            row = requests.find(self._db, one.id)
            if row is not None and row.answer is None and row.kind != "keyring":
                desktop.give(desktop.user.answers(row, "yes", mistaken=False)[0])

    def _check_nothing_done_twice(self) -> None:
        """By what really happened: each event was acted on at most once, unless the user answered wrongly."""
        outside = self._desktop.outside
        outside.carry_out()
        number = Counter(identity for _, batch in outside.done for identity in batch)
        twice = {identity for identity, times in number.items() if times > 1}
        twice -= self._desktop.user.answered_wrong | outside.lied_about
        assert not twice, f"done twice: {twice}"

    def _check_everything_settled(self) -> None:
        """No event is lost, and what was consumed was acted on, unless the user or the service said so wrongly."""
        desktop = self._desktop
        done = {identity for _, batch in desktop.outside.done for identity in batch}
        taken = {identity for identity, state in desktop.runtime.events("t").items() if state == "consumed"}
        wrong = taken - done - desktop.user.answered_wrong - desktop.outside.lied_about
        assert not wrong, f"consumed but never acted on: {wrong}"

    def _check_no_secret_is_stored(self) -> None:
        for file in self._desktop.runtime.folder.rglob("*"):
            assert not file.is_file() or TOKEN.encode() not in file.read_bytes(), f"a secret is in {file.name}"

    def _unfinished(self) -> dict[str, Any]:
        left = {
            state: [tuple(row) for row in self._db.execute("SELECT topic, id FROM events WHERE state = ?", (state,))]
            for state in ("pending", "reserved")
        }
        return left | {
            "requests": [one for one in self._desktop.runtime.requests() if one.kind != "keyring"],
            "lanes": lanes.list_blocked(self._db),
            "runs": [
                one for slug in ("w", "chores") for one in runs.list_unfinished(self._db, slug) if not one.followed
            ],
            "unsettled": mutations.list_unresolved(self._db),
        }

    def _forget_changes(self) -> None:
        """Reading a year of changes after every step would take most of the time."""
        query = (
            "SELECT EXISTS (SELECT 1 FROM events WHERE state = 'reserved') "
            "OR EXISTS (SELECT 1 FROM runs WHERE status NOT IN ('committed', 'cancelled', 'crashed') AND followed = 0)"
        )
        if not self._db.execute(query).fetchone()[0] and not mutations.list_unresolved(self._db):
            self._desktop.runtime.forget_changes()
