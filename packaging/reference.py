"""Writes resources/reference.md and the reference in resources/library.md from docstrings, and resources/tools.md.

python packaging/reference.py
"""  # noqa: INP001  a script

import inspect
import json
import re
from collections.abc import Iterator
from enum import Enum
from pathlib import Path
from typing import Any

import dayhand

from app.cli.tools import describe_effect, format_call
from scheduler import library
from scheduler.connections.registry import builtin_registry
from scheduler.connections.tool_data import describe_connector

LIBRARY_PATH = Path(__file__).resolve().parent.parent / "resources" / "library.md"
_LIBRARY_HEAD = "## Reference\n"
PATH = Path(__file__).resolve().parent.parent / "resources" / "reference.md"
_HEAD = """# Reference of `dayhand`

All names of the package that scripts import, generated from its docstrings. The [guide](guide.md) explains how they fit
together.
"""
TOOLS_PATH = Path(__file__).resolve().parent.parent / "resources" / "tools.md"
_TOOLS_HEAD = """# Tools of the connections

What scripts can do with `ctx.call`, by kind of connection; `dayhand tools` prints the same. The fields of a connection
are in `dayhand connect KIND:NAME --help`, and packages can add [more kinds](connectors.md).

A tool without a note only reads. One that *acts* can be called only in `mutate`, once per run; one that *asks first*
also needs your approval, unless you allowed it. Parameters marked † can be changed before approving. Results are JSON
values; those in the examples are made up.
"""
_MAX_LINE = 90
_MAX_RESULT_LINE = 110


def write_reference() -> str:
    """The whole page."""
    parts = [_HEAD, *(_describe(name) for name in _ordered())]
    return "\n".join(parts).rstrip() + "\n"


def write_library_page(page: str) -> str:
    """The guide to the library, with its reference at the end."""
    guide = page.partition(_LIBRARY_HEAD)[0]
    errors = [name for name in library.__all__ if _is_error(getattr(library, name))]
    values = [name for name in library.__all__ if name not in ("Scheduler", *errors)]
    parts = [_LIBRARY_HEAD, "All names are in `scheduler.library`; `Scheduler` is in `scheduler`, too.\n"]
    parts += [_describe_library(name) for name in ("Scheduler", *values, *errors)]
    return guide + "\n".join(parts).rstrip() + "\n"


def write_tools_page() -> str:
    """The tables of all built-in connectors."""
    registry = builtin_registry(lambda _title, _text: None)
    parts = [_TOOLS_HEAD]
    for kind in registry.kinds():
        connector = describe_connector(registry.connector(kind))
        parts.append(f"## `{kind}`: {connector['title']}\n\n{connector['help']}\n")
        parts += [_describe_tool(kind, tool) for tool in connector["tools"]]
    return "\n".join(parts)


def _describe_tool(kind: str, tool: dict[str, Any]) -> str:
    effect = describe_effect(tool)
    lines = [f"### `{kind}` `{tool['name']}`{f' ({effect})' if effect else ''}", "", tool["help"], ""]
    if tool["parameters"]:
        lines += ["| parameter | type | |", "|---|---|---|"]
        lines += [
            f"| `{one['name']}`{'†' if one['editable'] else ''} | {one['kind']}{', required' * one['required']} "
            f"| {one['help'].replace('|', '&#124;')} |"
            for one in tool["parameters"]
        ]
        lines.append("")
    if tool["example"] is not None:
        lines += ["```python", format_call(kind, tool), "```", ""]
        lines += ["```json", _format_result(tool["example"]["result"]), "```", ""]
    return "\n".join(lines)


def _format_result(result: Any) -> str:
    """On one line if it fits, otherwise with a line per key."""
    line = json.dumps(result, ensure_ascii=False)
    return line if len(line) <= _MAX_RESULT_LINE else json.dumps(result, ensure_ascii=False, indent=2)


def _describe_library(name: str) -> str:
    thing = getattr(library, name)
    lines = [f"### `{name}`", ""]
    if name == "Scheduler":
        lines += ["```text", _fold(f"{name}{_signature(thing)}"), "```", ""]
    if issubclass(thing, Enum):
        lines += [
            (inspect.getdoc(thing) or "").partition("\n")[0],
            "",
            ", ".join(f"`{one.value}`" for one in thing),
            "",
        ]
        return "\n".join(lines)
    if _is_error(thing):
        bases = ", ".join(f"`{base.__name__}`" for base in thing.__bases__)
        return "\n".join([*lines, *_docs(thing), f"A subclass of {bases}.", ""])
    lines += _docs(thing)
    for word in sorted(_public(thing)):
        member = inspect.getattr_static(thing, word)
        if isinstance(member, property):
            lines += [f"#### `{_instance(name)}.{word}`", "", *_docs(member.fget)]
        else:
            call = _fold(f"{_instance(name)}.{word}{_signature(member)}")
            lines += [f"#### `{_instance(name)}.{word}`", "", "```text", call, "```", "", *_docs(member)]
    return "\n".join(lines)


