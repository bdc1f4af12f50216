"""A script in a worker: loaded once, then its phases are run one after the other."""

from __future__ import annotations

import json
import linecache
import os
import re
import sys
import types
from typing import TYPE_CHECKING, Any

from . import _protocol as protocol
from . import _workflow
from ._context import CONTEXTS
from ._description import describe_workflow, find_workflow
from ._errors import AttemptEnded, BadReturn, CommandFailed, Misuse
from ._events import Nothing, Prepared, read_event
from ._package_names import explain_arguments, explain_missing_attribute
from ._source_location import definition_of, format_traceback, last_line
from ._user_text import UserText, to_json
from ._values import check, describe_type

if TYPE_CHECKING:
    from ._channel import HostChannel
    from ._workflow import Workflow

_MODULE = "__dayhand__"
_MISSING_NAME = re.compile(r"cannot import name '(\w+)'")
_MAX_MESSAGE_CHARS = 2000
_MAX_TRACEBACK_CHARS = 20000


class LoadedScript:
    """One version of one workflow file."""

    def __init__(self, path: str, *, is_sandboxed: bool = False) -> None:
        self.path = path
        self._is_sandboxed = is_sandboxed
        self.flow: Workflow | None = None

    def load(self, source: str) -> protocol.Message:
        """Run the top level and describe what it defined."""
        # Tracebacks show the source that ran, not the current content of the file.
        linecache.cache[self.path] = (len(source), None, source.splitlines(keepends=True), self.path)
        module = types.ModuleType(_MODULE)
        module.__file__ = self.path
        sys.modules[_MODULE] = module
        sys.argv = [self.path]
        _workflow.defined.clear()
        try:
            exec(compile(source, self.path, "exec", dont_inherit=True), vars(module))  # noqa: S102  this is the script
            self.flow = find_workflow(module, list(_workflow.defined))
            return {"type": "loaded", "description": describe_workflow(self.flow, module.__doc__)}
        except BaseException as error:  # noqa: BLE001  whatever the script raises is reported to the host
            return self.explain(error)

    def run(self, link: HostChannel, message: protocol.Message) -> protocol.Message:
        """Run one phase; returns the message about how it ended."""
        assert self.flow is not None
        handler = self.flow.handlers[message["handler"]]
        phase, inputs = message["phase"], message["inputs"]
        context = CONTEXTS[phase](link, self.flow, handler, _facts(message))
        try:
            function = handler.phase(phase)
            returned = function(*self._arguments(phase, context, inputs))
            value = self._read(phase, link, returned, definition_of(function))
        except AttemptEnded:
            value = {"call": link.call}
            if link.call is None:
                return {"type": "ended", "command": link.stopped_command}
        except BaseException as error:  # noqa: BLE001  whatever the script raises is reported to the host
            return self.explain(link.misuse or error)
        if link.misuse is not None:
            return self.explain(link.misuse)
        if link.has_ended or link.is_cancelled:
            return {"type": "ended"}
        return {"type": "result", "value": value}

    def next_phase(
        self, link: HostChannel, message: protocol.Message, answer: protocol.Message
    ) -> protocol.Message | None:
        """The phase to continue with: mutate, with a copy of what prepare decided; None if there is none.

        Nor if prepare asks the user something: mutate runs when the answers are known.
        """
        if not message["continues"] or answer["type"] != "result" or answer["value"]["nothing"]:
            return None
        if answer["value"].get("ask"):
            return None
        decision = json.loads(json.dumps(answer["value"]))
        decision["reserve"] = [link.seen.get((one["topic"], one["id"]), one) for one in decision["reserve"]]
        return {
            **message,
            "run": message["run"] + 1,
            "phase": protocol.MUTATE,
            "inputs": {"prepared": decision},
            "continues": False,
        }

    def location_of(self, message: protocol.Message) -> tuple[str, int]:
        """File and line of the phase's function."""
        assert self.flow is not None
        handler = self.flow.handlers[message["handler"]]
        written = getattr(handler.body, message["phase"], handler.body)
        return definition_of(written) or (self.path, handler.line)

    def explain(self, error: BaseException) -> protocol.Message:
        """The message about an exception for the host."""
        line = last_line(error.__traceback__, self.path)
        file: str | None = self.path
        kind, text = protocol.SCRIPT_ERROR, _describe_error(error)
        if isinstance(error, Misuse):
            kind, text, file, line = error.kind, error.sentence, error.file, error.line
        elif isinstance(error, CommandFailed):
            text = error.args[0]
        elif isinstance(error, MemoryError):
            kind, text = protocol.MEMORY, "MemoryError"
        elif isinstance(error, SyntaxError) and error.filename in (self.path, None):
            text, line = f"{type(error).__name__}: {error.msg}", error.lineno or 1
        elif isinstance(error, ImportError):
            text = self._help_import(error, text)
        elif self._is_sandboxed and _was_refused(error):
            text = UserText(
                "{error}. The sandbox blocks local sockets and other processes for scripts without jobs "
                "and top-level code",
                error=text,
            )
        elif isinstance(error, TypeError):
            text = explain_arguments(error, text)
        elif isinstance(error, KeyError) and _is_variable(error):
            text = UserText(
                "{error}. Scripts get only a few environment variables: write settings into the script, and keep "
                "passwords in a connection",
                error=text,
            )
        elif isinstance(error, SystemExit):
            text = UserText("the script called sys.exit; return from the handler instead, or raise an error")
        try:
            trace = format_traceback(error, self.path)
        except Exception:  # noqa: BLE001  an exception that cannot be printed is still reported
            trace = text
        return {
            "type": "failed",
            "kind": kind,
            "message": to_json(text) if len(text) <= _MAX_MESSAGE_CHARS else text[:_MAX_MESSAGE_CHARS],
            "file": file,
            "line": line,
            "traceback": trace[-_MAX_TRACEBACK_CHARS:],
            "command": error.command if isinstance(error, CommandFailed) else "",
            "code": error.code if isinstance(error, CommandFailed) else None,
        }

    def _help_import(self, error: ImportError, text: str) -> str:
        package = (error.name or "").split(".")[0]
        missing = _MISSING_NAME.match(str(error))
        if error.name == "dayhand" and missing is not None:
            return explain_missing_attribute(missing[1])
        beside = os.path.join(os.path.dirname(self.path), package)
        if "relative import" in str(error) or (package and (os.path.isdir(beside) or os.path.exists(f"{beside}.py"))):
            return UserText(
                "{error}. A workflow is a single file and cannot import files next to it: move that code "
                "into this file",
                error=text,
            )
        if isinstance(error, ModuleNotFoundError) and package:
            return UserText(
                "{error}. Add the package to the script's dependencies: # dependencies = [{package}]",
                error=text,
                package=repr(package),
            )
        return text

    def _arguments(self, phase: str, context: Any, inputs: dict[str, Any]) -> tuple[Any, ...]:
        state = inputs.get("state") or {}
        if phase in (protocol.PRODUCER, protocol.PREPARE):
            return (context, state)
        if phase == protocol.JOB:
            return (context,)
        prepared = self._read_prepared(inputs["prepared"])
        return (context, prepared) if phase == protocol.MUTATE else (context, prepared, inputs.get("result"), state)

    def _read_prepared(self, message: dict[str, Any]) -> Prepared:
        assert self.flow is not None
        return Prepared(
            reserve=[read_event(event, self.flow) for event in message.get("reserve", ())],
            data=message.get("data"),
            say=message.get("say", ""),
            ui=message.get("ui"),
            wake_at=message.get("wake_at"),
            questions=message.get("ask"),
            answers=message.get("answers"),
        )

    def _read(self, phase: str, link: HostChannel, value: Any, place: tuple[str, int] | None) -> dict[str, Any]:
        if phase == protocol.PREPARE:
            return _read_decision(value, place)
        if phase == protocol.MUTATE:
            return {"call": link.call}
        name = "result" if phase == protocol.JOB else "state"
        if name == "state" and value is not None and not isinstance(value, dict):
            raise BadReturn(
                UserText(
                    "{phase} returned {kind}; return the new state, a dict, or nothing to keep the old.",
                    phase=phase,
                    kind=describe_type(value),
                ),
                place,
            )
        try:
            check(value, name)
        except Misuse as misuse:
            raise BadReturn(misuse.sentence, place) from None
        return {name: value}


