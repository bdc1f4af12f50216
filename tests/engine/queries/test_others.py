"""Requests and how to answer them, next times, versions and differences, connections and their users."""

from datetime import timedelta

import pytest

from scheduler.engine.errors import RefusedError
from scheduler.engine.queries.requests import FaultView
from scheduler.rules.history_query import HistoryCursor, HistoryQuery
from scheduler.rules.requests import Block, RequestKind
from scheduler.store import history, lanes, requests
from scheduler.store.lanes import LaneRow
from scheduler.store.requests import RequestRow
from tests.engine.engine_fixture import START
from tests.engine.queries.runtime_fixture import RECEIPTS, QueryRuntimeFixture


@pytest.fixture
def asking(runtime: QueryRuntimeFixture) -> QueryRuntimeFixture:
    runtime.connect_table()
    runtime.deploy(RECEIPTS)
    runtime.run_until_idle()
    return runtime


def test_a_request_shows_exactly_what_would_be_done_and_how_to_answer(asking: QueryRuntimeFixture) -> None:
    [request] = asking.queries.attention()
    assert (request.kind, request.workflow, request.created) == ("approval", "receipts", START)
    assert request.call == {
        "connection": "table:expenses",
        "tool": "append",
        "parameters": {"rows": [{"amount": 1}]},
        "endpoint": {"path": str(asking.folder / "expenses.csv"), "table": "rows"},
    }
    assert request.how == (f"dayhand approve {request.id}", f"dayhand reject {request.id}")


def test_repeated_queries_of_a_request_share_its_call(asking: QueryRuntimeFixture) -> None:
    """The window queries after every change: a large call is read only once."""
    [first], [second] = asking.queries.attention(), asking.queries.attention()
    assert first == second
    assert first.call is second.call
    asking.services.request_commands.reject(first.id)
    assert asking.queries.attention() == []


def test_a_long_request_sentence_is_cut(runtime: QueryRuntimeFixture) -> None:
    runtime.connect_table()
    runtime.deploy(RECEIPTS.replace('say=f"', 'say="x" * 5_000_000 + f"'))
    runtime.run_until_idle()
    [request] = runtime.queries.attention()
    assert len(request.sentence) == 2000 and request.sentence.endswith("x…")


def test_a_request_is_found_by_the_start_of_its_id(asking: QueryRuntimeFixture) -> None:
    [request] = asking.queries.attention()
    assert asking.queries.request(request.id[:4]) == request
    with pytest.raises(RefusedError, match="There is no request"):
        asking.queries.request(request.id[:3])


def test_an_ambiguous_request_id_is_refused(asking: QueryRuntimeFixture) -> None:
    with asking.database.write() as db:
        for name in ("abcd1", "abcd2"):
            requests.add(db, RequestRow(name, RequestKind.APPROVAL, "receipts", name, "May I?", START))
    with pytest.raises(RefusedError, match="matches several requests"):
        asking.queries.request("abcd")


def test_the_start_of_an_id_prefers_open_requests(asking: QueryRuntimeFixture) -> None:
    """A late answer is refused as late, not as unknown."""
    with asking.database.write() as db:
        for name in ("abcd1", "abcd2"):
            requests.add(db, RequestRow(name, RequestKind.APPROVAL, "receipts", name, "May I?", START))
        requests.answer(db, "abcd1", "yes", START)
    assert asking.queries.request("abcd").id == "abcd2"
    with asking.database.write() as db:
        db.execute("DELETE FROM requests WHERE id = 'abcd2'")
    assert asking.queries.request("abcd").answer == "yes"


def test_a_reconnect_request_names_every_waiting_workflow(asking: QueryRuntimeFixture) -> None:
    asking.deploy(RECEIPTS.replace("Receipts", "Invoices"), "invoices.py")
    asking.run_until_idle()
    with asking.database.write() as db:
        for slug in ("receipts", "invoices"):
            [run] = history.find_runs(db, HistoryQuery(workflow=slug), HistoryCursor(), 1)
            db.execute("""UPDATE runs SET error = '{"subject": "imap:home"}' WHERE id = ?""", (run.id,))
            lanes.block(db, LaneRow(slug, "", Block.RECONNECT, "Sign in again.", run.id))
        row = RequestRow("q9", RequestKind.RECONNECT, "receipts", "imap:home", "Sign in again.", START)
        requests.add(db, row)
    request = asking.queries.request("q9")
    assert request.workflows == ("invoices", "receipts")
    assert request.how == ("dayhand connect imap:home",)


