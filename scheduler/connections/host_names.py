"""Names of servers: the form that goes over the wire, and what could make a user take one for another.

Pure: nothing is looked up. Everything that dials a server or shows one takes the name from here.
"""

import ipaddress
import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from scheduler.connections.errors import ConnectionRuleError

_LABEL = re.compile(r"[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?", re.ASCII)
_NUMBER = re.compile(r"0x[0-9a-f]*|[0-9]+", re.ASCII)
_MAX_NAME_LENGTH = 253
_ENCODED = "xn--"
_JOINERS = "\u200c\u200d"
"""The only letters without a shape that names of some languages need; idna checks where they stand."""
_DIGIT_INSIDE_WORD = re.compile(r"(?<=[a-z])[01]+(?=[a-z])", re.ASCII)
_TOGETHER = ({"LATIN", "CJK", "HIRAGANA", "KATAKANA"}, {"LATIN", "CJK", "BOPOMOFO"}, {"LATIN", "CJK", "HANGUL"})
"""Scripts that Japanese, Chinese and Korean write side by side."""
_LOOK_ALIKES = {
    "a": "аαɑ",
    "b": "вьβƅ",
    "c": "сϲ",
    "d": "ԁ",
    "e": "еҽєε",
    "g": "ցɡ",
    "h": "нһհ",
    "i": "іιɩ",
    "j": "јϳ",
    "k": "кκ",
    "l": "ӏǀ",
    "m": "м",
    "n": "пηո",
    "o": "оοσօ",
    "p": "рρ",
    "q": "ԛզ",
    "r": "г",
    "s": "ѕ",
    "t": "тτ",
    "u": "υս",
    "v": "ѵν",
    "w": "ԝω",
    "x": "хχ",
    "y": "уγ",
}
"""Letters of Cyrillic, Greek, Armenian and phonetic scripts that look like plain Latin ones in common fonts."""
_LOOKS_LATIN = {other: letter for letter, others in _LOOK_ALIKES.items() for other in others}
_STROKED = {"ı": "i", "ł": "l", "ø": "o", "đ": "d", "ħ": "h", "ŧ": "t"}
"""Letters of living languages: no reason for a warning, but close enough to be taken for another."""
_LOOKS_LIKE_LETTER = {"0": "o", "1": "l"}
_SHAPES = {**_LOOKS_LATIN, **_STROKED, **_LOOKS_LIKE_LETTER}


class BadHostNameError(ConnectionRuleError):
    """A name that no server can have, or whose meaning programs disagree about."""


class HostWarningKind(StrEnum):
    """Why a name deserves a second look."""

    OTHER_FORM = "other_form"
    """Another form goes over the wire than the one that is written."""
    MIXED_SCRIPTS = "mixed_scripts"
    """Letters of several scripts in one word."""
    LOOKS_LATIN = "looks_latin"
    """A word of another script whose letters all look like Latin ones."""
    DIGITS = "digits"
    """Digits that look like letters, or that are not 0 to 9."""
    LOOKS_LIKE_KNOWN = "looks_like_known"
    """Looks like another server that the user knows."""


@dataclass(frozen=True, slots=True)
class HostWarning:
    """One reason; `label` is the part of the name that it is about, `meant` what it may be taken for."""

    kind: HostWarningKind
    label: str
    meant: str = ""


def to_wire(host: str) -> str:
    """The ASCII form that goes over the wire, by IDNA 2008 as browsers apply it; BadHostNameError if there is none.

    Addresses of four or six numbers stay as they are, with or without brackets. Names keep a dot at their end.
    """
    if _address(host) is not None:
        return host.lower()
    name = host.lower() if host.isascii() else _encode(host)
    labels = name.removesuffix(".").split(".")
    if len(name) > _MAX_NAME_LENGTH + 1 or not all(_LABEL.fullmatch(label) for label in labels):
        raise BadHostNameError("This is not the name of a server. Write it as in www.example.org.")
    if _NUMBER.fullmatch(labels[-1]):  # 127.1, 0x7f000001 and 2130706433 mean different computers to different programs
        raise BadHostNameError("Write the address of a server with four numbers, as in 192.0.2.1.")
    return name


def to_display(host: str) -> str:
    """The name as its owner writes it, with accents and other scripts; as it is where it cannot be read."""
    return ".".join(_decode(label) for label in host.split("."))


def warnings(host: str, known: Iterable[str] = ()) -> list[HostWarning]:
    """What could make a user take the name for another; `known` are servers that the user trusts already.

    Takes the name in either form. BadHostNameError as `to_wire`.
    """
    wire = to_wire(host)
    if _address(wire) is not None:
        return []
    labels = to_display(wire).removesuffix(".").split(".")
    found = [HostWarning(HostWarningKind.OTHER_FORM, host, wire)] if wire != host.lower() else []
    for label in labels:
        found += _about_label(label, labels[-1])
    shape = _skeleton(to_display(wire))
    for other in known:
        if to_wire(other) != wire and _skeleton(to_display(to_wire(other))) == shape:
            found.append(HostWarning(HostWarningKind.LOOKS_LIKE_KNOWN, host, other))
    return found


def _about_label(label: str, top: str) -> list[HostWarning]:
    found = []
    scripts = _scripts(label)
    skeleton = _skeleton(label)
    if len(scripts) > 1 and not any(scripts <= together for together in _TOGETHER):
        found.append(HostWarning(HostWarningKind.MIXED_SCRIPTS, label, skeleton))
    elif _looks_latin(label) and (scripts == {"LATIN"} or not scripts & _scripts(top)):
        found.append(HostWarning(HostWarningKind.LOOKS_LATIN, label, skeleton))
    is_foreign_digit = any(one.isdecimal() and not one.isascii() for one in label)
    if is_foreign_digit or (_DIGIT_INSIDE_WORD.search(label) and not label.startswith(_ENCODED)):
        found.append(HostWarning(HostWarningKind.DIGITS, label, skeleton))
    return found


def _looks_latin(label: str) -> bool:
    return any(one in _LOOKS_LATIN for one in label) and _skeleton(label).isascii()


def _scripts(label: str) -> set[str]:
    """By the first word of each letter's name, which is its script for all that names may be written in."""
    return {unicodedata.name(one, "UNKNOWN").split()[0] for one in label if one.isalpha()}


def _skeleton(name: str) -> str:
    """The same text for names that look the same."""
    bare = "".join(one for one in unicodedata.normalize("NFD", name.lower()) if not unicodedata.combining(one))
    shape = "".join(_SHAPES.get(one) or _digit(one) for one in bare)
    return shape.replace("rn", "m").replace("vv", "w")


def _digit(one: str) -> str:
    value = unicodedata.decimal(one, None)
    if value is None or one.isascii():
        return one
    return _LOOKS_LIKE_LETTER.get(str(value), str(value))


def _encode(host: str) -> str:
    import idna  # noqa: PLC0415  its tables cost the start of the app

    try:
        if any(unicodedata.category(one) == "Cf" and one not in _JOINERS for one in host):
            raise idna.IDNAError
        return idna.encode(host, uts46=True, std3_rules=True).decode()
    except (idna.IDNAError, UnicodeError):
        raise BadHostNameError(
            "This name of a server has letters that no name may have. Write it as its owner does."
        ) from None


def _decode(label: str) -> str:
    if not label.startswith(_ENCODED):
        return label
    import idna  # noqa: PLC0415  as above

    try:
        return idna.ulabel(label)
    except (idna.IDNAError, UnicodeError):
        return label


def _address(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(host[1:-1] if host.startswith("[") and host.endswith("]") else host)
    except ValueError:
        return None
