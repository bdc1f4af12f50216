"""A job that fails goes on: it is told, delayed, counted, stopped after too many failures, and resumed."""

from datetime import timedelta
from itertools import pairwise

import pytest

from scheduler.engine.errors import RefusedError
from scheduler.engine.queries.queries import WorkflowQueries
from scheduler.engine.queries.requests import RequestView
from scheduler.engine.queries.workflows import HandlerView
from scheduler.rules.failures import FailureClass
from scheduler.rules.history_query import HistoryQuery
from scheduler.rules.workflow_state import WorkflowState
from tests.engine.engine_fixture import DAY, HOUR, MINUTE, SECOND
from tests.runs.runtime_fixture import RuntimeFixture, fail
from tests.runs.scripts import job, producer

FAILS = "ctx.run(['sh', '-c', 'echo one; echo two >&2; exit 3'])"
ENDLESS = "import time\nwhile not ctx.cancelled:\n    time.sleep(0.01)"


def fails_while(runtime: RuntimeFixture, **options: object) -> str:
    """A job that fails while the file `broken` exists."""
    broken = runtime.folder / "broken"
    broken.touch()
    return job(f"import os\nif os.path.exists({str(broken)!r}):\n    {FAILS}\nctx.done('Fine')", **options)  # type: ignore[arg-type]


def repair(runtime: RuntimeFixture) -> None:
    (runtime.folder / "broken").unlink()


def queries(runtime: RuntimeFixture) -> WorkflowQueries:
    return WorkflowQueries(runtime.engine.context, runtime.services.plans, runtime.services.registry)


def report(runtime: RuntimeFixture) -> RequestView:
    """The only open request."""
    [one] = queries(runtime).attention()
    return one


def view(runtime: RuntimeFixture, handler: str = "j") -> HandlerView:
    return next(one for one in queries(runtime).workflow("w").handlers if one.name == handler)


def began(runtime: RuntimeFixture) -> list[str]:
    return [f"{run.began:%H:%M:%S}" for run in runtime.runs("j") if run.began]


def test_a_failed_job_runs_at_its_next_regular_time(runtime: RuntimeFixture) -> None:
    runtime.deploy(fails_while(runtime))
    runtime.pass_time(2 * HOUR)
    repair(runtime)
    runtime.pass_time(HOUR)
    assert runtime.states("j") == ["failed", "failed", "succeeded"]
    assert began(runtime) == ["11:00:00", "12:00:00", "13:00:00"]


def test_the_next_run_waits_longer_after_each_failure(runtime: RuntimeFixture) -> None:
    """30 seconds, 1, 5 and 15 minutes; the latest time that came meanwhile runs then."""
    runtime.deploy(fails_while(runtime, every="10s", max_failures=9))
    runtime.pass_time(30 * MINUTE)
    starts = [run.began for run in runtime.runs("j") if run.began]
    waits = [(later - earlier) / SECOND for earlier, later in pairwise(starts)]
    for wait, delay in zip(waits, (30, 60, 300, 900), strict=False):
        assert delay <= wait <= delay + 10


def test_a_failed_job_is_reported_with_its_command_and_output(runtime: RuntimeFixture) -> None:
    runtime.deploy(fails_while(runtime))
    runtime.pass_time(HOUR)
    one = report(runtime)
    assert (one.kind, one.subject, one.run) == ("run failed", "w/j", runtime.runs("j")[-1].id)
    assert one.failed_run is not None
    assert one.failed_run.command == "echo one; echo two >&2; exit 3"
    assert one.failed_run.output == "one\ntwo"
    assert "The command sh exited with code 3" in one.failed_run.reason
    assert one.how == (f"dayhand retry {one.run}", f"dayhand logs {one.run}", f"dayhand dismiss {one.id}")


