"""The clock was ahead by a year and is right again: nothing waits until then."""

from datetime import timedelta

import pytest

from scheduler.rules.failures import FailureClass
from tests.engine.harness import DAY, HOUR, MINUTE, SECOND
from tests.runs.scripts import consumer, job, prepare
from tests.runs.shop import Shop, fail

YEAR = 365 * DAY
READS = 'ctx.call("world:x", "look")'


def set_back(shop: Shop, *, restart: bool) -> None:
    """The clock is put right: while Dayhand runs, or while it does not."""
    if restart:
        shop.crash(off=-YEAR)
    else:
        shop.clock.move(-YEAR)
    shop.tick()


@pytest.mark.parametrize("restart", [False, True])
def test_a_passing_failure_is_tried_again_within_its_wait(shop: Shop, restart: bool) -> None:  # noqa: FBT001
    """M5: resume_at"""
    shop.clock.move(YEAR)
    shop.world.read_fails = [fail(FailureClass.TRANSIENT)]
    shop.deploy(job(READS))
    shop.clock.move(HOUR)
    shop.tick()
    assert shop.runs("j")[-1].status == "paused:transient"
    set_back(shop, restart=restart)
    until = shop.lane("j").until
    assert until is not None and until <= shop.clock.wall + HOUR
    shop.pass_time(2 * MINUTE)
    assert [run.status for run in shop.runs("j")][:2] == ["paused:transient", "committed"]


@pytest.mark.parametrize("restart", [False, True])
def test_a_long_wait_that_a_server_named_is_not_cut_where_the_clock_was_right(shop: Shop, restart: bool) -> None:  # noqa: FBT001
    """F2 and M5: it was written under the right clock; a correction by minutes changes nothing about it."""
    shop.world.read_fails = [fail(FailureClass.TRANSIENT, retry_after=6 * HOUR)]
    shop.deploy(job(READS, every="30d"))
    shop.clock.move(30 * DAY)
    shop.tick()
    shop.clock.move(HOUR)
    shop.tick()
    if restart:
        shop.crash(off=-2 * MINUTE)
    else:
        shop.clock.move(-2 * MINUTE)
    shop.pass_time(4 * HOUR)
    assert len(shop.world.reads) == 1


@pytest.mark.parametrize("restart", [False, True])
def test_a_consumer_wakes_within_a_day(shop: Shop, restart: bool) -> None:  # noqa: FBT001
    """M5: wake_at"""
    shop.clock.move(YEAR)
    shop.deploy(prepare("import datetime\nreturn dayhand.nothing(wake_at=ctx.now + datetime.timedelta(hours=2))"))
    shop.tick()
    assert shop.handler("C").wake_at is not None
    set_back(shop, restart=restart)
    wake = shop.handler("C").wake_at
    assert wake is not None and wake <= shop.clock.wall + DAY
    before = len(shop.runs("C"))
    shop.pass_time(DAY)
    assert len(shop.runs("C")) > before


@pytest.mark.parametrize("restart", [False, True])
def test_a_checker_is_asked_within_its_wait(shop: Shop, restart: bool) -> None:  # noqa: FBT001
    """M5: check_at"""
    shop.clock.move(YEAR)
    shop.world.fails = [fail(FailureClass.UNSURE)]
    shop.world.check_fails = [fail(FailureClass.TRANSIENT)]
    shop.deploy(consumer())
    shop.publish("a")
    shop.tick()
    assert shop.events() == {"a": "reserved"}
    set_back(shop, restart=restart)
    shop.pass_time(11 * MINUTE)
    assert shop.events() == {"a": "consumed"}
    assert len(shop.world.calls) == 1


@pytest.mark.parametrize("restart", [False, True])
def test_what_was_answered_goes_on_at_once(shop: Shop, restart: bool) -> None:  # noqa: FBT001
    """M5: a yes given while the clock was ahead."""
    shop.clock.move(YEAR)
    shop.deploy(consumer(approve="always"))
    shop.publish("a")
    shop.tick()
    shop.commands.pause("w")
    [request] = shop.requests()
    shop.answering.approve(request.id)
    set_back(shop, restart=restart)
    shop.commands.resume("w")
    shop.tick()
    assert shop.events() == {"a": "consumed"}


def test_a_question_asked_before_the_clock_was_right_can_still_be_answered(shop: Shop) -> None:
    """M5: also when another is asked about the same run afterwards."""
    shop.clock.move(YEAR)
    number = shop.folder / "number"
    number.write_text("1")
    script = consumer(approve="always").replace("n=prepared.data", "n=open(NUMBER).read()")
    shop.deploy(f"NUMBER = {str(number)!r}\n{script}")
    shop.publish("a")
    shop.tick()
    set_back(shop, restart=True)
    for word in ("2", "3"):
        number.write_text(word)
        [request] = shop.requests()
        shop.answering.approve(request.id)
        shop.tick()
        shop.clock.move(-timedelta(minutes=5))
        shop.tick()
    [request] = shop.requests()
    shop.answering.approve(request.id)
    shop.tick()
    assert [call.parameters for call in shop.world.calls] == [{"n": "3"}]
    shop.pass_time(SECOND)
    assert shop.events() == {"a": "consumed"}
