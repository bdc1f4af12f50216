"""The report of a simulated week says what the rows of the store say, and nothing else."""

import json
import sqlite3
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from scheduler.engine.api.json_values import to_json
from scheduler.engine.queries.queries import WorkflowQueries
from scheduler.engine.queries.report import Report, read_report, split_span
from scheduler.rules.requests import RequestKind
from scheduler.store.database import to_ms
from scheduler.store.requests import GivenAnswer, answer
from tests.clocks import ManualClock
from tests.engine.engine_fixture import DAY, HOUR
from tests.runs.runtime_fixture import RuntimeFixture
from tests.runs.scripts import consumer

HEAD = 'import dayhand\nflow = dayhand.Workflow("{name}")\n'
JOB = "\n@flow.job({settings})\ndef {name}(ctx):\n    {body}\n"
BERLIN = ZoneInfo("Europe/Berlin")


def job(name: str, body: str, settings: str, handler: str = "go") -> str:
    return HEAD.format(name=name) + JOB.format(name=handler, body=body, settings=settings)


def live_a_week(runtime: RuntimeFixture) -> None:
    """Runs that go well, fail, are retried, stopped, missed, skipped and paused; approvals from here and elsewhere."""
    runtime.deploy(job("Good", "ctx.done('Saved 3 files')", 'every="6h"'), path="good.py")
    runtime.deploy(job("Bad", "raise ValueError('no')", 'every="1d", retries=1, max_failures=0'), path="bad.py")
    runtime.deploy(job("Night", "pass", 'cron="0 3 * * *", catchup="none"'), path="night.py")
    runtime.deploy(job("Idle", "pass", 'every="1d"'), path="idle.py")
    runtime.deploy(consumer(approve="always"))
    runtime.commands.pause("idle", note="On holiday")
    for number, given in enumerate(("yes", "no", "yes", None)):
        runtime.publish(f"e{number}")
        runtime.pass_time(20 * HOUR)
        request = next((one for one in runtime.requests() if one.kind is RequestKind.APPROVAL), None)
        if given == "yes" and request is not None:
            runtime.request_commands.approve(request.id)
        elif given == "no" and request is not None:
            runtime.request_commands.reject(request.id, reason="Not now")
        runtime.tick()
    runtime.crash(off=2 * DAY)
    runtime.pass_time(DAY)


def count(db: sqlite3.Connection, query: str, *values: Any) -> Counter[str]:
    return Counter({row[0]: row[1] for row in db.execute(query, values)})


@pytest.fixture(scope="module")
def runtime(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RuntimeFixture]:
    """After one week, which all tests look at."""
    runtime = RuntimeFixture(tmp_path_factory.mktemp("week"))
    live_a_week(runtime)
    yield runtime
    runtime.close()


@pytest.fixture(scope="module")
def report(runtime: RuntimeFixture) -> Report:
    return queries_of(runtime).report(ManualClock().wall, runtime.clock.wall)


def queries_of(runtime: RuntimeFixture) -> WorkflowQueries:
    return WorkflowQueries(runtime.engine.context, runtime.services.plans, runtime.services.registry)