def _instance(name: str) -> str:
    return {"Scheduler": "scheduler", "DueRun": "run", "RunRecord": "record"}.get(name, name)


def _ordered() -> list[str]:
    """The workflow first, then the contexts, other values and errors."""
    first = ["Workflow", "prepared", "nothing"]
    rest = [name for name in dayhand.__all__ if name not in first]
    contexts = [name for name in rest if name.endswith("Context")]
    errors = [name for name in rest if _is_error(getattr(dayhand, name))]
    others = [name for name in rest if name not in (*contexts, *errors)]
    return [*first, *sorted(contexts, key=_context_order), *others, *errors]


def _is_error(thing: Any) -> bool:
    return inspect.isclass(thing) and issubclass(thing, BaseException)


def _context_order(name: str) -> tuple[bool, str]:
    return name != "Context", name


def _describe(name: str) -> str:
    thing = getattr(dayhand, name)
    lines = [f"## `dayhand.{name}`", ""]
    if inspect.isclass(thing):
        if not _is_error(thing) and not name.endswith("Context"):
            lines += _code(name, thing)
        lines += [*_docs(thing), *_members(name, thing)]
    else:
        lines += [*_code(name, thing), *_docs(thing)]
    return "\n".join(lines)


def _members(name: str, thing: type) -> Iterator[str]:
    """Its public members; what all contexts share is shown only for `Context`."""
    for word in sorted(_public(thing)):
        member = inspect.getattr_static(thing, word)
        shown = word if isinstance(member, property) else f"{word}{_signature(member)}"
        documented = member.fget if isinstance(member, property) else member
        if name != "Context" and hasattr(dayhand.Context, word) and name.endswith("Context"):
            continue
        yield f"### `{_owner(name)}.{word}`"
        yield ""
        if shown != word:
            yield from ["```text", _fold(shown), "```", ""]
        yield from _docs(documented)


def _public(thing: type) -> set[str]:
    found = set()
    for word in dir(thing):
        member = inspect.getattr_static(thing, word)
        is_shown = isinstance(member, property) or inspect.isfunction(member)
        if not word.startswith("_") and is_shown and not hasattr(BaseException, word) and not hasattr(tuple, word):
            found.add(word)
    return found


def _owner(name: str) -> str:
    return "ctx" if name.endswith("Context") else "flow" if name == "Workflow" else name.lower()


def _code(name: str, thing: Any) -> list[str]:
    return ["```text", _fold(f"dayhand.{name}{_signature(thing)}"), "```", ""]


def _signature(thing: Any) -> str:
    """As an author calls it: without `self`, types, and parameters that only catch mistakes."""
    if isinstance(thing, staticmethod | classmethod):
        thing = thing.__func__
    try:
        parameters = list(inspect.signature(thing).parameters.values())
    except ValueError:
        return "(…)"
    shown: list[str] = []
    stars = False
    for one in parameters:
        if one.name in ("self", "positional", "unknown"):
            stars = stars or one.name == "positional"
            continue
        if one.kind is one.KEYWORD_ONLY and not stars:
            stars = True
            if shown:
                shown.append("*")
        sign = "*" if one.kind is one.VAR_POSITIONAL else "**" if one.kind is one.VAR_KEYWORD else ""
        default = one.default.value if isinstance(one.default, Enum) else one.default
        shown.append(f"{sign}{one.name}" + ("" if default is one.empty else f"={default!r}"))
    return f"({', '.join(shown)})"


def _fold(code: str) -> str:
    if len(code) <= _MAX_LINE:
        return code
    head, _, inside = code.partition("(")
    return f"{head}(\n" + "".join(f"    {part},\n" for part in inside.removesuffix(")").split(", ")) + ")"


def _docs(thing: Any) -> list[str]:
    """The docstring; lines such as `name: meaning` become a list."""
    lines: list[str] = []
    is_listed = False
    for line in (inspect.getdoc(thing) or "").splitlines():
        begins = re.match(r"\w+: ", line) is not None
        is_listed = begins or (is_listed and bool(line))
        lines.append(re.sub(r"^(\w+): ", r"- `\1`: ", line) if begins else f"  {line}" if is_listed else line)
    return [*lines, ""] if lines else []


if __name__ == "__main__":
    PATH.write_text(write_reference(), encoding="utf-8")
    LIBRARY_PATH.write_text(write_library_page(LIBRARY_PATH.read_text(encoding="utf-8")), encoding="utf-8")
    TOOLS_PATH.write_text(write_tools_page(), encoding="utf-8")
