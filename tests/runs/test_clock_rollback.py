"""The clock was a year ahead and is corrected: nothing waits for a year."""

from datetime import timedelta

import pytest

from scheduler.rules.failures import FailureClass
from tests.engine.engine_fixture import DAY, HOUR, MINUTE, SECOND
from tests.runs.runtime_fixture import RuntimeFixture, fail
from tests.runs.scripts import consumer, job, prepare

YEAR = 365 * DAY
READS = 'ctx.call("world:x", "look")'


def set_back(runtime: RuntimeFixture, *, restart: bool) -> None:
    """Correct the clock while Dayhand runs or while it is off."""
    if restart:
        runtime.crash(off=-YEAR)
    else:
        runtime.clock.move(-YEAR)
    runtime.tick()


@pytest.mark.parametrize("restart", [False, True])
def test_a_transient_failure_is_retried_within_its_delay(runtime: RuntimeFixture, restart: bool) -> None:  # noqa: FBT001
    """Stored as resume_at."""
    runtime.clock.move(YEAR)
    runtime.service.read_fails = [fail(FailureClass.TRANSIENT)]
    runtime.deploy(job(READS))
    runtime.clock.move(HOUR)
    runtime.tick()
    assert runtime.runs("j")[-1].status == "paused:transient"
    set_back(runtime, restart=restart)
    until = runtime.lane("j").until
    assert until is not None and until <= runtime.clock.wall + HOUR
    runtime.pass_time(2 * MINUTE)
    assert [run.status for run in runtime.runs("j")][:2] == ["paused:transient", "committed"]


@pytest.mark.parametrize("restart", [False, True])
def test_a_long_retry_after_is_kept_when_the_clock_is_corrected_by_minutes(
    runtime: RuntimeFixture, *, restart: bool
) -> None:
    """It was stored while the clock was nearly right."""
    runtime.service.read_fails = [fail(FailureClass.TRANSIENT, retry_after=6 * HOUR)]
    runtime.deploy(job(READS, every="30d"))
    runtime.clock.move(30 * DAY)
    runtime.tick()
    runtime.clock.move(HOUR)
    runtime.tick()
    if restart:
        runtime.crash(off=-2 * MINUTE)
    else:
        runtime.clock.move(-2 * MINUTE)
    runtime.pass_time(4 * HOUR)
    assert len(runtime.service.reads) == 1


@pytest.mark.parametrize("restart", [False, True])
def test_a_consumer_wakes_within_a_day(runtime: RuntimeFixture, restart: bool) -> None:  # noqa: FBT001
    """Stored as wake_at."""
    runtime.clock.move(YEAR)
    runtime.deploy(prepare("import datetime\nreturn dayhand.nothing(wake_at=ctx.now + datetime.timedelta(hours=2))"))
    runtime.tick()
    assert runtime.handler("C").wake_at is not None
    set_back(runtime, restart=restart)
    wake = runtime.handler("C").wake_at
    assert wake is not None and wake <= runtime.clock.wall + DAY
    before = len(runtime.runs("C"))
    runtime.pass_time(DAY)
    assert len(runtime.runs("C")) > before


@pytest.mark.parametrize("restart", [False, True])
def test_a_checker_runs_within_its_delay(runtime: RuntimeFixture, restart: bool) -> None:  # noqa: FBT001
    """Stored as check_at."""
    runtime.clock.move(YEAR)
    runtime.service.fails = [fail(FailureClass.UNSURE)]
    runtime.service.check_fails = [fail(FailureClass.TRANSIENT)]
    runtime.deploy(consumer())
    runtime.publish("a")
    runtime.tick()
    assert runtime.events() == {"a": "reserved"}
    set_back(runtime, restart=restart)
    runtime.pass_time(11 * MINUTE)
    assert runtime.events() == {"a": "consumed"}
    assert len(runtime.service.calls) == 1


@pytest.mark.parametrize("restart", [False, True])
def test_an_answered_run_continues_at_once(runtime: RuntimeFixture, restart: bool) -> None:  # noqa: FBT001
    """Approved while the clock was ahead."""
    runtime.clock.move(YEAR)
    runtime.deploy(consumer(approve="always"))
    runtime.publish("a")
    runtime.tick()
    runtime.commands.pause("w")
    [request] = runtime.requests()
    runtime.request_commands.approve(request.id)
    set_back(runtime, restart=restart)
    runtime.commands.resume("w")
    runtime.tick()
    assert runtime.events() == {"a": "consumed"}


def test_a_request_from_before_the_clock_change_can_still_be_answered(runtime: RuntimeFixture) -> None:
    """Even when another one about the same run follows."""
    runtime.clock.move(YEAR)
    number = runtime.folder / "number"
    number.write_text("1")
    script = consumer(approve="always").replace("n=prepared.data", "n=open(NUMBER).read()")
    runtime.deploy(f"NUMBER = {str(number)!r}\n{script}")
    runtime.publish("a")
    runtime.tick()
    set_back(runtime, restart=True)
    for word in ("2", "3"):
        number.write_text(word)
        [request] = runtime.requests()
        runtime.request_commands.approve(request.id)
        runtime.tick()
        runtime.clock.move(-timedelta(minutes=5))
        runtime.tick()
    [request] = runtime.requests()
    runtime.request_commands.approve(request.id)
    runtime.tick()
    assert [call.parameters for call in runtime.service.calls] == [{"n": "3"}]
    runtime.pass_time(SECOND)
    assert runtime.events() == {"a": "consumed"}
