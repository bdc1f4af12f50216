"""Removing secrets that servers echo from the results and stored errors of tools.

Long secrets are removed everywhere. A short one may be ordinary data (2024 is also a year), so it is removed only after
a name such as "password", in a login, or if it mixes letters and digits in a way that is unlikely by chance.
"""

import base64
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import quote, quote_plus

from scheduler.connections.connector import Call, Checked, Connector, Tool
from scheduler.user_text import UserText

HIDDEN = "•••"
_MIN_UNIQUE_LENGTH = 8
"""Characters from which a secret cannot be anything else by chance."""
_MIN_UNIQUE_MIXED_LENGTH = 6
"""Characters from which a mix of letters and others cannot be anything else by chance."""
_SECRET_NAMES = (
    "password",
    "passwd",
    "passphrase",
    "pwd",
    "secret",
    "token",
    "access_token",
    "api_key",
    "apikey",
    "pin",
)
_USER_FIELDS = ("user", "imap_user", "client_id", "account")

Hide = Callable[[str], str]


def with_redacted_results(tool: Tool, connector: Connector) -> Tool:
    """The tool with secrets removed from its results and from those of its checker."""
    check, identify = tool.check, tool.identify_target

    def check_redacted(call: Call) -> Checked:
        assert check is not None
        found = check(call)
        return replace(found, result=redact_result(found.result, connector, call.settings))

    return replace(
        tool,
        run=lambda call: redact_result(tool.run(call), connector, call.settings),
        check=None if check is None else check_redacted,
        identify_target=None
        if identify is None
        else lambda call: redact_result(identify(call), connector, call.settings),
    )


def redact_result(answer: Any, connector: Connector, settings: Mapping[str, Any]) -> Any:
    secrets = find_secrets(connector, settings)
    if not secrets:
        return answer
    users = [str(settings[name]) for name in _USER_FIELDS if settings.get(name)]
    long = url_spellings(secret for secret in secrets if len(secret) >= _MIN_UNIQUE_LENGTH)
    long |= {login for secret in secrets for login in _logins(secret, users)}
    short = {secret for secret in secrets if len(secret) < _MIN_UNIQUE_LENGTH}
    secret_fields = settings.keys() - _plain_fields(connector)
    names = {_normalize_name(name) for name in (*_SECRET_NAMES, *secret_fields, settings.get("header") or "")} - {""}
    contexts = {secret: _contexts(secret, names) for secret in short}

    def hide(text: str) -> str:
        text = redact_text(text, long)
        for secret, patterns in contexts.items():
            for pattern in patterns if secret in text else ():
                text = pattern.sub(rf"\1{HIDDEN}", text)
        return text

    return _redact_value(answer, hide, short, names)


def find_secrets(connector: Connector, settings: Mapping[str, Any]) -> list[str]:
    """All texts among the settings except those of non-secret fields."""
    plain = _plain_fields(connector)
    return [text for name, value in settings.items() if name not in plain for text in list_texts(value)]


def _plain_fields(connector: Connector) -> set[str]:
    return {one.name for one in connector.fields if not one.secret}


def url_spellings(secrets: Iterable[str]) -> set[str]:
    """Each secret as it is, and URL-encoded."""
    return {
        spelling for secret in secrets for spelling in (secret, quote(secret), quote(secret, ""), quote_plus(secret))
    }


def redact_text(text: str, spellings: set[str]) -> str:
    """The text without the secrets, and without characters that cannot be stored.

    A short secret is removed only where it stands alone: inside a longer word it is a coincidence.
    """
    if isinstance(text, UserText):
        redacted = text.map(lambda field: redact_text(field, spellings))
        if not any(spelling in redacted for spelling in spellings if not _is_short(spelling)):
            return redacted
    for spelling in sorted(spellings, key=len, reverse=True):
        if not _is_short(spelling):
            text = text.replace(spelling, HIDDEN)
        elif spelling in text:
            text = re.sub(rf"(?<![^\W_]){re.escape(spelling)}(?![^\W_])", HIDDEN, text)
    return text.encode(errors="replace").decode()


def _is_short(secret: str) -> bool:
    return len(secret) < _MIN_UNIQUE_LENGTH


def hide_home(text: str, home: Path | None = None) -> str:
    """The text with ~ for the user's home folder, whose name may be that of the user."""
    folder = str(home or Path.home())
    return text.replace(folder, "~") if len(folder) > 1 else text


def list_texts(value: Any) -> Iterator[str]:
    """Every text and number in the settings of a connection."""
    if isinstance(value, Mapping):
        value = list(value.values())
    if isinstance(value, list | tuple):
        for one in value:
            yield from list_texts(one)
    elif value not in (None, "") and not isinstance(value, bool):
        yield str(value)


def _logins(secret: str, users: list[str]) -> list[str]:
    """The encodings of user and secret in mail and web logins."""
    written = [f"{user}{between}{secret}" for user in users for between in (":", "\0")]
    written += [f"\0{user}\0{secret}" for user in users]
    return [base64.b64encode(one.encode(errors="replace")).decode() for one in written]


def _contexts(secret: str, names: set[str]) -> list[re.Pattern[str]]:
    """Patterns for the secret in a context that shows that it is one."""
    names_pattern = "|".join(sorted(re.escape(name).replace("_", "[-_ ]?") for name in names))
    itself, end = re.escape(secret), r"(?![^\W_])"
    found = [
        re.compile(rf"((?i:\b(?:{names_pattern}))[\"']?\s*[=:]\s*[\"']?){itself}{end}"),
        re.compile(rf"((?i:\bBearer)\s+){itself}{end}"),
        re.compile(rf"(://[^/\s:@]*:){itself}(?=@)"),
    ]
    is_mixed = any(c.isalpha() for c in secret) and not secret.isalpha()
    if len(secret) >= _MIN_UNIQUE_MIXED_LENGTH and is_mixed:
        found.append(re.compile(rf"((?<![^\W_])){itself}{end}"))
    return found


def _redact_value(value: Any, hide: Hide, short: set[str], names: set[str]) -> Any:
    if isinstance(value, str):
        return hide(value)
    if isinstance(value, Mapping):
        return {
            hide(name) if isinstance(name, str) else name: HIDDEN
            if isinstance(one, str) and one in short and _normalize_name(str(name)) in names
            else _redact_value(one, hide, short, names)
            for name, one in value.items()
        }
    if isinstance(value, list | tuple):
        return [_redact_value(one, hide, short, names) for one in value]
    return value


def _normalize_name(name: str) -> str:
    return name.strip().lower().replace("-", "_").replace(" ", "_")
