"""Jobs: plain tasks on time, with commands of their own, and what their policies say when things go wrong."""

import pytest

from scheduler.rules.failures import FailureClass
from tests.engine.harness import DAY, HOUR, MINUTE
from tests.runs.scripts import job
from tests.runs.shop import Shop, fail, is_alive


def test_a_job_runs_on_time_and_its_result_is_kept(shop: Shop) -> None:
    shop.deploy(job("ctx.done('Done')\nreturn {'at': ctx.planned.isoformat()}", cron="30 * * * *", every=None))  # type: ignore[arg-type]
    shop.pass_time(2 * HOUR)
    assert [f"{row.planned:%H:%M}" for row in shop.occurrences("j")] == ["10:30", "11:30"]
    assert [(run.status, run.phase, run.summary) for run in shop.runs()] == [("committed", "committed", "Done")] * 2
    assert shop.handler("j").result == {"at": "2026-11-16T11:30:00+00:00"}


def test_a_command_that_fails_fails_the_job_unless_it_is_not_checked(shop: Shop) -> None:
    shop.deploy(
        job("assert ctx.run(['sh', '-c', 'echo out; exit 3'], check=False) == 3\nctx.run(['sh', '-c', 'exit 4'])")
    )
    shop.commands.run("w")
    shop.tick()
    run = shop.runs()[-1]
    assert run.status == "failed:logic" and "The command sh ended with code 4" in run.error["sentence"]
    assert run.error["line"] > 0 and run.error["traceback"]
    assert shop.log(run.id) == "out\n"
    assert [(row.state, row.reason) for row in shop.occurrences("j")] == [("failed", "error")]


def test_a_command_that_is_not_there_is_named(shop: Shop) -> None:
    shop.deploy(job("ctx.run(['no-such-command'])"))
    shop.commands.run("w")
    shop.tick()
    assert "The command no-such-command was not found." in shop.runs()[-1].error["sentence"]


def test_stopping_a_job_ends_its_command(shop: Shop) -> None:
    """L1: with what it started itself."""
    pid = shop.folder / "pid"
    shop.deploy(job(f"ctx.run(['sh', '-c', 'echo $$ > {pid}; sleep 600'])"))
    shop.commands.run("w")
    shop.wait(lambda: pid.exists() and pid.read_text().strip() != "")
    shop.commands.stop("w")
    shop.tick()
    assert shop.runs()[-1].status == "cancelled"
    shop.wait(lambda: not is_alive(int(pid.read_text())))


def test_a_job_that_pauses_itself_on_failure_does_so(shop: Shop) -> None:
    shop.world.read_fails = [fail(FailureClass.TRANSIENT)]
    shop.deploy(job("ctx.call('world:x', 'look')", pause_on_failure=True))  # type: ignore[arg-type]
    shop.pass_time(3 * HOUR + 2 * MINUTE)
    assert shop.states("j") == ["failed"] and shop.schedule("j").paused
    assert shop.schedule("j").pause_note == "Paused after a failure." and shop.lane("j").blocked is None
    shop.commands.resume("w", "j")
    shop.tick()
    assert shop.states("j") == ["failed", "succeeded"]


def test_a_limit_counts_automatic_runs_that_began(shop: Shop) -> None:
    """P1."""
    shop.deploy(job("pass", limit=2))  # type: ignore[arg-type]
    shop.commands.run("w")
    shop.pass_time(5 * HOUR)
    assert [row.origin for row in shop.occurrences("j")] == ["manual", "automatic", "automatic"]
    assert shop.schedule("j").next_at is None


def test_a_run_in_forty_days_is_shown_and_fires(shop: Shop) -> None:
    """S20."""
    at = shop.clock.wall + 40 * DAY
    answer = shop.deploy(job("pass", every=None, once=at.isoformat()))  # type: ignore[arg-type]
    assert answer["schedules"][0]["next"] == f"{at:%Y-%m-%dT%H:%M:%SZ}"
    shop.clock.move(40 * DAY - MINUTE)
    shop.pass_time(2 * MINUTE)
    assert shop.states("j") == ["succeeded"] and shop.schedule("j").next_at is None


@pytest.mark.parametrize("policy", ["cancel_other", "terminate_other"])
def test_the_next_time_ends_the_one_before(shop: Shop, policy: str) -> None:
    """O4: the new one begins when the old one has ended."""
    shop.deploy(
        job("import time\nwhile ctx.planned.hour == 11 and not ctx.cancelled:\n    time.sleep(0.01)", overlap=policy)
    )
    shop.clock.move(HOUR)
    shop.until_begun()
    shop.clock.move(HOUR)
    shop.tick()
    assert [(row.state, row.reason) for row in shop.occurrences("j")] == [
        ("cancelled", "overtaken"),
        ("succeeded", None),
    ]


def test_catching_up_runs_what_was_missed_once(shop: Shop) -> None:
    """M1, M3: with real runs, over a restart."""
    shop.deploy(job("pass"))
    shop.crash(off=8 * HOUR + 2 * MINUTE)
    shop.tick()
    assert [f"{row.planned:%H:%M}" for row in shop.occurrences("j")] == ["18:00"]
    shop.pass_time(HOUR)
    assert [f"{row.planned:%H:%M}" for row in shop.occurrences("j")] == ["18:00", "19:00"]


def test_a_script_that_cannot_be_loaded_any_more_fails_its_run(shop: Shop) -> None:
    """What it reads at its top is gone since it was deployed."""
    there = shop.folder / "there"
    there.touch()
    shop.deploy(f"open({str(there)!r}).close()\n{job('pass')}")
    there.unlink()
    shop.house.workshop.forget("w")
    shop.commands.run("w")
    shop.tick()
    run = shop.runs()[-1]
    assert run.status == "failed:logic" and "FileNotFoundError" in run.error["sentence"]
    assert shop.states("j") == ["failed"] and [request.kind for request in shop.requests()] == ["script error"]
