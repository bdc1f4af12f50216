"""Jobs: scheduled tasks with commands, and what their policies do when things go wrong."""

import pytest

from scheduler.rules.failures import FailureClass
from tests.engine.engine_fixture import DAY, HOUR, MINUTE
from tests.killing import is_alive
from tests.runs.runtime_fixture import RuntimeFixture, fail
from tests.runs.scripts import job


def test_a_job_runs_on_time_and_its_result_is_stored(runtime: RuntimeFixture) -> None:
    runtime.deploy(job("ctx.done('Done')\nreturn {'at': ctx.planned.isoformat()}", cron="30 * * * *", every=None))  # type: ignore[arg-type]
    runtime.pass_time(2 * HOUR)
    assert [f"{row.planned:%H:%M}" for row in runtime.occurrences("j")] == ["10:30", "11:30"]
    assert [(run.status, run.phase, run.summary) for run in runtime.runs()] == [("committed", "committed", "Done")] * 2
    assert runtime.handler("j").result == {"at": "2026-11-16T11:30:00+00:00"}


def test_a_failing_command_fails_the_job_unless_check_is_false(runtime: RuntimeFixture) -> None:
    runtime.deploy(
        job("assert ctx.run(['sh', '-c', 'echo out; exit 3'], check=False) == 3\nctx.run(['sh', '-c', 'exit 4'])")
    )
    runtime.commands.run("w")
    runtime.tick()
    run = runtime.runs()[-1]
    assert run.status == "failed:logic" and "The command sh exited with code 4" in run.error["sentence"]
    assert run.error["line"] > 0 and run.error["traceback"]
    assert runtime.log(run.id) == "out\n"
    assert [(row.state, row.reason) for row in runtime.occurrences("j")] == [("failed", "error")]


def test_a_missing_command_is_named(runtime: RuntimeFixture) -> None:
    runtime.deploy(job("ctx.run(['no-such-command'])"))
    runtime.commands.run("w")
    runtime.tick()
    assert "The command no-such-command was not found." in runtime.runs()[-1].error["sentence"]


def test_stopping_a_job_ends_its_command(runtime: RuntimeFixture) -> None:
    """Including its child processes."""
    pid = runtime.folder / "pid"
    runtime.deploy(job(f"ctx.run(['sh', '-c', 'echo $$ > {pid}; sleep 600'])"))
    runtime.commands.run("w")
    runtime.wait(lambda: pid.exists() and pid.read_text().strip() != "")
    runtime.commands.stop("w")
    runtime.tick()
    assert runtime.runs()[-1].status == "cancelled"
    runtime.wait(lambda: not is_alive(int(pid.read_text())))


def test_pause_on_failure_pauses_the_job(runtime: RuntimeFixture) -> None:
    runtime.service.read_fails = [fail(FailureClass.TRANSIENT)]
    runtime.deploy(job("ctx.call('world:x', 'look')", pause_on_failure=True))  # type: ignore[arg-type]
    runtime.pass_time(3 * HOUR + 2 * MINUTE)
    assert runtime.states("j") == ["failed"] and runtime.schedule("j").paused
    assert runtime.schedule("j").pause_note == "Paused after a failure." and runtime.lane("j").blocked is None
    runtime.commands.resume("w", "j")
    runtime.tick()
    assert runtime.states("j") == ["failed", "succeeded"]


def test_a_limit_counts_started_automatic_runs(runtime: RuntimeFixture) -> None:
    runtime.deploy(job("pass", limit=2))  # type: ignore[arg-type]
    runtime.commands.run("w")
    runtime.pass_time(5 * HOUR)
    assert [row.origin for row in runtime.occurrences("j")] == ["manual", "automatic", "automatic"]
    assert runtime.schedule("j").next_at is None


def test_a_run_in_forty_days_is_shown_and_fires(runtime: RuntimeFixture) -> None:
    at = runtime.clock.wall + 40 * DAY
    answer = runtime.deploy(job("pass", every=None, once=at.isoformat()))  # type: ignore[arg-type]
    assert answer["schedules"][0]["next"] == f"{at:%Y-%m-%dT%H:%M:%SZ}"
    runtime.clock.move(40 * DAY - MINUTE)
    runtime.pass_time(2 * MINUTE)
    assert runtime.states("j") == ["succeeded"] and runtime.schedule("j").next_at is None


@pytest.mark.parametrize("policy", ["cancel_other", "terminate_other"])
def test_cancel_other_and_terminate_other_end_the_previous_run(runtime: RuntimeFixture, policy: str) -> None:
    """The new run starts when the old one has ended."""
    runtime.deploy(
        job("import time\nwhile ctx.planned.hour == 11 and not ctx.cancelled:\n    time.sleep(0.01)", overlap=policy)
    )
    runtime.clock.move(HOUR)
    runtime.tick_until_active()
    runtime.clock.move(HOUR)
    runtime.tick()
    assert [(row.state, row.reason) for row in runtime.occurrences("j")] == [
        ("cancelled", "overtaken"),
        ("succeeded", None),
    ]
    assert runtime.runs("j")[0].summary == "It was stopped because the next run was due."
    assert runtime.occurrences("j")[0].detail == "It was stopped because the next run was due."


def test_a_run_that_waited_for_its_retry_says_that_the_next_one_was_due(runtime: RuntimeFixture) -> None:
    runtime.service.read_fails = [fail(FailureClass.TRANSIENT, retry_after=3 * HOUR)]
    runtime.deploy(job("ctx.call('world:x', 'look')", overlap="cancel_other"))
    runtime.pass_time(2 * HOUR)
    assert runtime.states("j") == ["cancelled", "succeeded"]
    assert runtime.runs("j")[0].summary == "It was stopped because the next run was due."


def test_a_run_that_waited_for_its_retry_and_was_stopped_says_so(runtime: RuntimeFixture) -> None:
    runtime.service.read_fails = [fail(FailureClass.TRANSIENT, retry_after=3 * HOUR)]
    runtime.deploy(job("ctx.call('world:x', 'look')"))
    runtime.pass_time(HOUR)
    runtime.engine.commands.stop("w/j")
    assert runtime.states("j") == ["cancelled"]
    assert runtime.runs("j")[0].summary == "It was stopped."


def test_catch_up_runs_the_latest_missed_time_once(runtime: RuntimeFixture) -> None:
    """With real runs, over a restart."""
    runtime.deploy(job("pass"))
    runtime.crash(off=8 * HOUR + 2 * MINUTE)
    runtime.tick()
    assert [f"{row.planned:%H:%M}" for row in runtime.occurrences("j")] == ["18:00"]
    runtime.pass_time(HOUR)
    assert [f"{row.planned:%H:%M}" for row in runtime.occurrences("j")] == ["18:00", "19:00"]


def test_a_script_that_no_longer_loads_fails_its_run(runtime: RuntimeFixture) -> None:
    """A file that its top level reads was deleted after the deploy."""
    there = runtime.folder / "there"
    there.touch()
    runtime.deploy(f"open({str(there)!r}).close()\n{job('pass')}")
    there.unlink()
    runtime.services.script_workers.forget("w")
    runtime.commands.run("w")
    runtime.tick()
    run = runtime.runs()[-1]
    assert run.status == "failed:logic" and "FileNotFoundError" in run.error["sentence"]
    assert runtime.states("j") == ["failed"] and [request.kind for request in runtime.requests()] == ["run failed"]
