"""Tells the user which schedules are overdue, and which take longer or shorter than expected, until that is over."""

import sqlite3
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import NamedTuple

from scheduler.engine.context import EngineContext
from scheduler.engine.runs import user_requests
from scheduler.engine.scheduling.launcher import Announcement
from scheduler.engine.script_plan import HandlerPlan, ScriptPlans
from scheduler.rules.handler_ids import handler_id, split_handler_id
from scheduler.rules.punctuality import describe_overdue, describe_running_time, is_overdue
from scheduler.rules.requests import RequestKind
from scheduler.store import requests, run_times, schedules, workflows
from scheduler.store.schedules import ScheduleRow
from scheduler.store.workflows import WorkflowStatus

_INTERVAL = timedelta(seconds=15)
_MAX_SILENCE = timedelta(minutes=2)
"""Between two checks; after a longer one, such as a sleep, nothing could have run."""
_KINDS = (RequestKind.OVERDUE, RequestKind.UNUSUAL_DURATION)


class _Watched(NamedTuple):
    name: str
    handler: HandlerPlan


class Expectations:
    """Belongs to the engine's thread. What it finds follows from the stored rows and the time alone."""

    def __init__(self, context: EngineContext, plans: ScriptPlans) -> None:
        self._context = context
        self._plans = plans
        self._checked: datetime | None = None
        self._must_check = False
        self._handlers: dict[tuple[str, int], tuple[_Watched, ...]] = {}
        """By workflow and script version, those that expect anything."""
        self._since: dict[str, datetime] = {}
        """Since when each schedule could run."""
        self._reported: set[tuple[RequestKind, str]] | None = None
        """What was reported and is not over; read at the first check."""

    def run_ended(self) -> None:
        """From any thread: check at the next tick."""
        self._must_check = True

    def tick(self, now: datetime) -> None:
        last, must_check = self._checked, self._must_check
        if last is not None and not must_check and last <= now < last + _INTERVAL:
            return
        if last is None or not last <= now <= last + _MAX_SILENCE:
            self._since.clear()
        self._checked, self._must_check = now, False
        with self._context.database.quick_read() as db:
            if self._reported is None:
                self._reported = set(requests.list_reported(db, _KINDS))
            found = dict(self._find(db, now))
            news = {key: text for key, text in found.items() if not user_requests.is_reported(db, *key, text[1])}
        over = self._reported - found.keys()
        if news or over:
            self._record(news, over, now)
        self._reported = set(found)

    def _record(
        self, news: dict[tuple[RequestKind, str], tuple[str, str]], over: set[tuple[RequestKind, str]], now: datetime
    ) -> None:
        with self._context.database.write() as db:
            for kind, subject in over:
                user_requests.end_report(db, kind, subject, now)
            for (kind, subject), (workflow, sentence) in news.items():
                user_requests.report(db, kind, workflow, subject, sentence, now)
        subjects = {split_handler_id(subject)[0] for _, subject in [*over, *news]}
        for workflow in subjects:
            self._context.report_change(Announcement(workflow))

    def _find(self, db: sqlite3.Connection, now: datetime) -> Iterator[tuple[tuple[RequestKind, str], tuple[str, str]]]:
        """By kind and schedule, the workflow and a sentence."""
        for flow in workflows.list_all(db):
            for name, handler in self._watched(db, flow.slug, flow.script):
                subject = handler_id(flow.slug, handler.name)
                row = schedules.find(db, subject)
                is_live = row is not None and row.removed is None and not row.is_suspended
                is_paused = flow.status is not WorkflowStatus.ACTIVE or self._context.is_paused(now)
                if row is None or not is_live or is_paused:
                    self._since.pop(subject, None)
                    continue
                since = self._since.setdefault(subject, now)
                if (RequestKind.OVERDUE, subject) in (self._reported or ()):
                    since = row.created  # a restart does not end what was reported
                for kind, sentence in _check(db, row, name, handler, since, now):
                    yield (kind, subject), (flow.slug, sentence)

    def _watched(self, db: sqlite3.Connection, workflow: str, version: int) -> tuple[_Watched, ...]:
        known = self._handlers.get((workflow, version))
        if known is None:
            plan = self._plans.find(db, workflow, version)
            known = self._handlers[workflow, version] = tuple(
                _Watched(plan.name_job(one.name), one)
                for one in plan.handlers.values()
                if one.schedule is not None and (one.overdue_after is not None or one.expected is not None)
            )
        return known


def _check(
    db: sqlite3.Connection, row: ScheduleRow, name: str, handler: HandlerPlan, since: datetime, now: datetime
) -> Iterator[tuple[RequestKind, str]]:
    times = run_times.read_run_times(db, row.id)
    if handler.overdue_after is not None:
        expected = run_times.find_expected(db, row.id, times.ended or row.created)
        if expected is not None and is_overdue(expected, handler.overdue_after, since, now):
            yield RequestKind.OVERDUE, describe_overdue(name, handler.overdue_after)
    if handler.expected is None:
        return
    sentence = ""
    if times.running_since is not None:
        sentence = describe_running_time(name, handler.expected, now - times.running_since, is_running=True)
    elif times.began is not None and times.ended is not None:
        sentence = describe_running_time(name, handler.expected, times.ended - times.began, is_running=False)
    if sentence:
        yield RequestKind.UNUSUAL_DURATION, sentence
