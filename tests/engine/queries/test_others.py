"""Requests with how to answer them, next times, versions and their differences, connections and their users."""

from datetime import timedelta

import pytest

from scheduler.engine.refusal import RefusedError
from scheduler.engine.workflows.views.requests import FaultView
from scheduler.store import lanes, requests, runs
from scheduler.store.lanes import Block, LaneRow
from scheduler.store.requests import RequestKind, RequestRow
from tests.engine.harness import START
from tests.engine.workflows.views.shop import RECEIPTS, Shop


@pytest.fixture
def asking(shop: Shop) -> Shop:
    shop.connect_table()
    shop.deploy(RECEIPTS)
    shop.settle()
    return shop


def test_a_request_shows_exactly_what_would_be_done_and_how_to_answer(asking: Shop) -> None:
    [request] = asking.views.attention()
    assert (request.kind, request.workflow, request.created) == ("approval", "receipts", START)
    assert request.call == {
        "connection": "table:expenses",
        "tool": "append",
        "parameters": {"rows": [{"amount": 1}]},
        "endpoint": {"path": str(asking.folder / "expenses.csv"), "table": "rows"},
    }
    assert request.how == (f"dayhand approve {request.id}", f"dayhand reject {request.id}")


def test_views_of_one_request_share_its_call(asking: Shop) -> None:
    """The window looks after every change: a large call is read once, whoever looks how often."""
    [first], [second] = asking.views.attention(), asking.views.attention()
    assert first == second
    assert first.call is second.call
    asking.house.answering.reject(first.id)
    assert asking.views.attention() == []


def test_a_script_that_says_too_much_is_cut_off(shop: Shop) -> None:
    shop.connect_table()
    shop.deploy(RECEIPTS.replace('say=f"', 'say="x" * 5_000_000 + f"'))
    shop.settle()
    [request] = shop.views.attention()
    assert len(request.sentence) == 2000 and request.sentence.endswith("x…")


def test_a_request_is_found_by_its_beginning(asking: Shop) -> None:
    [request] = asking.views.attention()
    assert asking.views.request(request.id[:4]) == request
    with pytest.raises(RefusedError, match="There is no request"):
        asking.views.request(request.id[:3])


def test_a_beginning_of_several_requests_is_refused(asking: Shop) -> None:
    with asking.database.write() as db:
        for name in ("abcd1", "abcd2"):
            requests.put(db, RequestRow(name, RequestKind.APPROVAL, "receipts", name, "May I?", START))
    with pytest.raises(RefusedError, match="beginning of several"):
        asking.views.request("abcd")


def test_the_beginning_of_an_answered_request_finds_it_unless_one_is_open(asking: Shop) -> None:
    """Who answers too late is told so, and not that there never was a question."""
    with asking.database.write() as db:
        for name in ("abcd1", "abcd2"):
            requests.put(db, RequestRow(name, RequestKind.APPROVAL, "receipts", name, "May I?", START))
        requests.answer(db, "abcd1", "yes", START)
    assert asking.views.request("abcd").id == "abcd2"
    with asking.database.write() as db:
        db.execute("DELETE FROM requests WHERE id = 'abcd2'")
    assert asking.views.request("abcd").answer == "yes"


def test_a_lost_account_names_every_workflow_that_waits_for_it(asking: Shop) -> None:
    """F3"""
    asking.deploy(RECEIPTS.replace("Receipts", "Invoices"), "invoices.py")
    asking.settle()
    with asking.database.write() as db:
        for slug in ("receipts", "invoices"):
            run = runs.recent(db, slug, 1)[0]
            db.execute("""UPDATE runs SET error = '{"subject": "imap:home"}' WHERE id = ?""", (run.id,))
            lanes.block(db, LaneRow(slug, "", Block.RECONNECT, "Sign in again.", run.id))
        row = RequestRow("q9", RequestKind.RECONNECT, "receipts", "imap:home", "Sign in again.", START)
        requests.put(db, row)
    request = asking.views.request("q9")
    assert request.workflows == ("invoices", "receipts")
    assert request.how == ("dayhand connect imap:home",)


