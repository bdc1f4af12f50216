"""A request that its consumer lets expire: reminded of, then rejected, unless the user was faster."""

import pytest

from scheduler.engine.errors import RefusedError
from scheduler.engine.workflows.validation import InvalidScriptError
from scheduler.store import requests
from scheduler.store.requests import RequestRow
from tests.engine.engine_fixture import DAY, HOUR, MINUTE, SECOND
from tests.runs.runtime_fixture import RuntimeFixture
from tests.runs.scripts import consumer


def expiring(expires: str = "2d", on_expiry: str | None = None, *, ask: str = "") -> str:
    options = f'expires="{expires}"' + (f', on_expiry="{on_expiry}"' if on_expiry else "")
    script = consumer(approve="always").replace('approve="always"', f'approve="always", {options}')
    if ask:
        script = script.replace('say="Do "', f'ask={ask}, say="Do "')
    return script.replace("[ctx.outcome, result]", "[ctx.outcome, ctx.reason]").replace(
        "        ctx.done(", "        0 and ctx.done("
    )


def ask(runtime: RuntimeFixture, script: str | None = None) -> RequestRow:
    runtime.deploy(script or expiring())
    runtime.publish("a")
    runtime.tick()
    [request] = runtime.requests()
    return request


def row_of(runtime: RuntimeFixture, request: RequestRow) -> RequestRow:
    row = requests.find(runtime.database.read(), request.id)
    assert row is not None
    return row


def test_an_unanswered_request_expires_and_next_learns_why(runtime: RuntimeFixture) -> None:
    request = ask(runtime)
    runtime.pass_time(2 * DAY - MINUTE)
    assert row_of(runtime, request).answer is None
    runtime.pass_time(2 * MINUTE)
    row = row_of(runtime, request)
    assert (row.answer, row.reason) == ("expired", "expired")
    assert runtime.state("C")["told"] == ["skipped", "expired"]
    assert runtime.events() == {"a": "skipped"}
    assert runtime.service.calls == []
    assert runtime.runs("C")[-1].summary == "Nobody answered in time, so it was not done."


def test_the_user_is_reminded_once_after_three_quarters_of_the_time(runtime: RuntimeFixture) -> None:
    request = ask(runtime)
    asked = runtime.clock.wall
    runtime.pass_time(36 * HOUR - MINUTE)
    assert row_of(runtime, request).reminded is None
    runtime.announcements.clear()
    runtime.pass_time(2 * MINUTE)
    assert row_of(runtime, request).reminded == asked + 36 * HOUR
    assert "w" in [one.subject for one in runtime.announcements], "so that it is shown"
    runtime.pass_time(6 * HOUR)
    assert row_of(runtime, request).reminded == asked + 36 * HOUR


def test_leave_reminds_and_waits_on(runtime: RuntimeFixture) -> None:
    request = ask(runtime, expiring(on_expiry="leave"))
    runtime.pass_time(30 * DAY)
    row = row_of(runtime, request)
    assert row.reminded is not None and row.answer is None
    runtime.request_commands.approve(request.id)
    runtime.tick()
    assert len(runtime.service.calls) == 1


def test_without_expires_nothing_expires(runtime: RuntimeFixture) -> None:
    request = ask(runtime, consumer(approve="always"))
    runtime.pass_time(400 * DAY)
    assert row_of(runtime, request).answer is None


def test_a_question_expires_too(runtime: RuntimeFixture) -> None:
    request = ask(runtime, expiring(ask='dayhand.ask("Why?")'))
    assert request.kind == "question"
    runtime.pass_time(2 * DAY + MINUTE)
    assert row_of(runtime, request).answer == "expired"
    assert runtime.state("C")["told"] == ["skipped", "expired"]
    assert runtime.events() == {"a": "skipped"}


def test_an_answer_before_the_end_wins(runtime: RuntimeFixture) -> None:
    request = ask(runtime)
    runtime.pass_time(47 * HOUR)
    runtime.request_commands.approve(request.id)
    runtime.pass_time(3 * DAY)
    assert len(runtime.service.calls) == 1
    assert row_of(runtime, request).answer == "yes"


def test_an_answer_after_the_end_is_too_late(runtime: RuntimeFixture) -> None:
    request = ask(runtime)
    runtime.pass_time(3 * DAY)
    for answer in (runtime.request_commands.approve, runtime.request_commands.reject):
        with pytest.raises(RefusedError, match=r"This expired on .* without an answer\. Nothing was changed\."):
            answer(request.id)
    assert runtime.service.calls == []


