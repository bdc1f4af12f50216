"""The outside action: written down before it is made, made once, and never forgotten."""

import threading
from datetime import datetime
from typing import Any

import pytest

from scheduler.rules.failures import FailureClass, classify_status
from scheduler.store import connections
from scheduler.store.errors import StoreError
from tests.engine.harness import HOUR, MINUTE, SECOND
from tests.runs.breaking import statements
from tests.runs.scripts import HEAD, consumer, producer
from tests.runs.shop import Shop, fail

FAILS_IN_NEXT = consumer().replace('state["told"]', 'assert not state.get("x") and {}["next"]\n        state["told"]')


def consumer_with(phase: str, line: str) -> str:
    """The usual consumer, which does one thing more at the beginning of a phase."""
    start = {
        "prepare": "def prepare(self, ctx, state):",
        "mutate": "def mutate(self, ctx, prepared):",
        "next": "def next(self, ctx, prepared, result, state):",
    }[phase]
    return consumer().replace(start, f"{start}\n        {line}")


def test_the_action_gets_a_key_that_stays_the_same_in_its_chain_and_differs_in_another(shop: Shop) -> None:
    shop.deploy(consumer())
    shop.world.fails = [fail(FailureClass.TRANSIENT)]
    shop.publish("a")
    shop.tick()
    shop.pass_time(40 * SECOND)
    shop.publish("b")
    shop.tick()
    first, again, other = (call.key for call in shop.world.calls)
    assert first == again
    assert first != other
    assert len(first) == 32


@pytest.mark.parametrize("answer", [None, 0, "", [], {"id": 7}, [1, "ü"]])
def test_its_result_goes_to_next(shop: Shop, answer: Any) -> None:
    """X1: whatever the tool answers."""
    shop.world.answer = answer
    shop.deploy(consumer())
    shop.publish("a")
    shop.tick()
    assert shop.state("C")["told"] == ["applied", answer]


def test_no_call_is_no_outcome(shop: Shop) -> None:
    shop.deploy(consumer().replace('ctx.call("world:x", "act", n=prepared.data)', "pass"))
    shop.publish("a")
    shop.tick()
    assert shop.state("C")["told"] == ["none", None]
    assert shop.mutation(shop.runs("C")[-1].id) is None
    assert shop.events() == {"a": "consumed"}


def by_durability(told: list[str]) -> tuple[list[str], list[str]]:
    """What was changed in transactions that wait for the disk, and in those that do not."""
    durable, guarded, quick = False, list[str](), list[str]()
    for statement in told:
        if statement.startswith("PRAGMA synchronous"):
            durable = statement.endswith("FULL")
        for mark in ("INSERT INTO mutations", "UPDATE mutations SET status", "INSERT INTO runs", "UPDATE events"):
            if statement.startswith(mark):
                (guarded if durable else quick).append(mark)
    return guarded, quick


@pytest.mark.parametrize(
    ("failure", "outcomes"), [(None, 1), (FailureClass.UNSURE, 2), (FailureClass.TRANSIENT, 1), (FailureClass.AUTH, 1)]
)
def test_only_the_commits_around_the_action_wait_for_the_disk(
    shop: Shop, failure: FailureClass | None, outcomes: int
) -> None:
    """A power cut must not forget that something is about to be done, or how it went; everything else may be quick."""
    shop.world.fails = [] if failure is None else [fail(failure)]
    shop.deploy(consumer())
    shop.tick()
    told = statements(shop)
    shop.publish("a")
    shop.tick()
    guarded, quick = by_durability(told)
    assert guarded == ["INSERT INTO mutations"] + ["UPDATE mutations SET status"] * outcomes
    assert set(quick) == {"INSERT INTO runs", "UPDATE events"}


def test_when_next_fails_only_next_is_tried_again_with_the_first_result(shop: Shop) -> None:
    """X8"""
    shop.world.answer = {"id": 1}
    shop.deploy(FAILS_IN_NEXT)
    shop.publish("a")
    shop.tick()
    [failed] = shop.runs("C")[-1:]
    assert (failed.status, failed.phase) == ("failed:logic", "mutated")
    assert shop.events() == {"a": "reserved"}
    shop.world.answer = "another"
    shop.deploy(consumer())
    shop.tick()
    assert len(shop.world.calls) == 1
    assert shop.state("C") == {"done": ["a"], "told": ["applied", {"id": 1}]}
    assert shop.events() == {"a": "consumed"}
    last = shop.runs("C")[-1]
    assert (last.retry_of, last.attempt, last.status) == (failed.id, 2, "committed")
    assert shop.requests() == []