def test_a_week_is_reported_as_it_is_stored(runtime: RuntimeFixture, report: Report) -> None:
    db = runtime.database.read()
    runs = "SELECT workflow, count(*) FROM runs WHERE {} GROUP BY workflow"
    last = "NOT EXISTS (SELECT 1 FROM runs n WHERE n.chain = runs.chain AND n.attempt > runs.attempt)"
    succeeded = count(db, runs.format("status = 'committed' AND refusal IS NULL"))
    refused = count(db, runs.format("status = 'committed' AND refusal IS NOT NULL"))
    failed = count(db, runs.format(f"status = 'failed:logic' AND {last}"))
    assert {one.workflow: one.succeeded for one in report.workflows if one.succeeded} == dict(succeeded)
    assert {one.workflow: one.refused for one in report.workflows if one.refused} == dict(refused) == {"w": 1}
    assert {one.workflow: one.failed for one in report.workflows if one.failed} == dict(failed)
    assert failed["bad"] < len(runtime.runs(workflow="bad")), "a run that was tried again failed once"

    unrun = "began IS NULL AND state NOT IN ('queued', 'started') AND planned < ?"
    not_run = count(
        db,
        f"SELECT schedule, count(*) FROM occurrences WHERE {unrun} GROUP BY schedule",
        to_ms(report.until),
    ) + count(db, "SELECT schedule, sum(number) FROM gaps WHERE first < ? GROUP BY schedule", to_ms(report.until))
    reported: Counter[str] = Counter()
    for one in report.gaps:
        reported[f"{one.workflow}/go"] += one.number
        assert one.sentence
    assert reported == not_run and not_run["night/go"] >= 2
    assert report.not_run == sum(not_run.values())

    assert sum(bar.succeeded for bar in report.bars) == report.succeeded == sum(succeeded.values())
    assert sum(bar.failed for bar in report.bars) == report.failed == sum(failed.values())
    assert sum(bar.not_run for bar in report.bars) == report.not_run


def test_answers_pauses_failures_and_what_waits_are_listed(runtime: RuntimeFixture, report: Report) -> None:
    answered = [(one.answer, one.reason, one.channel) for one in report.answers]
    assert answered == [("yes", "", ""), ("no", "Not now", ""), ("yes", "", "")]
    assert {one.name for one in report.answers} == {"W"}
    assert [(one.name, one.kind) for one in report.waiting] == [("W", RequestKind.APPROVAL)]
    assert [(one.name, one.note) for one in report.paused] == [("Idle", "On holiday")]
    [failing] = report.failing
    assert failing.name == "Bad" and failing.failures == runtime.handler("go", "bad").failures
    assert next(one for one in report.workflows if one.name == "Good").last == "Saved 3 files"


def test_it_says_from_which_channel_an_answer_came(runtime: RuntimeFixture, report: Report) -> None:
    [waiting] = [one for one in runtime.requests() if one.kind is RequestKind.APPROVAL]
    with runtime.database.write() as db:
        answer(db, waiting.id, GivenAnswer("yes", answered_from="ntfy:phone"), runtime.clock.wall)
    later = queries_of(runtime).report(report.since, runtime.clock.wall + HOUR)
    assert [one.channel for one in later.answers] == ["", "", "", "ntfy:phone"]


def test_commands_read_the_same_report_from_json(report: Report) -> None:
    assert read_report(json.loads(json.dumps(to_json(report)))) == report


def test_two_halves_are_one_whole(runtime: RuntimeFixture, report: Report) -> None:
    """A run, an answer or a planned time at the boundary counts once."""
    queries = queries_of(runtime)
    [middle] = [one.start for one in report.bars][3:4]
    halves = [queries.report(report.since, middle), queries.report(middle, report.until)]
    for name in ("succeeded", "failed"):
        assert sum(getattr(one, name) for one in halves) == getattr(report, name)
    assert sum(len(one.answers) for one in halves) == len(report.answers)


@pytest.mark.parametrize(
    ("first", "last", "number"),
    [((2026, 3, 23), (2026, 3, 30), 7), ((2026, 10, 19), (2026, 10, 26), 7), ((2026, 1, 1), (2026, 12, 31), 52)],
)
def test_the_chart_has_a_bar_for_each_day_or_week(first: Any, last: Any, number: int) -> None:
    since, until = (datetime(*day, tzinfo=BERLIN).astimezone(UTC) for day in (first, last))
    parts = split_span(since, until, BERLIN)
    assert len(parts) == number
    assert parts[0][0] == since and parts[-1][1] == until
    assert all(one[1] == two[0] for one, two in pairwise(parts))
    assert all(start.astimezone(BERLIN).hour == 0 for start, _ in parts)


def test_a_day_has_a_bar_for_every_three_hours() -> None:
    since = datetime(2026, 11, 16, tzinfo=BERLIN).astimezone(UTC)
    assert len(split_span(since, since + DAY, BERLIN)) == 8
    assert split_span(since, since + timedelta(hours=1), BERLIN) == [(since, since + HOUR)]
