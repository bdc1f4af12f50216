"""Workflow queries: list entries and details."""

from datetime import timedelta

import pytest

from scheduler.engine.errors import RefusedError
from scheduler.engine.queries.workflows import WorkflowView
from scheduler.rules.requests import Block
from scheduler.rules.workflow_state import WorkflowState
from scheduler.store import lanes, schedules
from scheduler.store.lanes import LaneRow
from scheduler.timing.policies import Need
from tests.engine.engine_fixture import START
from tests.engine.queries.runtime_fixture import RECEIPTS, QueryRuntimeFixture

JOB = """
import dayhand
flow = dayhand.Workflow("{name}", tags={tags})

@flow.job({schedule})
def work(ctx):
    {body}
"""


def job(name: str = "Backup", schedule: str = 'every="1h"', body: str = 'ctx.done("Done")', tags: str = "[]") -> str:
    return JOB.format(name=name, schedule=schedule, body=body, tags=tags)


def only(runtime: QueryRuntimeFixture) -> WorkflowView:
    [view] = runtime.queries.workflows()
    return view


def test_an_idle_workflow_shows_its_schedule_and_next_time(runtime: QueryRuntimeFixture) -> None:
    runtime.deploy(job())
    view = only(runtime)
    assert (view.name, view.workflow, view.state, view.version) == ("Backup", "backup", "idle", 1)
    assert view.words == "Every hour"
    assert view.next == START + timedelta(hours=1)
    assert view.attention == 0


def test_workflows_are_sorted_naturally(runtime: QueryRuntimeFixture) -> None:
    for name in ("Chore 10", "chore 2", "Backup", "Chore 1"):
        runtime.deploy(job(name=name))
    assert [one.name for one in runtime.queries.workflows()] == ["Backup", "Chore 1", "chore 2", "Chore 10"]


def test_an_approval_needs_attention_with_its_own_sentence(runtime: QueryRuntimeFixture) -> None:
    runtime.connect_table()
    runtime.deploy(RECEIPTS)
    runtime.run_until_idle()
    view = only(runtime)
    assert (view.state, view.attention) == ("needs-attention", 1)
    assert view.words == "Add 1 receipts to Expenses"
    assert view.tags == ("home",)
    assert view.next == START + timedelta(minutes=5)


def test_a_script_error_needs_attention_with_its_sentence(runtime: QueryRuntimeFixture) -> None:
    runtime.deploy(job(body="1 / 0", schedule='every="1h"'))
    runtime.services.workflow_commands.run("backup")
    runtime.run_until_idle()
    view = only(runtime)
    assert (view.state, view.attention) == ("needs-attention", 1)
    assert "division by zero" in view.words


def test_a_retrying_lane_shows_when(runtime: QueryRuntimeFixture) -> None:
    runtime.deploy(job())
    with runtime.database.write() as db:
        until = START + timedelta(minutes=15)
        lanes.block(db, LaneRow("backup", "work", Block.RETRYING, "The server was busy.", "r1", until))
    view = only(runtime)
    assert (view.state, view.words) == ("retrying", "The server was busy. Retrying at 10:15.")


def test_a_lane_blocked_without_its_own_request_needs_attention(runtime: QueryRuntimeFixture) -> None:
    """A reconnect request is shared, and all its workflows show it."""
    runtime.deploy(job())
    with runtime.database.write() as db:
        lanes.block(db, LaneRow("backup", "work", Block.RECONNECT, "Sign in again.", "r1"))
    view = only(runtime)
    assert (view.state, view.attention, view.words) == ("needs-attention", 1, "Sign in again.")


def test_a_lane_blocked_until_the_user_acts_has_no_next_time(runtime: QueryRuntimeFixture) -> None:
    runtime.connect_table()
    runtime.deploy(RECEIPTS)
    runtime.run_until_idle()
    poll = only(runtime).next
    with runtime.database.write() as db:
        lanes.block(db, LaneRow("receipts", "tidy", Block.SCRIPT_ERROR, "It raised.", "r1"))
    assert only(runtime).next == poll is not None, "the other lane continues"
    with runtime.database.write() as db:
        lanes.block(db, LaneRow("receipts", "", Block.UNSURE, "Did it happen?", "r2"))
    assert only(runtime).next is None


def test_an_internal_error_stops_the_workflow(runtime: QueryRuntimeFixture) -> None:
    runtime.deploy(job())
    with runtime.database.write() as db:
        lanes.block(db, LaneRow("backup", "work", Block.INTERNAL, "Dayhand made a mistake.", "r1"))
    assert (only(runtime).state, only(runtime).words) == ("stopped", "Dayhand made a mistake.")


