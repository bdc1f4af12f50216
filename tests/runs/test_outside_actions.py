"""The outside action: stored before it is made, made once, and never forgotten."""

import threading
from datetime import datetime
from typing import Any

import pytest

from scheduler.rules.failures import FailureClass, classify_http_status
from scheduler.store import connections
from scheduler.store.errors import StoreError
from tests.engine.engine_fixture import HOUR, MINUTE, SECOND
from tests.runs.fault_injection import record_statements
from tests.runs.runtime_fixture import RuntimeFixture, fail
from tests.runs.scripts import HEAD, consumer, prepare, producer

FAILS_IN_NEXT = consumer().replace('state["told"]', 'assert not state.get("x") and {}["next"]\n        state["told"]')


def consumer_with(phase: str, line: str) -> str:
    """The usual consumer with an extra line at the start of a phase."""
    start = {
        "prepare": "def prepare(self, ctx, state):",
        "mutate": "def mutate(self, ctx, prepared):",
        "next": "def next(self, ctx, prepared, result, state):",
    }[phase]
    return consumer().replace(start, f"{start}\n        {line}")


def test_the_idempotency_key_is_the_same_within_a_chain_and_differs_between_chains(runtime: RuntimeFixture) -> None:
    runtime.deploy(consumer())
    runtime.service.fails = [fail(FailureClass.TRANSIENT)]
    runtime.publish("a")
    runtime.tick()
    runtime.pass_time(40 * SECOND)
    runtime.publish("b")
    runtime.tick()
    first, again, other = (call.key for call in runtime.service.calls)
    assert first == again
    assert first != other
    assert len(first) == 32


@pytest.mark.parametrize("answer", [None, 0, "", [], {"id": 7}, [1, "ü"]])
def test_the_result_of_the_action_goes_to_next(runtime: RuntimeFixture, answer: Any) -> None:
    """Whatever the tool returns."""
    runtime.service.answer = answer
    runtime.deploy(consumer())
    runtime.publish("a")
    runtime.tick()
    assert runtime.state("C")["told"] == ["applied", answer]


def test_without_a_call_the_outcome_is_none(runtime: RuntimeFixture) -> None:
    runtime.deploy(consumer().replace('ctx.call("world:x", "act", n=prepared.data)', "pass"))
    runtime.publish("a")
    runtime.tick()
    assert runtime.state("C")["told"] == ["none", None]
    assert runtime.mutation(runtime.runs("C")[-1].id) is None
    assert runtime.events() == {"a": "consumed"}


def by_durability(statements: list[str]) -> tuple[list[str], list[str]]:
    """The changes made in durable transactions, and in others."""
    is_durable, durable, quick = False, list[str](), list[str]()
    for statement in statements:
        if statement.startswith("PRAGMA synchronous"):
            is_durable = statement.endswith("FULL")
        for mark in ("INSERT INTO mutations", "UPDATE mutations SET status", "INSERT INTO runs", "UPDATE events"):
            if statement.startswith(mark):
                (durable if is_durable else quick).append(mark)
    return durable, quick


@pytest.mark.parametrize(
    ("failure", "outcomes"), [(None, 1), (FailureClass.UNSURE, 2), (FailureClass.TRANSIENT, 1), (FailureClass.AUTH, 1)]
)
def test_only_the_transactions_around_the_action_are_durable(
    runtime: RuntimeFixture, failure: FailureClass | None, outcomes: int
) -> None:
    """A power cut must not lose that an action started, or its outcome; everything else may be quick."""
    runtime.service.fails = [] if failure is None else [fail(failure)]
    runtime.deploy(consumer())
    runtime.tick()
    executed = record_statements(runtime)
    runtime.publish("a")
    runtime.tick()
    durable, quick = by_durability(executed)
    assert durable == ["INSERT INTO mutations"] + ["UPDATE mutations SET status"] * outcomes
    assert set(quick) == {"INSERT INTO runs", "UPDATE events"}


