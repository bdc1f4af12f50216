"""What the page of a workflow shows and edits: schedules, permissions, pending events, sources."""

from datetime import timedelta

import pytest

from scheduler.engine.errors import RefusedError
from scheduler.engine.queries.events import PendingEvents
from tests.engine.engine_fixture import START
from tests.engine.queries.runtime_fixture import RECEIPTS, QueryRuntimeFixture


@pytest.fixture
def deployed(runtime: QueryRuntimeFixture) -> QueryRuntimeFixture:
    runtime.connect_table()
    runtime.deploy(RECEIPTS, grant=False)
    return runtime


def test_each_schedule_says_when_it_runs_next_and_can_be_edited(deployed: QueryRuntimeFixture) -> None:
    poll, tidy = deployed.queries.schedules("receipts")
    assert (poll.handler, poll.spec["every"], poll.is_paused, poll.backfills) == ("poll", "5m", False, ())
    assert poll.next_times[1] - poll.next_times[0] == timedelta(minutes=5) and len(poll.next_times) == 5
    assert (tidy.handler, tidy.zone, tidy.skipped_time) == ("tidy", "UTC", None)
    assert deployed.queries.schedule(poll.id) == poll


def test_a_removed_schedule_is_not_found(deployed: QueryRuntimeFixture) -> None:
    deployed.services.workflow_commands.remove("receipts")
    assert deployed.queries.schedule("receipts/poll") is None
    assert deployed.queries.schedules("receipts") == []


def test_past_times_are_counted_up_to_a_limit(deployed: QueryRuntimeFixture) -> None:
    since = START - timedelta(days=7)
    found = deployed.queries.count_times("receipts/tidy", since, START + timedelta(days=1), 100)
    assert (found.number, found.missing) == (7, 7), "times to come do not count"
    assert deployed.queries.count_times("receipts/tidy", since, START, 5).number == 5
    assert deployed.queries.count_times("receipts/tidy", START + timedelta(days=1), START, 5).number == 0
    assert deployed.queries.count_times("receipts/none", since, START, 5).number == 0


def test_a_tool_is_listed_whether_or_not_it_is_allowed(deployed: QueryRuntimeFixture) -> None:
    [tool] = deployed.queries.permissions("receipts").tools
    assert (tool.connection, tool.tool, tool.is_allowed) == ("table:expenses", "append", False)
    assert tool.sentence.endswith("asks each time")
    deployed.services.grant_commands.grant("receipts", "table:expenses", "append")
    deployed.services.grant_commands.grant("receipts", "table:expenses", "read")
    found = deployed.queries.permissions("receipts")
    assert [(one.tool, one.is_allowed) for one in found.tools] == [("append", True), ("read", True)]
    assert found.always_allowed == ()


def test_permissions_of_an_unknown_workflow_are_refused(runtime: QueryRuntimeFixture) -> None:
    with pytest.raises(RefusedError, match="There is no workflow"):
        runtime.queries.permissions("receipts")


def test_a_script_shows_what_it_would_use_before_it_is_deployed(runtime: QueryRuntimeFixture) -> None:
    script = runtime.services.validation.validate("script.py", RECEIPTS.lstrip())
    assert [(one.tool, one.is_allowed) for one in runtime.queries.permissions_of_script(script)] == [("append", False)]
    runtime.connect_table()
    runtime.deploy(RECEIPTS)
    assert [one.is_allowed for one in runtime.queries.permissions_of_script(script)] == [True]


def test_the_oldest_pending_events_are_listed_and_the_rest_counted(deployed: QueryRuntimeFixture) -> None:
    for number in range(3):
        deployed.services.event_commands.publish("receipts", "mails", f"m{number}", title="One" if number == 0 else "")
    found = deployed.queries.pending_events("receipts", 2)
    assert [(one.topic, one.id, one.title) for one in found.shown] == [("mails", "m0", "One"), ("mails", "m1", "m1")]
    assert (found.more, found.now) == (1, START)
    assert deployed.queries.pending_events("other", 2) == PendingEvents(shown=(), more=0, now=START)


def test_the_source_of_each_version_can_be_read(deployed: QueryRuntimeFixture) -> None:
    deployed.deploy(RECEIPTS + "\n# new\n")
    assert deployed.queries.source("receipts", 2) == deployed.queries.source("receipts", 1) + "\n# new\n"
    assert deployed.queries.source("receipts", 3) == ""