def test_list_and_page_say_how_often_it_failed_and_since_when(runtime: RuntimeFixture) -> None:
    runtime.deploy(fails_while(runtime))
    runtime.pass_time(HOUR)
    [listed] = queries(runtime).workflows()
    assert listed.state is WorkflowState.NEEDS_ATTENTION
    assert listed.words.startswith("Failed at 11:00. The command sh exited with code 3")
    runtime.pass_time(2 * HOUR)
    [listed] = queries(runtime).workflows()
    assert listed.words.startswith("Failed 3 times in a row since 11:00. The command sh")
    assert (view(runtime).failures, view(runtime).failing_since) == (3, runtime.runs("j")[0].ended)
    failed = report(runtime).failed_run
    assert failed is not None and failed.summary == "W failed 3 times in a row since 11:00."
    runtime.pass_time(DAY)
    assert view(runtime).failures == 5
    assert " failed 5 times in a row since 16 November." in report(runtime).failed_run.summary  # type: ignore[union-attr]


def test_the_list_gives_the_reason_of_the_job_that_it_names(runtime: RuntimeFixture) -> None:
    """The oldest report is about k, but j has failed more often."""
    runtime.deploy(
        fails_while(runtime)
        + '\n@flow.job(once="2026-11-16T10:30", timezone="UTC")\ndef k(ctx):\n    raise ValueError("other")\n'
    )
    runtime.pass_time(3 * HOUR)
    [listed] = queries(runtime).workflows()
    assert [one.subject for one in queries(runtime).attention()] == ["w/k", "w/j"]
    assert listed.words.startswith("J failed 3 times") and "The command sh" in listed.words
    assert "other" not in listed.words


def test_there_is_one_report_about_the_latest_failure(runtime: RuntimeFixture) -> None:
    runtime.deploy(fails_while(runtime))
    runtime.pass_time(HOUR)
    first = report(runtime)
    runtime.pass_time(HOUR)
    second = report(runtime)
    assert (second.id, second.run, second.created - first.created) == (first.id, runtime.runs("j")[-1].id, HOUR)


def test_the_report_disappears_with_the_next_success(runtime: RuntimeFixture) -> None:
    runtime.deploy(fails_while(runtime))
    runtime.pass_time(HOUR)
    repair(runtime)
    runtime.pass_time(HOUR)
    assert (runtime.requests(), view(runtime).failures, view(runtime).failing_since) == ([], 0, None)
    assert [run.status for run in runtime.runs("j")] == ["failed:logic", "committed"]


def test_a_dismissed_report_stays_away_until_the_next_failure(runtime: RuntimeFixture) -> None:
    runtime.deploy(fails_while(runtime))
    runtime.pass_time(HOUR)
    one = report(runtime)
    runtime.request_commands.dismiss(one.id)
    [listed] = queries(runtime).workflows()
    assert runtime.requests() == []
    assert (listed.state, listed.words) == (WorkflowState.IDLE, "Failed at 11:00. Every hour")
    runtime.pass_time(HOUR)
    assert report(runtime).id != one.id and runtime.states("j") == ["failed", "failed"]


@pytest.mark.parametrize("delay", [timedelta(), 5 * MINUTE], ids=["while it is delayed", "later"])
def test_run_again_runs_the_failed_run_at_once(runtime: RuntimeFixture, delay: timedelta) -> None:
    runtime.deploy(fails_while(runtime))
    runtime.pass_time(HOUR)
    repair(runtime)
    runtime.pass_time(delay)
    runtime.request_commands.retry(report(runtime).run or "")
    runtime.tick()
    assert [(run.status, run.attempt) for run in runtime.runs("j")] == [("failed:logic", 1), ("committed", 2)]
    assert (runtime.states("j"), runtime.requests(), runtime.lane("j").blocked) == (["succeeded"], [], None)


def test_run_now_does_not_wait_for_the_delay(runtime: RuntimeFixture) -> None:
    runtime.deploy(fails_while(runtime))
    runtime.pass_time(HOUR)
    repair(runtime)
    runtime.pass_time(SECOND)
    runtime.commands.run("w")
    runtime.tick()
    assert runtime.states("j") == ["failed", "succeeded"] and runtime.requests() == []


