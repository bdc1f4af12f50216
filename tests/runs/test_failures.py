"""Each failure class has its status and its remedy; the message text decides nothing."""

import pytest

from scheduler.engine.runs.finish import AttemptFinisher
from scheduler.engine.runs.outside_action import OutsideAction
from scheduler.rules.failures import FailureClass
from tests.engine.engine_fixture import DAY, HOUR, MINUTE, SECOND
from tests.runs.runtime_fixture import RuntimeFixture, fail
from tests.runs.scripts import consumer, job, prepare, producer

READS = 'ctx.call("world:x", "look")'


@pytest.mark.parametrize(
    ("kind", "status", "block", "request_kind"),
    [
        (FailureClass.TRANSIENT, "paused:transient", "retrying", None),
        (FailureClass.AUTH, "paused:approval", "reconnect", "reconnect"),
        (FailureClass.PERMISSION, "paused:approval", "permission", "permission"),
        (FailureClass.LOGIC, "failed:logic", "script error", "script error"),
        (FailureClass.INTERNAL, "failed:internal", "internal", "internal"),
        (FailureClass.UNSURE, "paused:transient", "retrying", None),
    ],
)
@pytest.mark.parametrize("sentence", ["It failed.", "401 unauthorized: login expired", "internal error, try again"])
def test_each_failure_class_of_a_read_has_its_status(
    runtime: RuntimeFixture, kind: FailureClass, status: str, block: str, request_kind: str | None, sentence: str
) -> None:
    """An unsure read is simply retried."""
    runtime.service.read_fails = [fail(kind, sentence)]
    runtime.deploy(producer(READS))
    runtime.tick()
    [run] = runtime.runs("p")
    expected = f"w.py, line 8: {sentence}" if kind is FailureClass.LOGIC else sentence
    assert (run.status, run.error["sentence"]) == (status, expected)
    assert run.error["class"] == {"paused:transient": "transient"}.get(status, kind.value)
    assert (runtime.lane().blocked, runtime.lane().sentence) == (block, expected)
    assert [request.kind for request in runtime.requests()] == ([request_kind] if request_kind else [])


@pytest.mark.parametrize(
    ("kind", "status", "outcome"),
    [
        (FailureClass.TRANSIENT, "paused:transient", "failed"),
        (FailureClass.AUTH, "paused:approval", "failed"),
        (FailureClass.PERMISSION, "paused:approval", "failed"),
        (FailureClass.LOGIC, "failed:logic", "failed"),
        (FailureClass.INTERNAL, "failed:internal", "failed"),
        (FailureClass.UNSURE, "paused:reconciliation", "unsure"),
    ],
)
def test_each_failure_class_of_an_action_has_its_status(
    runtime: RuntimeFixture, kind: FailureClass, status: str, outcome: str
) -> None:
    """An action that certainly did not happen releases its events; one that may have happened keeps them."""
    runtime.service.fails = [fail(kind)]
    runtime.deploy(consumer(tool="blind"))
    runtime.publish("a")
    runtime.tick()
    run = runtime.runs("C")[-1]
    mutation = runtime.mutation(run.id)
    assert mutation is not None
    assert (run.status, mutation.status) == (status, outcome)
    assert runtime.events() == {"a": "reserved" if outcome == "unsure" else "pending"}


@pytest.mark.parametrize("raised", [ZeroDivisionError("x"), TimeoutError("x"), ConnectionError("401"), OSError("x")])
def test_an_unexpected_connector_error_is_internal_for_reads_and_unsure_for_actions(
    runtime: RuntimeFixture, raised: Exception
) -> None:

    def raise_it(_: object) -> None:
        raise raised

    runtime.service.look = raise_it  # type: ignore[assignment, method-assign]
    runtime.service.act = raise_it  # type: ignore[method-assign, assignment]
    runtime.crash()
    runtime.deploy(job(READS).replace('"W"', '"R"'), path="r.py")
    runtime.deploy(consumer(tool="blind"))
    runtime.publish("a")
    runtime.clock.move(HOUR)
    runtime.tick()
    [read] = runtime.runs("j", "r")
    acted = runtime.runs("C")[-1]
    assert (read.status, acted.status) == ("failed:internal", "paused:reconciliation")
    assert type(raised).__name__ in read.error["sentence"]
    assert "Traceback" in read.error["traceback"]
    assert sorted(request.kind for request in runtime.requests()) == ["internal", "unsure"]


def test_undecodable_text_in_a_connector_error_is_replaced(runtime: RuntimeFixture) -> None:
    """A file name in another encoding ends in an ordinary failure, not in a run that never ends."""
    runtime.service.read_fails = [fail(FailureClass.LOGIC, "There is no file caf\udce9.txt.")]
    runtime.deploy(job(READS))
    runtime.clock.move(HOUR)
    runtime.tick()
    [run] = runtime.runs("j")
    assert (run.status, run.error["sentence"]) == ("failed:logic", "w.py, line 8: There is no file caf?.txt.")


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ('raise ValueError("401 unauthorized")', "401"),
        ("return ctx.now", "prepared"),
        ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", "SIGKILL"),
        ("import sys; sys.exit(3)", "sys.exit"),
        ("import os; os._exit(3)", "exited its own process with code 3"),
        ("kept = bytearray(10 << 30)", "ran out of memory"),
        ("ctx.call('world:x', 'lo' + 'ok', colour=3)", 'no parameter "colour"'),
        ("ctx.call('world:x', 'a' + 'ct')", "only mutate may act"),
    ],
)
def test_every_mistake_of_a_script_is_a_logic_failure(runtime: RuntimeFixture, body: str, says: str) -> None:
    """It raised, returned nonsense, or its process died."""
    runtime.deploy(prepare(f"{body}\nreturn dayhand.nothing()"))
    runtime.publish("a")
    runtime.tick()
    run = runtime.runs("C")[-1]
    assert (run.status, runtime.lane().blocked) == ("failed:logic", "script error")
    assert says in run.error["sentence"]
    assert run.error["sentence"].startswith(f"w.py, line {run.error['line']}: ") and run.error["line"] in (8, 9)
    assert runtime.events() == {"a": "pending"}


