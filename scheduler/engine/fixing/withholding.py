"""Secrets that somebody wrote into a script: a fixer sees signs in their place, and its answer gets them back."""

import ast
from collections.abc import Iterator

from scheduler.engine.fixing.problem import is_secret_name

_SIGN = "(secret {}, left out)"


def withhold(script: str) -> str:
    """The script with a sign for every text that is set under a name such as password or token."""
    lines = script.encode().splitlines(keepends=True)
    for number, node in reversed([*enumerate(_secrets(script), 1)]):
        first, last = node.lineno - 1, (node.end_lineno or node.lineno) - 1
        before, after = lines[first][: node.col_offset], lines[last][node.end_col_offset :]
        lines[first : last + 1] = [before + f'"{_SIGN.format(number)}"'.encode() + after]
    return b"".join(lines).decode()


def give_back(answer: str, script: str) -> str:
    """The answer with what the signs stand for, as it is written in the script."""
    for number, node in enumerate(_secrets(script), 1):
        written, sign = ast.get_source_segment(script, node) or "", _SIGN.format(number)
        for quote in ('"', "'"):
            answer = answer.replace(f"{quote}{sign}{quote}", written)
    return answer


def _secrets(script: str) -> list[ast.Constant]:
    """In the order of the text."""
    try:
        found = [value for node in ast.walk(ast.parse(script)) for name, value in _named(node) if is_secret_name(name)]
    except (SyntaxError, ValueError, RecursionError):
        return []
    texts = [one for one in found if isinstance(one, ast.Constant) and isinstance(one.value, str) and one.value]
    return sorted(texts, key=lambda one: (one.lineno, one.col_offset))


def _named(node: ast.AST) -> Iterator[tuple[str, ast.expr]]:
    match node:
        case ast.Assign(targets=targets, value=value):
            yield from ((one.id, value) for one in targets if isinstance(one, ast.Name))
        case (
            ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value) | ast.keyword(arg=str(name), value=value)
        ):
            yield name, value
        case ast.Dict(keys=keys, values=values):
            for key, value in zip(keys, values, strict=True):
                if isinstance(key, ast.Constant):
                    yield str(key.value), value
