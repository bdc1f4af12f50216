"""Changes since the last query, and when the engine is idle."""

from datetime import timedelta

from scheduler.rules.requests import Block
from scheduler.store import lanes
from scheduler.store.lanes import LaneRow
from tests.engine.engine_fixture import START
from tests.engine.queries.runtime_fixture import RECEIPTS, QueryRuntimeFixture


def test_changes_are_new_runs_and_updates_of_watched_ones(runtime: QueryRuntimeFixture) -> None:
    runtime.connect_table()
    runtime.deploy(RECEIPTS)
    assert runtime.queries.last_run_number() == 0
    runtime.run_until_idle()
    first = runtime.queries.changes_since(0)
    assert [run.handler for run in first.runs] == ["FileReceipt", "poll", "FileReceipt"]
    assert runtime.queries.changes_since(first.number).runs == ()
    waiting = first.runs[-1].id
    runtime.services.request_commands.approve(runtime.queries.attention()[0].id)
    runtime.run_until_idle()
    [run] = runtime.queries.changes_since(first.number, [waiting]).runs
    assert (run.id, run.status) == (waiting, "committed")
    assert [run.id for run in runtime.queries.changes_since(first.number, ["gone"]).runs] == [waiting], "it continued"


def test_an_open_request_does_not_count_as_busy(runtime: QueryRuntimeFixture) -> None:
    runtime.connect_table()
    runtime.deploy(RECEIPTS)
    assert not runtime.queries.is_idle()
    runtime.run_until_idle()
    assert runtime.queries.attention() and runtime.queries.is_idle()
    runtime.services.request_commands.approve(runtime.queries.attention()[0].id)
    assert not runtime.queries.is_idle()
    runtime.run_until_idle()
    assert runtime.queries.is_idle()


def test_a_due_time_counts_as_busy_and_a_later_one_does_not(runtime: QueryRuntimeFixture) -> None:
    runtime.deploy("""
        import dayhand
        flow = dayhand.Workflow("Hourly")

        @flow.job(every="1h")
        def work(ctx):
            pass
    """)
    assert runtime.queries.is_idle()
    runtime.clock.move(timedelta(hours=1))
    assert not runtime.queries.is_idle()
    runtime.run_until_idle()
    assert runtime.queries.is_idle()


def test_blocked_lanes_and_paused_workflows_do_not_count_as_busy(runtime: QueryRuntimeFixture) -> None:
    runtime.deploy("""
        import dayhand
        flow = dayhand.Workflow("Hourly")

        @flow.job(every="1h")
        def work(ctx):
            pass
    """)
    runtime.services.workflow_commands.run("hourly")
    assert not runtime.queries.is_idle()
    with runtime.database.write() as db:
        later = START + timedelta(minutes=5)
        lanes.block(db, LaneRow("hourly", "work", Block.RETRYING, "Busy.", "r1", later))
    assert runtime.queries.is_idle(), "a backoff is in the future"
    with runtime.database.write() as db:
        lanes.unblock(db, "hourly", "work")
    assert not runtime.queries.is_idle()
    runtime.services.workflow_commands.pause_all()
    assert runtime.queries.is_idle()
    runtime.services.workflow_commands.resume_all()
    runtime.services.workflow_commands.pause("hourly")
    assert runtime.queries.is_idle()