@pytest.mark.parametrize("has_mutate", [True, False], ids=["with mutate", "without mutate"])
def test_the_first_attempt_passes_through_emitting(
    runtime: RuntimeFixture,
    has_mutate: bool,  # noqa: FBT001
) -> None:
    """It is recorded with the outcome, or with what prepare decided, while next already runs."""
    before, after = consumer().split("    def mutate")
    source = consumer() if has_mutate else before + after[after.index("    def next") :]
    source = source.replace('        state["done"]', '        import time; time.sleep(3600)\n        state["done"]')
    runtime.deploy(source)
    runtime.tick()
    runtime.publish("a")
    runtime.wait(lambda: runtime.runs("C")[-1].phase == "emitting")
    assert runtime.runs("C")[-1].status == "active"


def test_when_next_fails_only_next_is_retried_with_the_first_result(runtime: RuntimeFixture) -> None:
    runtime.service.answer = {"id": 1}
    runtime.deploy(FAILS_IN_NEXT)
    runtime.publish("a")
    runtime.tick()
    [failed] = runtime.runs("C")[-1:]
    assert (failed.status, failed.phase) == ("failed:logic", "emitting")
    assert runtime.events() == {"a": "reserved"}
    runtime.service.answer = "another"
    runtime.deploy(consumer())
    runtime.tick()
    assert len(runtime.service.calls) == 1
    assert runtime.state("C") == {"done": ["a"], "told": ["applied", {"id": 1}]}
    assert runtime.events() == {"a": "consumed"}
    last = runtime.runs("C")[-1]
    assert (last.retry_of, last.attempt, last.status) == (failed.id, 2, "committed")
    assert runtime.requests() == []


@pytest.mark.parametrize(
    ("phase", "line", "says"),
    [
        ("mutate", 'ctx.call("world:x", "act"); ctx.call("world:x", "act")', None),
        ("mutate", 'ctx.call("world:x", "lo" + "ok")', "only reads"),
        ("mutate", 'its = ctx; its.publish("t", id="x")', "publish"),
        ("prepare", 'its = ctx; its.publish("t", id="x")', "publish"),
        ("prepare", 'ctx.call("world:x", "ac" + "t")', "only mutate may act"),
        ("next", 'its = ctx; its.call("world:x", "lo" + "ok")', "call"),
        ("next", 'its = ctx; its.publish(t, id="x")', "publish"),
    ],
)
def test_a_forbidden_call_in_a_phase_is_a_logic_failure(
    runtime: RuntimeFixture, phase: str, line: str, says: str | None
) -> None:
    runtime.deploy(consumer_with(phase, line))
    runtime.publish("a")
    runtime.tick()
    run = runtime.runs("C")[-1]
    if says is None:  # the first call never returns, so there is no second
        assert (run.status, len(runtime.service.calls)) == ("committed", 1)
        return
    assert run.status == "failed:logic"
    assert says in run.error["sentence"]
    assert len(runtime.service.calls) == (phase == "next")
    assert runtime.events() == {"a": "reserved" if phase == "next" else "pending"}


@pytest.mark.parametrize("everything", [False, True], ids=["this workflow", "all"])
def test_a_pause_during_an_action_lets_the_run_finish(runtime: RuntimeFixture, *, everything: bool) -> None:
    runtime.service.gate = threading.Event()
    runtime.deploy(consumer())
    runtime.tick()
    runtime.publish("a")
    runtime.wait(runtime.service.entered.is_set)
    runtime.commands.pause_all() if everything else runtime.commands.pause("w")
    runtime.publish("b")
    runtime.service.gate.set()
    runtime.tick()
    assert runtime.events() == {"a": "consumed", "b": "pending"}
    assert len(runtime.service.calls) == 1
    runtime.commands.resume_all() if everything else runtime.commands.resume("w")
    runtime.tick()
    assert runtime.events() == {"a": "consumed", "b": "consumed"}


def test_a_server_error_makes_an_action_unsure_and_a_read_retried(runtime: RuntimeFixture) -> None:
    runtime.service.fails = [fail(classify_http_status(503, mutating=True))]
    runtime.service.read_fails = [fail(classify_http_status(503, mutating=False))]
    runtime.service.check_fails = [fail(FailureClass.TRANSIENT)]
    runtime.deploy(consumer_with("prepare", 'ctx.call("world:x", "look")'))
    runtime.publish("a")
    runtime.tick()
    assert runtime.runs("C")[-1].status == "paused:transient"
    runtime.pass_time(33 * SECOND)
    assert runtime.runs("C")[-1].status == "paused:reconciliation"
    assert len(runtime.service.calls) == 1


