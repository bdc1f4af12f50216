"""A worker that continues from prepare to mutate without waiting for the host, in a real process."""

from collections.abc import Callable

import pytest

from scheduler.workers.outcomes import Cancelled, Fault, Finished, Outcome, ScriptFailed
from scheduler.workers.script import MEGABYTE, Limits
from scheduler.workers.worker import Worker
from tests.workers.worker_fixture import Recorder, eventually, phase, processes_of

Start = Callable[..., Worker]
EVENT = {"id": "a", "title": "Tea", "data": '{"uid": 7}', "topic": "mails", "published_at": "2026-11-16T08:00:00Z"}
FOLDER = """
import dayhand, time
flow = dayhand.Workflow("Chore", connections=["table:rows"])
mails = flow.topic("mails")

@flow.consumer(subscribe=[mails])
class File:
    def prepare(self, ctx, state):
        {prepare}

    def mutate(self, ctx, prepared):
        print("mutating")
        events = [event.data for event in prepared.reserve]
        ctx.call("table:rows", "append", events=events, data=prepared.data, now=ctx.now.isoformat())
"""
MODIFIES_ITS_EVENT = """
        [event] = ctx.peek(mails)
        data = {"rows": [1]}
        decision = dayhand.prepared(reserve=[event], data=data)
        event.data["uid"] = 8
        return decision
"""


def script(prepare: str) -> str:
    return FOLDER.replace("{prepare}", prepare.strip())


def prepare(worker: Worker, recorder: Recorder) -> Outcome:
    facts = {"now": "2026-11-17T09:00:00+00:00"}
    return worker.run(phase("File", "prepare", state={}, facts=facts, continues=True), recorder)


def test_mutate_gets_what_was_prepared_and_not_later_modifications(start: Start) -> None:
    worker, recorder = start(script(MODIFIES_ITS_EVENT)), Recorder(events=[EVENT])
    assert isinstance(prepare(worker, recorder), Finished)
    worker.expect_next_phase("mutate", 30, recorder)
    outcome = worker.finish()
    assert isinstance(outcome, Finished)
    given = outcome.value["call"]["parameters"]
    assert (given["events"], given["data"]) == ([{"uid": 7}], {"rows": [1]})
    assert given["now"] >= "2026-11-17T09:00:00"
    assert recorder.text == "mutating\n"
    assert isinstance(prepare(worker, recorder), Finished) and worker.is_usable


def test_mutate_does_not_run_if_there_is_nothing_to_do(start: Start) -> None:
    worker, recorder = start(script("return dayhand.nothing()")), Recorder()
    for _ in range(2):
        assert isinstance(prepare(worker, recorder), Finished)
    assert recorder.text == "" and worker.is_alive()


def test_mutate_does_not_run_if_the_result_of_prepare_could_not_be_sent(start: Start) -> None:
    limits = Limits(grace=0.3, message=MEGABYTE)
    worker, recorder = start(script('return dayhand.prepared(data="x" * 2_000_000)'), limits), Recorder()
    for _ in range(2):
        outcome = prepare(worker, recorder)
        assert isinstance(outcome, ScriptFailed) and outcome.fault is Fault.TOO_LARGE
    assert recorder.text == "" and worker.is_alive()


@pytest.mark.parametrize("waits", ["time.sleep(0.1)", "[time.sleep(0.01) for _ in range(10)]"])
def test_a_worker_that_continues_after_a_stop_is_killed(start: Start, waits: str) -> None:
    ignores_stop = f"""
        print("here")
        {waits}
        ctx._link.is_cancelled = False
        return dayhand.prepared()
    """
    worker = start(script(ignores_stop))
    recorder = Recorder(on_log=lambda _: worker.stop())
    assert prepare(worker, recorder) == Cancelled()
    assert not worker.is_usable and eventually(lambda: processes_of(worker.mark) == [])
