"""What is certainly wrong with the values that prepare returns, found in the source before anything runs.

Whatever cannot be decided from the syntax alone is checked by the worker when prepare returns.
"""

import ast
from collections.abc import Iterator
from typing import NamedTuple

from scheduler.user_text import UserText

_KEYWORDS = {"prepared": ("reserve", "data", "say", "ui", "wake_at", "ask"), "nothing": ("wake_at",)}
"""By constructor: its parameters. `nothing` also takes its only one by position."""
_BUILT_IN_TYPES: dict[type[ast.expr], str] = {
    ast.Dict: "a dict",
    ast.DictComp: "a dict",
    ast.List: "a list",
    ast.ListComp: "a list",
    ast.Set: "a set",
    ast.SetComp: "a set",
    ast.Tuple: "a tuple",
    ast.GeneratorExp: "a generator",
    ast.JoinedStr: "a str",
    ast.Lambda: "a function",
}
_Function = ast.FunctionDef | ast.AsyncFunctionDef
_Scope = _Function | ast.Lambda | ast.ClassDef


class PrepareProblem(NamedTuple):
    line: int
    sentence: str


def find_prepare_problems(source: str) -> list[PrepareProblem]:
    """Each problem that is certain, by line."""
    tree = ast.parse(source)
    constructors = _Constructors(tree)
    found = [problem for call in _calls(tree) for problem in _check_call(call, constructors)]
    for method in _prepare_methods(tree):
        found += _check_returns(method, constructors)
    return sorted(set(found))


class _Constructors:
    """How the script calls `dayhand.prepared` and `dayhand.nothing`; a name that it binds again is not known."""

    def __init__(self, tree: ast.Module) -> None:
        self._modules: set[str] = set()
        self._functions: dict[str, str] = {}
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                self._modules |= {one.asname or one.name for one in node.names if one.name == "dayhand"}
            elif isinstance(node, ast.ImportFrom) and node.module == "dayhand":
                self._functions |= {one.asname or one.name: one.name for one in node.names if one.name in _KEYWORDS}
        bound = set(_bound_names(tree))
        self._modules -= bound
        self._functions = {name: one for name, one in self._functions.items() if name not in bound}

    def find(self, function: ast.expr) -> str | None:
        """`prepared` or `nothing` if that is what the expression names."""
        match function:
            case ast.Attribute(value=ast.Name(id=module), attr=name) if module in self._modules and name in _KEYWORDS:
                return name
            case ast.Name(id=name):
                return self._functions.get(name)
        return None


def _bound_names(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name, ctx=ast.Store() | ast.Del()) | ast.arg(arg=name):
                yield name
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                yield name


def _calls(tree: ast.Module) -> Iterator[ast.Call]:
    return (node for node in ast.walk(tree) if isinstance(node, ast.Call))


def _check_call(call: ast.Call, constructors: _Constructors) -> Iterator[PrepareProblem]:
    name = constructors.find(call.func)
    if name is None:
        return
    allowed = _KEYWORDS[name]
    positional = 1 if name == "nothing" else 0
    if len(call.args) > positional and not any(isinstance(one, ast.Starred) for one in call.args):
        example = "nothing(wake_at=…)" if name == "nothing" else "prepared(reserve=…, data=…)"
        yield PrepareProblem(
            call.lineno,
            UserText("dayhand.{name} takes its values by name; write dayhand.{example}.", name=name, example=example),
        )
    for keyword in call.keywords:
        if keyword.arg is None:
            continue
        if keyword.arg not in allowed:
            unknown = UserText(
                "dayhand.{name} has no parameter {keyword}; it has {allowed}.",
                name=name,
                keyword=keyword.arg,
                allowed=list(allowed),
            )
            yield PrepareProblem(keyword.value.lineno, unknown)
        elif (wrong_value := _check_value(keyword.arg, keyword.value)) is not None:
            yield PrepareProblem(keyword.value.lineno, wrong_value)


def _check_value(name: str, value: ast.expr) -> str | None:
    kind = _type_of(value)
    if kind is None:
        return None
    if name == "say" and kind != "a str":
        return UserText("say is {kind}; write the sentence that asks for approval.", kind=kind)
    if name == "ui" and kind not in ("a dict", "None"):
        return UserText("ui is {kind}; write ui={example}.", kind=kind, example="{'Name': value}")
    if name == "ask" and kind not in ("a dict", "None"):
        return UserText("ask is {kind}; write ask=dayhand.ask('Which folder?').", kind=kind)
    if name == "reserve" and (isinstance(value, ast.Constant | ast.JoinedStr | ast.Dict | ast.Lambda)):
        return UserText("reserve is {kind}; write reserve=ctx.peek(topic).", kind=kind)
    return None


def _prepare_methods(tree: ast.Module) -> Iterator[ast.FunctionDef]:
    """The prepare of each consumer; a decorated one may return anything."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef) and any(map(_is_consumer, node.decorator_list)):
            for method in node.body:
                if isinstance(method, ast.FunctionDef) and method.name == "prepare" and not method.decorator_list:
                    yield method


def _is_consumer(decorator: ast.expr) -> bool:
    function = decorator.func if isinstance(decorator, ast.Call) else decorator
    return isinstance(function, ast.Attribute) and function.attr == "consumer"


def _check_returns(method: ast.FunctionDef, constructors: _Constructors) -> Iterator[PrepareProblem]:
    own = list(_own_nodes(method))
    returns = [node for node in own if isinstance(node, ast.Return)]
    if not returns and not any(isinstance(node, ast.Raise) for node in own):
        yield PrepareProblem(
            method.lineno,
            UserText("prepare returns nothing; return dayhand.prepared(…) or dayhand.nothing()."),
        )
    for node in returns:
        for value in _alternatives(node.value):
            line = node.lineno if value is None else value.lineno
            name = None if value is None else constructors.find(value)
            if name is not None:
                sentence = UserText(
                    "prepare returns dayhand.{name} itself; call it: dayhand.{name}({example}).",
                    name=name,
                    example="…" if name == "prepared" else "",
                )
                yield PrepareProblem(line, sentence)
            elif (kind := "None" if value is None else _type_of(value)) is not None:
                sentence = UserText(
                    "prepare returns {kind}; return dayhand.prepared(…) or dayhand.nothing().", kind=kind
                )
                yield PrepareProblem(line, sentence)


def _own_nodes(method: ast.FunctionDef) -> Iterator[ast.AST]:
    """The nodes of the method without those of functions and classes inside it."""
    waiting: list[ast.AST] = [*method.body]
    for node in waiting:
        yield node
        if not isinstance(node, _Scope):
            waiting += ast.iter_child_nodes(node)


def _alternatives(value: ast.expr | None) -> Iterator[ast.expr | None]:
    """The values that `a if b else c` can have; any other expression is itself."""
    if isinstance(value, ast.IfExp):
        yield from _alternatives(value.body)
        yield from _alternatives(value.orelse)
    else:
        yield value


def _type_of(value: ast.expr) -> str | None:
    """The type that the expression has in any case, as text for the user."""
    match value:
        case ast.Constant(value=None):
            return "None"
        case ast.Constant(value=constant):
            name = type(constant).__name__
            return f"{'an' if name[0] in 'aeiou' else 'a'} {name}"
        case ast.UnaryOp(op=ast.Not()):
            return "a bool"
        case ast.UnaryOp(op=ast.USub() | ast.UAdd(), operand=ast.Constant() as operand):
            return _type_of(operand)
    return _BUILT_IN_TYPES.get(type(value))
