"""Compares a repair with the script by their syntax trees: what it may not change, and what needs approval."""

import ast
from collections import Counter
from collections.abc import Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

from scheduler.engine.repair.ast_names import (
    HANDLERS,
    Definition,
    is_handler,
    is_handler_decorator,
    last_name,
    used_names,
)
from scheduler.engine.repair.evasion import find_new_evasions
from scheduler.engine.repair.slicing import slice_call
from scheduler.user_text import UserText
from scheduler.workers.environments import InvalidDependenciesError, parse_dependencies
from scheduler.workers.tool_scan import find_tool_uses

_KEPT = ("subscribe", "publishes", "approve", "expires", "on_expiry", "after_crash")
"""Handler settings that a repair must not change."""
_OUTSIDE_MODULES = frozenset(
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
"""Modules through which a script can act outside Dayhand."""
_MAX_ADDED_LETTERS = 50_000
"""Bounds the time that comparing takes."""
_SETTING_NAMES = {
    "subscribe": UserText("the topics"),
    "subscribes": UserText("the topics"),
    "publishes": UserText("the topics"),
    "approve": UserText("when it asks you"),
    "expires": UserText("how long it waits for your answer"),
    "on_expiry": UserText("how long it waits for your answer"),
    "after_crash": UserText("what happens after a crash"),
}
_ACT = "act-outside"
"""Marks the calls of `mutate` with a name that no script can have, to distinguish them from read-only calls."""
_ASKING_SETTINGS = ("always", "first")


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    refused: tuple[str, ...] = ()
    """Sentences: why it cannot be used at all."""
    asks: tuple[str, ...] = ()
    """Sentences: what always needs the user's approval."""
    is_same: bool = False


def compare_scripts(old: str, new: str) -> Comparison:
    if len(new) > len(old) + _MAX_ADDED_LETTERS:
        return Comparison(refused=(UserText("It is far longer than the original script."),))
    try:
        before, after = ast.parse(old), ast.parse(new)
        refused = tuple(_refusals(old, new, before, after))
        if not refused and ast.dump(before) == ast.dump(after):
            return Comparison(is_same=True)
        return Comparison(refused=refused, asks=tuple(_questions(old, new, before, after)))
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        return Comparison(
            refused=(UserText("It cannot be read as Python: {error}.", error=str(error) or UserText("it is too long")),)
        )


def _refusals(old: str, new: str, before: ast.Module, after: ast.Module) -> Iterator[str]:
    if _workflows(before) != _workflows(after):
        yield UserText("It changes the workflow's name, connections or tags.")
    if _topics(before) != _topics(after) or _published(after) - _published(before):
        yield UserText("It changes the topics.")
    if ways := find_new_evasions(before, after):
        yield UserText("It hides what it does ({ways}).", ways=", ".join(ways))
    original, repaired = _handlers(before), _handlers(after)
    if set(original) != set(repaired):
        yield UserText("It adds, removes or renames handlers.")
    for name in sorted(set(original) & set(repaired)):
        for setting in _KEPT:
            if original[name].get(setting) != repaired[name].get(setting):
                yield UserText("It changes {setting_names} ({name}).", setting_names=_SETTING_NAMES[setting], name=name)
    added = Counter(_uses(new)) - Counter(_uses(old))
    for handler, connection, tool in sorted(set(added), key=str):
        if connection is None or tool is None:
            yield UserText("{handler} would use tools that are not written out.", handler=handler)
        elif (handler, connection, tool) not in _uses(old):
            yield UserText(
                "{handler} would newly use {tool} of {connection}.", handler=handler, tool=tool, connection=connection
            )
    try:
        if parse_dependencies(old) != parse_dependencies(new):
            yield UserText("It changes which packages or Python version it needs.")
    except InvalidDependenciesError as error:
        yield UserText("Its list of packages cannot be read: {error}", error=error.sentence)


def _questions(old: str, new: str, before: ast.Module, after: ast.Module) -> Iterator[str]:
    def differs(method: str, *parameters: str) -> bool:
        return slice_call(before, method, parameters) != slice_call(after, method, parameters)

    if differs("publish", "id"):
        yield UserText("It changes event IDs (id=): handled events may come again, or new ones be missed.")
    if differs("run", "command"):
        yield UserText("It changes which commands are run.")
    if any(None in use for use in (*_uses(old), *_uses(new))) and differs("call"):
        yield UserText("It changes which tools are used where they are not written out.")
    yield from (
        UserText("It changes what {action} does without asking you.", action=one)
        for one in _changed_unapproved_actions(before, after)
    )
    if imported := _imports(after) - _imports(before):
        yield UserText("It newly imports {imported}.", imported=", ".join(sorted(imported)))
    if reached := _outside_names(after) - _outside_names(before):
        yield UserText("It newly uses {reached}.", reached=", ".join(sorted(reached)))


def compare_descriptions(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[str]:
    """Compare what both scripts declare when they are loaded, however it is written."""
    found = []
    if any(old.get(name) != new.get(name) for name in ("slug", "name", "connections", "tags", "topics")):
        found.append(UserText("It changes the workflow's name, connections, tags or topics."))
    original, repaired = ({one["name"]: one for one in described["handlers"]} for described in (old, new))
    if {name: one["kind"] for name, one in original.items()} != {name: one["kind"] for name, one in repaired.items()}:
        return [*found, UserText("It adds, removes or renames handlers.")]
    changed = [
        UserText("It changes {setting_names} ({name}).", setting_names=_SETTING_NAMES[setting], name=name)
        for name, one in original.items()
        for setting in ("subscribes", "publishes", "approve", "expires", "on_expiry", "after_crash")
        if one.get(setting) != repaired[name].get(setting)
    ]
    return [*found, *changed]


def _changed_unapproved_actions(before: ast.Module, after: ast.Module) -> list[str]:
    """The consumers that act without approval and whose outside action changes, or may change."""
    return [one for one in sorted(_unapproved(before)) if _action_slice(before, one) != _action_slice(after, one)]


def _unapproved(tree: ast.Module) -> set[str]:
    """Includes those without `approve=`, as the tool then decides whether they ask."""
    classes = [node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
    return {
        one.name for one in classes for each in one.decorator_list if is_handler_decorator(each) and not _asks(each)
    }


def _asks(decorator: ast.expr) -> bool:
    settings = [one.value for one in getattr(decorator, "keywords", ()) if one.arg == "approve"]
    return any(isinstance(one, ast.Constant) and one.value in _ASKING_SETTINGS for one in settings)


def _action_slice(tree: ast.Module, consumer: str) -> list[str]:
    marked = deepcopy(tree)
    for function in _acting_functions(marked, consumer):
        for node in ast.walk(function):
            if isinstance(node, ast.Attribute) and node.attr == "call":
                node.attr = _ACT
    return slice_call(marked, _ACT, None)


def _acting_functions(tree: ast.Module, consumer: str) -> Iterator[Definition]:
    """Its `mutate` and the functions of the file that `mutate` may call."""
    everything = [node for node in ast.walk(tree) if isinstance(node, Definition)]
    classes = [one for one in everything if one.name == consumer and is_handler(one)]
    found = [one for each in classes for one in each.body if isinstance(one, Definition) and one.name == "mutate"]
    while True:
        names = {name for one in found for name in used_names(one)}
        more = [one for one in everything if one.name in names and one not in found and one not in classes]
        if not more:
            return iter(found)
        found += more


def _workflows(tree: ast.Module) -> list[str]:
    return [
        ast.dump(node) for node in ast.walk(tree) if isinstance(node, ast.Call) and last_name(node.func) == "Workflow"
    ]


def _topics(tree: ast.Module) -> list[str]:
    return [
        ast.dump(node)
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign) and any(_is_topic(one) for one in ast.walk(node.value))
    ]


def _is_topic(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and last_name(node.func) == "topic"


def _handlers(tree: ast.Module) -> dict[str, dict[str, str]]:
    """The decorator settings of each handler."""
    found: dict[str, dict[str, str]] = {}
    for node in ast.walk(tree):
        if not isinstance(node, ast.FunctionDef | ast.ClassDef):
            continue
        for decorator in node.decorator_list:
            if isinstance(decorator, ast.Call) and last_name(decorator.func) in HANDLERS:
                settings = {one.arg or "**": ast.dump(one.value) for one in decorator.keywords}
                found[f"{last_name(decorator.func)} {node.name}"] = settings
    return found


def _uses(source: str) -> list[tuple[str, str | None, str | None]]:
    return [(use.handler, use.connection, use.tool) for use in find_tool_uses(source)]


def _published(tree: ast.Module) -> set[str]:
    """The topics that events are published to, as written."""
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and last_name(node.func) == "publish"]
    return {ast.dump(call.args[0]) for call in calls if call.args}


def _outside_names(tree: ast.Module) -> set[str]:
    """What it uses of the modules that act outside Dayhand."""
    chains = (node for node in ast.walk(tree) if isinstance(node, ast.Attribute))
    written = {ast.unparse(node) for node in chains if isinstance(node.value, ast.Name | ast.Attribute)}
    return {name for name in written if name.partition(".")[0] in _OUTSIDE_MODULES and not name.startswith("os.path")}


def _imports(tree: ast.Module) -> set[str]:
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            place = f"{'.' * node.level}{node.module or ''} " if isinstance(node, ast.ImportFrom) else ""
            found |= {f"{place}{one.name}{f' as {one.asname}' if one.asname else ''}" for one in node.names}
    return found
