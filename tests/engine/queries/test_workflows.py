"""Workflows as people see them in the list and on their page."""

from datetime import timedelta

import pytest

from scheduler.engine.refusal import RefusedError
from scheduler.engine.workflows.views.workflows import WorkflowView
from scheduler.rules.states import WorkflowState
from scheduler.store import lanes, schedules
from scheduler.store.lanes import Block, LaneRow
from scheduler.timing.policies import Need
from tests.engine.harness import START
from tests.engine.workflows.views.shop import RECEIPTS, Shop

JOB = """
import dayhand
flow = dayhand.Workflow("{name}", tags={tags})

@flow.job({schedule})
def work(ctx):
    {body}
"""


def job(name: str = "Backup", schedule: str = 'every="1h"', body: str = 'ctx.done("Done")', tags: str = "[]") -> str:
    return JOB.format(name=name, schedule=schedule, body=body, tags=tags)


def only(shop: Shop) -> WorkflowView:
    [view] = shop.views.workflows()
    return view


def test_an_idle_one_says_its_times_and_the_next(shop: Shop) -> None:
    shop.deploy(job())
    view = only(shop)
    assert (view.name, view.workflow, view.state, view.version) == ("Backup", "backup", "idle", 1)
    assert view.words == "Every hour"
    assert view.next == START + timedelta(hours=1)
    assert view.attention == 0


def test_they_are_listed_as_people_count(shop: Shop) -> None:
    for name in ("Chore 10", "chore 2", "Backup", "Chore 1"):
        shop.deploy(job(name=name))
    assert [one.name for one in shop.views.workflows()] == ["Backup", "Chore 1", "chore 2", "Chore 10"]


def test_an_approval_needs_attention_with_its_own_sentence(shop: Shop) -> None:
    shop.connect_table()
    shop.deploy(RECEIPTS)
    shop.settle()
    view = only(shop)
    assert (view.state, view.attention) == ("needs-attention", 1)
    assert view.words == "Add 1 receipts to Expenses"
    assert view.tags == ("home",)
    assert view.next == START + timedelta(minutes=5)


def test_a_script_error_needs_attention_with_its_sentence(shop: Shop) -> None:
    shop.deploy(job(body="1 / 0", schedule='every="1h"'))
    shop.house.commands.run("backup")
    shop.settle()
    view = only(shop)
    assert (view.state, view.attention) == ("needs-attention", 1)
    assert "division by zero" in view.words


def test_a_lane_that_tries_again_says_when(shop: Shop) -> None:
    shop.deploy(job())
    with shop.database.write() as db:
        until = START + timedelta(minutes=15)
        lanes.block(db, LaneRow("backup", "work", Block.RETRYING, "The server was busy.", "r1", until))
    view = only(shop)
    assert (view.state, view.words) == ("retrying", "The server was busy. It tries again at 10:15.")


def test_a_lane_closed_for_a_reason_that_another_workflow_was_asked_about_counts_too(shop: Shop) -> None:
    """F3: a lost account is asked about once, and all its workflows show it."""
    shop.deploy(job())
    with shop.database.write() as db:
        lanes.block(db, LaneRow("backup", "work", Block.RECONNECT, "Sign in again.", "r1"))
    view = only(shop)
    assert (view.state, view.attention, view.words) == ("needs-attention", 1, "Sign in again.")


def test_no_next_time_is_promised_in_a_lane_that_a_person_must_open(shop: Shop) -> None:
    shop.connect_table()
    shop.deploy(RECEIPTS)
    shop.settle()
    poll = only(shop).next
    with shop.database.write() as db:
        lanes.block(db, LaneRow("receipts", "tidy", Block.SCRIPT_ERROR, "It raised.", "r1"))
    assert only(shop).next == poll is not None, "the other lane goes on"
    with shop.database.write() as db:
        lanes.block(db, LaneRow("receipts", "", Block.UNSURE, "Did it happen?", "r2"))
    assert only(shop).next is None


def test_a_mistake_of_ours_stops_it(shop: Shop) -> None:
    shop.deploy(job())
    with shop.database.write() as db:
        lanes.block(db, LaneRow("backup", "work", Block.INTERNAL, "Dayhand made a mistake.", "r1"))
    assert (only(shop).state, only(shop).words) == ("stopped", "Dayhand made a mistake.")


def test_a_schedule_that_was_set_aside_needs_attention(shop: Shop) -> None:
    shop.deploy(job())
    with shop.database.write() as db:
        schedules.update(db, "backup/work", trouble="timezone: there is no zone Mars.")
    assert (only(shop).state, only(shop).words) == ("needs-attention", "timezone: there is no zone Mars.")


def test_paused_by_the_person_with_no_next_time(shop: Shop) -> None:
    shop.deploy(job())
    shop.house.commands.pause("backup")
    view = only(shop)
    assert (view.state, view.words, view.next) == ("paused", "You paused it.", None)
    shop.house.commands.resume("backup")
    assert only(shop).state == "idle"


def test_paused_times_are_paused_until_they_go_on(shop: Shop) -> None:
    shop.deploy(job())
    shop.house.commands.pause("backup", "work", note="Holidays.", until=START + timedelta(minutes=90))
    view = only(shop)
    assert (view.state, view.words) == ("paused", "Holidays. It goes on at 11:30.")