def test_a_job_that_keeps_failing_is_stopped_until_it_is_resumed(runtime: RuntimeFixture) -> None:
    """Resuming waits for its next time; the count starts again."""
    runtime.deploy(fails_while(runtime, max_failures=3))
    runtime.pass_time(6 * HOUR)
    assert [run.status for run in runtime.runs("j")] == ["failed:logic"] * 3
    one = report(runtime)
    assert (one.kind, runtime.lane("j").blocked) == ("too many failures", "too many failures")
    assert view(runtime).next is None, "it does not run before the user acts"
    [listed] = queries(runtime).workflows()
    assert listed.words == "Failed 3 times in a row since 11:00. It does not run until you resume it."
    assert one.failed_run is not None and one.failed_run.summary == "W failed 3 times in a row since 11:00."
    runtime.commands.resume("w")
    assert (runtime.requests(), view(runtime).failures) == ([], 0)
    assert view(runtime).next is not None
    runtime.pass_time(HOUR)
    assert len(runtime.runs("j")) > 3 and report(runtime).kind == "run failed"


@pytest.mark.parametrize("added", ["\n# repaired\n", ""], ids=["another version", "the same again"])
def test_deploying_a_stopped_job_enables_it(runtime: RuntimeFixture, added: str) -> None:
    source = fails_while(runtime, max_failures=2)
    runtime.deploy(source)
    runtime.pass_time(4 * HOUR)
    assert runtime.lane("j").blocked == "too many failures"
    failed = runtime.runs("j")
    runtime.deploy(source + added)
    assert (runtime.lane("j").blocked, runtime.requests(), view(runtime).failures) == (None, [], 0)
    assert [run.status for run in runtime.runs("j")] == [run.status for run in failed], "they stay failed"
    repair(runtime)
    runtime.pass_time(HOUR)
    assert runtime.states("j")[-1] == "succeeded"


def test_one_job_of_several_is_resumed_alone(runtime: RuntimeFixture) -> None:
    runtime.deploy(
        fails_while(runtime, max_failures=1) + f'\n@flow.job(every="1h", max_failures=1)\ndef k(ctx):\n    {FAILS}\n'
    )
    runtime.pass_time(HOUR)
    runtime.commands.resume("w", "k")
    assert (runtime.lane("j").blocked, runtime.lane("k").blocked) == ("too many failures", None)
    with pytest.raises(RefusedError, match="w/k is not paused"):
        runtime.commands.resume("w", "k")


def test_retrying_a_stopped_job_resets_its_count(runtime: RuntimeFixture) -> None:
    runtime.deploy(fails_while(runtime, max_failures=2))
    runtime.pass_time(3 * HOUR)
    repair(runtime)
    runtime.request_commands.retry("w")
    runtime.tick()
    assert (runtime.lane("j").blocked, view(runtime).failures, runtime.requests()) == (None, 0, [])
    runtime.pass_time(HOUR)
    assert runtime.states("j")[-1] == "succeeded"


def test_one_job_of_several_is_retried_alone(runtime: RuntimeFixture) -> None:
    runtime.deploy(fails_while(runtime) + f'\n@flow.job(every="1h")\ndef k(ctx):\n    {FAILS}\n')
    runtime.pass_time(HOUR)
    [failed] = runtime.runs("k")
    assert runtime.request_commands.retry("w/k") == {"runs": [failed.id]}
    with pytest.raises(RefusedError, match="w/x has nothing to retry"):
        runtime.request_commands.retry("w/x")


def test_a_job_that_may_always_fail_keeps_all_its_times(runtime: RuntimeFixture) -> None:
    """As in cron: a check that exits with 1 whenever it finds nothing still runs every minute."""
    runtime.deploy(fails_while(runtime, every="1m", max_failures=0))
    runtime.pass_time(10 * MINUTE)
    assert runtime.states("j") == ["failed"] * 10
    assert began(runtime) == [f"10:{minute:02}:00" for minute in range(1, 11)]


def test_max_failures_zero_never_stops_a_job(runtime: RuntimeFixture) -> None:
    runtime.deploy(fails_while(runtime, max_failures=0))
    runtime.pass_time(9 * HOUR)
    assert runtime.states("j") == ["failed"] * 9 and report(runtime).kind == "run failed"


