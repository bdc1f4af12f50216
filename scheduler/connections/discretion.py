"""Servers repeat what they are told: forms of a secret that are nothing else by chance, taken out of what tools answer.

Secrets that are long and stand as they are, the run layer hides wherever they are. A short one may stand for something
else, as 2024 is a year, so it is hidden only where it is called a secret, where it stands as logins are written, and
where it is a word of letters and digits that nobody writes by chance. That leaves data as it is.
"""

import base64
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from scheduler.connections.connector import Call, Checked, Connector, Tool

HIDDEN = "•••"
_LONG = 8
_TELLING = 6
"""Letters from which on a mixture of letters and others means only itself."""
_CALLED_SO = ("password", "passwd", "passphrase", "pwd", "secret", "token", "access_token", "api_key", "apikey", "pin")
_USERS = ("user", "imap_user", "client_id", "account")

Hide = Callable[[str], str]


def discreet(tool: Tool, connector: Connector) -> Tool:
    """The same tool; what it answers, and what its checker found, is without them."""
    check = tool.check

    def look(call: Call) -> Checked:
        assert check is not None
        found = check(call)
        return replace(found, result=hide_echoes(found.result, connector, call.settings))

    return replace(
        tool,
        run=lambda call: hide_echoes(tool.run(call), connector, call.settings),
        check=None if check is None else look,
    )


def hide_echoes(answer: Any, connector: Connector, settings: Mapping[str, Any]) -> Any:
    plain = {one.name for one in connector.fields if not one.secret}
    kept = {name: one for name, one in settings.items() if name not in plain and isinstance(one, str) and one}
    users = [str(settings[name]) for name in _USERS if settings.get(name)]
    logins = [login for secret in kept.values() for login in _logins(secret, users)]
    short = {secret for secret in kept.values() if len(secret) < _LONG}
    if not logins and not short:
        return answer
    names = {_plain_name(name) for name in (*_CALLED_SO, *kept, settings.get("header") or "")} - {""}
    places = {secret: _places(secret, names) for secret in short}

    def hide(text: str) -> str:
        for login in logins:
            text = text.replace(login, HIDDEN)
        for secret, patterns in places.items():
            for pattern in patterns if secret in text else ():
                text = pattern.sub(rf"\1{HIDDEN}", text)
        return text

    return _inside(answer, hide, short, names)


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
