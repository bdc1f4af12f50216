"""What to write instead of a name that this package, a workflow or an event does not have."""

from __future__ import annotations

import inspect
import re
from typing import Any

import dayhand

from ._context import CONTEXTS
from ._context_names import find_near
from ._user_text import UserText

_WRONG_ARGUMENTS = re.compile(r"(\w+\.\w+)\(\) (?:takes|missing|got) ")
"""What Python says since 3.10, with the name of the class."""
_OF_WORKFLOWS = ("consumer", "job", "producer", "topic")


def explain_missing_attribute(name: str) -> UserText:
    """The sentence about `dayhand.name`."""
    if name in _OF_WORKFLOWS:
        what = f"flow.{name}('found')" if name == "topic" else f"@flow.{name}(…)"
        return UserText(
            "dayhand has no {name}; write flow = dayhand.Workflow('Receipts'), then {what}", name=name, what=what
        )
    near = find_near(name, dayhand.__all__)
    if near is not None:
        return UserText("dayhand has no {name}; did you mean dayhand.{near}?", name=name, near=near)
    return UserText("dayhand has no {name}; it has {known}", name=name, known=", ".join(dayhand.__all__))


def explain_missing_method(name: str) -> UserText:
    """The sentence about `flow.name`."""
    near = find_near(name, _OF_WORKFLOWS)
    if near is not None:
        return UserText("a workflow has no {name}; did you mean {near}?", name=name, near=near)
    return UserText("a workflow has no {name}; it has {known}.", name=name, known=", ".join(_OF_WORKFLOWS))


def explain_arguments(error: TypeError, text: str) -> str:
    """The sentence about a method of `ctx` that was called with wrong arguments; any other error stays as it is."""
    found = _WRONG_ARGUMENTS.match(str(error))
    name = found[1].rpartition(".")[2] if found else ""
    for kind in CONTEXTS.values():
        method = getattr(kind, name, None)
        if found is not None and getattr(method, "__qualname__", None) == found[1]:
            return UserText("ctx.{name} does not take that; write ctx.{call}", name=name, call=_format_call(method))
    return text


def _format_call(method: Any) -> str:
    """How it is called: what comes first, then what is given by name."""
    parts = []
    for one in list(inspect.signature(method).parameters.values())[1:]:
        if one.kind is one.VAR_KEYWORD:
            parts.append("name=value")
        else:
            parts.append(f"{one.name}=…" if one.kind is one.KEYWORD_ONLY else one.name)
    return f"{method.__name__}({', '.join(parts)})"
