"""Finds constructs that hide what a script does: a repair that adds one defeats every check of its text."""

import ast
from collections import Counter
from collections.abc import Iterator

from scheduler.engine.repair.ast_names import PHASES, Function, is_handler, is_handler_decorator
from scheduler.user_text import UserText
from scheduler.workers.tool_scan import find_calls

_FUNCTIONS = frozenset(
    ["exec", "eval", "compile", "getattr", "setattr", "delattr", "globals", "locals", "vars", "breakpoint", "super"]
)
_MODULES = frozenset(
    ["builtins", "ctypes", "gc", "importlib", "inspect", "marshal", "operator", "pickle", "pkgutil", "runpy", "sys"]
)
"""Modules through which everything else can be reached."""
_CALLS = frozenset(["call", "run"])
_HARMLESS_DUNDERS = frozenset(["__name__", "__file__", "__doc__"])
_SELVES = frozenset(["self", "cls"])


def find_new_evasions(before: ast.Module, after: ast.Module) -> list[str]:
    """Such constructs that only the second script has, as shown to the user."""
    return sorted({shown for shown, _ in Counter(_Script(after).ways()) - Counter(_Script(before).ways())})


class _Script:
    def __init__(self, tree: ast.Module) -> None:
        self._nodes = list(ast.walk(tree))
        self._functions = {node.name for node in tree.body if isinstance(node, Function)}
        self._methods = {node.name for node in self._nodes if isinstance(node, Function)} - self._functions
        self._handlers = {
            node.name: node for node in self._nodes if isinstance(node, Function | ast.ClassDef) and is_handler(node)
        }
        self._hosts = set(self._find_hosts())
        self._modules = {
            one.asname or one.name.partition(".")[0]
            for node in self._nodes
            if isinstance(node, ast.Import)
            for one in node.names
        }
        self._seen = {id(call.func) for _, _, call in find_calls(tree)}
        """Calls that are known to belong to a handler."""
        self._seen_hosts = {id(name) for node in self._nodes for name in self._allowed_uses(node)}

    def _find_hosts(self) -> Iterator[str]:
        """The names of the handlers' ctx parameter."""
        for handler in self._handlers.values():
            phases = handler.body if isinstance(handler, ast.ClassDef) else [handler]
            for one in phases:
                if isinstance(one, Function) and (one is handler or one.name in PHASES):
                    arguments = [*one.args.posonlyargs, *one.args.args][0 if one is handler else 1 :]
                    yield from (argument.arg for argument in arguments[:1])

    def _allowed_uses(self, node: ast.AST) -> Iterator[ast.expr]:
        """Where a ctx may be used: before a dot, or passed to a function of the file or an own method."""
        match node:
            case ast.Attribute(value=ast.Name() as owner):
                yield owner
            case ast.Call(func=ast.Name(id=name)) if name in self._functions:
                yield from (*node.args, *(one.value for one in node.keywords))
            case ast.Call(func=ast.Attribute(value=ast.Name(id="self"), attr=name)) if name in self._methods:
                yield from (*node.args, *(one.value for one in node.keywords))

    def ways(self) -> Iterator[tuple[str, str]]:
        """Each as shown to the user, and in full."""
        for node in self._nodes:
            if isinstance(node, Function | ast.ClassDef):
                yield from ((shown, node.name) for shown in self._check_definition(node))
            elif shown := self._check_name(node) if isinstance(node, ast.Name) else self._check_node(node):
                yield shown, ast.dump(node)

    def _check_name(self, node: ast.Name) -> str:
        name, is_set = node.id, not isinstance(node.ctx, ast.Load)
        fixed = self._hosts | self._modules | self._functions | PHASES
        if name in _FUNCTIONS | _MODULES or (name.startswith("__") and name not in _HARMLESS_DUNDERS):
            return name
        if name in self._handlers:
            return UserText("{name} by its name", name=name)
        if is_set and name in fixed:
            return f"{name} = …"
        return (
            UserText("{name} passed on", name=name) if name in self._hosts and id(node) not in self._seen_hosts else ""
        )

    def _check_node(self, node: ast.AST) -> str:
        match node:
            case ast.Call(func=ast.Attribute(attr=name, value=owner) as function) if name in _CALLS:
                is_plain = id(function) in self._seen or (isinstance(owner, ast.Name) and owner.id in self._modules)
                self._seen.add(id(function))
                return "" if is_plain else f".{name}(…)"
            case ast.Attribute(attr=name) if (name in _CALLS and id(node) not in self._seen) or name == "handlers":
                return f".{name}"
            case ast.Attribute(attr=name, value=owner, ctx=context):
                is_own = isinstance(owner, ast.Name) and owner.id in _SELVES and name not in self._methods
                is_set = not isinstance(context, ast.Load)
                is_inner = name.startswith("_") and not (isinstance(owner, ast.Name) and owner.id in _SELVES)
                return f".{name}" if is_inner or (is_set and not is_own) else ""
            case ast.arg(arg=name) if name in self._functions:
                return UserText("{name} as a parameter", name=name)
            case ast.MatchClass(kwd_attrs=[_, *_]):
                return "case …(…=…)"
            case ast.alias(name="*"):
                return "import *"
        return ""

    @staticmethod
    def _check_definition(node: Function | ast.ClassDef) -> Iterator[str]:
        yield from (f"@{ast.unparse(one)}" for one in node.decorator_list if not is_handler_decorator(one))
        if not isinstance(node, ast.ClassDef):
            yield from (f"*{one.arg}" for one in (node.args.vararg, node.args.kwarg) if one is not None)
            return
        yield from (f"{node.name}({ast.unparse(one)})" for one in node.bases)
        direct = {id(one) for one in node.body}
        for one in ast.walk(node):
            if isinstance(one, Function) and one.name in PHASES and id(one) not in direct:
                yield UserText("nested {name}", name=one.name)
