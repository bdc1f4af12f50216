"""The summary of a span: what ran well, failed, was missed and waits."""

from datetime import timedelta

from scheduler.engine.queries.activity_summary import ActivitySummary
from tests.engine.engine_fixture import START
from tests.engine.queries.runtime_fixture import RECEIPTS, QueryRuntimeFixture

JOB = """
import dayhand
flow = dayhand.Workflow("{name}")

@flow.job(cron="0 3 * * *", timezone="UTC", catchup="{catchup}"{more})
def go(ctx):
    {body}
"""


def deploy(
    runtime: QueryRuntimeFixture, name: str, body: str = "pass", *, catchup: str = "none", more: str = ""
) -> None:
    runtime.deploy(JOB.format(name=name, body=body, catchup=catchup, more=more), f"{name}.py")


def summarize(runtime: QueryRuntimeFixture) -> ActivitySummary:
    return runtime.queries.activity_summary(START, runtime.clock.wall)


def test_a_quiet_span_is_empty(runtime: QueryRuntimeFixture) -> None:
    deploy(runtime, "Backup")
    runtime.move(hours=1)
    assert summarize(runtime).is_empty


def test_runs_are_counted_and_failed_ones_named(runtime: QueryRuntimeFixture) -> None:
    for name, body in (("Good", "pass"), ("Bad 2", "1 / 0"), ("Bad 10", "1 / 0")):
        deploy(runtime, name, body)
        runtime.services.workflow_commands.run(name)
    runtime.run_until_idle()
    found = summarize(runtime)
    assert (found.succeeded, found.failed, found.missed) == (1, 2, 0)
    assert found.failed_names == ("Bad 2", "Bad 10")
    assert found.waiting == 0, "a report of a failure waits for no answer"


def test_of_several_attempts_only_the_last_counts(runtime: QueryRuntimeFixture) -> None:
    body = "1 / 0 if ctx.attempt == 1 else None"
    deploy(runtime, "Flaky", body, more=", retries=1")
    runtime.clock.move(START.replace(hour=3) + timedelta(days=1) - runtime.clock.wall)
    runtime.run_until_idle()
    runtime.move(minutes=2)
    found = summarize(runtime)
    assert (found.succeeded, found.failed) == (1, 0)


def test_missed_times_are_counted_and_named_unless_a_later_run_caught_up(runtime: QueryRuntimeFixture) -> None:
    deploy(runtime, "Lost")
    deploy(runtime, "Late", catchup="one")
    runtime.run_until_idle()
    runtime.move(days=3)
    found = summarize(runtime)
    assert (found.missed, found.missed_names) == (3, ("Lost",))
    assert found.succeeded == 1


def test_open_requests_of_the_span_are_counted(runtime: QueryRuntimeFixture) -> None:
    runtime.connect_table()
    runtime.deploy(RECEIPTS)
    runtime.run_until_idle()
    assert summarize(runtime).waiting == 1
    later = START + timedelta(minutes=1)
    assert runtime.queries.activity_summary(later, later).waiting == 0


def test_only_the_span_counts(runtime: QueryRuntimeFixture) -> None:
    deploy(runtime, "Backup")
    runtime.services.workflow_commands.run("Backup")
    runtime.run_until_idle()
    runtime.move(hours=1)
    runtime.services.workflow_commands.run("Backup")
    runtime.run_until_idle()
    assert summarize(runtime).succeeded == 2
    assert runtime.queries.activity_summary(START, START + timedelta(minutes=1)).succeeded == 1
    assert runtime.queries.activity_summary(START + timedelta(minutes=1), runtime.clock.wall).succeeded == 1
