"""The script of a template as text: its marker, its answers in constants at the top, and its name. Pure.

Only the literals of the constants are rewritten, by their position in the syntax tree, so that everything else a user
has changed in the file stays as it is.
"""

import ast
import re
from collections.abc import Iterator, Mapping
from typing import Any

_MARKER = re.compile(r"^# dayhand-template: ([a-z0-9-]+)[ \t]*$", re.MULTILINE)


def make_marker(slug: str) -> str:
    """The line by which a script is recognized as one of that template."""
    return f"# dayhand-template: {slug}\n"


def find_template_slug(source: str) -> str | None:
    found = _MARKER.search(source)
    return found[1] if found else None


def read_constants(source: str) -> dict[str, Any]:
    """The values of the top-level constants that are assigned once, as a literal. SyntaxError if it is not Python."""
    found = {}
    for name, value in _find_constants(source).items():
        try:
            found[name] = ast.literal_eval(value)
        except (ValueError, TypeError, MemoryError, RecursionError):
            continue
    return found


def replace_constants(source: str, values: Mapping[str, Any]) -> str:
    """The source with other values for these constants; KeyError if one of them is not a constant there."""
    constants = _find_constants(source)
    lines = source.splitlines(keepends=True)
    for name in sorted(values, key=lambda name: constants[name].lineno, reverse=True):
        value = constants[name]
        assert value.end_lineno is not None and value.end_col_offset is not None
        before = lines[value.lineno - 1].encode()[: value.col_offset].decode()  # offsets are in bytes
        after = lines[value.end_lineno - 1].encode()[value.end_col_offset :].decode()
        lines[value.lineno - 1 : value.end_lineno] = [f"{before}{write_literal(values[name])}{after}"]
    return "".join(lines)


def write_literal(value: Any) -> str:
    """A Python literal, with strings in double quotes."""
    if isinstance(value, list):
        return f"[{', '.join(map(write_literal, value))}]"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{write_literal(key)}: {write_literal(one)}' for key, one in value.items())}}}"
    if not isinstance(value, str):
        return repr(value)
    return repr("'" + value)[0] + repr("'" + value)[2:] if '"' not in value else repr(value)


def _find_constants(source: str) -> dict[str, ast.expr]:
    """By name, without those that are assigned more than once."""
    assigned = list(_assignments(ast.parse(source)))
    names = [name for name, _ in assigned]
    return {name: value for name, value in assigned if names.count(name) == 1}


def _assignments(tree: ast.Module) -> Iterator[tuple[str, ast.expr]]:
    for node in tree.body:
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                yield name, value
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
                yield name, value
