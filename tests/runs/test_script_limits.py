"""Invariant 17: what one script can take of the host's memory is bounded, with real workers."""

import gc
import tracemalloc
from collections.abc import Iterator

import pytest

from scheduler.engine.runs import conversation
from scheduler.rules import script_limits
from scheduler.rules.phases import Status
from tests.runs.scripts import consumer, job, prepare, producer
from tests.runs.shop import Shop

ENDLESS = """
n = 0
while True:
    n += 1
    ctx.publish(t, id=str(n), data={data})
"""


def the_failure(shop: Shop) -> str:
    [failed] = [run for run in shop.runs() if run.status is Status.LOGIC]
    assert failed.error is not None
    return str(failed.error["sentence"])


def test_endless_publishing_ends_with_the_way_out(shop: Shop) -> None:
    shop.deploy(producer(ENDLESS.format(data="n")))
    shop.tick()
    assert the_failure(shop) == (
        "w.py, line 6: It published more than 10,000 events or 16 MB without a checkpoint. "
        "Call ctx.checkpoint(state) after each part."
    )
    assert shop.events() == {}, "what was not committed is not visible"


def test_endless_publishing_of_large_events_ends_by_their_size(shop: Shop) -> None:
    shop.deploy(producer(ENDLESS.format(data="'x' * 900_000")))
    shop.tick()
    assert "more than 10,000 events or 16 MB without a checkpoint" in the_failure(shop)


def test_one_event_that_is_too_large_is_refused(shop: Shop) -> None:
    shop.deploy(producer("ctx.publish(t, id='a', data='x' * (2 << 20))"))
    shop.tick()
    assert "The event 'a' has 2.0 MB; one event may have 1 MB." in the_failure(shop)


def test_with_checkpoints_any_number_is_published(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(script_limits, "MOST_EVENTS", 10)
    body = "for n in range(35):\n    if n % 10 == 0: ctx.checkpoint({'n': n})\n    ctx.publish(t, id=str(n))"
    shop.deploy(producer(body))
    shop.tick()
    assert len(shop.events()) == 35
    assert {run.status for run in shop.runs()} == {Status.COMMITTED}


def test_looking_at_more_than_fits_is_refused_and_loads_no_more(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(conversation, "LARGEST_PEEK", 1 << 20)
    shop.deploy(prepare("ctx.peek(t, limit=10**9)\nreturn dayhand.nothing()"))
    shop.tick()
    for n in range(30):
        shop.publish(str(n), "x" * 50_000)
    shop.tick()
    assert "It looked at more than 1 MB of events in one run. Ask for fewer: ctx.peek(…, limit=100)." in the_failure(
        shop
    )


def test_an_answer_that_is_too_large_is_refused(shop: Shop) -> None:
    shop.world.inbox = ["x" * (17 << 20)]
    shop.deploy(job("ctx.call('world:x', 'look')"))
    shop.commands.run("w")
    shop.tick()
    assert "look of world:x answered with 17.0 MB; a script may get 16 MB at once. Ask for less." in the_failure(shop)


def test_too_many_small_values_are_refused_where_they_are_returned(shop: Shop) -> None:
    """Each takes the host far more memory than its two or three bytes."""
    shop.deploy(job("return [[] for _ in range(1_100_000)]"))
    shop.commands.run("w")
    shop.tick()
    assert "what it returned was refused: a message of more than 1,000,000 values" in the_failure(shop)


def test_what_a_script_says_is_cut(shop: Shop) -> None:
    shop.deploy(job("ctx.done('x' * 100_000)"))
    shop.commands.run("w")
    shop.tick()
    [run] = shop.runs()
    assert run.summary == "x" * 1_999 + "…"


def test_all_that_a_phase_may_get_reaches_it_although_each_part_has_the_largest_size(shop: Shop) -> None:
    """A run that has acted must never stand still because `next` cannot be told."""
    large = "'x' * (15 << 20)"
    source = (
        consumer()
        .replace("data=[event.id for event in batch]", f"data={large}")
        .replace("n=prepared.data", "n=1")
        .replace('state["done"] = state.get("done", []) + prepared.data', f'state["done"] = {large}')
        .replace('state["told"] = [ctx.outcome, result]', "")
        .replace("str(len(prepared.data))", "''")
    )
    shop.world.answer = "x" * (15 << 20)
    shop.deploy(source)
    for name in ("a", "b"):
        shop.publish(name, "x" * 900_000)
        shop.tick()
    assert shop.events() == {"a": "consumed", "b": "consumed"}


@pytest.fixture
def no_collection() -> Iterator[None]:
    """No garbage is collected, as is usual where few objects are made, however large they are."""
    gc.collect()
    gc.disable()
    tracemalloc.start()
    yield
    tracemalloc.stop()
    gc.enable()


def test_a_run_that_is_over_keeps_none_of_its_data(shop: Shop, no_collection: None) -> None:
    rest = "def next(self, ctx, prepared, result, state):\n    return {'large': prepared.data}"
    body = "return dayhand.prepared(reserve=ctx.peek(t), data='x' * (3 << 20)) if ctx.peek(t) else dayhand.nothing()"
    shop.deploy(prepare(body, rest))
    before = 0
    for n in range(6):
        shop.publish(str(n))
        shop.tick()
        before = before or tracemalloc.get_traced_memory()[0]
    assert set(shop.events().values()) == {"consumed"}
    assert tracemalloc.get_traced_memory()[0] - before < 3 << 20


def test_a_run_that_failed_keeps_none_of_what_it_said(shop: Shop, no_collection: None) -> None:
    shop.deploy(producer("ctx.checkpoint({'large': 'x' * (3 << 20)})\nctx.publish(t, id='x' * 2000)"))
    before = 0
    for _ in range(6):
        shop.tick()
        before = before or tracemalloc.get_traced_memory()[0]
        shop.answering.retry(shop.runs()[-1].id)
    shop.tick()
    assert len([run for run in shop.runs() if run.status is Status.LOGIC]) > 5
    assert tracemalloc.get_traced_memory()[0] - before < 3 << 20