def test_retries_come_before_the_run_counts_as_failed(runtime: RuntimeFixture) -> None:
    runtime.deploy(fails_while(runtime, every="1d", retries=2))
    runtime.pass_time(DAY)
    assert (runtime.states("j"), runtime.lane("j").blocked, runtime.requests()) == (["started"], "retrying", [])
    runtime.pass_time(10 * MINUTE)
    assert [run.attempt for run in runtime.runs("j")] == [1, 2, 3]
    assert (runtime.states("j"), view(runtime).failures) == (["failed"], 1)
    assert report(runtime).run == runtime.runs("j")[-1].id


def test_a_retry_that_succeeds_ends_well(runtime: RuntimeFixture) -> None:
    runtime.deploy(fails_while(runtime, retries=1))
    runtime.pass_time(HOUR)
    repair(runtime)
    runtime.pass_time(MINUTE)
    assert (runtime.states("j"), runtime.requests(), view(runtime).failures) == (["succeeded"], [], 0)


def test_the_time_limit_is_a_failure_of_the_job(runtime: RuntimeFixture) -> None:
    runtime.deploy(job(ENDLESS, timeout="1s"))
    runtime.clock.move(HOUR)
    runtime.tick()
    [run] = runtime.runs("j")
    assert (run.status, runtime.states("j")) == ("failed:logic", ["failed"])
    assert report(runtime).kind == "run failed"


def test_the_time_limit_names_the_command_that_was_stopped(runtime: RuntimeFixture) -> None:
    runtime.deploy(job("ctx.run(['sh', '-c', 'echo so far; exec sleep 600'])", timeout="1s"))
    runtime.clock.move(HOUR)
    runtime.tick()
    failed = report(runtime).failed_run
    assert failed is not None and "took longer than 1 second" in failed.reason
    assert (failed.command, failed.output.splitlines()[0]) == ("echo so far; exec sleep 600", "so far")


def test_a_paused_job_runs_after_it_is_resumed(runtime: RuntimeFixture) -> None:
    """`pause_on_failure` pauses the schedule and blocks nothing."""
    runtime.deploy(fails_while(runtime, pause_on_failure=True))
    runtime.pass_time(HOUR)
    assert (runtime.schedule("j").paused, runtime.lane("j").blocked, report(runtime).kind) == (True, None, "run failed")
    assert report(runtime).failed_run.is_paused  # type: ignore[union-attr]
    repair(runtime)
    runtime.commands.resume("w")
    runtime.pass_time(HOUR)
    assert runtime.states("j")[-1] == "succeeded" and runtime.requests() == []


def test_a_producer_that_pauses_on_failure_runs_after_it_is_resumed(runtime: RuntimeFixture) -> None:
    runtime.service.read_fails = [fail(FailureClass.LOGIC)]
    runtime.deploy(producer('ctx.call("world:x", "look")', pause_on_failure=True))  # type: ignore[arg-type]
    runtime.tick()
    assert (runtime.schedule("p").paused, runtime.lane().blocked, report(runtime).kind) == (True, None, "run failed")
    runtime.commands.resume("w")
    runtime.pass_time(HOUR)
    assert runtime.states("p")[-1] == "succeeded" and runtime.requests() == []


def test_an_interrupted_job_goes_on_at_its_next_time(runtime: RuntimeFixture) -> None:
    runtime.deploy(job(f"if ctx.planned.hour == 11:\n    {ENDLESS.replace(chr(10), chr(10) + '    ')}"))
    runtime.clock.move(HOUR)
    runtime.tick_until_active()
    runtime.crash()
    one = report(runtime)
    assert (one.kind, one.sentence) == ("run interrupted", "Dayhand quit while W was running.")
    assert [(row.state, row.reason) for row in runtime.occurrences("j")] == [("failed", "interrupted")]
    assert runtime.lane("j").blocked is None
    runtime.pass_time(HOUR)
    assert runtime.states("j") == ["failed", "succeeded"] and runtime.requests() == []


