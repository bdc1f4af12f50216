"""Answers of web servers as scripts get them, and what servers say about a refusal."""

import base64
import json
import re
from collections.abc import Iterable
from typing import Any

from scheduler.connections import charsets
from scheduler.connections.connector import ToolFailedError
from scheduler.connections.web import Answer

_CHARSET = re.compile(r'charset="?([A-Za-z0-9_.:-]+)', re.IGNORECASE)
_KEYS = ("message", "error_description", "detail", "error", "title")
_LONGEST = 200
_NOT_WHOLE = "The answer is too large, or in a form that cannot be read."
_NOT_JSON = "The answer is marked as JSON but cannot be read as JSON."


def shown(answer: Answer) -> dict[str, Any]:
    """Status, headers, and the body as "json", "text" or, where it is neither, "base64".

    What an action answered and cannot be used is said in "note": it was done all the same.
    """
    headers = {name.lower(): value for name, value in answer.headers.items() if name.lower() != "set-cookie"}
    told: dict[str, Any] = {"status": answer.status, "headers": headers}
    if answer.incomplete:
        return {**told, "note": _NOT_WHOLE}
    kind = headers.get("content-type", "").lower()
    if answer.body and "json" in kind.partition(";")[0]:
        try:
            return {**told, "json": answer.json()}
        except ToolFailedError:
            if not answer.acts:
                raise  # an action was done, however badly the answer is written
            told["note"] = _NOT_JSON
    found = _CHARSET.search(kind)
    try:
        if b"\0" not in answer.body:
            return {**told, "text": charsets.decode(answer.body, found[1] if found else "utf-8")}
    except (UnicodeError, LookupError):
        pass
    return {**told, "base64": base64.b64encode(answer.body).decode()}


def said(answer: Answer, secrets: Iterable[str]) -> str:
    """What the server says about a refusal in its JSON, in one line and without the secrets that it may repeat."""
    try:
        value = json.loads(answer.body)
    except (ValueError, RecursionError):
        return ""
    for _ in range(3):
        if isinstance(value, list) and value:
            value = value[0]
        if isinstance(value, dict):
            value = next((value[key] for key in _KEYS if value.get(key)), None)
    if not isinstance(value, str):
        return ""
    for secret in secrets:
        value = value.replace(secret, "…")
    line = " ".join("".join(c if c.isprintable() else " " for c in value).split())
    return line.rstrip(".") if len(line) <= _LONGEST else f"{line[:_LONGEST]}…"
