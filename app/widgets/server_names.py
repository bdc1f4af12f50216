"""Names of servers inside texts: the form that goes over the wire beside them, and which could be mistaken. Pure."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from scheduler.connections.host_names import BadHostNameError, HostWarningKind, to_wire, warnings

MAX_VALUES = 200_000
"""So many values of a call are looked through; more would hold up the window."""
_MAX_LENGTH = 100_000
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
    for number, text in enumerate(_list_texts(value)):
        if number >= most or len(found) > _MAX_FOUND:
            return Checked(tuple(found.values())[:_MAX_FOUND], is_whole=False)
        for host in _list_hosts(text):
            if host not in found and (alike := _compare(host)) is not None:
                found[host] = alike
    return Checked(tuple(found.values()), is_whole=True)


def _add_wire_form(host: str) -> str:
    name = host.rstrip(".")
    try:
        wire = to_wire(name)
    except BadHostNameError:
        return host
    return host if wire == name.lower() else f"{host}⟨{wire}⟩"


def _list_texts(value: Any) -> Iterator[str]:
    """Without recursion. What is no text counts as an empty one, so that whoever counts them comes to an end."""
    stack: list[Iterator[Any]] = [iter((value,))]
    while stack:
        for one in stack[-1]:
            yield one if isinstance(one, str) else ""
            if isinstance(one, dict):
                stack += [iter(one.values()), iter(one)]
                break
            if isinstance(one, list | tuple):
                stack.append(iter(one))
                break
        else:
            stack.pop()


def _list_hosts(text: str) -> Iterator[str]:
    if "@" in text or "://" in text:
        yield from _HOST.findall(text[:_MAX_LENGTH])
    elif 3 < len(text) < 254 and "." in text and _ALONE.fullmatch(text):
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