def test_an_interrupted_job_can_be_run_again(runtime: RuntimeFixture) -> None:
    gate = runtime.folder / "gate"
    runtime.deploy(job(f"import pathlib, time\nwhile not pathlib.Path({str(gate)!r}).exists():\n    time.sleep(0.01)"))
    runtime.clock.move(HOUR)
    runtime.tick_until_active()
    runtime.crash()
    gate.touch()
    runtime.request_commands.retry(report(runtime).run or "")
    runtime.tick()
    assert (runtime.states("j"), runtime.requests()) == (["succeeded"], [])
    assert [run.status for run in runtime.runs("j")] == ["crashed", "committed"]


def test_a_delay_survives_a_restart(runtime: RuntimeFixture) -> None:
    runtime.deploy(fails_while(runtime, every="10s"))
    runtime.clock.move(10 * SECOND)
    runtime.tick()
    runtime.crash()
    assert runtime.lane("j").blocked == "backing off"
    runtime.pass_time(20 * SECOND)
    assert len(runtime.runs("j")) == 1
    runtime.pass_time(20 * SECOND)
    assert len(runtime.runs("j")) == 2


def test_deploying_again_ends_the_delay(runtime: RuntimeFixture) -> None:
    source = fails_while(runtime)
    runtime.deploy(source)
    runtime.pass_time(HOUR)
    runtime.deploy(source)
    assert (runtime.lane("j").blocked, runtime.requests(), view(runtime).failures) == (None, [], 0)


def test_deploying_a_new_script_enables_a_stopped_job(runtime: RuntimeFixture) -> None:
    source = fails_while(runtime, max_failures=3)
    runtime.deploy(source)
    runtime.pass_time(4 * HOUR)
    assert runtime.lane("j").blocked == "too many failures"
    repair(runtime)
    runtime.deploy(source + "\n# changed\n")
    assert (runtime.lane("j").blocked, runtime.requests()) == (None, [])
    runtime.pass_time(HOUR)
    assert runtime.states("j")[-1] == "succeeded"


def test_deploying_the_same_script_enables_a_stopped_job(runtime: RuntimeFixture) -> None:
    source = fails_while(runtime, max_failures=3)
    runtime.deploy(source)
    runtime.pass_time(4 * HOUR)
    runtime.deploy(source)
    assert (runtime.lane("j").blocked, runtime.requests(), view(runtime).failures) == (None, [], 0)


@pytest.mark.parametrize("change", ["", "\n# changed\n"], ids=["the same script", "a new script"])
def test_deploying_ends_the_delay_of_a_dismissed_failure(runtime: RuntimeFixture, change: str) -> None:
    source = fails_while(runtime)
    runtime.deploy(source)
    runtime.pass_time(HOUR)
    runtime.request_commands.dismiss(report(runtime).id)
    runtime.deploy(source + change)
    assert (runtime.lane("j").blocked, view(runtime).failures) == (None, 0)


@pytest.mark.parametrize("max_failures", [2, 5], ids=["stopped", "delayed and dismissed"])
def test_archiving_ends_every_wait_after_a_failure(runtime: RuntimeFixture, max_failures: int) -> None:
    runtime.deploy(fails_while(runtime, max_failures=max_failures))
    runtime.pass_time(2 * HOUR)
    for one in queries(runtime).attention():
        if one.kind == "run failed":
            runtime.request_commands.dismiss(one.id)
    runtime.commands.archive("w")
    assert (runtime.lane("j").blocked, runtime.requests()) == (None, [])


