"""Which tools a script uses, found in its source: deploy checks and grants them before anything runs."""

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from scheduler.rules.script_limits import HAND_OVER_TOOL

_PHASES = ("prepare", "mutate", "next")
_Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolUse:
    """One `ctx.call` in a script, or one secret passed by a `ctx.run`.

    A name that is neither a string literal nor a constant of the file is None.
    """

    handler: str
    phase: str
    connection: str | None
    tool: str | None
    line: int
    parameters: Mapping[str, Any] | None = field(default=None, compare=False)
    """By name, with `...` for a value that is not written out; None if not all names are."""


def find_tool_uses(source: str) -> list[ToolUse]:
    """Every use in every phase, including functions of the file that the phase calls."""
    tree = ast.parse(source)
    constants = find_constants(tree)
    uses = [
        ToolUse(
            handler=handler,
            phase=phase,
            connection=connection,
            tool=tool,
            line=call.lineno,
            parameters=_parameters(call),
        )
        for handler, phase, call in find_calls(tree)
        for connection, tool in _uses(call, constants)
    ]
    return sorted(uses, key=lambda use: use.line)


def find_calls(tree: ast.Module) -> Iterator[tuple[str, str, ast.Call]]:
    """Each `ctx.call` and `ctx.run` that can be found, with its handler and phase."""
    functions = {node.name: node for node in tree.body if isinstance(node, _Function)}
    for handler, phase, body in _bodies(tree):
        yield from ((handler, phase, call) for call in _calls(body, functions))


def _bodies(tree: ast.Module) -> Iterator[tuple[str, str, _Function]]:
    for handler, phase, function, methods in find_phases(tree):
        yield handler, phase, _with_own_methods(function, methods) if methods else function


def find_phases(tree: ast.Module) -> Iterator[tuple[str, str, _Function, dict[str, _Function]]]:
    """The function of each phase with its handler, and all methods of its class."""
    for node in ast.walk(tree):
        if not isinstance(node, _Function | ast.ClassDef):
            continue
        kinds = [_kind(decorator) for decorator in node.decorator_list]
        if isinstance(node, ast.ClassDef) and "consumer" in kinds:
            methods = [method for method in node.body if isinstance(method, _Function)]
            helpers = {method.name: method for method in methods}
            for phase in _PHASES:
                if phase in helpers:
                    yield node.name, phase, helpers[phase], helpers
        elif not isinstance(node, ast.ClassDef):
            yield from ((node.name, kind, node, {}) for kind in kinds if kind in ("producer", "job"))


def _kind(decorator: ast.expr) -> str | None:
    function = decorator.func if isinstance(decorator, ast.Call) else decorator
    return function.attr if isinstance(function, ast.Attribute) else None


def _with_own_methods(method: _Function, methods: dict[str, _Function]) -> _Function:
    """The method together with the methods of self that it uses."""
    found = [method]
    for one in found:
        for node in ast.walk(one):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self":
                other = methods.get(node.attr)
                if other is not None and other not in found and other.name not in _PHASES:
                    found.append(other)
    whole = ast.FunctionDef(name=method.name, args=method.args, body=list(found), decorator_list=[])
    return ast.copy_location(whole, method)


def _calls(body: _Function, functions: dict[str, _Function]) -> Iterator[ast.Call]:
    """`ctx.call(…)` and `ctx.run(…)` in the body and in the functions it refers to, each function once."""
    seen = [body]
    for one in seen:
        parameters = {node.arg for node in ast.walk(one) if isinstance(node, ast.arg)}
        for node in ast.walk(one):
            if isinstance(node, ast.Name) and (other := functions.get(node.id)) is not None and other not in seen:
                seen.append(other)
            match node:
                case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="call" | "run")) if name in parameters:
                    yield node


def _uses(call: ast.Call, constants: dict[str, str]) -> Iterator[tuple[str | None, str | None]]:
    """The connection and tool of a call; for a command, each connection whose secret it gets."""
    assert isinstance(call.func, ast.Attribute)
    if call.func.attr == "call":
        connection, tool = (constant_text(argument, constants) for argument in (*call.args, None, None)[:2])
        yield connection, tool
        return
    for keyword in call.keywords:
        match keyword:
            case ast.keyword(arg="secrets", value=ast.Dict(values=values)):
                yield from ((constant_text(value, constants), HAND_OVER_TOOL) for value in values)
            case ast.keyword(arg="secrets" | None):
                yield None, HAND_OVER_TOOL


def _parameters(call: ast.Call) -> dict[str, Any] | None:
    assert isinstance(call.func, ast.Attribute)
    names = [one.arg for one in call.keywords]
    if call.func.attr != "call" or None in names or len(call.args) > 2:
        return None
    return {one.arg: _value(one.value) for one in call.keywords if one.arg is not None}


def _value(value: ast.expr) -> Any:
    match value:
        case ast.Constant(value=constant):
            return constant
        case ast.Dict():
            return {}
        case ast.List() | ast.ListComp() | ast.Tuple():
            return []
        case ast.JoinedStr():
            return ""
    return ...


def find_constants(tree: ast.Module) -> dict[str, str]:
    """The texts that the file assigns to a name, once."""
    assigned = list(_assignments(tree))
    names = [name for name, _ in assigned]
    return {name: text for name, text in assigned if names.count(name) == 1}


def _assignments(tree: ast.Module) -> Iterator[tuple[str, str]]:
    for node in tree.body:
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Constant(value=str(text))):
                yield name, text


def constant_text(argument: ast.expr | None, constants: dict[str, str]) -> str | None:
    """A text that is written out, or the constant of that name."""
    if isinstance(argument, ast.Constant) and isinstance(argument.value, str):
        return argument.value
    return constants.get(argument.id) if isinstance(argument, ast.Name) else None