def test_a_schedule_that_was_set_aside_needs_attention(runtime: QueryRuntimeFixture) -> None:
    runtime.deploy(job())
    with runtime.database.write() as db:
        schedules.update(db, "backup/work", trouble="timezone: there is no zone Mars.")
    assert (only(runtime).state, only(runtime).words) == ("needs-attention", "timezone: there is no zone Mars.")


def test_a_paused_workflow_has_no_next_time(runtime: QueryRuntimeFixture) -> None:
    runtime.deploy(job())
    runtime.services.workflow_commands.pause("backup")
    view = only(runtime)
    assert (view.state, view.words, view.next) == ("paused", "You paused it.", None)
    runtime.services.workflow_commands.resume("backup")
    assert only(runtime).state == "idle"


def test_a_paused_schedule_shows_note_and_end(runtime: QueryRuntimeFixture) -> None:
    runtime.deploy(job())
    runtime.services.workflow_commands.pause("backup", "work", note="Holidays.", until=START + timedelta(minutes=90))
    view = only(runtime)
    assert (view.state, view.words) == ("paused", "Holidays. It resumes at 11:30.")


def test_a_paused_workflow_shows_note_end_and_the_times_after_it(runtime: QueryRuntimeFixture) -> None:
    runtime.deploy(job())
    end = START + timedelta(minutes=90)
    runtime.services.workflow_commands.pause("backup", note="On holiday", until=end)
    view = only(runtime)
    assert (view.state, view.words) == ("paused", "You paused it. On holiday. It resumes at 11:30.")
    assert all(one.at >= end for one in runtime.queries.next_times("backup", 3))
    assert len(runtime.queries.next_times("backup", 3)) == 3


def test_the_note_of_a_pause_of_everything_is_shown(runtime: QueryRuntimeFixture) -> None:
    runtime.deploy(job())
    runtime.services.workflow_commands.pause_all(note="Moving house")
    assert only(runtime).words == "Everything is paused. Moving house."
    runtime.services.workflow_commands.resume_all()
    runtime.services.workflow_commands.pause_all()
    assert only(runtime).words == "Everything is paused."


def test_pausing_everything_shows_in_each_workflow(runtime: QueryRuntimeFixture) -> None:
    runtime.deploy(job())
    runtime.services.workflow_commands.pause_all(START + timedelta(minutes=30))
    assert (only(runtime).state, only(runtime).words) == ("paused", "Everything is paused. It resumes at 10:30.")
    assert runtime.queries.paused_until() == START + timedelta(minutes=30)
    assert runtime.queries.next_times(limit=1)[0].at > START + timedelta(minutes=30)
    runtime.services.workflow_commands.pause_all()
    assert only(runtime).words == "Everything is paused."
    assert runtime.queries.next_times() == []
    runtime.services.workflow_commands.resume_all()
    assert (only(runtime).state, runtime.queries.paused_until()) == ("idle", None)


def test_an_archived_workflow_keeps_its_name(runtime: QueryRuntimeFixture) -> None:
    """Its history is still shown."""
    runtime.deploy(job())
    runtime.services.workflow_commands.archive("backup")
    assert (runtime.queries.names(), runtime.queries.workflows()) == ({"backup": "Backup"}, [])


def test_a_workflow_without_further_times_is_finished(runtime: QueryRuntimeFixture) -> None:
    runtime.deploy(job(schedule='once="2026-11-16T10:30:00+00:00"'))
    assert only(runtime).state == "idle"
    runtime.move(minutes=31)
    assert (only(runtime).state, only(runtime).words, only(runtime).next) == (
        "finished",
        "No more scheduled times.",
        None,
    )


def test_a_workflow_without_a_schedule_runs_when_something_arrives(runtime: QueryRuntimeFixture) -> None:
    runtime.deploy("""
        import dayhand
        flow = dayhand.Workflow("Inbox")
        letters = flow.topic("letters")

        @flow.consumer(subscribe=[letters])
        class Read:
            def prepare(self, ctx, state):
                return dayhand.nothing()
    """)
    runtime.run_until_idle()
    assert (only(runtime).state, only(runtime).words) == ("idle", "Runs when something arrives.")


def test_several_schedules_are_described_together(runtime: QueryRuntimeFixture) -> None:
    runtime.connect_table()
    runtime.deploy(RECEIPTS)
    assert runtime.queries.workflow("Receipts").words.startswith("Due now")
    runtime.run_until_idle()
    runtime.services.request_commands.reject(runtime.queries.attention()[0].id)
    runtime.run_until_idle()
    assert only(runtime).words == "Every 5 minutes · Daily at 03:00"