@pytest.mark.parametrize("answers_first", [True, False])
def test_of_an_answer_and_the_expiry_exactly_one_wins(runtime: RuntimeFixture, answers_first: bool) -> None:  # noqa: FBT001
    """Both come at the same instant: the row decides."""
    request = ask(runtime)
    runtime.pass_time(2 * DAY - SECOND)
    runtime.clock.move(SECOND)
    expiry = runtime.services.runner._expiry
    if answers_first:
        runtime.request_commands.approve(request.id)
        expiry.settle(request.id)
    else:
        expiry.settle(request.id)
        with pytest.raises(RefusedError, match="expired"):
            runtime.request_commands.approve(request.id)
    runtime.tick()
    assert len(runtime.service.calls) == int(answers_first)
    assert runtime.events() == {"a": "consumed" if answers_first else "skipped"}
    assert row_of(runtime, request).answer == ("yes" if answers_first else "expired")


def test_after_a_long_absence_the_user_is_reminded_and_has_ten_minutes(runtime: RuntimeFixture) -> None:
    request = ask(runtime)
    runtime.crash(off=10 * DAY)
    back = runtime.clock.wall
    runtime.tick()
    row = row_of(runtime, request)
    assert (row.answer, row.reminded) == (None, back)
    runtime.pass_time(9 * MINUTE)
    assert row_of(runtime, request).answer is None
    runtime.pass_time(2 * MINUTE)
    assert row_of(runtime, request).answer == "expired"


def test_after_a_sleep_over_the_end_the_user_has_ten_minutes(runtime: RuntimeFixture) -> None:
    request = ask(runtime)
    runtime.pass_time(40 * HOUR)
    assert row_of(runtime, request).reminded is not None
    runtime.clock.move(DAY)
    runtime.tick()
    assert row_of(runtime, request).answer is None
    runtime.pass_time(11 * MINUTE)
    assert row_of(runtime, request).answer == "expired"


def test_a_clock_that_jumps_ahead_for_a_moment_ends_nothing(runtime: RuntimeFixture) -> None:
    request = ask(runtime)
    asked = runtime.clock.wall
    runtime.clock.wall += 30 * DAY
    runtime.tick()
    assert row_of(runtime, request).answer is None
    runtime.clock.wall -= 30 * DAY
    runtime.tick()
    row = row_of(runtime, request)
    assert (row.expires, row.reminded, row.wake_at) == (asked + 2 * DAY, None, asked + 36 * HOUR)
    runtime.pass_time(2 * DAY - MINUTE)
    assert row_of(runtime, request).answer is None
    runtime.pass_time(2 * MINUTE)
    assert row_of(runtime, request).answer == "expired"


def test_a_request_asked_while_the_clock_was_ahead_gets_its_full_time(runtime: RuntimeFixture) -> None:
    runtime.clock.wall += 100 * DAY
    request = ask(runtime)
    runtime.clock.wall -= 100 * DAY
    runtime.tick()
    assert row_of(runtime, request).expires == runtime.clock.wall + 2 * DAY
    runtime.pass_time(2 * DAY + MINUTE)
    assert row_of(runtime, request).answer == "expired"


def test_the_end_is_kept_over_a_restart(runtime: RuntimeFixture) -> None:
    request = ask(runtime)
    end = row_of(runtime, request).expires
    runtime.crash(off=HOUR)
    assert row_of(runtime, request).expires == end
    runtime.pass_time(47 * HOUR + MINUTE)
    assert row_of(runtime, request).answer == "expired"


@pytest.mark.parametrize(
    ("option", "sentence"),
    [
        ('expires="soon"', "expires"),
        ('expires="30s"', "is not between a minute and a year"),
        ('expires="400d"', "is not between a minute and a year"),
        ("expires=2", "expires=2 is not a duration; write for example expires='2d'."),
        ('on_expiry="approve"', "on_expiry='approve' is not valid; choose one of 'reject', 'leave'."),
    ],
)
def test_a_bad_expiry_is_refused_when_deploying(runtime: RuntimeFixture, option: str, sentence: str) -> None:
    with pytest.raises(InvalidScriptError, match=r"line \d+") as refused:
        runtime.deploy(consumer().replace('approve="never"', option))
    assert sentence in str(refused.value)