def nested(depth: int) -> list[Any]:
    value: list[Any] = []
    for _ in range(depth):
        value = [value]
    return value


class Hostile(dict[str, Any]):
    """A third-party connector may return anything."""

    def items(self) -> Any:
        raise RuntimeError


UNSTORABLE = [
    float("nan"),
    float("inf"),
    {1, 2},
    b"bytes",
    10**5000,
    nested(700),
    nested(100_000),
    Hostile(a=1),
    object(),
]


@pytest.mark.parametrize("answer", [*UNSTORABLE, "x" * 9_000_000], ids=lambda answer: type(answer).__name__)
def test_an_action_with_an_unstorable_result_counts_as_applied(runtime: RuntimeFixture, answer: Any) -> None:
    """The tool reported success: no check is needed, and the script sees why there is no result."""
    runtime.service.answer = answer
    runtime.deploy(consumer())
    runtime.publish("a")
    runtime.tick()
    assert (len(runtime.service.calls), len(runtime.service.checks)) == (1, 0)
    outcome, result = runtime.state("C")["told"]
    assert outcome == "applied"
    assert result["note"].startswith("Done, but the answer could not be stored because it ")


@pytest.mark.parametrize("answer", UNSTORABLE, ids=lambda answer: type(answer).__name__)
def test_a_read_with_an_unstorable_result_fails_and_names_the_connection(runtime: RuntimeFixture, answer: Any) -> None:
    runtime.service.read_answer = answer
    runtime.deploy(consumer_with("prepare", 'ctx.call("world:x", "look")'))
    runtime.publish("a")
    runtime.tick()
    run = runtime.runs("C")[-1]
    assert run.status == "failed:logic"
    assert "The answer of world:x cannot be used because it " in str(run.error)


@pytest.mark.parametrize(("done", "told"), [("", "There was nothing to do."), ("Had it", "Had it")])
def test_a_mutate_without_a_call_says_so(runtime: RuntimeFixture, done: str, told: str) -> None:
    """Unless the script has its own sentence."""
    rest = (
        "def mutate(self, ctx, prepared):\n    pass\n"
        "def next(self, ctx, prepared, result, state):\n"
        f"    ctx.done({done!r}) if {bool(done)} else None\n    return {{'told': ctx.outcome}}"
    )
    runtime.deploy(prepare("return dayhand.prepared(reserve=ctx.peek(t))", rest))
    runtime.publish("a")
    runtime.tick()
    run = runtime.runs("C")[-1]
    assert (run.status, run.summary, run.outcome) == ("committed", told, None)
    assert runtime.state("C") == {"told": "none"} and runtime.mutation(run.id) is None


def test_a_refusal_before_the_call_stores_no_mutation(runtime: RuntimeFixture) -> None:
    """Not connected: no call was made, so none is stored."""
    runtime.deploy(consumer())
    with runtime.database.write() as db:
        db.execute("INSERT INTO connections VALUES ('world:x', '{}', 'Sign in again.', 0)")
    runtime.publish("a")
    runtime.tick()
    run = runtime.runs("C")[-1]
    assert (run.status, run.phase, runtime.mutation(run.id)) == ("paused:approval", "prepared", None)
    assert runtime.events() == {"a": "reserved"}
    assert runtime.service.calls == []


@pytest.mark.parametrize("kind", [FailureClass.AUTH, FailureClass.PERMISSION])
def test_a_refused_call_is_stored_as_failed(runtime: RuntimeFixture, kind: FailureClass) -> None:
    runtime.service.fails = [fail(kind)]
    runtime.deploy(consumer())
    runtime.publish("a")
    runtime.tick()
    run = runtime.runs("C")[-1]
    mutation = runtime.mutation(run.id)
    assert mutation is not None and mutation.status == "failed"
    assert (run.status, run.phase) == ("paused:approval", "mutating")
    assert runtime.events() == {"a": "pending"}


