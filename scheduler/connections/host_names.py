"""Host names: their wire and display forms, warnings about look-alikes, and whether one is this computer.

Nothing is resolved here. Everything that connects to a server or shows its name uses this module.
"""

import ipaddress
import re
import socket
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from scheduler.connections.errors import ConnectionRuleError
from scheduler.user_text import UserText

_LABEL = re.compile(r"[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?", re.ASCII)
_NUMBER = re.compile(r"0x[0-9a-f]*|[0-9]+", re.ASCII)
_MAX_NAME_LENGTH = 253
_LOCAL_NAMES = ("localhost", "localhost.localdomain", "ip6-localhost", "ip6-loopback")
_ENCODED = "xn--"
_JOINERS = "\u200c\u200d"
"""The only invisible characters that names in some languages need; idna checks their positions."""
_DIGIT_INSIDE_WORD = re.compile(r"(?<=[a-z])[01]+(?=[a-z])", re.ASCII)
_MIXABLE_SCRIPTS = ({"LATIN", "CJK", "HIRAGANA", "KATAKANA"}, {"LATIN", "CJK", "BOPOMOFO"}, {"LATIN", "CJK", "HANGUL"})
"""Scripts that Japanese, Chinese and Korean mix."""
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
"""Cyrillic, Greek, Armenian and phonetic letters that look like plain Latin ones in common fonts."""
_LOOKS_LATIN = {other: letter for letter, others in _LOOK_ALIKES.items() for other in others}
_SIMILAR_LATIN = {"ı": "i", "ł": "l", "ø": "o", "đ": "d", "ħ": "h", "ŧ": "t"}
"""Letters of living languages: no reason for a warning, but similar enough for a comparison."""
_LOOKS_LIKE_LETTER = {"0": "o", "1": "l"}
_SHAPES = {**_LOOKS_LATIN, **_SIMILAR_LATIN, **_LOOKS_LIKE_LETTER}


class BadHostNameError(ConnectionRuleError):
    """An invalid host name, or one that programs translate_text differently."""


class HostWarningKind(StrEnum):
    """Why a host name is suspicious."""

    OTHER_FORM = "other_form"
    """The wire form differs from the written form."""
    MIXED_SCRIPTS = "mixed_scripts"
    """One label mixes letters of several scripts."""
    LOOKS_LATIN = "looks_latin"
    """All letters of a label in another script look like Latin ones."""
    DIGITS = "digits"
    """Digits that look like letters, or digits other than 0 to 9."""
    LOOKS_LIKE_KNOWN = "looks_like_known"
    """Looks like another server that the user already trusts."""


@dataclass(frozen=True, slots=True)
class HostWarning:
    """`label` is the suspicious part of the name, `looks_like` what it may be mistaken for."""

    kind: HostWarningKind
    label: str
    looks_like: str = ""


def to_wire(host: str) -> str:
    """The ASCII form for the wire, by IDNA 2008 as browsers apply it; BadHostNameError for invalid names.

    IP addresses stay as they are, with or without brackets. Names keep a trailing dot.
    """
    if _address(host) is not None:
        return host.lower()
    name = host.lower() if host.isascii() else _encode(host)
    labels = name.removesuffix(".").split(".")
    if len(name) > _MAX_NAME_LENGTH + 1 or not all(_LABEL.fullmatch(label) for label in labels):
        raise BadHostNameError(UserText("This is not a valid server name. Write it like www.example.org."))
    if _NUMBER.fullmatch(labels[-1]):  # 127.1, 0x7f000001 and 2130706433 are different hosts to different programs
        raise BadHostNameError(UserText("Write the IP address with four numbers, like 192.0.2.1."))
    return name


def to_display(host: str) -> str:
    """The name with its accents and scripts; unchanged if it cannot be decoded."""
    return ".".join(_decode(label) for label in host.split("."))


def find_warnings(host: str, known: Iterable[str] = ()) -> list[HostWarning]:
    """Why a user could mistake the name for another; `known` are servers that the user already trusts.

    Takes the name in either form. Raises BadHostNameError like `to_wire`.
    """
    wire = to_wire(host)
    if _address(wire) is not None:
        return []
    labels = to_display(wire).removesuffix(".").split(".")
    found = [HostWarning(HostWarningKind.OTHER_FORM, host, wire)] if wire != host.lower() else []
    for label in labels:
        found += _label_warnings(label, labels[-1])
    shape = _skeleton(to_display(wire))
    for other in known:
        if to_wire(other) != wire and _skeleton(to_display(to_wire(other))) == shape:
            found.append(HostWarning(HostWarningKind.LOOKS_LIKE_KNOWN, host, other))
    return found


def is_local_name(host: str) -> bool:
    """Whether a name or address always means this computer: loopback, unspecified, link-local, or a name for these."""
    name = host.strip("[]").rstrip(".").lower()
    return name in _LOCAL_NAMES or name.endswith(".localhost") or _is_local_address(name)


def is_local_connection(connection: socket.socket) -> bool:
    """Whether a connection ended at this computer, whatever name was used; False for one that already broke."""
    try:
        there, here = connection.getpeername()[0], connection.getsockname()[0]
    except OSError:
        return False
    return there == here or _is_local_address(there)


def _label_warnings(label: str, top: str) -> list[HostWarning]:
    found = []
    scripts = _scripts(label)
    skeleton = _skeleton(label)
    if len(scripts) > 1 and not any(scripts <= allowed for allowed in _MIXABLE_SCRIPTS):
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
    """The first word of a letter's Unicode name is its script, for all scripts that host names may use."""
    return {unicodedata.name(one, "UNKNOWN").split()[0] for one in label if one.isalpha()}


def _skeleton(name: str) -> str:
    """Equal for names that look the same."""
    bare = "".join(one for one in unicodedata.normalize("NFD", name.lower()) if not unicodedata.combining(one))
    shape = "".join(_SHAPES.get(one) or _digit(one) for one in bare)
    return shape.replace("rn", "m").replace("vv", "w")


def _digit(one: str) -> str:
    value = unicodedata.decimal(one, None)
    if value is None or one.isascii():
        return one
    return _LOOKS_LIKE_LETTER.get(str(value), str(value))


def _encode(host: str) -> str:
    import idna  # noqa: PLC0415  its tables slow down the app's start

    try:
        if any(unicodedata.category(one) == "Cf" and one not in _JOINERS for one in host):
            raise idna.IDNAError
        return idna.encode(host, uts46=True, std3_rules=True).decode()
    except (idna.IDNAError, UnicodeError):
        raise BadHostNameError(
            UserText("This server name contains characters that are not allowed. Check the spelling.")
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


def _is_local_address(text: str) -> bool:
    try:
        address = ipaddress.ip_address(text.partition("%")[0])
    except ValueError:
        return False
    if isinstance(address, ipaddress.IPv6Address) and address.ipv4_mapped:
        address = address.ipv4_mapped
    return address.is_loopback or address.is_link_local or address.is_unspecified
