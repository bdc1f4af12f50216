"""What is news, and when all is quiet: what comes later or waits for a person holds nobody."""

from datetime import timedelta

from scheduler.store import lanes
from scheduler.store.lanes import Block, LaneRow
from tests.engine.harness import START
from tests.engine.workflows.views.shop import RECEIPTS, Shop


def test_news_are_new_runs_and_what_became_of_those_watched(shop: Shop) -> None:
    shop.connect_table()
    shop.deploy(RECEIPTS)
    assert shop.views.last_number() == 0
    shop.settle()
    first = shop.views.news(0)
    assert [run.handler for run in first.runs] == ["FileReceipt", "poll", "FileReceipt"]
    assert shop.views.news(first.number).runs == ()
    waiting = first.runs[-1].id
    shop.house.answering.approve(shop.views.attention()[0].id)
    shop.settle()
    [run] = shop.views.news(first.number, [waiting]).runs
    assert (run.id, run.status) == (waiting, "committed")
    assert shop.views.news(first.number, ["gone"]).runs == ()


def test_a_waiting_request_holds_nobody(shop: Shop) -> None:
    shop.connect_table()
    shop.deploy(RECEIPTS)
    assert not shop.views.is_quiet()
    shop.settle()
    assert shop.views.attention() and shop.views.is_quiet()
    shop.house.answering.approve(shop.views.attention()[0].id)
    assert not shop.views.is_quiet()
    shop.settle()
    assert shop.views.is_quiet()


def test_a_due_time_is_something_to_do_and_a_later_one_is_not(shop: Shop) -> None:
    shop.deploy("""
        import dayhand
        flow = dayhand.Workflow("Hourly")

        @flow.job(every="1h")
        def work(ctx):
            pass
    """)
    assert shop.views.is_quiet()
    shop.clock.move(timedelta(hours=1))
    assert not shop.views.is_quiet()
    shop.settle()
    assert shop.views.is_quiet()


def test_what_waits_in_a_closed_lane_or_a_paused_workflow_holds_nobody(shop: Shop) -> None:
    shop.deploy("""
        import dayhand
        flow = dayhand.Workflow("Hourly")

        @flow.job(every="1h")
        def work(ctx):
            pass
    """)
    shop.house.commands.run("hourly")
    assert not shop.views.is_quiet()
    with shop.database.write() as db:
        later = START + timedelta(minutes=5)
        lanes.block(db, LaneRow("hourly", "work", Block.RETRYING, "Busy.", "r1", later))
    assert shop.views.is_quiet(), "a backoff lies in the future"
    with shop.database.write() as db:
        lanes.open_up(db, "hourly", "work")
    assert not shop.views.is_quiet()
    shop.house.commands.pause_all()
    assert shop.views.is_quiet()
    shop.house.commands.resume_all()
    shop.house.commands.pause("hourly")
    assert shop.views.is_quiet()
