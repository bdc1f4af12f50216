"""What a script may ask and tell while a phase runs and at its end; the host decides, whatever the worker believes."""

from collections.abc import Mapping
from typing import Any, Protocol

from dayhand import _protocol as protocol

from scheduler.workers.outcomes import Fault, ScriptFailed


class Answers(Protocol):
    """The run layer's side. Whatever a method raises ends the attempt and is raised again by `Worker.run`."""

    def call(self, connection: str, tool: str, parameters: Mapping[str, Any], line: int | None) -> Any:
        """Make a read-only call and return JSON."""

    def hand_over(self, connections: Mapping[str, str], line: int | None) -> dict[str, str]:
        """By the same names, the secrets of these connections, for a command of a job."""

    def peek(self, topic: str, limit: int) -> list[dict[str, Any]]:
        """Pending events, oldest first: id, title, data (JSON, as text), topic, published_at (ISO 8601)."""

    def checkpoint(self, state: dict[str, Any]) -> None:
        """Commit the state and what was published so far."""

    def publish(self, topic: str, event_id: str, title: str, data: Any) -> None:
        """Keep an event for the commit."""

    def done(self, sentence: str) -> None:
        """What people will read about this run."""

    def progress(self, done: float, total: float | None, text: str) -> None:
        """How far it is."""

    def log(self, text: str) -> None:
        """What was printed or logged, as it comes; bounded by the limit of output."""

    is_behind: bool
    """Something came of which it has not let others know."""

    def show(self) -> None:
        """Nothing has come for a while: let others know of what came before."""


_LONGEST_MESSAGE, _LONGEST_TRACEBACK = 10_000, 20_000
"""Characters that are kept of how a script failed."""
_NOTHING = type(None)
_RESULTS: dict[str, dict[str, tuple[type, ...]]] = {
    protocol.PRODUCER: {"state": (dict, _NOTHING)},
    protocol.NEXT: {"state": (dict, _NOTHING)},
    protocol.JOB: {"result": (object,)},
    protocol.MUTATE: {"call": (dict, _NOTHING)},
    protocol.PREPARE: {"nothing": (bool,), "wake_at": (str, _NOTHING)},
}
"""What each phase gives, by name."""


def ask(answers: Answers, message: protocol.Message) -> Any:
    """Put one question or note to the run layer; GarbageError unless it has the right shape."""
    text, optional_line = _Text(message), message.get("line")
    match message["type"]:
        case "call":
            line = optional_line if isinstance(optional_line, int) else None
            return answers.call(text["connection"], text["tool"], read_object(message, "parameters"), line)
        case "peek":
            return answers.peek(text["topic"], int(_number(message, "limit")))
        case "checkpoint":
            return answers.checkpoint(read_object(message, "state"))
        case "publish":
            return answers.publish(text["topic"], text["id"], text["title"], message.get("data"))
        case "done":
            return answers.done(text["text"])
        case "progress":
            total = None if message.get("total") is None else _number(message, "total")
            return answers.progress(_number(message, "done"), total, text["text"])
    raise protocol.GarbageError(f"nobody knows {message['type']!r}")


def read_failure(message: protocol.Message) -> ScriptFailed:
    """How the script failed; GarbageError if that was forged."""
    file, line = message.get("file"), message.get("line")
    try:
        fault = Fault(str(message.get("kind")))
    except ValueError:
        raise protocol.GarbageError("it failed in a way that nobody knows") from None
    return ScriptFailed(
        fault=fault,
        message=str(message.get("message"))[:_LONGEST_MESSAGE],
        file=file if isinstance(file, str) else None,
        line=line if isinstance(line, int) else None,
        traceback=str(message.get("traceback", ""))[-_LONGEST_TRACEBACK:],
    )


def read_result(phase: str, message: protocol.Message) -> dict[str, Any]:
    """What a phase gave, if it has the shape that the run layer goes on with; GarbageError if it was forged."""
    value = read_object(message, "value")
    for name, kinds in _RESULTS[phase].items():
        if name not in value or not isinstance(value[name], kinds):
            raise protocol.GarbageError(f"{name} of {phase} is no {kinds[0].__name__}")
    if phase == protocol.PREPARE and not value["nothing"]:
        _check_prepared(value)
    if phase == protocol.MUTATE and value["call"] is not None:
        call = _Text(value["call"])
        call["connection"], call["tool"], read_object(value["call"], "parameters")
    return value


def read_object(message: protocol.Message, name: str) -> dict[str, Any]:
    """A part of what was said; GarbageError unless it is an object."""
    value = message.get(name)
    if not isinstance(value, dict):
        raise protocol.GarbageError(f"{name} is no object")
    return value


def _check_prepared(value: dict[str, Any]) -> None:
    _Text(value)["say"]
    if "data" not in value or not isinstance(value.get("ui", 0), dict | None):
        raise protocol.GarbageError("prepare gave no data, or no ui")
    if not isinstance(value.get("reserve"), list):
        raise protocol.GarbageError("reserve is no list")
    for one in value["reserve"]:
        event = _Text(one if isinstance(one, dict) else {})
        event["topic"], event["id"]


class _Text:
    def __init__(self, message: protocol.Message) -> None:
        self._message = message

    def __getitem__(self, name: str) -> str:
        value = self._message.get(name)
        if not isinstance(value, str):
            raise protocol.GarbageError(f"{name} is no text")
        return value


def _number(message: protocol.Message, name: str) -> float:
    value = message.get(name)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise protocol.GarbageError(f"{name} is no number")
    return value
