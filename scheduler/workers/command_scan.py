"""Which commands the jobs of a script run, found in its source: a job is recognized by its command."""

import ast
from collections.abc import Mapping
from functools import lru_cache

from dayhand._command_name import describe_command

from scheduler.workers.tool_scan import constant_text, find_calls, find_constants

_UNKNOWN_WORD = "…"
"""Stands for a word that only the running script knows."""
_CACHED_SCRIPTS = 512


@lru_cache(maxsize=_CACHED_SCRIPTS)
def find_commands(source: str) -> Mapping[str, str]:
    """By job, the command line of each `ctx.run` with a list; several are separated by semicolons."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError):  # stored by an earlier version, or damaged
        return {}
    constants = find_constants(tree)
    found: dict[str, list[str]] = {}
    for handler, phase, call in find_calls(tree):
        match call:
            case ast.Call(func=ast.Attribute(attr="run"), args=[ast.List(elts=words) | ast.Tuple(elts=words), *_]) if (
                words and phase == "job"
            ):
                line = describe_command([_read_word(word, constants) for word in words])
                found.setdefault(handler, []).append(line.replace(f"'{_UNKNOWN_WORD}'", _UNKNOWN_WORD))
    return {handler: "; ".join(dict.fromkeys(lines)) for handler, lines in found.items()}


def _read_word(word: ast.expr, constants: dict[str, str]) -> str:
    text = constant_text(word, constants)
    return _UNKNOWN_WORD if text is None else text