def test_a_job_that_an_earlier_version_blocked_goes_on(runtime: RuntimeFixture) -> None:
    """Its open request becomes a report."""
    runtime.deploy(fails_while(runtime))
    runtime.pass_time(HOUR)
    with runtime.database.write() as db:
        db.execute("UPDATE lanes SET blocked = 'script error', until = NULL WHERE name = 'j'")
        db.execute("UPDATE requests SET kind = 'script error', subject = run WHERE answer IS NULL")
        db.execute("DROP INDEX handlers_failing")
        db.execute("DROP INDEX lanes_backing_off")
        db.execute("ALTER TABLE handlers DROP COLUMN failing_since")
        db.execute("DROP INDEX requests_waking")
        for column in (
            "edited",
            "edited_hash",
            "reason",
            "questions",
            "answers",
            "expires",
            "on_expiry",
            "reminded",
            "answered_from",
        ):
            db.execute(f"ALTER TABLE requests DROP COLUMN {column}")
        db.execute("ALTER TABLE requests DROP COLUMN wake_at")
        for column in ("asked", "reason"):
            db.execute(f"ALTER TABLE mutations DROP COLUMN {column}")
        db.execute("ALTER TABLE runs DROP COLUMN refusal")
        db.execute("DROP TRIGGER runs_moved")
        db.execute("DROP TABLE channel_messages")
        db.execute("PRAGMA user_version = 8")
    runtime.crash()
    assert (report(runtime).kind, runtime.lane("j").blocked) == ("run failed", None)
    assert (view(runtime).failures, view(runtime).failing_since) == (1, runtime.runs("j")[0].ended)
    repair(runtime)
    runtime.pass_time(HOUR)
    assert (runtime.states("j")[-1], runtime.requests()) == ("succeeded", [])


def test_stopping_a_job_leaves_the_report_of_an_earlier_failure(runtime: RuntimeFixture) -> None:
    runtime.deploy(fails_while(runtime))
    runtime.pass_time(HOUR)
    with pytest.raises(RefusedError, match="Nothing of w/j is running or waiting"):
        runtime.commands.stop("w/j")
    assert report(runtime).kind == "run failed"


def test_a_job_that_runs_once_is_finished_when_its_last_attempt_failed(runtime: RuntimeFixture) -> None:
    runtime.deploy(fails_while(runtime, retries=1).replace("every='1h'", "once='2026-11-16T11:00:00Z'"))
    runtime.pass_time(HOUR)
    assert (runtime.states("j"), runtime.lane("j").blocked) == (["started"], "retrying")
    runtime.pass_time(MINUTE)
    assert (runtime.states("j"), report(runtime).kind) == (["failed"], "run failed")
    runtime.request_commands.dismiss(report(runtime).id)
    runtime.pass_time(MINUTE)
    assert queries(runtime).workflows()[0].state is WorkflowState.FINISHED


TWO_JOBS = job("ctx.run(['/usr/bin/env', 'A=1', 'sh', '-c', 'cat /no/such/file'])") + (
    '\n@flow.job(once="2027-11-16T10:30", timezone="UTC")\ndef k(ctx):\n    ctx.run(["true"])\n'
)


def test_a_failed_command_is_named_without_what_prepares_it(runtime: RuntimeFixture) -> None:
    runtime.deploy(TWO_JOBS)
    runtime.pass_time(HOUR)
    failed = report(runtime).failed_run
    assert failed is not None
    assert failed.reason == "The command cat exited with code 1."
    assert failed.command == "cat /no/such/file"


def test_the_only_job_of_a_workflow_has_its_name_and_one_of_several_its_own(runtime: RuntimeFixture) -> None:
    runtime.deploy(TWO_JOBS)
    runtime.pass_time(HOUR)
    several = report(runtime)
    assert (several.job, several.failed_run.summary) == ("j", "J failed at 11:00.")  # type: ignore[union-attr]
    [run] = queries(runtime).history(HistoryQuery()).runs
    assert (run.job, run.command) == ("j", "cat /no/such/file")
    runtime.deploy(fails_while(runtime))
    runtime.pass_time(HOUR)
    only = report(runtime)
    assert (only.job, only.failed_run.summary) == ("", "W failed at 12:00.")  # type: ignore[union-attr]


def test_a_time_that_did_not_run_names_its_job(runtime: RuntimeFixture) -> None:
    runtime.deploy(TWO_JOBS)
    runtime.commands.pause("w")
    runtime.pass_time(2 * HOUR)
    runtime.commands.resume("w")
    runtime.pass_time(MINUTE)
    times = queries(runtime).history(HistoryQuery()).occurrences
    assert [one.job for one in times] == ["j"]


