"""A workflow whose planned times passed without a run is marked until it runs again."""

from datetime import timedelta

import pytest

from scheduler.engine.queries.workflows import WorkflowView
from scheduler.rules.workflow_state import is_worth_showing
from tests.engine.engine_fixture import START
from tests.engine.queries.runtime_fixture import QueryRuntimeFixture

JOB = """
import dayhand
flow = dayhand.Workflow("Backup")

@flow.job({schedule}, timezone="UTC", catchup="{catchup}")
def copy(ctx):
    ctx.done("Copied")
"""
DAILY = 'cron="0 3 * * *"'


def sleep(runtime: QueryRuntimeFixture, **span: float) -> WorkflowView:
    """The computer sleeps so long; afterwards everything that is due runs."""
    runtime.clock.move(timedelta(**span))
    runtime.run_until_idle()
    [view] = runtime.queries.workflows()
    return view


def deploy(runtime: QueryRuntimeFixture, schedule: str, catchup: str = "none") -> None:
    runtime.deploy(JOB.format(schedule=schedule, catchup=catchup))
    runtime.run_until_idle()


def test_one_missed_run_of_a_daily_job_is_marked_with_its_time(runtime: QueryRuntimeFixture) -> None:
    deploy(runtime, DAILY)
    view = sleep(runtime, hours=20)
    assert view.state == "missed"
    assert view.words == "Backup missed its run at 03:00. Daily at 03:00"


def test_several_missed_runs_are_counted(runtime: QueryRuntimeFixture) -> None:
    deploy(runtime, DAILY)
    view = sleep(runtime, days=3)
    assert view.words == "Backup missed 3 runs in a row since 17 November. Daily at 03:00"


def test_the_mark_goes_when_the_workflow_runs_again(runtime: QueryRuntimeFixture) -> None:
    deploy(runtime, DAILY)
    assert sleep(runtime, hours=20).state == "missed"
    runtime.services.workflow_commands.run("backup")
    assert sleep(runtime, seconds=1).state == "idle"


def test_a_missed_time_that_was_caught_up_is_not_marked(runtime: QueryRuntimeFixture) -> None:
    deploy(runtime, DAILY, catchup="one")
    assert sleep(runtime, days=3).state == "idle"


def test_a_frequent_check_is_marked_only_after_three_misses_in_a_row(runtime: QueryRuntimeFixture) -> None:
    deploy(runtime, 'cron="0 * * * *"')
    assert sleep(runtime, hours=2, minutes=30).state == "idle"
    assert sleep(runtime, hours=1).state == "missed"


def test_a_missed_one_off_is_missed_and_not_finished(runtime: QueryRuntimeFixture) -> None:
    at = (START + timedelta(hours=2)).replace(tzinfo=None).isoformat()
    deploy(runtime, f'once="{at}"')
    view = sleep(runtime, hours=5)
    assert view.state == "missed"
    assert view.words == "Backup missed its run at 12:00. Run it now if you still need it."


def test_the_part_that_missed_its_time_says_so_too(runtime: QueryRuntimeFixture) -> None:
    deploy(runtime, DAILY)
    sleep(runtime, hours=20)
    [handler] = runtime.queries.workflow("backup").handlers
    assert handler.state == "missed"


@pytest.mark.parametrize(
    ("missed", "hours", "shown"),
    [(0, 24, False), (1, 24, True), (1, 23, True), (1, 19, False), (2, 1, False), (3, 1, True), (1, None, True)],
)
def test_rare_schedules_are_marked_at_once_and_frequent_ones_at_the_third_miss(
    missed: int, hours: int | None, *, shown: bool
) -> None:
    assert is_worth_showing(missed, None if hours is None else timedelta(hours=hours)) is shown
