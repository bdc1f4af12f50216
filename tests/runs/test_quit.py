"""An orderly end is no crash: what runs is asked to end, and goes on at the next start."""

import os
import threading
from typing import Any

import pytest

from scheduler.engine.house import House
from scheduler.rules.failures import FailureClass
from tests.engine.harness import DAY, HOUR
from tests.runs.scripts import consumer, job
from tests.runs.shop import Shop, fail


def restart(shop: Shop) -> None:
    shop.close()
    shop.open()
    shop.tick()


def long_job(shop: Shop, **options: str) -> str:
    """Says that it runs, and ends when it is asked to or allowed to."""
    return job(
        f"""
import pathlib, time
here = pathlib.Path({str(shop.folder)!r})
(here / "started").touch()
while not (here / "finish").exists() and not ctx.cancelled:
    time.sleep(0.01)
ctx.done("finished")
""",
        **options,
    )


def test_a_job_goes_on_at_the_next_start_and_that_is_no_crash(shop: Shop) -> None:
    shop.deploy(long_job(shop, after_crash="again"))
    shop.clock.move(HOUR)
    shop.wait((shop.folder / "started").exists)
    (shop.folder / "started").unlink()
    shop.close()
    shop.open()
    [first] = shop.runs("j")
    assert (first.status, first.crashes) == ("crashed", 0)
    assert [one.state for one in shop.occurrences("j")] == ["started"]
    (shop.folder / "finish").touch()
    shop.tick()
    assert [run.status for run in shop.runs("j")] == ["crashed", "committed"]
    assert [one.state for one in shop.occurrences("j")] == ["succeeded"]
    assert (shop.requests(), shop.handler("j").failures) == ([], 0)


@pytest.mark.parametrize(("after_crash", "asked", "state"), [("ask", 1, "started"), ("never", 0, "failed")])
def test_a_job_that_was_cut_off_does_not_begin_again_unasked(
    shop: Shop, after_crash: str, asked: int, state: str
) -> None:
    """after_crash says what being cut off means, also when the person quit in order."""
    shop.deploy(long_job(shop, after_crash=after_crash))
    shop.clock.move(HOUR)
    shop.wait((shop.folder / "started").exists)
    restart(shop)
    assert [run.status for run in shop.runs("j")] == ["crashed"]
    assert len(shop.requests()) == asked
    assert [one.state for one in shop.occurrences("j")] == [state]


def test_many_orderly_ends_do_not_add_up_to_a_failure(shop: Shop) -> None:
    shop.deploy(long_job(shop, after_crash="again"))
    shop.clock.move(HOUR)
    for _ in range(4):
        shop.wait((shop.folder / "started").exists)
        (shop.folder / "started").unlink()
        shop.close()
        shop.open()
    (shop.folder / "finish").touch()
    shop.tick()
    assert [run.status for run in shop.runs("j")] == ["crashed"] * 4 + ["committed"]


def test_an_end_while_it_acts_waits_for_the_call_and_goes_on_after_it(shop: Shop) -> None:
    """U2: the outcome is known and kept; only next is left to do."""
    shop.world.gate = threading.Event()
    shop.deploy(consumer())
    shop.tick()
    shop.publish("a")
    shop.wait(shop.world.entered.is_set)
    closing = threading.Thread(target=shop.house.close)
    closing.start()
    assert closing.is_alive()
    shop.world.gate.set()
    closing.join()
    run = shop.runs("C")[-1]
    mutation = shop.mutation(run.id)
    assert mutation is not None
    assert (run.status, run.phase, mutation.status) == ("crashed", "mutated", "applied")
    assert shop.events() == {"a": "reserved"}
    restart(shop)
    assert len(shop.world.calls) == 1
    assert shop.events() == {"a": "consumed"}
    assert shop.state("C")["told"] == ["applied", "done"]


def test_an_end_before_it_acts_begins_anew_and_acts_once(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    """Asked to end between two phases: nothing is begun any more that could not be finished."""
    shop.deploy(consumer())
    shop.tick()
    find, closing = shop.house.layer.tools.find, []

    def close_first(*args: Any) -> Any:
        thread = threading.Thread(target=shop.house.close)
        thread.start()
        closing.append(thread)
        while not shop.house.layer._stops:
            pass
        return find(*args)

    monkeypatch.setattr(shop.house.layer.tools, "find", close_first)
    shop.publish("a")
    shop.wait(lambda: bool(closing))
    closing[0].join()
    assert shop.world.calls == []
    assert shop.runs("C")[-1].status == "crashed"
    assert shop.events() == {"a": "pending"}
    restart(shop)
    assert len(shop.world.calls) == 1
    assert shop.events() == {"a": "consumed"}


def test_what_waits_is_not_touched(shop: Shop) -> None:
    shop.world.read_fails = [fail(FailureClass.TRANSIENT)]
    shop.deploy(consumer(approve="always") + '\n@flow.job(every="1h")\ndef j(ctx):\n    ctx.call("world:x", "look")\n')
    shop.publish("a")
    shop.clock.move(HOUR)
    shop.tick()
    before = shop.runs()
    shop.close()
    shop.open()
    assert shop.runs() == before
    [request] = shop.requests()
    shop.answering.approve(request.id)
    shop.pass_time(DAY / 24)
    assert shop.events() == {"a": "consumed"}
    assert "committed" in [run.status for run in shop.runs("j")]


def test_nothing_is_left_of_an_orderly_end(shop: Shop) -> None:
    shop.deploy(long_job(shop))
    shop.clock.move(HOUR)
    shop.wait((shop.folder / "started").exists)
    pids = [worker.pid for worker in shop.house.layer._flights.values() if worker is not None]
    shop.close()
    assert pids
    for pid in pids:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)
    shop.open()


def test_the_workers_of_an_instance_that_was_killed_are_ended_at_the_next_start(shop: Shop) -> None:
    """Orphans: their files name them, and only what is ours is ended."""
    shop.deploy(long_job(shop, after_crash="never"))
    shop.clock.move(HOUR)
    shop.wait((shop.folder / "started").exists)
    [worker] = [worker for worker in shop.house.layer._flights.values() if worker is not None]
    os.kill(worker.pid, 0)
    ended = House(shop.database, shop.folder, machine_zone="UTC").workshop.end_orphans()
    assert ended == 1
    shop.database.close()
    shop.crash()
    with pytest.raises(ProcessLookupError):
        os.kill(worker.pid, 0)