def stop_by_failures(runtime: RuntimeFixture) -> None:
    """The first of two jobs fails too often."""
    more = '\n@flow.job(every="1h")\ndef k(ctx):\n    pass\n'
    runtime.deploy(fails_while(runtime, max_failures=2) + more)
    runtime.pass_time(2 * HOUR)


def test_a_job_that_was_stopped_has_no_next_times(runtime: RuntimeFixture) -> None:
    stop_by_failures(runtime)
    assert {one.handler for one in queries(runtime).next_times()} == {"k"}
    states = {one.handler: (one.state, one.next is None) for one in queries(runtime).schedule_entries()}
    assert states == {"j": ("stopped", True), "k": ("active", False)}
    shown = queries(runtime).schedule_report("w/j")
    assert (shown.state, shown.next) == ("stopped", ())
    assert [(one.handler, one.is_stopped, bool(one.next_times)) for one in queries(runtime).schedules("w")] == [
        ("j", True, False),
        ("k", False, True),
    ]
    runtime.commands.resume("w", "j")
    assert {one.handler for one in queries(runtime).next_times()} == {"j", "k"}


def test_a_job_that_keeps_failing_is_resumed_on_its_own(runtime: RuntimeFixture) -> None:
    stop_by_failures(runtime)
    one = report(runtime)
    assert "dayhand resume w/j" in one.how
    with pytest.raises(RefusedError, match="dayhand resume w/j"):
        runtime.services.request_commands.approve(one.id)


def test_repeated_attempts_are_counted_as_retried_and_not_as_failed(runtime: RuntimeFixture) -> None:
    runtime.deploy(fails_while(runtime, retries=2))
    runtime.pass_time(HOUR + 10 * MINUTE)
    assert [run.status for run in runtime.runs("j")] == ["failed:logic"] * 3
    found = queries(runtime).statistics("w")
    [counted] = found.workflows
    assert (counted.runs, counted.failed, counted.transient_failures) == (3, 1, 2)
    assert found.times.transient_failures == 2


def fail_side_by_side(runtime: RuntimeFixture, number: int) -> None:
    """That many runs of one job, which print their planned hour and fail together."""
    gate = runtime.folder / "gate"
    body = f"import os, time\nwhile not os.path.exists({str(gate)!r}):\n    time.sleep(0.01)\n"
    runtime.deploy(job(body + "ctx.run(['sh', '-c', f'echo {ctx.planned.hour}; exit 1'])", overlap="allow_all"))
    for expected in range(1, number + 1):
        runtime.clock.move(HOUR)
        runtime.wait(lambda expected=expected: len(runtime.active()) == expected)
    gate.touch()
    runtime.tick()


def test_runs_that_fail_side_by_side_are_each_reported(runtime: RuntimeFixture) -> None:
    fail_side_by_side(runtime, 3)
    reports = queries(runtime).attention()
    assert sorted(one.failed_run.output for one in reports if one.failed_run) == ["11", "12", "13"]
    assert {one.run for one in reports} == {run.id for run in runtime.runs("j")}
    [listed] = queries(runtime).workflows()
    assert listed.words.count("The command sh exited with code 1") == 1


def test_each_of_several_reports_is_dismissed_or_run_again_on_its_own(runtime: RuntimeFixture) -> None:
    fail_side_by_side(runtime, 3)
    first, second, third = queries(runtime).attention()
    runtime.services.request_commands.dismiss(second.id)
    assert [one.id for one in queries(runtime).attention()] == [first.id, third.id]
    assert first.run is not None
    assert runtime.services.request_commands.retry(first.run) == {"runs": [first.run]}


def test_a_later_failure_replaces_the_reports_of_runs_that_had_ended(runtime: RuntimeFixture) -> None:
    fail_side_by_side(runtime, 3)
    runtime.pass_time(2 * HOUR)
    one = report(runtime)
    assert one.run == runtime.runs("j")[-1].id
