"""Names in a syntax tree: which are used, which are bound, and which definitions are handlers."""

import ast

HANDLERS = frozenset(["producer", "consumer", "job"])
PHASES = frozenset(["prepare", "mutate", "next"])
Function = ast.FunctionDef | ast.AsyncFunctionDef
Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


def used_names(node: ast.AST) -> set[str]:
    """Every name in it, including those of attributes."""
    return {
        one.id if isinstance(one, ast.Name) else one.attr
        for one in ast.walk(node)
        if isinstance(one, ast.Name | ast.Attribute)
    }


def bound_names(tree: ast.AST) -> set[str]:
    """Names that are bound anywhere in it."""
    found = set()
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name, ctx=ast.Store()) | ast.arg(arg=name):
                found.add(name)
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                found.add(name)
            case ast.alias(name=name, asname=other):
                found.add(other or name.partition(".")[0])
        found |= captured_names(node)
    return found


def captured_names(node: ast.AST) -> set[str]:
    match node:
        case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
            return {name}
        case ast.MatchMapping(rest=str(name)):
            return {name}
    return set()


def all_captured_names(node: ast.AST) -> set[str]:
    return {name for one in ast.walk(node) for name in captured_names(one)}


def last_name(function: ast.expr) -> str:
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


def is_handler_decorator(decorator: ast.expr) -> bool:
    return isinstance(decorator, ast.Call) and last_name(decorator.func) in HANDLERS


def is_handler(node: Definition) -> bool:
    return any(is_handler_decorator(one) for one in node.decorator_list)