def test_pausing_everything_shows_in_each(shop: Shop) -> None:
    """U8"""
    shop.deploy(job())
    shop.house.commands.pause_all(START + timedelta(minutes=30))
    assert (only(shop).state, only(shop).words) == ("paused", "Everything is paused. It goes on at 10:30.")
    assert shop.views.paused_until() == START + timedelta(minutes=30)
    shop.house.commands.pause_all()
    assert only(shop).words == "Everything is paused."
    shop.house.commands.resume_all()
    assert (only(shop).state, shop.views.paused_until()) == ("idle", None)


def test_what_was_put_away_keeps_its_name(shop: Shop) -> None:
    """Its history is still shown."""
    shop.deploy(job())
    shop.house.commands.archive("backup")
    assert (shop.views.names(), shop.views.workflows()) == ({"backup": "Backup"}, [])


def test_finished_when_no_time_is_left(shop: Shop) -> None:
    shop.deploy(job(schedule='once="2026-11-16T10:30:00+00:00"'))
    assert only(shop).state == "idle"
    shop.move(minutes=31)
    assert (only(shop).state, only(shop).words, only(shop).next) == ("finished", "It has no more times.", None)


def test_a_workflow_without_times_runs_when_something_arrives(shop: Shop) -> None:
    shop.deploy("""
        import dayhand
        flow = dayhand.Workflow("Inbox")
        letters = flow.topic("letters")

        @flow.consumer(subscribe=[letters])
        class Read:
            def prepare(self, ctx, state):
                return dayhand.nothing()
    """)
    shop.settle()
    assert (only(shop).state, only(shop).words) == ("idle", "Runs when something arrives.")


def test_several_schedules_are_said_together(shop: Shop) -> None:
    shop.connect_table()
    shop.deploy(RECEIPTS)
    assert shop.views.workflow("Receipts").words.startswith("Its time has come")
    shop.settle()
    shop.house.answering.reject(shop.views.attention()[0].id)
    shop.settle()
    assert only(shop).words == "Every 5 minutes; Daily at 03:00"


@pytest.mark.parametrize(
    ("need", "said"),
    [
        (Need.NETWORK, "waits for the network."),
        (Need.POWER, "waits until the computer is plugged in."),
        (Need.UNMETERED, "waits for a network that does not cost by volume."),
    ],
)
def test_what_waits_for_the_machine_says_for_what(shop: Shop, need: Need, said: str) -> None:
    """And not that another run is in its way."""
    shop.deploy(job(schedule=f'every="1h", needs="{need}"'))
    shop.moods.held[need] = False
    shop.move(hours=1)
    assert (only(shop).state, only(shop).words) == ("queued", f"Its time has come; it {said}")
    shop.moods.held[need] = True
    shop.house.engine.stir()
    shop.settle()
    assert only(shop).state == "idle"


def test_an_archived_one_is_listed_only_when_asked_for(shop: Shop) -> None:
    shop.deploy(job())
    shop.house.commands.archive("backup")
    assert shop.views.workflows() == []
    [view] = shop.views.workflows(state=WorkflowState.ARCHIVED)
    assert view.name == "Backup"


def test_narrowed_by_state_and_tag(shop: Shop) -> None:
    shop.deploy(job("One", tags='["home", "money"]'), "one.py")
    shop.deploy(job("Two", tags='["work"]'), "two.py", paused=True)
    assert [view.name for view in shop.views.workflows()] == ["One", "Two"]
    assert [view.name for view in shop.views.workflows(tag="money")] == ["One"]
    assert [view.name for view in shop.views.workflows(state=WorkflowState.PAUSED)] == ["Two"]
    assert shop.views.workflows(tag="work", state=WorkflowState.IDLE) == []


def test_a_page_has_handlers_pending_recent_grants_and_lanes(shop: Shop) -> None:
    shop.connect_table()
    shop.deploy(RECEIPTS)
    shop.settle()
    shop.house.events.publish("receipts", "mails", "m9", title="By hand")
    page = shop.views.workflow("Receipts")
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
    ], "the first look after a deploy found nothing"
    assert [(one.connection, one.tool, one.kind) for one in page.grants] == [
        ("table:expenses", "append", "permission"),
    ]
    assert {lane.handlers for lane in page.lanes} == {("poll", "FileReceipt"), ("tidy",)}
    assert page.connections == ("table:expenses",)


def test_a_handler_shows_its_own_lane_only(shop: Shop) -> None:
    shop.connect_table()
    shop.deploy(RECEIPTS)
    with shop.database.write() as db:
        lanes.block(db, LaneRow("receipts", "tidy", Block.SCRIPT_ERROR, "It raised.", "r1"))
    states = {one.name: one.state for one in shop.views.workflow("receipts").handlers}
    assert states["tidy"] == "needs-attention"
    assert states["poll"] == "queued"


def test_a_consumer_that_asks_shows_it_and_when_it_last_ran(shop: Shop) -> None:
    shop.connect_table()
    shop.deploy(RECEIPTS)
    shop.settle()
    by_name = {one.name: one for one in shop.views.workflow("receipts").handlers}
    assert (by_name["FileReceipt"].state, by_name["poll"].state) == ("needs-attention", "idle")
    [asking] = [run for run in shop.views.workflow("receipts").recent if run.status == "paused:approval"]
    assert by_name["FileReceipt"].last_run == asking.began is not None


def test_an_unknown_name_is_refused_with_those_that_exist(shop: Shop) -> None:
    shop.deploy(job())
    with pytest.raises(RefusedError, match=r"There is no workflow nobody\. There are: backup"):
        shop.views.workflow("nobody")
