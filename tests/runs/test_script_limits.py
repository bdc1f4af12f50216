"""The host memory that one script can use is limited, with real workers."""

import gc
import tracemalloc
from collections.abc import Iterator

import pytest

from scheduler.engine.runs import script_host
from scheduler.rules import script_limits
from scheduler.rules.phases import RunStatus
from tests.runs.runtime_fixture import RuntimeFixture
from tests.runs.scripts import consumer, job, prepare, producer

ENDLESS = """
n = 0
while True:
    n += 1
    ctx.publish(t, id=str(n), data={data})
"""


def failure_sentence(runtime: RuntimeFixture) -> str:
    [failed] = [run for run in runtime.runs() if run.status is RunStatus.LOGIC]
    assert failed.error is not None
    return str(failed.error["sentence"])


def test_endless_publishing_is_stopped_with_advice(runtime: RuntimeFixture) -> None:
    runtime.deploy(producer(ENDLESS.format(data="n")))
    runtime.tick()
    assert failure_sentence(runtime) == (
        "w.py, line 6: It published more than 10,000 events or 16 MB without a checkpoint. "
        "Call ctx.checkpoint(state) after each part."
    )
    assert runtime.events() == {}, "uncommitted events are not visible"


def test_endless_publishing_of_large_events_is_stopped_by_size(runtime: RuntimeFixture) -> None:
    runtime.deploy(producer(ENDLESS.format(data="'x' * 900_000")))
    runtime.tick()
    assert "more than 10,000 events or 16 MB without a checkpoint" in failure_sentence(runtime)


def test_an_event_that_is_too_large_is_refused(runtime: RuntimeFixture) -> None:
    runtime.deploy(producer("ctx.publish(t, id='a', data='x' * (2 << 20))"))
    runtime.tick()
    assert "The event 'a' is 2.0 MB; the limit is 1 MB." in failure_sentence(runtime)


def test_any_number_of_events_can_be_published_with_checkpoints(
    runtime: RuntimeFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(script_limits, "MAX_EVENTS", 10)
    body = "for n in range(35):\n    if n % 10 == 0: ctx.checkpoint({'n': n})\n    ctx.publish(t, id=str(n))"
    runtime.deploy(producer(body))
    runtime.tick()
    assert len(runtime.events()) == 35
    assert {run.status for run in runtime.runs()} == {RunStatus.COMMITTED}


def test_peeking_at_too_many_events_is_refused_without_loading_the_rest(
    runtime: RuntimeFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(script_host, "MAX_PEEK_BYTES", 1 << 20)
    runtime.deploy(prepare("ctx.peek(t, limit=10**9)\nreturn dayhand.nothing()"))
    runtime.tick()
    for n in range(30):
        runtime.publish(str(n), "x" * 50_000)
    runtime.tick()
    assert (
        "The script read more than 1 MB of events in one run. Ask for fewer: ctx.peek(…, limit=100)."
        in failure_sentence(runtime)
    )


def test_a_tool_result_that_is_too_large_is_refused(runtime: RuntimeFixture) -> None:
    runtime.service.inbox = ["x" * (17 << 20)]
    runtime.deploy(job("ctx.call('world:x', 'look')"))
    runtime.commands.run("w")
    runtime.tick()
    assert "look of world:x returned 17.0 MB; the limit is 16 MB. Ask for less." in failure_sentence(runtime)


def test_a_result_with_too_many_values_is_refused(runtime: RuntimeFixture) -> None:
    """Each uses far more host memory than its two or three bytes."""
    runtime.deploy(job("return [[] for _ in range(1_100_000)]"))
    runtime.commands.run("w")
    runtime.tick()
    assert "the return value was too large: more than 1,000,000 values" in failure_sentence(runtime)


def test_a_long_summary_is_cut(runtime: RuntimeFixture) -> None:
    runtime.deploy(job("ctx.done('x' * 100_000)"))
    runtime.commands.run("w")
    runtime.tick()
    [run] = runtime.runs()
    assert run.summary == "x" * 1_999 + "…"


def test_a_phase_gets_its_inputs_even_if_each_has_the_maximum_size(runtime: RuntimeFixture) -> None:
    """A run that has acted must never get stuck because `next` cannot get its inputs."""
    large = "'x' * (15 << 20)"
    source = (
        consumer()
        .replace("data=[event.id for event in batch]", f"data={large}")
        .replace("n=prepared.data", "n=1")
        .replace('state["done"] = state.get("done", []) + prepared.data', f'state["done"] = {large}')
        .replace('state["told"] = [ctx.outcome, result]', "")
        .replace("str(len(prepared.data))", "''")
    )
    runtime.service.answer = "x" * (15 << 20)
    runtime.deploy(source)
    for name in ("a", "b"):
        runtime.publish(name, "x" * 900_000)
        runtime.tick()
    assert runtime.events() == {"a": "consumed", "b": "consumed"}


@pytest.fixture
def no_collection() -> Iterator[None]:
    """Disable garbage collection, which few but large objects would not trigger either."""
    gc.collect()
    gc.disable()
    tracemalloc.start()
    yield
    tracemalloc.stop()
    gc.enable()


def test_a_finished_run_keeps_no_data_in_memory(runtime: RuntimeFixture, no_collection: None) -> None:
    rest = "def next(self, ctx, prepared, result, state):\n    return {'large': prepared.data}"
    body = "return dayhand.prepared(reserve=ctx.peek(t), data='x' * (3 << 20)) if ctx.peek(t) else dayhand.nothing()"
    runtime.deploy(prepare(body, rest))
    before = 0
    for n in range(6):
        runtime.publish(str(n))
        runtime.tick()
        before = before or tracemalloc.get_traced_memory()[0]
    assert set(runtime.events().values()) == {"consumed"}
    assert tracemalloc.get_traced_memory()[0] - before < 3 << 20


def test_a_failed_run_keeps_no_data_in_memory(runtime: RuntimeFixture, no_collection: None) -> None:
    runtime.deploy(producer("ctx.checkpoint({'large': 'x' * (3 << 20)})\nctx.publish(t, id='x' * 2000)"))
    before = 0
    for _ in range(6):
        runtime.tick()
        before = before or tracemalloc.get_traced_memory()[0]
        runtime.request_commands.retry(runtime.runs()[-1].id)
    runtime.tick()
    assert len([run for run in runtime.runs() if run.status is RunStatus.LOGIC]) > 5
    assert tracemalloc.get_traced_memory()[0] - before < 3 << 20