@pytest.mark.parametrize(
    ("phase", "line", "says"),
    [
        ("mutate", 'ctx.call("world:x", "act"); ctx.call("world:x", "act")', None),
        ("mutate", 'ctx.call("world:x", "lo" + "ok")', "only reads"),
        ("mutate", 'ctx.publish("t", id="x")', "publish"),
        ("prepare", 'ctx.publish("t", id="x")', "publish"),
        ("prepare", 'ctx.call("world:x", "ac" + "t")', "only mutate may act"),
        ("next", 'ctx.call("world:x", "lo" + "ok")', "call"),
        ("next", 'ctx.publish(t, id="x")', "publish"),
    ],
)
def test_what_a_phase_may_not_do_is_the_fault_of_the_script(
    shop: Shop, phase: str, line: str, says: str | None
) -> None:
    """X9"""
    shop.deploy(consumer_with(phase, line))
    shop.publish("a")
    shop.tick()
    run = shop.runs("C")[-1]
    if says is None:  # the first call never returns, so there is no second
        assert (run.status, len(shop.world.calls)) == ("committed", 1)
        return
    assert run.status == "failed:logic"
    assert says in run.error["sentence"]
    assert len(shop.world.calls) == (phase == "next")
    assert shop.events() == {"a": "reserved" if phase == "next" else "pending"}


@pytest.mark.parametrize("everything", [False, True], ids=["this workflow", "all"])
def test_pause_while_it_acts_lets_it_finish_first(shop: Shop, *, everything: bool) -> None:
    """X11"""
    shop.world.gate = threading.Event()
    shop.deploy(consumer())
    shop.tick()
    shop.publish("a")
    shop.wait(shop.world.entered.is_set)
    shop.commands.pause_all() if everything else shop.commands.pause("w")
    shop.publish("b")
    shop.world.gate.set()
    shop.tick()
    assert shop.events() == {"a": "consumed", "b": "pending"}
    assert len(shop.world.calls) == 1
    shop.commands.resume_all() if everything else shop.commands.resume("w")
    shop.tick()
    assert shop.events() == {"a": "consumed", "b": "consumed"}


def test_a_server_that_fails_leaves_an_action_unsure_and_a_read_to_be_tried_again(shop: Shop) -> None:
    """X12"""
    shop.world.fails = [fail(classify_status(503, mutating=True))]
    shop.world.read_fails = [fail(classify_status(503, mutating=False))]
    shop.world.check_fails = [fail(FailureClass.TRANSIENT)]
    shop.deploy(consumer_with("prepare", 'ctx.call("world:x", "look")'))
    shop.publish("a")
    shop.tick()
    assert shop.runs("C")[-1].status == "paused:transient"
    shop.pass_time(33 * SECOND)
    assert shop.runs("C")[-1].status == "paused:reconciliation"
    assert len(shop.world.calls) == 1


def nested(depth: int) -> list[Any]:
    value: list[Any] = []
    for _ in range(depth):
        value = [value]
    return value


class Hostile(dict[str, Any]):
    """A connector of another maker may hand back anything."""

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
def test_an_action_whose_answer_cannot_be_stored_is_done_all_the_same(shop: Shop, answer: Any) -> None:
    """The tool said that it was done: nobody needs to look, and the script is told why there is no answer."""
    shop.world.answer = answer
    shop.deploy(consumer())
    shop.publish("a")
    shop.tick()
    assert (len(shop.world.calls), len(shop.world.checks)) == (1, 0)
    outcome, result = shop.state("C")["told"]
    assert outcome == "applied"
    assert result["note"].startswith("Done, but the answer could not be stored because it ")


@pytest.mark.parametrize("answer", UNSTORABLE, ids=lambda answer: type(answer).__name__)
def test_what_was_read_and_cannot_be_stored_is_a_failure_that_names_the_connection(shop: Shop, answer: Any) -> None:
    shop.world.read_answer = answer
    shop.deploy(consumer_with("prepare", 'ctx.call("world:x", "look")'))
    shop.publish("a")
    shop.tick()
    run = shop.runs("C")[-1]
    assert run.status == "failed:logic"
    assert "What world:x answered cannot be used because it " in str(run.error)


def test_a_refusal_before_anything_was_done_leaves_no_action_behind(shop: Shop) -> None:
    """Not connected: nothing was tried outside, so nothing is written down as tried."""
    shop.deploy(consumer())
    with shop.database.write() as db:
        db.execute("INSERT INTO connections VALUES ('world:x', '{}', 'Sign in again.', 0)")
    shop.publish("a")
    shop.tick()
    run = shop.runs("C")[-1]
    assert (run.status, run.phase, shop.mutation(run.id)) == ("paused:approval", "prepared", None)
    assert shop.events() == {"a": "pending"}
    assert shop.world.calls == []