def test_a_stop_during_an_action_waits_for_the_call_and_keeps_its_outcome(runtime: RuntimeFixture) -> None:
    """A call in flight cannot be undone: its events are settled and the run is cancelled."""
    runtime.service.gate = threading.Event()
    runtime.deploy(consumer())
    runtime.tick()
    runtime.publish("a")
    runtime.wait(runtime.service.entered.is_set)
    runtime.commands.stop("w")
    runtime.service.gate.set()
    runtime.tick()
    assert runtime.runs("C")[-1].status == "cancelled"
    assert runtime.events() == {"a": "consumed"}
    mutation = runtime.mutation(runtime.runs("C")[-1].id)
    assert mutation is not None and mutation.status == "applied"


@pytest.mark.parametrize("moment", ["_record_start", "find"])
def test_a_stop_between_phases_is_not_lost(runtime: RuntimeFixture, moment: str) -> None:
    """It came as the run was starting, or after mutate had named its call: no action is made."""
    runtime.deploy(consumer())
    runtime.tick()
    owner: Any = runtime.services.runner if moment == "_record_start" else runtime.services.runner.tools
    method = getattr(owner, moment)

    def stop_first(*args: Any, **named: Any) -> Any:
        runtime.services.engine.dispatch.stop("w/C", kill=False)
        return method(*args, **named)

    setattr(owner, moment, stop_first)
    runtime.publish("a")
    runtime.tick()
    assert runtime.service.calls == []
    assert [run.status for run in runtime.runs("C")[1:]] == ["cancelled"]
    assert runtime.events() == {"a": "pending"}


def test_a_phase_started_ahead_ends_with_its_failed_run(runtime: RuntimeFixture) -> None:
    """`next` starts while prepare is being stored; its result is dropped if that fails."""
    runtime.deploy(
        HEAD
        + """
@flow.consumer(subscribe=[t])
class C:
    def prepare(self, ctx, state):
        gone = dayhand.Event(id="gone", title="", data=None, topic=t, published_at=None)
        return dayhand.prepared(reserve=[gone], data=1, say="gone") if ctx.peek(t) else dayhand.nothing()

    def next(self, ctx, prepared, result, state):
        raise ValueError("x")
"""
    )
    runtime.publish("a")
    runtime.tick()
    run = runtime.runs("C")[-1]
    assert run.status == "failed:logic"
    assert "to reserve" in run.error["sentence"]
    assert runtime.events() == {"a": "pending"}


def last_use(runtime: RuntimeFixture) -> datetime | None:
    return connections.last_uses(runtime.database.read()).get("world:x")


@pytest.mark.parametrize("script", [consumer(), producer('ctx.call("world:x", "look")')], ids=["acts", "reads"])
def test_the_last_use_of_a_connection_is_stored_to_the_minute(runtime: RuntimeFixture, script: str) -> None:
    assert last_use(runtime) is None
    runtime.deploy(script)
    runtime.publish("a")
    runtime.tick()
    first = last_use(runtime)
    assert first is not None and runtime.clock.wall - first < MINUTE
    runtime.pass_time(HOUR)
    runtime.publish("b")
    runtime.tick()
    later = last_use(runtime)
    assert later is not None and later - first >= HOUR


def test_a_run_succeeds_even_if_the_last_use_cannot_be_stored(
    runtime: RuntimeFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: Any) -> None:
        raise StoreError("The disk is full.")

    monkeypatch.setattr(connections, "note_use", refuse)
    runtime.deploy(consumer())
    runtime.publish("a")
    runtime.tick()
    assert last_use(runtime) is None
    assert runtime.events() == {"a": "consumed"}


def test_disconnecting_deletes_the_last_use(runtime: RuntimeFixture) -> None:
    with runtime.database.write() as db:
        connections.note_use(db, "world:x", runtime.clock.wall)
        connections.note_use(db, "world:xy", runtime.clock.wall)
        connections.remove(db, "world:x")
    assert set(connections.last_uses(runtime.database.read())) == {"world:xy"}
