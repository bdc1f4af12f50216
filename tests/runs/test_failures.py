"""Each class of failure has its status and its remedy; the text of a message decides nothing."""

import pytest

from scheduler.rules.failures import FailureClass
from tests.engine.harness import DAY, HOUR, MINUTE, SECOND
from tests.runs.scripts import consumer, job, prepare
from tests.runs.shop import Shop, fail

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
def test_each_class_of_a_read_has_its_status(
    shop: Shop, kind: FailureClass, status: str, block: str, request_kind: str | None, sentence: str
) -> None:
    """F1: reading leaves nothing to be unsure of, so that is tried again."""
    shop.world.read_fails = [fail(kind, sentence)]
    shop.deploy(job(READS))
    shop.clock.move(HOUR)
    shop.tick()
    [run] = shop.runs("j")
    said = f"w.py, line 8: {sentence}" if kind is FailureClass.LOGIC else sentence
    assert (run.status, run.error["sentence"]) == (status, said)
    assert run.error["class"] == {"paused:transient": "transient"}.get(status, kind.value)
    assert (shop.lane("j").blocked, shop.lane("j").sentence) == (block, said)
    assert [request.kind for request in shop.requests()] == ([request_kind] if request_kind else [])


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
def test_each_class_of_an_action_has_its_status(shop: Shop, kind: FailureClass, status: str, outcome: str) -> None:
    """F1: what certainly did not happen gives its events back, what may have happened keeps them."""
    shop.world.fails = [fail(kind)]
    shop.deploy(consumer(tool="blind"))
    shop.publish("a")
    shop.tick()
    run = shop.runs("C")[-1]
    mutation = shop.mutation(run.id)
    assert mutation is not None
    assert (run.status, mutation.status) == (status, outcome)
    assert shop.events() == {"a": "reserved" if outcome == "unsure" else "pending"}


@pytest.mark.parametrize("raised", [ZeroDivisionError("x"), TimeoutError("x"), ConnectionError("401"), OSError("x")])
def test_what_a_connector_did_not_foresee_is_internal_when_reading_and_unsure_when_acting(
    shop: Shop, raised: Exception
) -> None:
    """F1: unknown."""

    def raise_it(_: object) -> None:
        raise raised

    shop.world.look = raise_it  # type: ignore[assignment, method-assign]
    shop.world.act = raise_it  # type: ignore[method-assign, assignment]
    shop.crash()
    shop.deploy(job(READS).replace('"W"', '"R"'), path="r.py")
    shop.deploy(consumer(tool="blind"))
    shop.publish("a")
    shop.clock.move(HOUR)
    shop.tick()
    [read] = shop.runs("j", "r")
    acted = shop.runs("C")[-1]
    assert (read.status, acted.status) == ("failed:internal", "paused:reconciliation")
    assert type(raised).__name__ in read.error["sentence"]
    assert "Traceback" in read.error["traceback"]
    assert sorted(request.kind for request in shop.requests()) == ["internal", "unsure"]


def test_a_connector_may_quote_what_is_no_text(shop: Shop) -> None:
    """A file name in another encoding ends in an ordinary failure, not in a run that never ends."""
    shop.world.read_fails = [fail(FailureClass.LOGIC, "There is no file caf\udce9.txt.")]
    shop.deploy(job(READS))
    shop.clock.move(HOUR)
    shop.tick()
    [run] = shop.runs("j")
    assert (run.status, run.error["sentence"]) == ("failed:logic", "w.py, line 8: There is no file caf?.txt.")


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ('raise ValueError("401 unauthorized")', "401"),
        ("return 5", "prepared"),
        ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", "SIGKILL"),
        ("import sys; sys.exit(3)", "sys.exit"),
        ("import os; os._exit(3)", "exit code 3"),
        ("kept = bytearray(10 << 30)", "ran out of memory"),
        ("ctx.call('world:x', 'lo' + 'ok', colour=3)", 'no parameter "colour"'),
        ("ctx.call('world:x', 'a' + 'ct')", "only mutate may act"),
    ],
)
def test_whatever_a_script_does_wrong_is_the_fault_of_the_script(shop: Shop, body: str, says: str) -> None:
    """F1: it raised, returned nonsense, or its process died."""
    shop.deploy(prepare(body))
    shop.publish("a")
    shop.tick()
    run = shop.runs("C")[-1]
    assert (run.status, shop.lane().blocked) == ("failed:logic", "script error")
    assert says in run.error["sentence"]
    assert run.error["sentence"].startswith(f"w.py, line {run.error['line']}: ") and run.error["line"] in (8, 9)
    assert shop.events() == {"a": "pending"}


