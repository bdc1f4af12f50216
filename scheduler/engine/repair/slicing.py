"""Program slicing: the part of a script that determines one call, such as the ids of its events.

Conservative rather than exact: names count in almost any scope, and what cannot be followed counts as a whole.
"""

import ast
from collections import defaultdict
from collections.abc import Iterable, Iterator

from scheduler.engine.repair.ast_names import (
    PHASES,
    Definition,
    Function,
    all_captured_names,
    bound_names,
    captured_names,
    is_handler,
    is_handler_decorator,
    last_name,
    used_names,
)

_SCALAR = frozenset(
    ["abs", "bool", "float", "int", "isinstance", "len", "print", "range", "repr", "round", "str", "sum"]
)
"""Functions whose result shares nothing with their arguments."""
_PURE = _SCALAR | frozenset(
    ["all", "any", "dict", "enumerate", "frozenset", "list", "max", "min", "reversed", "set", "sorted", "tuple", "zip"]
)
"""Functions that do not change their arguments."""
_OF_CTX = ("call", "checkpoint", "done", "log", "nothing", "peek", "progress", "publish")
_OF_TEXT = (
    "capitalize", "casefold", "decode", "encode", "endswith", "find", "format", "isdigit", "join", "lower", "lstrip",
    "partition", "removeprefix", "removesuffix", "replace", "rpartition", "rstrip", "split", "splitlines", "startswith",
    "strip", "title", "upper",
)  # fmt: skip
_OF_OTHERS = (
    "copy", "count", "date", "get", "hexdigest", "index", "isoformat", "items", "keys", "match", "search",
    "strftime", "time", "values",
)  # fmt: skip
_READ_ONLY_METHODS = frozenset([*_OF_CTX, *_OF_TEXT, *_OF_OTHERS])
"""Methods that do not change their object."""
_NEW_VALUES = (ast.JoinedStr, ast.Compare, ast.Constant, ast.UnaryOp)
_PREPARED, _STATE = "prepared", "state"
"""What the host passes from one phase or run to the next, under these names."""
_CALL_LINE = "made "
_MAX_ROUNDS = 50
_Bindings = dict[str, set[str]]


def slice_call(tree: ast.Module, method: str, parameters: Iterable[str] | None) -> list[str]:
    """What determines these (or all) keyword parameters of `ctx.method(…)`: equal lists mean equal calls."""
    return _Slice(tree, method, None if parameters is None else frozenset(parameters)).read()


