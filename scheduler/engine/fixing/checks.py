"""What a repair may not change, found by comparing both syntax trees; nothing that a fixer says counts."""

import ast
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from scheduler.workers.dependencies import BadDependenciesError, read_dependencies
from scheduler.workers.discovery import find_tools

_HANDLERS = ("producer", "consumer", "job")
_KEPT = ("subscribe", "publishes", "approve", "after_crash")
"""Settings of handlers that a repair leaves alone."""
_WORDS = {
    "subscribe": "topics",
    "subscribes": "topics",
    "publishes": "topics",
    "approve": "when it asks you",
    "after_crash": "what follows a crash",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    refused: tuple[str, ...] = ()
    """Why it cannot be used at all, in sentences."""
    asks: tuple[str, ...] = ()
    """What always needs the person's yes, in sentences."""
    is_same: bool = False


def compare(old: str, new: str) -> Comparison:
    try:
        before, after = ast.parse(old), ast.parse(new)
    except (SyntaxError, ValueError, RecursionError) as error:
        return Comparison(refused=(f"It cannot be read as Python: {error}.",))
    refused = tuple(_refusals(old, new, before, after))
    if not refused and ast.dump(before) == ast.dump(after):
        return Comparison(is_same=True)
    return Comparison(refused=refused, asks=tuple(_questions(before, after)))


def _refusals(old: str, new: str, before: ast.Module, after: ast.Module) -> Iterator[str]:
    if _workflows(before) != _workflows(after):
        yield "It changes the workflow's name, connections or tags."
    if _topics(before) != _topics(after):
        yield "It changes the topics."
    theirs, ours = _handlers(before), _handlers(after)
    if set(theirs) != set(ours):
        yield "It adds, removes or renames handlers."
    for name in sorted(set(theirs) & set(ours)):
        for setting in _KEPT:
            if theirs[name].get(setting) != ours[name].get(setting):
                yield f"It changes {_WORDS[setting]} of {name}."
    added = Counter(_uses(new)) - Counter(_uses(old))
    for handler, connection, tool in sorted(set(added), key=str):
        if connection is None or tool is None:
            yield f"{handler} would use tools that cannot be told from its text."
        elif (handler, connection, tool) not in _uses(old):
            yield f"{handler} would use {tool} of {connection}, which it did not use before."
    try:
        if read_dependencies(old) != read_dependencies(new):
            yield "It changes which packages or which Python it needs."
    except BadDependenciesError as error:
        yield f"What it says about packages cannot be read: {error.sentence}"


def _questions(before: ast.Module, after: ast.Module) -> Iterator[str]:
    if _identities(before) != _identities(after):
        yield "It changes how events are told apart (id=): what was dealt with may come again, or news be overlooked."
    imported = _imports(after) - _imports(before)
    if imported:
        yield f"It imports {', '.join(sorted(imported))}, which it did not before."


def compare_described(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[str]:
    """The same of what both scripts say of themselves when they are loaded, however it is written."""
    found = []
    if any(old.get(name) != new.get(name) for name in ("slug", "name", "connections", "tags", "topics")):
        found.append("It changes the workflow's name, connections, tags or topics.")
    theirs, ours = ({one["name"]: one for one in told["handlers"]} for told in (old, new))
    if {name: one["kind"] for name, one in theirs.items()} != {name: one["kind"] for name, one in ours.items()}:
        return [*found, "It adds, removes or renames handlers."]
    changed = [
        f"It changes {_WORDS[setting]} of {name}."
        for name, one in theirs.items()
        for setting in ("subscribes", "publishes", "approve", "after_crash")
        if one.get(setting) != ours[name].get(setting)
    ]
    return [*found, *changed]


def _workflows(tree: ast.Module) -> list[str]:
    return [ast.dump(node) for node in ast.walk(tree) if isinstance(node, ast.Call) and _called(node) == "Workflow"]


def _topics(tree: ast.Module) -> list[str]:
    return [
        ast.dump(node)
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign) and any(_is_topic(one) for one in ast.walk(node.value))
    ]


def _is_topic(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and _called(node) == "topic"


def _called(call: ast.Call) -> str:
    function = call.func
    return (
        function.attr if isinstance(function, ast.Attribute) else function.id if isinstance(function, ast.Name) else ""
    )


def _handlers(tree: ast.Module) -> dict[str, dict[str, str]]:
    """The settings of each handler that must stay."""
    found: dict[str, dict[str, str]] = {}
    for node in ast.walk(tree):
        if not isinstance(node, ast.FunctionDef | ast.ClassDef):
            continue
        for decorator in node.decorator_list:
            if isinstance(decorator, ast.Call) and _called(decorator) in _HANDLERS:
                told = {one.arg or "**": ast.dump(one.value) for one in decorator.keywords}
                found[f"{_called(decorator)} {node.name}"] = told
    return found


def _uses(source: str) -> list[tuple[str, str | None, str | None]]:
    return [(use.handler, use.connection, use.tool) for use in find_tools(source)]


def _identities(tree: ast.Module) -> Counter[str]:
    """Every `id=` of a publish, with what the names in it stand for, in the same function or in the file."""
    found: Counter[str] = Counter()
    for function in ast.walk(tree):
        if not isinstance(function, ast.FunctionDef):
            continue
        for call in ast.walk(function):
            if isinstance(call, ast.Call) and _called(call) == "publish":
                for one in call.keywords:
                    if one.arg in ("id", None):
                        meant = [*_meanings(one.value, function), *_meanings(one.value, tree)]
                        found[f"{function.name} {ast.dump(one.value)} {meant}"] += 1
    return found


def _meanings(expression: ast.expr, where: ast.FunctionDef | ast.Module) -> Iterator[str]:
    names = {node.id for node in ast.walk(expression) if isinstance(node, ast.Name)}
    for node in where.body if isinstance(where, ast.Module) else ast.walk(where):
        if isinstance(node, ast.FunctionDef) and node.name in names:
            yield ast.dump(node)
        elif isinstance(node, ast.Assign | ast.AugAssign | ast.AnnAssign | ast.NamedExpr) and node.value is not None:
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            if names & {one.id for target in targets for one in ast.walk(target) if isinstance(one, ast.Name)}:
                yield ast.dump(node.value)


def _imports(tree: ast.Module) -> set[str]:
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {one.name for one in node.names}
        elif isinstance(node, ast.ImportFrom):
            found.add(node.module or ".")
    return found