@pytest.mark.parametrize(
    ("need", "text"),
    [
        (Need.NETWORK, "waiting for the network."),
        (Need.POWER, "waiting until the computer is plugged in."),
        (Need.UNMETERED, "waiting for an unmetered network."),
    ],
)
def test_a_workflow_that_waits_for_a_condition_names_it(runtime: QueryRuntimeFixture, need: Need, text: str) -> None:
    """Not another run."""
    runtime.deploy(job(schedule=f'every="1h", needs="{need}"'))
    runtime.conditions.held[need] = False
    runtime.move(hours=1)
    assert (only(runtime).state, only(runtime).words) == ("queued", f"Due now; {text}")
    runtime.conditions.held[need] = True
    runtime.services.engine.wake()
    runtime.run_until_idle()
    assert only(runtime).state == "idle"


def test_archived_workflows_are_listed_only_on_request(runtime: QueryRuntimeFixture) -> None:
    runtime.deploy(job())
    runtime.services.workflow_commands.archive("backup")
    assert runtime.queries.workflows() == []
    [view] = runtime.queries.workflows(state=WorkflowState.ARCHIVED)
    assert view.name == "Backup"


def test_workflows_are_filtered_by_state_and_tag(runtime: QueryRuntimeFixture) -> None:
    runtime.deploy(job("One", tags='["home", "money"]'), "one.py")
    runtime.deploy(job("Two", tags='["work"]'), "two.py", paused=True)
    assert [view.name for view in runtime.queries.workflows()] == ["One", "Two"]
    assert [view.name for view in runtime.queries.workflows(tag="money")] == ["One"]
    assert [view.name for view in runtime.queries.workflows(state=WorkflowState.PAUSED)] == ["Two"]
    assert runtime.queries.workflows(tag="work", state=WorkflowState.IDLE) == []


def test_details_have_handlers_pending_recent_grants_and_lanes(runtime: QueryRuntimeFixture) -> None:
    runtime.connect_table()
    runtime.deploy(RECEIPTS)
    runtime.run_until_idle()
    runtime.services.event_commands.publish("receipts", "mails", "m9", title="By hand")
    page = runtime.queries.workflow("Receipts")
    assert page.description == "Receipts: file each receipt in a table."
    by_name = {one.name: one for one in page.handlers}
    assert {name: (one.kind, one.schedule) for name, one in by_name.items()} == {
        "poll": ("producer", "Every 5 minutes"),
        "FileReceipt": ("consumer", None),
        "tidy": ("job", "Daily at 03:00"),
    }
    assert by_name["poll"].last_run == START and by_name["poll"].next == START + timedelta(minutes=5)
    assert by_name["tidy"].state == "idle"
    assert page.pending == {"mails": 1}
    assert [(run.handler, run.status) for run in page.recent] == [
        ("FileReceipt", "paused:approval"),
        ("poll", "committed"),
        ("FileReceipt", "committed"),
    ], "the first run after a deploy found nothing"
    assert [(one.connection, one.tool, one.kind) for one in page.grants] == [
        ("table:expenses", "append", "permission"),
    ]
    assert {lane.handlers for lane in page.lanes} == {("poll", "FileReceipt"), ("tidy",)}
    assert page.connections == ("table:expenses",)


def test_a_handler_shows_its_own_lane_only(runtime: QueryRuntimeFixture) -> None:
    runtime.connect_table()
    runtime.deploy(RECEIPTS)
    with runtime.database.write() as db:
        lanes.block(db, LaneRow("receipts", "tidy", Block.SCRIPT_ERROR, "It raised.", "r1"))
    states = {one.name: one.state for one in runtime.queries.workflow("receipts").handlers}
    assert states["tidy"] == "needs-attention"
    assert states["poll"] == "queued"


def test_a_consumer_that_waits_for_approval_shows_it_and_its_last_run(runtime: QueryRuntimeFixture) -> None:
    runtime.connect_table()
    runtime.deploy(RECEIPTS)
    runtime.run_until_idle()
    by_name = {one.name: one for one in runtime.queries.workflow("receipts").handlers}
    assert (by_name["FileReceipt"].state, by_name["poll"].state) == ("needs-attention", "idle")
    [asking] = [run for run in runtime.queries.workflow("receipts").recent if run.status == "paused:approval"]
    assert by_name["FileReceipt"].last_run == asking.began is not None


def test_an_unknown_name_is_refused_with_the_existing_ones(runtime: QueryRuntimeFixture) -> None:
    runtime.deploy(job())
    with pytest.raises(RefusedError, match=r"There is no workflow nobody\. There are: backup"):
        runtime.queries.workflow("nobody")