class _Slice:
    def __init__(self, tree: ast.Module, method: str, parameters: frozenset[str] | None) -> None:
        self._tree = tree
        self._method = method
        self._parameters = parameters
        self._definitions = [node for node in ast.walk(tree) if isinstance(node, Definition) and not is_handler(node)]
        self._known = (_PURE | _READ_ONLY_METHODS) - bound_names(tree)
        self._hosts = {
            node.value.id
            for node in ast.walk(tree)
            if isinstance(node, ast.Attribute) and node.attr == method and isinstance(node.value, ast.Name)
        }
        self._makers = self._find_makers()
        self._names = set(self._makers)
        self._same: set[str] = set()
        """Names that may refer to the same objects as those it depends on,"""
        self._held: set[str] = set()
        """and names of objects that may contain one of them."""
        self._local: set[str] = set()
        """Names that are local to the current function."""
        self._is_gate = False
        """Whether leaving the current function early may prevent the call; only if all parameters count."""
        self._is_apart = True
        """Whether the current handler makes no such call, so that what it passes on does not matter."""

    def _find_makers(self) -> frozenset[str]:
        """The method, and the functions of the file that call it."""
        found, size = {self._method}, 0
        while size < len(found):
            size = len(found)
            found |= {one.name for one in self._definitions if used_names(one) & found} - {*PHASES}
        return frozenset(found)

    def read(self) -> list[str]:
        """Collect the statements it depends on until no statement adds another name."""
        to_names, to_all = _bind(self._tree)
        for _ in range(_MAX_ROUNDS):
            size = len(self._names)
            self._same, self._held = self._follow(to_names), self._follow(to_all)
            kept = list(self._statements(self._tree.body))
            if size == len(self._names):
                return kept
        return [ast.dump(self._tree)]

    def _follow(self, bindings: _Bindings) -> set[str]:
        """The names, and those that are assigned from them."""
        found, new = set(self._names), list(self._names)
        while new:
            for target in bindings.get(new.pop(), ()):
                if target not in found:
                    found.add(target)
                    new.append(target)
        return found

    def _statements(self, body: Iterable[ast.stmt]) -> Iterator[str]:
        for node in body:
            if isinstance(node, Definition):
                yield from self._definition(node)
            elif bodies := list(_bodies(node)):
                yield from self._branches(node, bodies)
            else:
                yield from self._simple(node)

    def _branches(self, node: ast.stmt, bodies: list[list[ast.stmt]]) -> Iterator[str]:
        inner = [line for body in bodies for line in self._statements(body)]
        heads = list(_heads(node))
        decides = any(self._parameters is None or not line.startswith(_CALL_LINE) for line in inner)
        if decides or any(self._touches(head) for head in heads):
            yield from map(self._keep, heads)
        if inner:
            yield from (f"{type(node).__name__}:", *inner, "end")

    def _definition(self, node: Definition) -> Iterator[str]:
        around = [*(one for one in node.decorator_list if not is_handler_decorator(one)), *_defaults(node)]
        if node.name in self._names - self._makers and not is_handler(node):
            yield self._keep(node)
            return
        before, makes_none = (self._local, self._is_gate, self._is_apart), not used_names(node) & self._makers
        hands_on = node.name in PHASES and not self._is_apart
        if isinstance(node, Function) and makes_none and not hands_on:
            self._local = self._local | _local_names(node)
        if is_handler(node):
            self._is_apart = makes_none
        self._is_gate = self._parameters is None and (not makes_none or (hands_on and node.name == "prepare"))
        inner = list(self._statements(node.body))
        self._local, self._is_gate, self._is_apart = before
        if inner or any(self._touches(one) for one in around):
            shown = ast.dump(node.args) if isinstance(node, Function) else ""
            yield from (f"{type(node).__name__} {node.name} {shown}", *map(self._keep, around), *inner, "end")

    def _simple(self, node: ast.stmt) -> Iterator[str]:
        match node:
            case ast.Expr(value=ast.Call(func=function) as call) if last_name(function) in self._makers:
                counting = [one for one in call.keywords if self._counts(call, one)]
                shown = [(one.arg, self._keep(one.value)) for one in counting]
                yield f"{_CALL_LINE}{ast.dump(function)} {[self._keep(one) for one in call.args]} {shown}"
                others = (one.value for one in call.keywords if one not in counting)
                yield from (self._keep(one) for one in others if self._touches(one))
            case _ if self._touches(node):
                yield self._keep(node)

    def _counts(self, call: ast.Call, keyword: ast.keyword) -> bool:
        """Any argument of a function of the file may reach one that counts."""
        if self._parameters is None or last_name(call.func) != self._method:
            return True
        return keyword.arg is None or keyword.arg in self._parameters

    def _keep(self, node: ast.AST) -> str:
        self._names |= _needs(node) - self._hosts
        return ast.dump(node)

    def _touches(self, node: ast.AST) -> bool:
        """Whether it makes the call, or may change something that the call depends on."""
        return any(self._changes(one) for one in ast.walk(node))

    def _changes(self, node: ast.AST) -> bool:
        match node:
            case ast.Name(id=name, ctx=ast.Store() | ast.Del()):
                return name in self._hosts or self._has({name}, self._names)
            case ast.Attribute(attr=name, ctx=ast.Store() | ast.Del()):
                return self._has({name}, self._names)
            case ast.Subscript(value=value, ctx=ast.Store() | ast.Del()):
                return self._has(used_names(value), self._same if isinstance(value, ast.Name) else self._held)
            case ast.Call(func=function):
                if last_name(function) == _PREPARED:  # what prepare returns is passed to next
                    return _PREPARED in self._names and not self._is_apart
                return not self._is_harmless(node) and self._may_change(node)
            case ast.Return():
                return self._is_gate or (_STATE in self._names and not self._is_apart)
            case ast.Raise() | ast.Continue() | ast.Break():
                return self._is_gate
            case ast.Attribute(attr=name) | ast.Name(id=name):
                return name in self._makers
            case ast.Global(names=declared) | ast.Nonlocal(names=declared):
                return self._has(declared, self._names)
            case ast.Import(names=imported) | ast.ImportFrom(names=imported):
                return self._has([one.asname or one.name.partition(".")[0] for one in imported], self._names)
        return self._has(captured_names(node), self._names)

    def _has(self, names: Iterable[str], found: set[str]) -> bool:
        return any(name in found and name not in self._local for name in names)

    def _may_change(self, call: ast.Call) -> bool:
        """Whether it could change its own object or an argument."""
        given = {name for one in (*call.args, *call.keywords) for name in used_names(one)}
        match call.func:
            case ast.Attribute(value=ast.Name(id=owner)):
                return self._has({owner}, self._same) or self._has(given, self._held)
        return self._has(given | used_names(call.func), self._held)

    def _is_harmless(self, call: ast.Call) -> bool:
        """Whether the call itself changes nothing; its arguments are checked separately."""
        name = last_name(call.func)
        is_method = isinstance(call.func, ast.Attribute)
        return name in self._known and (
            name in _READ_ONLY_METHODS if is_method else name in _PURE and not call.keywords
        )


