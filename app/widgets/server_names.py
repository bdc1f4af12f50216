"""Names of servers inside texts: the form that goes over the wire beside them, and which could be mistaken. Pure."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from scheduler.connections.host_names import BadHostNameError, HostWarningKind, to_wire, warnings

MAX_VALUES = 1_000_000
"""So many values of a call are looked through; more would hold up the window."""
_MAX_LENGTH = 100_000
_MAX_NAME = 254
_MAX_FOUND = 20
_HOST = re.compile(r"(?:(?<=@)|(?<=://))[^\s@/\\:?#<>\"'(),;\[\]|]+")
_ALONE = re.compile(r"[^\s@/\\:?#<>\"'(),;\[\]|.]+(?:\.[^\s@/\\:?#<>\"'(),;\[\]|.]+)*\.[^\W\d_]{2,}")
_CONFUSING = {HostWarningKind.MIXED_SCRIPTS, HostWarningKind.LOOKS_LATIN, HostWarningKind.DIGITS}


@dataclass(frozen=True, slots=True)
class LookAlike:
    """A server's name that can be taken for another."""

    written: str
    wire: str
    meant: str
    """What it looks like."""


@dataclass(frozen=True, slots=True)
class Checked:
    look_alikes: tuple[LookAlike, ...]
    is_whole: bool
    """False if there was more than is looked through."""


def add_wire_forms(text: str) -> str:
    """After each name in another form than goes over the wire that form, such as müller.de⟨xn--mller-kva.de⟩."""
    if text.isascii():
        return text
    if _ALONE.fullmatch(text):
        return _add_wire_form(text)
    return _HOST.sub(lambda found: _add_wire_form(found[0]), text)


def find_look_alikes(value: Any, most: int = MAX_VALUES) -> Checked:
    """In all texts of a value, keys among them."""
    found: dict[str, LookAlike] = {}
    texts = _Texts(value, most)
    for text in texts:
        for host in _list_hosts(text):
            if host not in found and (alike := _compare(host)) is not None:
                found[host] = alike
        if len(found) > _MAX_FOUND:
            return Checked(tuple(found.values())[:_MAX_FOUND], is_whole=False)
    return Checked(tuple(found.values()), is_whole=texts.is_whole)


def _add_wire_form(host: str) -> str:
    name = host.rstrip(".")
    try:
        wire = to_wire(name)
    except BadHostNameError:
        return host
    return host if wire == name.lower() else f"{host}⟨{wire}⟩"


class _Texts:
    """The texts of a value that can have a server's name in them. Without recursion, up to so many values."""

    def __init__(self, value: Any, most: int) -> None:
        self._stack: list[Any] = [[value]]
        self._left = most
        self.is_whole = True
        """After the last one: whether these were all."""

    def __iter__(self) -> Iterator[str]:
        keys: set[str] = set()
        while self._stack:
            inner = self._stack.pop()
            if isinstance(inner, dict):
                keys.update(inner)
                inner = inner.values()
            self._left -= len(inner)
            if self._left < 0:
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
        yield from _HOST.findall(text[:_MAX_LENGTH])
    elif len(text) < _MAX_NAME and _ALONE.fullmatch(text):
        yield text


def _compare(host: str) -> LookAlike | None:
    name = host.rstrip(".")
    try:
        reasons = [one for one in warnings(name) if one.kind in _CONFUSING]
        wire = to_wire(name)
    except BadHostNameError:
        return None
    if not reasons:
        return None
    meant = name.lower()
    for one in reasons:
        meant = meant.replace(one.label, one.meant)
    return LookAlike(name, wire, meant)