def test_a_script_cannot_catch_what_its_tools_raise(shop: Shop) -> None:
    shop.world.read_fails = [fail(FailureClass.TRANSIENT)]
    shop.deploy(job(f'try:\n    {READS}\nexcept BaseException:\n    pass\nctx.done("went on")'))
    shop.clock.move(HOUR)
    shop.tick()
    [run] = shop.runs("j")
    assert (run.status, run.summary) == ("paused:transient", None)


def test_a_phase_over_its_limit_is_tried_again(shop: Shop) -> None:
    """F1: before a mutation that is a passing failure."""
    shop.deploy(job("import time\nwhile not ctx.cancelled:\n    time.sleep(0.01)", timeout="1s"))
    shop.clock.move(HOUR)
    shop.tick()
    [run] = shop.runs("j")
    assert run.status == "paused:transient"


def test_our_own_mistake_is_said_and_can_be_tried_again(shop: Shop) -> None:
    shop.deploy(job('ctx.done("fine")'))
    endings = "scheduler.engine.runs.endings.Endings.commit"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(endings, lambda *_: 1 / 0)
        shop.clock.move(HOUR)
        shop.tick()
    [run] = shop.runs("j")
    assert (run.status, run.error["class"]) == ("failed:internal", "internal")
    assert "ZeroDivisionError" in run.error["sentence"]
    [request] = shop.requests()
    assert (request.kind, shop.lane("j").blocked) == ("internal", "internal")
    shop.answering.retry(run.id)
    shop.tick()
    assert shop.runs("j")[-1].status == "committed"
    assert (shop.requests(), shop.lane("j").blocked) == ([], None)


def test_our_own_mistake_in_the_middle_of_an_action_does_not_make_it_act_again(shop: Shop) -> None:
    """Invariant 6: the call was made, and something of ours broke before that was written down."""
    shop.deploy(consumer())
    shop.tick()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("scheduler.engine.runs.stories.Story._note_success", lambda *_: 1 / 0)
        shop.publish("a")
        shop.wait(lambda: len(shop.world.checks) > 0)
    shop.tick()
    assert len(shop.world.calls) == 1
    assert shop.events() == {"a": "consumed"}
    assert shop.state("C")["told"] == ["applied", "found"]


def test_a_server_that_names_a_wait_is_not_asked_before(shop: Shop) -> None:
    """F2"""
    shop.world.read_fails = [fail(FailureClass.TRANSIENT, retry_after=120 * SECOND)]
    shop.deploy(job(READS))
    shop.clock.move(HOUR)
    shop.tick()
    shop.pass_time(119 * SECOND)
    assert len(shop.world.reads) == 1
    shop.pass_time(13 * SECOND)
    assert len(shop.world.reads) == 2
    assert shop.runs("j")[-1].status == "committed"


def test_a_server_that_names_a_shorter_wait_changes_nothing(shop: Shop) -> None:
    """F2"""
    shop.world.read_fails = [fail(FailureClass.TRANSIENT, retry_after=SECOND)]
    shop.deploy(job(READS))
    shop.clock.move(HOUR)
    shop.tick()
    shop.pass_time(29 * SECOND)
    assert len(shop.world.reads) == 1


def test_offline_for_a_day_blocks_nobody(shop: Shop) -> None:
    """F5: it goes on by itself within minutes of the network, and filled no history meanwhile."""
    shop.world.read_fails = [fail(FailureClass.TRANSIENT, "There is no network.", counts=False)] * 5_000
    shop.deploy(job(READS))
    shop.clock.move(HOUR)
    shop.pass_time(DAY)
    assert shop.requests() == []
    assert shop.lane("j").blocked == "retrying"
    assert 5 < len(shop.runs("j")) < 400
    shop.world.read_fails = []
    shop.pass_time(6 * MINUTE)
    assert shop.runs("j")[-1].status == "committed"
    assert shop.lane("j").blocked is None


def test_one_that_fails_leaves_the_others_on_time(shop: Shop) -> None:
    """F6"""
    shop.world.read_fails = [fail(FailureClass.LOGIC)]
    shop.deploy(job(READS).replace('"W"', '"R"'), path="r.py")
    shop.deploy(job('ctx.done("fine")'))
    began = shop.clock.wall
    shop.pass_time(3 * HOUR)
    assert shop.runs("j", "r")[-1].status == "failed:logic"
    assert [(run.status, run.began) for run in shop.runs("j")] == [
        ("committed", began + number * HOUR) for number in (1, 2, 3)
    ]


def test_a_failing_job_leaves_the_consumers_of_its_workflow_alone(shop: Shop) -> None:
    """F6: a job has a lane of its own."""
    shop.deploy(consumer() + f'\n@flow.job(every="1h")\ndef j(ctx):\n    {READS}\n')
    shop.world.read_fails = [fail(FailureClass.LOGIC)]
    shop.clock.move(HOUR)
    shop.tick()
    shop.publish("a")
    shop.tick()
    assert shop.runs("j")[-1].status == "failed:logic"
    assert shop.events() == {"a": "consumed"}
