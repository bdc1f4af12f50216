"""URLs below the base URL of a connection; anything outside it is refused."""

import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import unquote, urlencode

from scheduler.connections.errors import logic_failure
from scheduler.user_text import UserText


def build_url(base: str, path: str, query: Mapping[str, Any] | None = None) -> str:
    """The full URL of a path. A full URL is accepted if it is on the same server, below the base URL."""
    from scheduler.connections.http_transport import effective_port, parse_http_url  # noqa: PLC0415  imported late to keep startup fast

    root = parse_http_url(base)
    if root.query is not None or root.auth is not None:
        raise logic_failure(
            UserText("The address of a connection must not contain a user name, a password or a question mark.")
        )
    top = (root.path or "").rstrip("/")
    is_full = re.match(r"[a-z][a-z0-9+.-]*:", path, re.IGNORECASE) is not None and "://" in path
    url = parse_http_url(path if is_full else f"{base.rstrip('/')}/{path.lstrip('/')}" if path else base)
    is_same_server = (url.scheme, url.host, effective_port(url), url.auth) == (
        root.scheme,
        root.host,
        effective_port(root),
        None,
    )
    is_below = f"{url.path or ''}/".startswith(f"{top}/")
    if not is_same_server or not is_below or _has_dot_segments(path.partition("?")[0]):
        raise logic_failure(
            UserText(
                '"{path}" is outside {base}. This connection may only use addresses below it.',
                path=path[:200],
                base=base,
            )
        )
    queries = [one for one in (url.query, urlencode(_query_values(query or {}), doseq=True)) if one]
    return url._replace(query="&".join(queries) or None, fragment=None).url


def _has_dot_segments(path: str) -> bool:
    """Servers disagree on what counts as "..", so any spelling of it is refused."""
    return any(step in (".", "..") for step in re.split(r"[/\\]", unquote(unquote(path))))


def _query_values(query: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: [_query_value(name, one) for one in value]
        if isinstance(value, list | tuple)
        else _query_value(name, value)
        for name, value in query.items()
        if value is not None
    }


def _query_value(name: str, value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str | int | float):
        return str(value)
    raise logic_failure(
        UserText('"{name}" in the query must be a text, a number, true, false, or a list of them.', name=name)
    )
