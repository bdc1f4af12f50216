"""What has not succeeded in time, or takes an unusual time, needs attention until it is over."""

from datetime import timedelta
from typing import Any

import pytest

from scheduler.engine.workflows.validation import InvalidScriptError
from scheduler.rules.punctuality import describe_running_time, is_overdue
from scheduler.rules.requests import RequestKind
from scheduler.timing.durations import parse_range
from tests.clocks import ManualClock
from tests.engine.engine_fixture import DAY, HOUR, MINUTE, SECOND
from tests.runs.runtime_fixture import RuntimeFixture
from tests.runs.scripts import job, producer

OVERDUE = "W is overdue: it should have run more than 2 hours ago and has not succeeded since."
NOW = ManualClock().wall


def fails_while(runtime: RuntimeFixture, **options: Any) -> str:
    """A job that fails while the file `broken` exists."""
    broken = runtime.folder / "broken"
    broken.touch()
    options = {"cron": "0 3 * * *", "every": None, "overdue_after": "2h", **options}
    return job(f"import os\nassert not os.path.exists({str(broken)!r})", **options)


def told(runtime: RuntimeFixture, kind: RequestKind = RequestKind.OVERDUE) -> list[str]:
    return [one.sentence for one in runtime.requests() if one.kind is kind]


def test_a_job_that_fails_is_overdue_after_its_limit_until_it_succeeds(runtime: RuntimeFixture) -> None:
    runtime.deploy(fails_while(runtime))
    runtime.pass_time(17 * HOUR)  # at three
    assert runtime.states("j") == ["failed"]
    runtime.pass_time(2 * HOUR)
    assert told(runtime) == []
    runtime.pass_time(MINUTE)
    assert told(runtime) == [OVERDUE]
    runtime.pass_time(DAY)
    assert told(runtime) == [OVERDUE], "once"
    (runtime.folder / "broken").unlink()
    runtime.commands.run("w")
    runtime.tick()
    assert told(runtime) == []


def test_what_was_dismissed_stays_so_until_it_is_over(runtime: RuntimeFixture) -> None:
    runtime.deploy(fails_while(runtime))
    runtime.pass_time(20 * HOUR)
    [report] = [one for one in runtime.requests() if one.kind is RequestKind.OVERDUE]
    runtime.request_commands.dismiss(report.id)
    runtime.crash(off=DAY)
    runtime.pass_time(DAY)
    assert told(runtime) == []
    (runtime.folder / "broken").unlink()
    runtime.commands.run("w")
    runtime.tick()
    (runtime.folder / "broken").touch()
    runtime.pass_time(DAY + 3 * HOUR)
    assert told(runtime) == [OVERDUE], "it is late again"


def test_a_job_that_cannot_start_is_overdue(runtime: RuntimeFixture) -> None:
    """Another run of the workflow's lane needs the user, so its checks only replace each other."""
    runtime.deploy(producer("assert state is None", every="30m", overdue_after="2h"))
    runtime.pass_time(HOUR)
    assert runtime.lane().blocked == "script error"
    runtime.pass_time(2 * HOUR)
    assert told(runtime) == ["P is overdue: it should have run more than 2 hours ago and has not succeeded since."]


def test_after_a_long_sleep_missed_runs_get_time_to_be_caught_up(runtime: RuntimeFixture) -> None:
    runtime.deploy(job("pass", cron="0 3 * * *", every=None, overdue_after="2h"))  # type: ignore[arg-type]
    runtime.pass_time(DAY)
    for crash in (False, True):
        if crash:
            runtime.crash(off=5 * DAY)
        else:
            runtime.clock.move(5 * DAY)
        runtime.engine.tick(runtime.clock.wall)
        assert told(runtime) == []
        runtime.tick()
        runtime.pass_time(HOUR)
        assert runtime.states("j")[-1] == "succeeded" and told(runtime) == []


def test_a_run_that_was_missed_and_not_caught_up_is_told(runtime: RuntimeFixture) -> None:
    runtime.deploy(job("pass", cron="0 3 * * *", every=None, catchup="none", overdue_after="2h"))  # type: ignore[arg-type]
    runtime.pass_time(DAY)
    runtime.crash(off=DAY)
    runtime.pass_time(11 * MINUTE)
    assert told(runtime) == [OVERDUE]


def test_what_the_user_pauses_or_skips_is_not_expected(runtime: RuntimeFixture) -> None:
    runtime.deploy(fails_while(runtime))
    runtime.commands.pause("w")
    runtime.pass_time(2 * DAY)
    assert told(runtime) == []
    runtime.commands.resume("w")
    runtime.pass_time(HOUR)
    assert told(runtime) == [OVERDUE]
    runtime.commands.pause("w")
    runtime.pass_time(MINUTE)
    assert told(runtime) == [], "paused again: nothing is expected"


