"""All phases of a typical workflow in a real process, in the oldest supported Python and in this one."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from scheduler.workers.outcomes import Finished
from scheduler.workers.worker import Worker
from tests.workers.worker_fixture import RECEIPTS, Recorder, phase

Start = Callable[..., Worker]
EVENT = {"id": "a", "title": "Coffee", "data": '{"uid": 7}', "topic": "mails", "published_at": "2026-11-16T08:00:00Z"}
PREPARED = {"reserve": [EVENT], "data": {"rows": [7]}, "say": "Add 1", "ui": None, "wake_at": None}


@pytest.fixture
def worker(start: Start, python: Path | None) -> Worker:
    return start(RECEIPTS, python=python)


def test_a_producer_reads_publishes_and_returns_its_state(worker: Worker) -> None:
    mails = [{"message_id": "a", "subject": "Coffee", "uid": 7}, {"message_id": "b", "subject": "Tea", "uid": 9}]
    recorder = Recorder(tools={"search": lambda since_uid: mails})
    assert worker.run(phase("poll", "producer", state={"uid": 3}), recorder) == Finished({"state": {"uid": 9}})
    assert recorder.messages == [
        ("call", "imap:home", "search", {"since_uid": 3}, 12),
        ("publish", "mails", "a", "Coffee", mails[0]),
        ("publish", "mails", "b", "Tea", mails[1]),
    ]


def test_prepare_peeks_and_describes_the_action(worker: Worker) -> None:
    recorder = Recorder(events=[EVENT])
    outcome = worker.run(phase("FileReceipt", "prepare", state={}), recorder)
    assert recorder.messages == [("peek", "mails", 10)]
    assert outcome == Finished(
        {
            "nothing": False,
            "reserve": [{"topic": "mails", "id": "a"}],
            "data": {"rows": [7]},
            "say": "Add 1 receipts to Expenses",
            "ui": None,
            "wake_at": None,
        }
    )


def test_prepare_without_events_does_nothing(worker: Worker) -> None:
    outcome = worker.run(phase("FileReceipt", "prepare", state={}), Recorder())
    assert outcome == Finished({"nothing": True, "wake_at": None})


def test_mutate_ends_at_its_call(worker: Worker) -> None:
    outcome = worker.run(phase("FileReceipt", "mutate", prepared=PREPARED), Recorder())
    call = {"connection": "table:expenses", "tool": "append", "parameters": {"rows": [7]}, "line": 31}
    assert outcome == Finished({"call": call})


def test_next_gets_the_result_and_sets_the_summary(worker: Worker) -> None:
    recorder = Recorder()
    given: dict[str, Any] = {"prepared": PREPARED, "result": {"added": 1}, "outcome": "applied", "state": {"filed": 2}}
    outcome = worker.run(phase("FileReceipt", "next", **given), recorder)
    assert outcome == Finished({"state": {"filed": 3, "result": [{"added": 1}, "applied", ["Coffee"]]}})
    assert recorder.messages == [("done", "Filed 1 receipts")]


@pytest.mark.posix("runs sh")
def test_a_job_runs_commands_with_their_output_in_the_log(worker: Worker) -> None:
    recorder = Recorder()
    assert worker.run(phase("backup", "job"), recorder) == Finished({"result": None})
    assert recorder.text == f"{Path.home()} {Path.home()}/Documents\n"
    assert recorder.messages == [("progress", 1, 2, "half"), ("done", "Backed up")]


def test_many_phases_run_in_one_warm_process(worker: Worker) -> None:
    for _ in range(20):
        assert isinstance(worker.run(phase("FileReceipt", "prepare", state={}), Recorder()), Finished)
    assert worker.is_usable