def test_a_script_cannot_catch_what_its_tools_raise(runtime: RuntimeFixture) -> None:
    runtime.service.read_fails = [fail(FailureClass.TRANSIENT)]
    runtime.deploy(job(f'try:\n    {READS}\nexcept BaseException:\n    pass\nctx.done("went on")'))
    runtime.clock.move(HOUR)
    runtime.tick()
    [run] = runtime.runs("j")
    assert (run.status, run.summary) == ("paused:transient", None)


def test_a_phase_that_times_out_is_retried(runtime: RuntimeFixture) -> None:
    """Before a mutation a timeout is transient."""
    runtime.deploy(producer("import time\nwhile not ctx.cancelled:\n    time.sleep(0.01)", timeout="1s"))
    runtime.tick()
    [run] = runtime.runs("p")
    assert run.status == "paused:transient"


def test_an_internal_error_is_reported_and_can_be_retried(runtime: RuntimeFixture) -> None:
    runtime.deploy(job('ctx.done("fine")'))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(AttemptFinisher, "commit", lambda *_: 1 / 0)
        runtime.clock.move(HOUR)
        runtime.tick()
    [run] = runtime.runs("j")
    assert (run.status, run.error["class"]) == ("failed:internal", "internal")
    assert "ZeroDivisionError" in run.error["sentence"]
    [request] = runtime.requests()
    assert (request.kind, runtime.lane("j").blocked) == ("internal", "internal")
    runtime.request_commands.retry(run.id)
    runtime.tick()
    assert runtime.runs("j")[-1].status == "committed"
    assert (runtime.requests(), runtime.lane("j").blocked) == ([], None)


def test_an_internal_error_during_an_action_does_not_repeat_it(runtime: RuntimeFixture) -> None:
    """The call was made, and our code failed before storing its outcome."""
    runtime.deploy(consumer())
    runtime.tick()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(OutsideAction, "_store_success", lambda *_: 1 / 0)
        runtime.publish("a")
        runtime.wait(lambda: len(runtime.service.checks) > 0)
    runtime.tick()
    assert len(runtime.service.calls) == 1
    assert runtime.events() == {"a": "consumed"}
    assert runtime.state("C")["told"] == ["applied", "found"]


def test_retry_after_is_respected(runtime: RuntimeFixture) -> None:
    runtime.service.read_fails = [fail(FailureClass.TRANSIENT, retry_after=120 * SECOND)]
    runtime.deploy(job(READS))
    runtime.clock.move(HOUR)
    runtime.tick()
    runtime.pass_time(119 * SECOND)
    assert len(runtime.service.reads) == 1
    runtime.pass_time(13 * SECOND)
    assert len(runtime.service.reads) == 2
    assert runtime.runs("j")[-1].status == "committed"


def test_a_retry_after_shorter_than_the_backoff_changes_nothing(runtime: RuntimeFixture) -> None:
    runtime.service.read_fails = [fail(FailureClass.TRANSIENT, retry_after=SECOND)]
    runtime.deploy(job(READS))
    runtime.clock.move(HOUR)
    runtime.tick()
    runtime.pass_time(29 * SECOND)
    assert len(runtime.service.reads) == 1


def test_a_day_offline_blocks_nothing(runtime: RuntimeFixture) -> None:
    """It resumes within minutes of the network coming back, without filling the history."""
    runtime.service.read_fails = [fail(FailureClass.TRANSIENT, "There is no network.", counts=False)] * 5_000
    runtime.deploy(job(READS))
    runtime.clock.move(HOUR)
    runtime.pass_time(DAY)
    assert runtime.requests() == []
    assert runtime.lane("j").blocked == "retrying"
    assert 5 < len(runtime.runs("j")) < 400
    runtime.service.read_fails = []
    runtime.pass_time(6 * MINUTE)
    assert runtime.runs("j")[-1].status == "committed"
    assert runtime.lane("j").blocked is None


def test_a_failing_workflow_does_not_delay_others(runtime: RuntimeFixture) -> None:
    runtime.service.read_fails = [fail(FailureClass.LOGIC)]
    runtime.deploy(job(READS).replace('"W"', '"R"'), path="r.py")
    runtime.deploy(job('ctx.done("fine")'))
    began = runtime.clock.wall
    runtime.pass_time(3 * HOUR)
    assert [run.status for run in runtime.runs("j", "r")] == ["failed:logic", "committed", "committed"]
    assert [(run.status, run.began) for run in runtime.runs("j")] == [
        ("committed", began + number * HOUR) for number in (1, 2, 3)
    ]


def test_a_failing_job_leaves_the_consumers_of_its_workflow_alone(runtime: RuntimeFixture) -> None:
    """A job has its own lane."""
    runtime.deploy(consumer() + f'\n@flow.job(every="1h")\ndef j(ctx):\n    {READS}\n')
    runtime.service.read_fails = [fail(FailureClass.LOGIC)]
    runtime.clock.move(HOUR)
    runtime.tick()
    runtime.publish("a")
    runtime.tick()
    assert runtime.runs("j")[-1].status == "failed:logic"
    assert runtime.events() == {"a": "consumed"}