def _bodies(node: ast.stmt) -> Iterator[list[ast.stmt]]:
    for name in ("body", "orelse", "finalbody"):
        if found := getattr(node, name, None):
            yield found
    for one in (*getattr(node, "handlers", ()), *getattr(node, "cases", ())):
        yield one.body


def _heads(node: ast.stmt) -> Iterator[ast.AST]:
    """The parts of a compound statement outside its bodies."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.ExceptHandler):
            yield ast.ExceptHandler(type=child.type, name=child.name, body=[])
        elif isinstance(child, ast.match_case):
            yield ast.match_case(pattern=child.pattern, guard=child.guard, body=[])
        elif not isinstance(child, ast.stmt):
            yield child


def _bind(tree: ast.Module) -> tuple[_Bindings, _Bindings]:
    """From each name to those assigned from it: only whole names, and also parts of objects."""
    to_names: _Bindings = defaultdict(set)
    to_all: _Bindings = defaultdict(set)
    for target, value in (pair for node in ast.walk(tree) for pair in _bindings(node)):
        is_part = isinstance(target, ast.Subscript | ast.Attribute)
        for name in () if _is_new_value(value) else used_names(value):
            for found in (to_all,) if is_part else (to_names, to_all):
                found[name] |= used_names(target) | all_captured_names(target)
    return to_names, to_all


def _bindings(node: ast.AST) -> Iterator[tuple[ast.AST, ast.expr]]:
    """Targets with the value assigned to them."""
    match node:
        case ast.Assign(targets=targets, value=value):
            yield from ((target, value) for target in targets)
        case ast.AnnAssign(target=target, value=ast.expr() as value) | ast.AugAssign(target=target, value=value):
            yield target, value
        case ast.NamedExpr(target=target, value=value):
            yield target, value
        case ast.For(target=target, iter=value) | ast.AsyncFor(target=target, iter=value):
            yield target, value
        case ast.comprehension(target=target, iter=value):
            yield target, value
        case ast.withitem(context_expr=value, optional_vars=ast.expr() as target):
            yield target, value
        case ast.Match(subject=value, cases=cases):
            yield from ((case.pattern, value) for case in cases)


def _is_new_value(value: ast.expr) -> bool:
    """Whether it is a new value through which nothing else can be changed."""
    return isinstance(value, _NEW_VALUES) or (isinstance(value, ast.Call) and last_name(value.func) in _SCALAR)


def _needs(node: ast.AST) -> set[str]:
    """The names used in it, without the state in a reading call: a cursor selects items, it does not change them."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "call":
        return used_names(node) - {_STATE}
    own = {node.id} if isinstance(node, ast.Name) else {node.attr} if isinstance(node, ast.Attribute) else set()
    return own.union(*(_needs(child) for child in ast.iter_child_nodes(node)))


def _local_names(function: Function) -> set[str]:
    """Names that are local to it."""
    shared = {name for one in ast.walk(function) if isinstance(one, ast.Global | ast.Nonlocal) for name in one.names}
    return bound_names(function) - shared


def _defaults(node: Definition) -> list[ast.expr]:
    if isinstance(node, ast.ClassDef):
        return [*node.bases, *(one.value for one in node.keywords)]
    return [*node.args.defaults, *(one for one in node.args.kw_defaults if one is not None)]