def _read_decision(value: Any, place: tuple[str, int] | None) -> dict[str, Any]:
    if isinstance(value, Nothing):
        return {"nothing": True, "wake_at": value.wake_at}
    if not isinstance(value, Prepared):
        what = "None" if value is None else describe_type(value)
        raise BadReturn(
            UserText("prepare returned {what}; return dayhand.prepared(…) or dayhand.nothing().", what=what), place
        )
    asked = {"ask": value.questions} if value.questions else {}
    return {
        "nothing": False,
        "reserve": [{"topic": str(event.topic), "id": event.id} for event in value.reserve],
        "data": value.data,
        "say": value.say,
        "ui": value.ui,
        "wake_at": value.wake_at,
        **asked,
    }


def _facts(message: protocol.Message) -> dict[str, Any]:
    """The facts of every phase, when they arrived, and those of some: the call's outcome, the first pending events."""
    inputs = message["inputs"]
    further = {name: inputs[name] for name in ("outcome", "call_made", "reason", "waiting") if name in inputs}
    return {**message["facts"], "received_at": message["received_at"], **further}


def _is_variable(error: BaseException) -> bool:
    """Whether it comes from `os.environ[…]`."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return trace is not None and trace.tb_frame.f_code is getattr(type(os.environ).__getitem__, "__code__", None)


def _was_refused(error: BaseException | None) -> bool:
    """Whether the sandbox may be the cause; errors of the file system come with a file name."""
    while error is not None:
        if isinstance(error, PermissionError) and error.filename is None:
            return True
        error = error.__cause__ or error.__context__
    return False


def _describe_error(error: BaseException) -> str:
    try:
        message = str(error)
    except Exception:  # noqa: BLE001  an exception that cannot be printed is still reported
        message = UserText("(it cannot be printed)")
    if isinstance(message, UserText):
        return UserText("{error_type}: {message}", error_type=type(error).__name__, message=message)
    return f"{type(error).__name__}: {message[:_MAX_MESSAGE_CHARS]}".removesuffix(": ")