def test_a_failed_script_shows_its_line_and_a_way_back_only_where_a_version_worked(shop: Shop) -> None:
    def run(body: str) -> None:
        shop.deploy(
            f"""
            import dayhand
            flow = dayhand.Workflow("Sums")
            @flow.job(cron="0 3 * * *")
            def go(ctx):
                {body}
            """
        )
        shop.house.commands.run("sums")
        shop.settle()

    shop.deploy('import dayhand\nflow = dayhand.Workflow("Sums")\n@flow.job(cron="0 3 * * *")\ndef go(ctx): pass')
    run("1 / 0  # second")
    [asked] = shop.views.attention()
    assert asked.fault == FaultView(
        path=str(shop.folder / "script.py"), line=5, text="1 / 0  # second", earlier=None, version=2
    ), "a version that never ran is none to go back to"
    assert asked.how == (f"dayhand retry {asked.run}",)
    run("ctx.done('Good')")
    run("1 / 0  # fourth")
    [asked] = shop.views.attention()
    assert asked.fault is not None and asked.fault.earlier == 3
    assert asked.how == (f"dayhand retry {asked.run}", "dayhand rollback sums")


def test_the_next_times_of_all_come_in_order(asking: Shop) -> None:
    found = asking.views.next_times(number=3)
    assert [(one.at - START, one.handler, one.words) for one in found] == [
        (timedelta(minutes=minutes), "poll", "Every 5 minutes") for minutes in (5, 10, 15)
    ]
    later = asking.views.next_times("Receipts", 1000)
    assert {one.handler for one in later} == {"poll", "tidy"}
    asking.house.commands.pause("receipts")
    assert asking.views.next_times() == []


def test_a_skipped_time_is_not_next(asking: Shop) -> None:
    """S19"""
    asking.house.commands.skip_next("receipts", "poll")
    assert asking.views.next_times(number=1)[0].at == START + timedelta(minutes=10)
    assert asking.views.workflow("receipts").next == START + timedelta(minutes=10)


def test_versions_and_what_changed(asking: Shop) -> None:
    asking.deploy(RECEIPTS.replace('every="5m"', 'every="10m"'))
    newest, oldest = asking.views.versions("Receipts")
    assert (newest.version, newest.current, newest.origin) == (2, True, "author")
    assert (oldest.version, oldest.current) == (1, False)
    change = asking.views.difference("receipts")
    assert (change.old, change.new) == (1, 2)
    changed = [line for line in change.difference.splitlines() if line[0] in "+-" and line[:3] not in ("+++", "---")]
    assert changed == [
        '-@flow.producer(every="5m", publishes=[mails])',
        '+@flow.producer(every="10m", publishes=[mails])',
    ]
    assert asking.views.difference("receipts", 2, 2).difference == ""


@pytest.mark.parametrize(("old", "new"), [(1, 7), (7, 1), (None, None)])
def test_versions_that_are_not_there_are_refused(asking: Shop, old: int | None, new: int | None) -> None:
    with pytest.raises(RefusedError, match="no version"):
        asking.views.difference("receipts", old, new)


def test_connections_show_who_uses_them_and_what_is_missing(asking: Shop) -> None:
    [table] = asking.views.connections()
    assert (table.connection, table.is_connected, table.used_by) == ("table:expenses", True, ("receipts",))
    assert table.settings["path"].endswith("expenses.csv")
    asking.house.allowing.disconnected("table:expenses")
    [table] = asking.views.connections()
    assert (table.is_connected, table.settings, table.created) == (False, {}, None)


def test_what_has_something_to_fill_in_must_be_connected(shop: Shop) -> None:
    """A message to the person needs nothing."""
    wanted = ("table:expenses", "notify:me", "imap:home")
    assert shop.views.unconnected(wanted) == ("table:expenses", "imap:home")
    shop.connect_table()
    assert shop.views.unconnected(wanted) == ("imap:home",)