def test_the_limit_of_a_workflow_applies_to_each_schedule_without_its_own(runtime: RuntimeFixture) -> None:
    source = fails_while(runtime, overdue_after=None).replace('["world:x"]', '["world:x"], overdue_after="2h"')
    runtime.deploy(source + '\n@flow.job(cron="0 3 * * *", overdue_after="30d")\ndef k(ctx):\n    raise ValueError\n')
    runtime.pass_time(20 * HOUR)
    assert told(runtime) == ["J is overdue: it should have run more than 2 hours ago and has not succeeded since."]
    runtime.deploy(source.replace('overdue_after="2h"', 'overdue_after="9d"'))
    runtime.pass_time(MINUTE)
    assert told(runtime) == [], "the new script allows more"


def test_a_run_that_takes_too_long_is_told_while_it_runs_and_afterwards(runtime: RuntimeFixture) -> None:
    flag = runtime.folder / "go"
    wait = f"import os, time\nwhile not os.path.exists({str(flag)!r}):\n    time.sleep(0.01)"
    runtime.deploy(job(wait, every="1d", expected="..20m"))
    runtime.clock.move(DAY)
    runtime.tick_until_active()
    for _ in range(20):
        runtime.clock.move(MINUTE)
        runtime.engine.tick(runtime.clock.wall)
    assert told(runtime, RequestKind.UNUSUAL_DURATION) == []
    runtime.clock.move(MINUTE)
    runtime.engine.tick(runtime.clock.wall)
    assert told(runtime, RequestKind.UNUSUAL_DURATION) == ["W has been running for more than 20 minutes."]
    flag.touch()
    runtime.tick()
    assert told(runtime, RequestKind.UNUSUAL_DURATION) == ["W took 21 minutes; 20 minutes is the most expected."]
    runtime.pass_time(DAY)
    assert runtime.states("j") == ["succeeded"] * 2
    assert told(runtime, RequestKind.UNUSUAL_DURATION) == [], "the next run was fast"


def test_a_run_that_takes_too_little_time_is_told(runtime: RuntimeFixture) -> None:
    runtime.deploy(job("pass", expected="1m..20m"))
    runtime.pass_time(HOUR)
    assert told(runtime, RequestKind.UNUSUAL_DURATION) == ["W took only 0 seconds; 1 minute is the least expected."]


@pytest.mark.parametrize(
    ("option", "value", "sentence"),
    [
        ("overdue_after", "soon", "overdue_after: 'soon' is not a duration"),
        ("overdue_after", "10s", "overdue_after: '10s' is less than a minute"),
        ("expected", "5m", "expected: '5m' is not a range"),
        ("expected", "..", "expected: '..' is not a range"),
        ("expected", "20m..1m", "expected: '20m..1m' begins with the longer duration"),
        ("expected", 5, "expected=5 is not a string"),
    ],
)
def test_mistakes_name_the_setting(runtime: RuntimeFixture, option: str, value: Any, sentence: str) -> None:
    with pytest.raises(InvalidScriptError) as caught:
        runtime.deploy(job("pass", **{option: value}))
    assert sentence in str(caught.value)


def test_a_wrong_limit_of_the_workflow_names_its_line_too(runtime: RuntimeFixture) -> None:
    with pytest.raises(InvalidScriptError, match="overdue_after: 'x' is not a duration"):
        runtime.deploy(job("pass").replace('["world:x"]', '["world:x"], overdue_after="x"'))


def test_there_is_a_grace_of_at_most_ten_minutes_after_a_pause() -> None:
    limit, late = 2 * HOUR, NOW - DAY
    assert not is_overdue(NOW - 2 * HOUR, limit, late, NOW)
    assert is_overdue(NOW - 2 * HOUR - SECOND, limit, late, NOW)
    assert not is_overdue(late, limit, NOW - 10 * MINUTE, NOW) and is_overdue(late, limit, NOW - 11 * MINUTE, NOW)
    assert is_overdue(late, MINUTE, NOW - 2 * MINUTE, NOW)


def test_a_running_job_may_still_reach_the_shortest_time() -> None:
    expected = parse_range("1m..20m", "expected")
    assert describe_running_time("W", expected, timedelta(), is_running=True) == ""
    assert describe_running_time("W", expected, MINUTE, is_running=False) == ""
    assert describe_running_time("W", parse_range("1m..", "expected"), DAY, is_running=True) == ""
