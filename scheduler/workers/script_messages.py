"""The messages of a script during a phase and at its end, checked by the host: a worker is never trusted."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Protocol

from dayhand import _protocol as protocol

from scheduler.rules.questions import QuestionError, parse_questions
from scheduler.user_text import UserText, from_json
from scheduler.workers.outcomes import Fault, ScriptFailed, TimedOut


class ScriptAnswers(Protocol):
    """What the engine answers. Whatever a method raises ends the attempt and is raised again by `Worker.run`."""

    def call(self, connection: str, tool: str, parameters: Mapping[str, Any], line: int | None) -> Any:
        """Make a read-only call and return JSON."""

    def hand_over(self, connections: Mapping[str, str], line: int | None) -> dict[str, str]:
        """The secrets of these connections, under the same names, for a command of a job."""

    def peek(self, topic: str, limit: int) -> list[dict[str, Any]]:
        """Pending events, oldest first: id, title, data (JSON, as text), topic, published_at (ISO 8601)."""

    def checkpoint(self, state: dict[str, Any]) -> None:
        """Commit the state and the events published so far."""

    def publish(self, topic: str, event_id: str, title: str, data: Any) -> None:
        """Collect an event for the commit."""

    def done(self, sentence: str) -> None:
        """The summary of this run for the user."""

    def problem(self, sentence: str | None) -> None:
        """A problem for the user to look at, or None once it is over."""

    def progress(self, done: float, total: float | None, text: str) -> None:
        """Report progress."""

    def log(self, text: str) -> None:
        """Printed or logged text, as it arrives; bounded by the output limit."""

    is_behind: bool
    """Whether something was received that was not shown yet."""

    def show(self) -> None:
        """Called when nothing has arrived for a while: show what was received before."""


_MAX_MESSAGE_CHARS, _MAX_TRACEBACK_CHARS, _MAX_COMMAND_CHARS = 10_000, 20_000, 500
"""Kept of a script's failure."""
_MAX_EXIT_CODE = 255
_MAX_NUMBER = 1 << 53
"""Larger numbers are neither counts nor lines, and floats cannot hold them exactly."""
_NONE = type(None)
_RESULT_TYPES: dict[str, dict[str, tuple[type, ...]]] = {
    protocol.PRODUCER: {"state": (dict, _NONE)},
    protocol.NEXT: {"state": (dict, _NONE)},
    protocol.JOB: {"result": (object,)},
    protocol.MUTATE: {"call": (dict, _NONE)},
    protocol.PREPARE: {"nothing": (bool,), "wake_at": (str, _NONE)},
}
"""By phase, the fields of its result."""


def answer_message(answers: ScriptAnswers, message: protocol.Message) -> Any:
    """Pass one question or note to the engine; GarbageError if it is malformed."""
    text = _Text(message)
    match message["type"]:
        case "call":
            parameters = read_object(message, "parameters")
            return answers.call(text["connection"], text["tool"], parameters, read_line(message))
        case "peek":
            return answers.peek(text["topic"], int(_number(message, "limit")))
        case "checkpoint":
            return answers.checkpoint(read_object(message, "state"))
        case "publish":
            return answers.publish(text["topic"], text["id"], text["title"], message.get("data"))
        case "done":
            return answers.done(text["text"])
        case "problem":
            return answers.problem(None if message.get("text") is None else text["text"])
        case "progress":
            total = None if message.get("total") is None else _number(message, "total")
            return answers.progress(_number(message, "done"), total, text["text"])
    raise protocol.GarbageError(UserText("unknown type {kind}", kind=repr(message["type"])))


def read_failure(message: protocol.Message) -> ScriptFailed:
    """How the script failed; GarbageError if malformed."""
    file, code = message.get("file"), message.get("code")
    try:
        fault = Fault(str(message.get("kind")))
    except ValueError:
        raise protocol.GarbageError(UserText("unknown kind of failure")) from None
    return ScriptFailed(
        fault=fault,
        message=_read_text(message.get("message")),
        file=file if isinstance(file, str) else None,
        line=read_line(message),
        traceback=str(message.get("traceback", ""))[-_MAX_TRACEBACK_CHARS:],
        command=str(message.get("command", ""))[:_MAX_COMMAND_CHARS],
        exit_code=code if type(code) is int and 0 < code <= _MAX_EXIT_CODE else None,
    )


def complete_timeout(timeout: TimedOut, message: protocol.Message, *, is_loading: bool) -> TimedOut:
    """With what the script says about where it was: the line while it was loaded, or the command that it ran."""
    if is_loading and (line := read_line(message)) is not None:
        return replace(timeout, line=line)
    return replace(timeout, command=str(message.get("command", ""))[:_MAX_COMMAND_CHARS])


def read_line(message: protocol.Message) -> int | None:
    """The line of the script that the message names, if it can be one."""
    line = message.get("line")
    return line if isinstance(line, int) and 0 < line <= _MAX_NUMBER else None


def _read_text(value: Any) -> str:
    """What a script says about its failure, which may be a text of ours with its fields."""
    try:
        text = from_json(value)
    except ValueError as error:
        raise protocol.GarbageError("the message is not a text") from error
    text = str(text)
    return text if len(text) <= _MAX_MESSAGE_CHARS else text[:_MAX_MESSAGE_CHARS]


def read_result(phase: str, message: protocol.Message) -> dict[str, Any]:
    """The result of a phase; GarbageError if malformed."""
    value = read_object(message, "value")
    for name, kinds in _RESULT_TYPES[phase].items():
        if name not in value or not isinstance(value[name], kinds):
            raise protocol.GarbageError(
                UserText(
                    "{name} of {phase} is not a {error_type}", name=name, phase=phase, error_type=kinds[0].__name__
                )
            )
    if phase == protocol.PREPARE and not value["nothing"]:
        _check_prepared(value)
    if phase == protocol.MUTATE and value["call"] is not None:
        call = _Text(value["call"])
        call["connection"], call["tool"], read_object(value["call"], "parameters")
    return value


def read_object(message: protocol.Message, name: str) -> dict[str, Any]:
    """A field of a message; GarbageError unless it is an object."""
    value = message.get(name)
    if not isinstance(value, dict):
        raise protocol.GarbageError(UserText("{name} is not an object", name=name))
    return value


def _check_prepared(value: dict[str, Any]) -> None:
    _Text(value)["say"]
    if "data" not in value or not isinstance(value.get("ui", 0), dict | None):
        raise protocol.GarbageError(UserText("prepare returned no data, or no ui"))
    if not isinstance(value.get("reserve"), list):
        raise protocol.GarbageError(UserText("reserve is not a list"))
    for one in value["reserve"]:
        event = _Text(one if isinstance(one, dict) else {})
        event["topic"], event["id"]
    try:
        parse_questions(value.get("ask", []))
    except QuestionError as error:
        raise protocol.GarbageError(error.sentence) from error


class _Text:
    def __init__(self, message: protocol.Message) -> None:
        self._message = message

    def __getitem__(self, name: str) -> str:
        value = self._message.get(name)
        if not isinstance(value, str):
            raise protocol.GarbageError(UserText("{name} is not a string", name=name))
        return value


def _number(message: protocol.Message, name: str) -> float:
    value = message.get(name)
    if isinstance(value, bool) or not isinstance(value, int | float) or abs(value) > _MAX_NUMBER:
        raise protocol.GarbageError(UserText("{name} is not a number", name=name))
    return value
