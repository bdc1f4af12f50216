"""A producer, consumer or job as defined in a script, and the checks of its function or class."""

from __future__ import annotations

import inspect
from typing import Any

from ._errors import Misuse
from ._source_location import definition_of
from ._user_text import UserText

_PARAMETERS = {
    "producer": ("ctx", "state"),
    "job": ("ctx",),
    "prepare": ("ctx", "state"),
    "mutate": ("ctx", "prepared"),
    "next": ("ctx", "prepared", "result", "state"),
}


class HandlerDefinition:
    """One handler; `written` holds its settings as they appear in the description."""

    def __init__(self, name: str, kind: str, body: Any, line: int, written: dict[str, Any]) -> None:
        self.name = name
        self.kind = kind
        self.body = body
        self.line = line
        self.written = written

    @property
    def publishes(self) -> list[str]:
        """The topics that it may publish to."""
        return list(self.written.get("publishes", ()))

    @property
    def subscribes(self) -> list[str]:
        """The topics that it takes events from."""
        return list(self.written.get("subscribes", ()))

    def phase(self, name: str) -> Any:
        """The function of one phase, ready to be called; None if the consumer does not have it."""
        if self.kind != "consumer":
            return self.body
        return getattr(self.body(), name) if hasattr(self.body, name) else None


def check_function(kind: str, function: Any) -> None:
    """Raise Misuse unless it is a plain function with the right parameters."""
    if inspect.isclass(function) or not getattr(function, "__name__", "").isidentifier():
        raise Misuse(
            UserText(
                "a {kind} is a function with a name; write def name({parameters}).",
                kind=kind,
                parameters=", ".join(_PARAMETERS[kind]),
            )
        )
    _check_parameters(kind, function.__name__, function, _PARAMETERS[kind])


def check_class(body: Any, *, publishes: bool) -> None:
    """Raise Misuse unless it is a class with prepare and well-formed phases."""
    if not inspect.isclass(body):
        raise Misuse(UserText("a consumer is a class with prepare; write class Name: def prepare(self, ctx, state)."))
    name = body.__name__
    if not hasattr(body, "prepare"):
        raise Misuse(
            UserText(
                "{name} has no prepare; add def prepare(self, ctx, state) and return dayhand.prepared(…).", name=name
            )
        )
    if publishes and not hasattr(body, "next"):
        raise Misuse(
            UserText(
                "{name} publishes but has no next; add def next(self, ctx, prepared, result, state) and publish there.",
                name=name,
            )
        )
    try:
        inspect.signature(body).bind()
    except (TypeError, ValueError):
        raise Misuse(
            UserText("{name} cannot be created without arguments; give __init__ no parameters but self.", name=name)
        ) from None
    for phase in ("prepare", "mutate", "next"):
        written = inspect.getattr_static(body, phase, None)
        if written is not None:
            bound = isinstance(written, (staticmethod, classmethod))
            shape = _PARAMETERS[phase] if bound else ("self", *_PARAMETERS[phase])
            _check_parameters(phase, f"{name}.{phase}", getattr(body, phase), shape)


def _check_parameters(kind: str, name: str, function: Any, parameters: tuple[str, ...]) -> None:
    place = definition_of(function)
    call = f"def {name.rpartition('.')[2]}({', '.join(parameters)})"
    if not callable(function):
        raise Misuse(UserText("{name} is not a function; write {call}.", name=name, call=call), place)
    if inspect.iscoroutinefunction(function) or inspect.isasyncgenfunction(function):
        raise Misuse(UserText("{name} is async; write a plain {call}.", name=name, call=call), place)
    if inspect.isgeneratorfunction(function):
        raise Misuse(
            UserText(
                "{name} is a generator and would never run; use ctx.publish or return in a plain {call}.",
                name=name,
                call=call,
            ),
            place,
        )
    try:
        inspect.signature(function).bind(*parameters)
    except TypeError:
        raise Misuse(
            UserText("{name} does not have the parameters of a {kind}; write {call}.", name=name, kind=kind, call=call),
            place,
        ) from None
    except ValueError:
        return
