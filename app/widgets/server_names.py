"""Host names in texts: adds their punycode form and finds look-alikes. Pure."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from scheduler.connections.host_names import BadHostNameError, HostWarningKind, find_warnings, to_wire

MAX_VALUES = 1_000_000
"""Limit of values checked per call; more would block the window."""
_MAX_TEXT_CHARS = 100_000
_MAX_NAME_CHARS = 254
_MAX_FOUND = 20
_HOST = re.compile(r"(?:(?<=@)|(?<=://))[^\s@/\\:?#<>\"'(),;\[\]|]+")
_WHOLE_HOST = re.compile(r"[^\s@/\\:?#<>\"'(),;\[\]|.]+(?:\.[^\s@/\\:?#<>\"'(),;\[\]|.]+)*\.[^\W\d_]{2,}")
_CONFUSING = {HostWarningKind.MIXED_SCRIPTS, HostWarningKind.LOOKS_LATIN, HostWarningKind.DIGITS}


@dataclass(frozen=True, slots=True)
class LookAlike:
    """A host name that can be mistaken for another."""

    written: str
    wire: str
    resembles: str
    """The name it looks like."""


@dataclass(frozen=True, slots=True)
class LookAlikeReport:
    look_alikes: tuple[LookAlike, ...]
    is_complete: bool
    """False if a limit was reached."""


def add_punycode(text: str) -> str:
    """Add the punycode form after each internationalized name: müller.de⟨xn--mller-kva.de⟩."""
    if text.isascii():
        return text
    if _WHOLE_HOST.fullmatch(text):
        return _add_wire_form(text)
    return _HOST.sub(lambda found: _add_wire_form(found[0]), text)


def find_look_alikes(value: Any, max_values: int = MAX_VALUES) -> LookAlikeReport:
    """Check all strings of a value, including keys."""
    found: dict[str, LookAlike] = {}
    texts = _HostTexts(value, max_values)
    for text in texts:
        for host in _list_hosts(text):
            if host not in found and (alike := _compare(host)) is not None:
                found[host] = alike
        if len(found) > _MAX_FOUND:
            return LookAlikeReport(tuple(found.values())[:_MAX_FOUND], is_complete=False)
    return LookAlikeReport(tuple(found.values()), is_complete=texts.is_whole)


def _add_wire_form(host: str) -> str:
    name = host.rstrip(".")
    try:
        wire = to_wire(name)
    except BadHostNameError:
        return host
    return host if wire == name.lower() else f"{host}⟨{wire}⟩"


class _HostTexts:
    """Iterates over strings of a value that may contain a host name, without recursion, up to a limit."""

    def __init__(self, value: Any, most: int) -> None:
        self._stack: list[Any] = [[value]]
        self._remaining = most
        self.is_whole = True
        """Set to False when the limit is reached."""

    def __iter__(self) -> Iterator[str]:
        keys: set[str] = set()
        while self._stack:
            inner = self._stack.pop()
            if isinstance(inner, dict):
                keys.update(inner)
                inner = inner.values()
            self._remaining -= len(inner)
            if self._remaining < 0:
                self.is_whole = False
                return
            for one in inner:
                if isinstance(one, str):
                    if "." in one and ("@" in one or "://" in one or one[-2:].isalpha()):
                        yield one
                elif isinstance(one, dict | list) and one:
                    self._stack.append(one)
        yield from (key for key in keys if "." in key)


def _list_hosts(text: str) -> Iterator[str]:
    if "@" in text or "://" in text:
        yield from _HOST.findall(text[:_MAX_TEXT_CHARS])
    elif len(text) < _MAX_NAME_CHARS and _WHOLE_HOST.fullmatch(text):
        yield text


def _compare(host: str) -> LookAlike | None:
    name = host.rstrip(".")
    try:
        reasons = [one for one in find_warnings(name) if one.kind in _CONFUSING]
        wire = to_wire(name)
    except BadHostNameError:
        return None
    if not reasons:
        return None
    meant = name.lower()
    for one in reasons:
        meant = meant.replace(one.label, one.looks_like)
    return LookAlike(name, wire, meant)
