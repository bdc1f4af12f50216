"""Addresses below the one that a person connected: none may lead elsewhere."""

import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import unquote, urlencode

from scheduler.connections.mistakes import wrong


def below(base: str, path: str, query: Mapping[str, Any] | None = None) -> str:
    """The whole address of a path; one that is whole already is taken if it is on the same server below the base."""
    from scheduler.connections.wire import port_of, read_url  # noqa: PLC0415  costs the start of the app

    root = read_url(base)
    if root.query is not None or root.auth is not None:
        raise wrong("The address of a connection has no user, password or question mark in it.")
    top = (root.path or "").rstrip("/")
    whole = re.match(r"[a-z][a-z0-9+.-]*:", path, re.IGNORECASE) is not None and "://" in path
    goal = read_url(path if whole else f"{base.rstrip('/')}/{path.lstrip('/')}" if path else base)
    same = (goal.scheme, goal.host, port_of(goal), goal.auth) == (root.scheme, root.host, port_of(root), None)
    inside = f"{goal.path or ''}/".startswith(f"{top}/")
    if not same or not inside or _climbs(path.partition("?")[0]):
        raise wrong(f'"{path[:200]}" leads out of {base}, which is all that this connection may ask.')
    asked = [one for one in (goal.query, urlencode(_texts(query or {}), doseq=True)) if one]
    return goal._replace(query="&".join(asked) or None, fragment=None).url


def _climbs(path: str) -> bool:
    """Servers differ in what they take for a step up, so none is sent."""
    return any(step in (".", "..") for step in re.split(r"[/\\]", unquote(unquote(path))))


def _texts(query: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: [_text(name, one) for one in value] if isinstance(value, list | tuple) else _text(name, value)
        for name, value in query.items()
        if value is not None
    }


def _text(name: str, value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str | int | float):
        return str(value)
    raise wrong(f'"{name}" in the query takes a text, a number, true or false, or a list of them.')