def test_a_failed_script_shows_its_line_and_offers_a_rollback_only_to_a_version_that_worked(
    runtime: QueryRuntimeFixture,
) -> None:
    def run(body: str) -> None:
        runtime.deploy(
            f"""
            import dayhand
            flow = dayhand.Workflow("Sums")
            @flow.job(cron="0 3 * * *")
            def go(ctx):
                {body}
            """
        )
        runtime.services.workflow_commands.run("sums")
        runtime.run_until_idle()

    runtime.deploy('import dayhand\nflow = dayhand.Workflow("Sums")\n@flow.job(cron="0 3 * * *")\ndef go(ctx): pass')
    run("1 / 0  # second")
    [request] = runtime.queries.attention()
    assert request.fault == FaultView(
        path=str(runtime.folder / "script.py"), line=5, text="1 / 0  # second", earlier=None, version=2
    ), "a version that never ran is no rollback target"
    ways = (f"dayhand retry {request.run}", f"dayhand logs {request.run}", f"dayhand dismiss {request.id}")
    assert request.how == ways
    run("ctx.done('Good')")
    run("1 / 0  # fourth")
    [request] = runtime.queries.attention()
    assert request.fault is not None and request.fault.earlier == 3
    assert request.how[0] == f"dayhand retry {request.run}" and request.how[-1] == "dayhand rollback sums"


def test_the_next_times_of_all_workflows_are_in_order(asking: QueryRuntimeFixture) -> None:
    times = asking.queries.next_times(limit=3)
    assert [(one.at - START, one.handler, one.words) for one in times] == [
        (timedelta(minutes=minutes), "poll", "Every 5 minutes") for minutes in (5, 10, 15)
    ]
    later = asking.queries.next_times("Receipts", 1000)
    assert {one.handler for one in later} == {"poll", "tidy"}
    asking.services.workflow_commands.pause("receipts")
    assert asking.queries.next_times() == []


def test_the_times_of_each_workflow_until_an_instant(asking: QueryRuntimeFixture) -> None:
    hour = timedelta(hours=1)
    times = asking.queries.times_until(START + hour, 100)
    assert times == {"receipts": [START + timedelta(minutes=minutes) for minutes in range(5, 60, 5)]}
    assert asking.queries.times_until(START + hour, 3) == {"receipts": times["receipts"][:3]}
    assert asking.queries.times_until(START + timedelta(minutes=1), 100) == {}


def test_times_that_will_not_run_as_things_stand_are_left_out(asking: QueryRuntimeFixture) -> None:
    """Those in a pause of everything, and those of what is blocked until the user acts."""
    end = START + timedelta(hours=1)
    commands = asking.services.workflow_commands
    commands.pause_all(START + timedelta(minutes=50))
    assert asking.queries.times_until(end, 100) == {"receipts": [START + timedelta(minutes=55)]}
    commands.pause_all()
    assert asking.queries.times_until(end, 100) == {}
    commands.resume_all()
    with asking.services.database.write() as db:
        lanes.block(db, LaneRow("receipts", "", Block.SCRIPT_ERROR, "It is broken."))
    assert "receipts" not in asking.queries.times_until(end, 100)


def test_a_skipped_time_is_not_listed_as_next(asking: QueryRuntimeFixture) -> None:
    asking.services.workflow_commands.skip_next("receipts", "poll")
    assert asking.queries.next_times(limit=1)[0].at == START + timedelta(minutes=10)
    assert asking.queries.workflow("receipts").next == START + timedelta(minutes=10)


def test_versions_and_their_differences(asking: QueryRuntimeFixture) -> None:
    asking.deploy(RECEIPTS.replace('every="5m"', 'every="10m"'))
    newest, oldest = asking.queries.versions("Receipts")
    assert (newest.version, newest.current, newest.origin) == (2, True, "author")
    assert (oldest.version, oldest.current) == (1, False)
    change = asking.queries.difference("receipts")
    assert (change.old, change.new) == (1, 2)
    changed = [line for line in change.difference.splitlines() if line[0] in "+-" and line[:3] not in ("+++", "---")]
    assert changed == [
        '-@flow.producer(every="5m", publishes=[mails])',
        '+@flow.producer(every="10m", publishes=[mails])',
    ]
    assert asking.queries.difference("receipts", 2, 2).difference == ""


@pytest.mark.parametrize(("old", "new"), [(1, 7), (7, 1), (None, None)])
def test_unknown_versions_are_refused(asking: QueryRuntimeFixture, old: int | None, new: int | None) -> None:
    with pytest.raises(RefusedError, match="no version"):
        asking.queries.difference("receipts", old, new)


def test_connections_show_their_users_and_missing_ones(asking: QueryRuntimeFixture) -> None:
    [table] = asking.queries.connections()
    assert (table.connection, table.is_connected, table.used_by) == ("table:expenses", True, ("receipts",))
    assert table.settings["path"].endswith("expenses.csv")
    asking.services.grant_commands.remove_connection("table:expenses")
    [table] = asking.queries.connections()
    assert (table.is_connected, table.settings, table.created) == (False, {}, None)


def test_connectors_with_fields_must_be_connected(runtime: QueryRuntimeFixture) -> None:
    """Notifications need no connection."""
    connections = ("table:expenses", "notify:me", "imap:home")
    assert runtime.queries.unconnected(connections) == ("table:expenses", "imap:home")
    runtime.connect_table()
    assert runtime.queries.unconnected(connections) == ("imap:home",)
