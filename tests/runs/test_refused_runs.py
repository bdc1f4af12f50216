"""A run that was rejected, or that nobody answered in time, says so wherever runs are listed and counted."""

import pytest

from scheduler.engine.queries.queries import WorkflowQueries
from scheduler.engine.queries.runs import RunView
from scheduler.rules.history_query import HistoryQuery, QuietRuns
from scheduler.rules.phases import Refusal
from scheduler.store.history_index import index_batch
from tests.engine.engine_fixture import HOUR
from tests.runs.runtime_fixture import RuntimeFixture
from tests.runs.scripts import consumer
from tests.runs.test_expiry import ask as ask_expiring
from tests.runs.test_expiry import expiring
from tests.runs.test_questions import ask as ask_question
from tests.runs.test_questions import asking

SILENT = consumer(approve="always").replace("        ctx.done(", "        0 and ctx.done(")


def views(runtime: RuntimeFixture) -> WorkflowQueries:
    return WorkflowQueries(runtime.engine.context, runtime.services.plans, runtime.services.registry)


def reject(runtime: RuntimeFixture, script: str = SILENT, reason: str | None = None) -> RunView:
    runtime.deploy(script)
    runtime.publish("a")
    runtime.tick()
    [request] = runtime.requests()
    runtime.request_commands.reject(request.id, reason=reason)
    runtime.tick()
    return last_run(runtime)


def last_run(runtime: RuntimeFixture) -> RunView:
    return views(runtime).run(runtime.runs("C")[-1].id)


def count_found(runtime: RuntimeFixture, status: str) -> int:
    return views(runtime).count_history(HistoryQuery(handler="C", statuses=(status,)))


def test_a_rejected_run_says_so_with_the_reason(runtime: RuntimeFixture) -> None:
    run = reject(runtime, reason="Too early")
    assert (run.status, run.refusal, run.summary) == ("committed", Refusal.REJECTED, "You rejected it: Too early")
    assert runtime.service.calls == []


def test_that_nothing_was_done_stands_before_what_an_unaware_script_says(runtime: RuntimeFixture) -> None:
    script = consumer(approve="always").replace("[ctx.outcome, result]", "[result]")
    assert reject(runtime, script).summary == "You rejected it. Did 1"


def test_a_script_that_tells_the_reason_itself_is_shown_as_it_is(runtime: RuntimeFixture) -> None:
    telling = consumer(approve="always").replace('"Did " + str(len(prepared.data))', '"Not filed: " + str(ctx.reason)')
    assert reject(runtime, telling, "Too early").summary == "Not filed: Too early"


def test_the_reason_is_added_to_a_script_that_leaves_it_out(runtime: RuntimeFixture) -> None:
    telling = consumer(approve="always").replace('"Did " + str(len(prepared.data))', '"Left as they are"')
    assert reject(runtime, telling, "Too early").summary == "You rejected it: Too early. Left as they are"


def test_a_rejection_without_a_reason_is_no_quiet_run(runtime: RuntimeFixture) -> None:
    assert reject(runtime).summary == "You rejected it."
    rows = views(runtime).folded_history(HistoryQuery(handler="C"), None, 10).rows
    assert [one.refusal for one in rows if isinstance(one, RunView)] == [Refusal.REJECTED]
    assert not any(one.runs.low <= 1 for one in rows if isinstance(one, QuietRuns))


@pytest.mark.parametrize("is_indexed", [False, True])
def test_the_history_finds_rejected_runs_apart_from_done_ones(runtime: RuntimeFixture, *, is_indexed: bool) -> None:
    reject(runtime)
    if is_indexed:
        with runtime.database.write() as db:
            index_batch(db, 100)
    assert count_found(runtime, "rejected") == 1
    assert count_found(runtime, "expired") == 0
    assert count_found(runtime, "committed") == count_found(runtime, "done") + 1


def test_statistics_count_a_rejected_run_once_and_not_as_done(runtime: RuntimeFixture) -> None:
    began = runtime.clock.now()
    reject(runtime)
    [counted] = views(runtime).statistics("w").workflows
    assert counted.refused == 1
    assert counted.runs == counted.done + counted.refused + counted.failed
    assert views(runtime).activity_summary(began, runtime.clock.now() + HOUR).succeeded == counted.done


def test_nobody_answered_in_time(runtime: RuntimeFixture) -> None:
    ask_expiring(runtime, expiring("1h"))
    runtime.pass_time(3 * HOUR)
    run = last_run(runtime)
    assert (run.refusal, run.summary) == (Refusal.EXPIRED, "Nobody answered in time, so it was not done.")
    assert count_found(runtime, "expired") == 1


def test_a_rejected_question_is_rejected_too(runtime: RuntimeFixture) -> None:
    request = ask_question(runtime, asking())
    runtime.request_commands.reject(request.id, reason="Not mine")
    runtime.tick()
    assert last_run(runtime).refusal is Refusal.REJECTED


def test_an_approved_run_is_not_refused(runtime: RuntimeFixture) -> None:
    runtime.deploy(SILENT)
    runtime.publish("a")
    runtime.tick()
    runtime.request_commands.approve(runtime.requests()[0].id)
    runtime.tick()
    assert last_run(runtime).refusal is None


def test_a_rejected_run_stays_rejected_after_a_crash_in_next(runtime: RuntimeFixture) -> None:
    runtime.deploy(SILENT)
    runtime.publish("a")
    runtime.tick()
    runtime.request_commands.reject(runtime.requests()[0].id, reason="Too early")
    runtime.crash(off=HOUR)
    runtime.tick()
    assert last_run(runtime).refusal is Refusal.REJECTED
