"""What a repair may not change, found by comparing both syntax trees; nothing that a fixer says counts."""

import ast
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from scheduler.engine.fixing.acting import changed_unasked
from scheduler.engine.fixing.deciding import decides
from scheduler.engine.fixing.names import HANDLERS, name_of
from scheduler.engine.fixing.slyness import hidden
from scheduler.workers.dependencies import BadDependenciesError, read_dependencies
from scheduler.workers.discovery import find_tools

_KEPT = ("subscribe", "publishes", "approve", "after_crash")
"""Settings of handlers that a repair leaves alone."""
_REACHING = frozenset(
    [
        "asyncio",
        "http",
        "httpx",
        "multiprocessing",
        "os",
        "requests",
        "shutil",
        "smtplib",
        "socket",
        "subprocess",
        "urllib",
    ]
)
"""Modules through which a script acts without Dayhand."""
_MOST_MORE = 50_000
"""Letters: comparing takes the longer, the more there is to compare."""
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
    if len(new) > len(old) + _MOST_MORE:
        return Comparison(refused=("It is far longer than the script that it repairs.",))
    try:
        before, after = ast.parse(old), ast.parse(new)
        refused = tuple(_refusals(old, new, before, after))
        if not refused and ast.dump(before) == ast.dump(after):
            return Comparison(is_same=True)
        return Comparison(refused=refused, asks=tuple(_questions(old, new, before, after)))
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        return Comparison(refused=(f"It cannot be read as Python: {str(error) or 'it is too long'}.",))


def _refusals(old: str, new: str, before: ast.Module, after: ast.Module) -> Iterator[str]:
    if _workflows(before) != _workflows(after):
        yield "It changes the workflow's name, connections or tags."
    if _topics(before) != _topics(after) or _published(after) - _published(before):
        yield "It changes the topics."
    if ways := hidden(before, after):
        yield f"What it does cannot be told from its text ({', '.join(ways)})."
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


def _questions(old: str, new: str, before: ast.Module, after: ast.Module) -> Iterator[str]:
    def differs(method: str, *parameters: str) -> bool:
        return decides(before, method, parameters) != decides(after, method, parameters)

    if differs("publish", "id"):
        yield "It changes how events are told apart (id=): what was dealt with may come again, or news be overlooked."
    if differs("run", "command"):
        yield "It changes which commands are run."
    if any(None in use for use in (*_uses(old), *_uses(new))) and differs("call"):
        yield "It changes which tools are used, where that is not written out."
    yield from (f"It changes what {one} does outside without asking you." for one in changed_unasked(before, after))
    if imported := _imports(after) - _imports(before):
        yield f"It imports {', '.join(sorted(imported))}, which it did not before."
    if reached := _reached(after) - _reached(before):
        yield f"It uses {', '.join(sorted(reached))}, which it did not before."


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
    return [
        ast.dump(node) for node in ast.walk(tree) if isinstance(node, ast.Call) and name_of(node.func) == "Workflow"
    ]


def _topics(tree: ast.Module) -> list[str]:
    return [
        ast.dump(node)
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign) and any(_is_topic(one) for one in ast.walk(node.value))
    ]


def _is_topic(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and name_of(node.func) == "topic"


def _handlers(tree: ast.Module) -> dict[str, dict[str, str]]:
    """The settings of each handler that must stay."""
    found: dict[str, dict[str, str]] = {}
    for node in ast.walk(tree):
        if not isinstance(node, ast.FunctionDef | ast.ClassDef):
            continue
        for decorator in node.decorator_list:
            if isinstance(decorator, ast.Call) and name_of(decorator.func) in HANDLERS:
                told = {one.arg or "**": ast.dump(one.value) for one in decorator.keywords}
                found[f"{name_of(decorator.func)} {node.name}"] = told
    return found


def _uses(source: str) -> list[tuple[str, str | None, str | None]]:
    return [(use.handler, use.connection, use.tool) for use in find_tools(source)]


def _published(tree: ast.Module) -> set[str]:
    """The topics that events go to, as they are written."""
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and name_of(node.func) == "publish"]
    return {ast.dump(call.args[0]) for call in calls if call.args}


def _reached(tree: ast.Module) -> set[str]:
    """What it uses of modules that reach beyond the script."""
    chains = (node for node in ast.walk(tree) if isinstance(node, ast.Attribute))
    written = {ast.unparse(node) for node in chains if isinstance(node.value, ast.Name | ast.Attribute)}
    return {name for name in written if name.partition(".")[0] in _REACHING and not name.startswith("os.path")}


def _imports(tree: ast.Module) -> set[str]:
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            place = f"{'.' * node.level}{node.module or ''} " if isinstance(node, ast.ImportFrom) else ""
            found |= {f"{place}{one.name}{f' as {one.asname}' if one.asname else ''}" for one in node.names}
    return found
