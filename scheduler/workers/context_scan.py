"""What is wrong with how handlers use `ctx`, found in the source before anything runs.

A problem is certain. Whatever cannot be decided from the syntax alone is checked by the worker.
"""

import ast
from collections.abc import Collection, Iterator, Mapping
from typing import NamedTuple, Protocol

from dayhand._context import CONTEXTS
from dayhand._context_names import explain_missing_name

from scheduler.user_text import UserText
from scheduler.workers.tool_scan import find_phases

_PUBLISH_KEYWORDS = {"id", "title", "data"}


class TopicLists(Protocol):
    """The topics that a handler lists."""

    @property
    def publishes(self) -> Collection[str]: ...

    @property
    def subscribes(self) -> Collection[str]: ...


class ContextProblem(NamedTuple):
    line: int
    sentence: str


def find_context_problems(source: str, handlers: Mapping[str, TopicLists]) -> list[ContextProblem]:
    """Each problem that is certain, by line."""
    tree = ast.parse(source)
    topics = _find_topics(tree)
    found: list[ContextProblem] = []
    for handler, phase, function, methods in find_phases(tree):
        name = _context_name(function, is_method=bool(methods))
        if name is None:
            continue
        kind = CONTEXTS[phase]
        for node in ast.walk(function):
            match node:
                case ast.Attribute(value=ast.Name(id=used), attr=attribute, ctx=ast.Load()) if used == name:
                    if not hasattr(kind, attribute) and not attribute.startswith("_"):
                        found.append(ContextProblem(node.lineno, explain_missing_name(kind, attribute)))
                case ast.Call(func=ast.Attribute(value=ast.Name(id=used), attr=method)) if used == name:
                    if hasattr(kind, method):
                        problem = _check_call(method, node, handler, handlers.get(handler), topics)
                        found += [ContextProblem(node.lineno, problem)] if problem is not None else []
    return sorted(set(found))


def find_oversights(source: str) -> list[ContextProblem]:
    """What is allowed and hardly ever meant: a mutate without a call, a prepare that reserves nothing."""
    found: list[ContextProblem] = []
    for handler, phase, function, methods in find_phases(ast.parse(source)):
        name = _context_name(function, is_method=bool(methods))
        if name is None:
            continue
        if phase == "mutate" and not any(isinstance(node, ast.Name) and node.id == name for node in ast.walk(function)):
            sentence = UserText(
                "{handler}.mutate makes no call, so nothing is done; write ctx.call(…).", handler=handler
            )
            found.append(ContextProblem(function.lineno, sentence))
        if phase == "prepare" and _peeks_without_reserving(function, name):
            sentence = UserText(
                "{handler} reserves none of the events it peeks at, so it gets the same ones again; write reserve=….",
                handler=handler,
            )
            found.append(ContextProblem(function.lineno, sentence))
    return found


def _context_name(function: ast.FunctionDef | ast.AsyncFunctionDef, *, is_method: bool) -> str | None:
    """The name of the parameter `ctx`; None if it may stand for something else."""
    parameters = [*function.args.posonlyargs, *function.args.args]
    if len(parameters) <= is_method or (is_method and function.decorator_list):
        return None
    name = parameters[is_method].arg
    others = [node for node in ast.walk(function) if isinstance(node, ast.arg) and node is not parameters[is_method]]
    bound = {one.arg for one in others}
    bound |= {
        node.id for node in ast.walk(function) if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)
    }
    return None if name in bound else name


def _check_call(
    method: str, call: ast.Call, handler: str, lists: TopicLists | None, topics: Mapping[str, str]
) -> str | None:
    if any(isinstance(one, ast.Starred) for one in call.args):
        return None
    if method == "publish":
        names = {one.arg for one in call.keywords}
        if len(call.args) != 1 or (None not in names and not {"id"} <= names <= _PUBLISH_KEYWORDS):
            return UserText("publish takes a topic, then names; write ctx.publish(found, id=…, title=…, data=…).")
    if method == "call" and len(call.args) > 2:
        return UserText("call takes two strings, then names; write ctx.call('files:inbox', 'read', path=…).")
    if method == "run" and call.args and isinstance(command := call.args[0], ast.Constant):
        words = command.value.split() if isinstance(command.value, str) else ["restic", "backup"]
        return UserText("run takes a command as a list; write ctx.run({command}).", command=repr(words))
    if method in ("publish", "peek") and call.args and lists is not None:
        return _check_topic(method, call.args[0], handler, lists, topics)
    return None


def _check_topic(
    method: str, written: ast.expr, handler: str, lists: TopicLists, topics: Mapping[str, str]
) -> str | None:
    if isinstance(written, ast.Constant):
        return UserText("{topic} is not a topic; use the result of flow.topic('mails').", topic=repr(written.value))
    topic = topics.get(written.id) if isinstance(written, ast.Name) else None
    setting, listed = ("publishes", lists.publishes) if method == "publish" else ("subscribe", lists.subscribes)
    if topic is None or topic in listed:
        return None
    return UserText(
        "{handler} does not list the topic {topic}; write {setting}=[…, {topic}].",
        handler=handler,
        topic=topic,
        setting=setting,
    )


def _find_topics(tree: ast.Module) -> dict[str, str]:
    """The topics that the file assigns to a name, once."""
    names = [node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)]
    names += [node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)]
    return {name: topic for name, topic in _topic_assignments(tree) if names.count(name) == 1}


def _topic_assignments(tree: ast.Module) -> Iterator[tuple[str, str]]:
    for node in tree.body:
        match node:
            case ast.Assign(targets=[ast.Tuple(elts=targets)], value=ast.Tuple(elts=values)):
                pairs = list(zip(targets, values, strict=False))
            case ast.Assign(targets=[target], value=value):
                pairs = [(target, value)]
            case _:
                pairs = []
        for pair in pairs:
            match pair:
                case (
                    ast.Name(id=name),
                    ast.Call(func=ast.Attribute(attr="topic"), args=[ast.Constant(value=str(topic))]),
                ):
                    yield name, topic


def _peeks_without_reserving(function: ast.FunctionDef | ast.AsyncFunctionDef, name: str) -> bool:
    peeks = False
    decisions: list[ast.Call] = []
    for node in ast.walk(function):
        match node:
            case ast.Attribute(value=ast.Name(id=used), attr="peek") if used == name:
                peeks = True
            case ast.Call(func=ast.Attribute(attr="prepared") | ast.Name(id="prepared")):
                decisions.append(node)
    return (
        peeks
        and bool(decisions)
        and not any({"reserve", None} & {one.arg for one in call.keywords} for call in decisions)
    )
