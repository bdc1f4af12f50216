"""Servers repeat what they are told: secrets taken out of what tools answer, and of what is kept of their errors.

A long one is hidden wherever it stands. A short one may stand for something else in an answer, as 2024 is a year, so it
is hidden there only where it is called a secret, where it stands as logins are written, and where it is a word of
letters and digits that nobody writes by chance. That leaves data as it is.
"""

import base64
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any
from urllib.parse import quote, quote_plus

from scheduler.connections.connector import Call, Checked, Connector, Tool

HIDDEN = "•••"
_LONG = 8
"""Letters of a secret that is nothing else by chance."""
_TELLING = 6
"""Letters from which on a mixture of letters and others means only itself."""
_CALLED_SO = ("password", "passwd", "passphrase", "pwd", "secret", "token", "access_token", "api_key", "apikey", "pin")
_USERS = ("user", "imap_user", "client_id", "account")

Hide = Callable[[str], str]


def discreet(tool: Tool, connector: Connector) -> Tool:
    """The same tool; what it answers, and what its checker found, is without them."""
    check, identify = tool.check, tool.identify_target

    def look(call: Call) -> Checked:
        assert check is not None
        found = check(call)
        return replace(found, result=hide_echoes(found.result, connector, call.settings))

    return replace(
        tool,
        run=lambda call: hide_echoes(tool.run(call), connector, call.settings),
        check=None if check is None else look,
        identify_target=None
        if identify is None
        else lambda call: hide_echoes(identify(call), connector, call.settings),
    )


def hide_echoes(answer: Any, connector: Connector, settings: Mapping[str, Any]) -> Any:
    secrets = secrets_in(connector, settings)
    if not secrets:
        return answer
    users = [str(settings[name]) for name in _USERS if settings.get(name)]
    long = spell(secret for secret in secrets if len(secret) >= _LONG)
    long |= {login for secret in secrets for login in _logins(secret, users)}
    short = {secret for secret in secrets if len(secret) < _LONG}
    kept = settings.keys() - _plain_fields(connector)
    names = {_plain_name(name) for name in (*_CALLED_SO, *kept, settings.get("header") or "")} - {""}
    places = {secret: _places(secret, names) for secret in short}

    def hide(text: str) -> str:
        text = take_out(text, long)
        for secret, patterns in places.items():
            for pattern in patterns if secret in text else ():
                text = pattern.sub(rf"\1{HIDDEN}", text)
        return text

    return _inside(answer, hide, short, names)


def secrets_in(connector: Connector, settings: Mapping[str, Any]) -> list[str]:
    """Every text among the settings that no plain field holds."""
    plain = _plain_fields(connector)
    return [text for name, value in settings.items() if name not in plain for text in _texts(value)]


def _plain_fields(connector: Connector) -> set[str]:
    return {one.name for one in connector.fields if not one.secret}


def spell(secrets: Iterable[str]) -> set[str]:
    """Each as it is, and as addresses write it."""
    return {
        spelling for secret in secrets for spelling in (secret, quote(secret), quote(secret, ""), quote_plus(secret))
    }


def take_out(text: str, spellings: set[str]) -> str:
    """The text without them, in letters that can be stored."""
    for spelling in sorted(spellings, key=len, reverse=True):
        text = text.replace(spelling, HIDDEN)
    return text.encode(errors="replace").decode()


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, Mapping):
        value = list(value.values())
    if isinstance(value, list | tuple):
        for one in value:
            yield from _texts(one)
    elif value not in (None, "") and not isinstance(value, bool):
        yield str(value)


def _logins(secret: str, users: list[str]) -> list[str]:
    """As mail and web servers are told who somebody is."""
    written = [f"{user}{between}{secret}" for user in users for between in (":", "\0")]
    written += [f"\0{user}\0{secret}" for user in users]
    return [base64.b64encode(one.encode(errors="replace")).decode() for one in written]


def _places(secret: str, names: set[str]) -> list[re.Pattern[str]]:
    """Each finds the secret after what shows that it is one."""
    called = "|".join(sorted(re.escape(name).replace("_", "[-_ ]?") for name in names))
    itself, end = re.escape(secret), r"(?![^\W_])"
    found = [
        re.compile(rf"((?i:\b(?:{called}))[\"']?\s*[=:]\s*[\"']?){itself}{end}"),
        re.compile(rf"((?i:\bBearer)\s+){itself}{end}"),
        re.compile(rf"(://[^/\s:@]*:){itself}(?=@)"),
    ]
    is_mixed = any(c.isalpha() for c in secret) and not secret.isalpha()
    if len(secret) >= _TELLING and is_mixed:
        found.append(re.compile(rf"((?<![^\W_])){itself}{end}"))
    return found


def _inside(value: Any, hide: Hide, short: set[str], names: set[str]) -> Any:
    if isinstance(value, str):
        return hide(value)
    if isinstance(value, Mapping):
        return {
            hide(name) if isinstance(name, str) else name: HIDDEN
            if isinstance(one, str) and one in short and _plain_name(str(name)) in names
            else _inside(one, hide, short, names)
            for name, one in value.items()
        }
    if isinstance(value, list | tuple):
        return [_inside(one, hide, short, names) for one in value]
    return value


def _plain_name(name: str) -> str:
    return name.strip().lower().replace("-", "_").replace(" ", "_")