@pytest.mark.parametrize("kind", [FailureClass.AUTH, FailureClass.PERMISSION])
def test_a_refusal_in_the_middle_of_acting_is_written_down_as_not_done(shop: Shop, kind: FailureClass) -> None:
    shop.world.fails = [fail(kind)]
    shop.deploy(consumer())
    shop.publish("a")
    shop.tick()
    run = shop.runs("C")[-1]
    mutation = shop.mutation(run.id)
    assert mutation is not None and mutation.status == "failed"
    assert (run.status, run.phase) == ("paused:approval", "mutating")
    assert shop.events() == {"a": "pending"}


def test_a_stop_while_it_acts_lets_the_call_end_and_keeps_what_is_done(shop: Shop) -> None:
    """Nobody can call back what is under way; what was acted on is dealt with, and the run is over."""
    shop.world.gate = threading.Event()
    shop.deploy(consumer())
    shop.tick()
    shop.publish("a")
    shop.wait(shop.world.entered.is_set)
    shop.commands.stop("w")
    shop.world.gate.set()
    shop.tick()
    assert shop.runs("C")[-1].status == "cancelled"
    assert shop.events() == {"a": "consumed"}
    mutation = shop.mutation(shop.runs("C")[-1].id)
    assert mutation is not None and mutation.status == "applied"


@pytest.mark.parametrize("moment", ["_write_beginning", "find"])
def test_a_stop_while_no_script_runs_is_not_lost(shop: Shop, moment: str) -> None:
    """It came as the run was about to begin, or after mutate had said what it wants: nothing is done outside."""
    shop.deploy(consumer())
    shop.tick()
    owner: Any = shop.house.layer if moment == "_write_beginning" else shop.house.layer.tools
    method = getattr(owner, moment)

    def stop_first(*args: Any, **named: Any) -> Any:
        shop.house.layer.stop("w/C", kill=False)
        return method(*args, **named)

    setattr(owner, moment, stop_first)
    shop.publish("a")
    shop.tick()
    assert shop.world.calls == []
    assert [run.status for run in shop.runs("C")[1:]] == ["cancelled"]
    assert shop.events() == {"a": "pending"}


def test_a_phase_that_nobody_waits_for_any_more_ends_with_its_run(shop: Shop) -> None:
    """Next runs ahead while prepare is stored; what it does is nobody's business once that has failed."""
    shop.deploy(
        HEAD
        + """
@flow.consumer(subscribe=[t])
class C:
    def prepare(self, ctx, state):
        gone = dayhand.Event(id="gone", title="", data=None, topic=t, published_at=None)
        return dayhand.prepared(reserve=[gone], data=1, say="gone") if ctx.peek(t) else dayhand.nothing()

    def next(self, ctx, prepared, result, state):
        ctx.publish(t, id="x")
"""
    )
    shop.publish("a")
    shop.tick()
    run = shop.runs("C")[-1]
    assert run.status == "failed:logic"
    assert "could reserve" in run.error["sentence"]
    assert shop.events() == {"a": "pending"}


def last_use(shop: Shop) -> datetime | None:
    return connections.last_uses(shop.database.read()).get("world:x")


@pytest.mark.parametrize("script", [consumer(), producer('ctx.call("world:x", "look")')], ids=["acts", "reads"])
def test_when_a_connection_was_used_is_known_to_the_minute(shop: Shop, script: str) -> None:
    assert last_use(shop) is None
    shop.deploy(script)
    shop.publish("a")
    shop.tick()
    first = last_use(shop)
    assert first is not None and shop.clock.wall - first < MINUTE
    shop.pass_time(HOUR)
    shop.publish("b")
    shop.tick()
    later = last_use(shop)
    assert later is not None and later - first >= HOUR


def test_a_use_that_cannot_be_noted_is_no_reason_to_fail(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any) -> None:
        raise StoreError("The disk is full.")

    monkeypatch.setattr(connections, "note_use", refuse)
    shop.deploy(consumer())
    shop.publish("a")
    shop.tick()
    assert last_use(shop) is None
    assert shop.events() == {"a": "consumed"}


def test_what_was_disconnected_was_never_used(shop: Shop) -> None:
    with shop.database.write() as db:
        connections.note_use(db, "world:x", shop.clock.wall)
        connections.note_use(db, "world:xy", shop.clock.wall)
        connections.remove(db, "world:x")
    assert set(connections.last_uses(shop.database.read())) == {"world:xy"}
