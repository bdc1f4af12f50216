"""What consumers do outside without asking: a repair that changes it needs the person's yes, whatever was chosen."""

import ast
from collections.abc import Iterator
from copy import deepcopy

from scheduler.engine.fixing.deciding import decides
from scheduler.engine.fixing.names import Definition, is_handler, is_of_flow, mentions

_ACT = "act-outside"
"""The one call of `mutate`, told from those that only read by a name that no script can have."""
_ASKING = ("always", "first")


def changed_unasked(before: ast.Module, after: ast.Module) -> list[str]:
    """The consumers whose action is another one, or may come to be, and who act without asking."""
    return [one for one in sorted(_unasked(before)) if _decides(before, one) != _decides(after, one)]


def _unasked(tree: ast.Module) -> set[str]:
    """Also those that do not say so: whether they ask is then up to the tool."""
    classes = [node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
    return {one.name for one in classes for each in one.decorator_list if is_of_flow(each) and not _asks(each)}


def _asks(decorator: ast.expr) -> bool:
    told = [one.value for one in getattr(decorator, "keywords", ()) if one.arg == "approve"]
    return any(isinstance(one, ast.Constant) and one.value in _ASKING for one in told)


def _decides(tree: ast.Module, consumer: str) -> list[str]:
    marked = deepcopy(tree)
    for function in _acting(marked, consumer):
        for node in ast.walk(function):
            if isinstance(node, ast.Attribute) and node.attr == "call":
                node.attr = _ACT
    return decides(marked, _ACT, None)


def _acting(tree: ast.Module, consumer: str) -> Iterator[Definition]:
    """Its `mutate`, and the functions of the file that it may reach."""
    everything = [node for node in ast.walk(tree) if isinstance(node, Definition)]
    classes = [one for one in everything if one.name == consumer and is_handler(one)]
    found = [one for each in classes for one in each.body if isinstance(one, Definition) and one.name == "mutate"]
    while True:
        names = {name for one in found for name in mentions(one)}
        more = [one for one in everything if one.name in names and one not in found and one not in classes]
        if not more:
            return iter(found)
        found += more
