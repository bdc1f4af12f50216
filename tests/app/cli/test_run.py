"""`run --wait` says on stderr what happens while it waits; the answer stays alone on stdout."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from app.cli import command_line, run

RESULT = {"id": "abc-2", "status": "committed", "summary": "Looked", "is_over": True}
ANSWER: dict[str, Any] = {"answer": {"runs": ["abc"], "results": [RESULT]}}
WAITS = [
    {"id": "abc", "status": "queued", "waits_for": "Due now; waiting for the network."},
    {"id": "abc", "status": "active", "attempt": 1},
    {
        "id": "abc",
        "status": "paused:transient",
        "attempt": 1,
        "error": "No answer.",
        "resume_at": "2001-01-01T12:00:30+00:00",
    },
    {"id": "abc-2", "status": "active", "attempt": 2},
    {"id": "abc-2", "status": "committed", "attempt": 2},
]


@pytest.fixture(autouse=True)
def _app(monkeypatch: pytest.MonkeyPatch) -> None:
    def stream(*_: Any, **__: Any) -> Iterator[dict[str, Any]]:
        yield {"piece": {"runs": ["abc"]}}
        yield from ({"piece": {"progress": one}} for one in WAITS)
        yield ANSWER

    monkeypatch.setattr(run, "stream_api", stream)


def test_each_attempt_and_wait_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert command_line.run(["run", "w", "--wait"]) == 0
    shown = capsys.readouterr()
    assert shown.out == "abc-2: done. Looked\n"
    queued, failed, running = shown.err.splitlines()
    assert queued == "abc: Due now; waiting for the network."
    assert failed.startswith("abc: attempt 1 failed. No answer. The next attempt starts at ")
    assert running == "abc-2: attempt 2 is running."


def test_json_has_only_the_result(capsys: pytest.CaptureFixture[str]) -> None:
    assert command_line.run(["run", "w", "--wait", "--json"]) == 0
    shown = capsys.readouterr()
    assert (json.loads(shown.out), shown.err) == (ANSWER["answer"], "")
