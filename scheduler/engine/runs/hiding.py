"""What is kept of an error: in letters that can be stored, and without the secrets that it may quote."""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any
from urllib.parse import quote, quote_plus

from scheduler.connections.connector import Connector
from scheduler.rules.failures import Failure

_HIDDEN = "•••"
_LONG = 8
"""Letters of a secret that is nothing else by chance."""


def make_keepable(failure: Failure, secrets: Iterable[str]) -> Failure:
    """Connectors and the libraries they use may quote an address with a password in it, or a name that is no text."""
    spellings = _spell(secrets)
    told = None if failure.traceback is None else _clean(failure.traceback, spellings)
    return replace(failure, sentence=_clean(failure.sentence, spellings), traceback=told)


def hide(text: str, secrets: Iterable[str]) -> str:
    """The text without them."""
    return _clean(text, _spell(secrets))


def _spell(secrets: Iterable[str]) -> set[str]:
    return {
        spelling for secret in secrets for spelling in (secret, quote(secret), quote(secret, ""), quote_plus(secret))
    }


def hide_in_answer(answer: Any, written: str, secrets: Iterable[str]) -> Any:
    """What a tool answered, without the secrets that the server repeats; `written` is the same as JSON.

    A short one may stand for something else: 2024 is a year.
    """
    long = _spell(secret for secret in secrets if len(secret) >= _LONG)
    if not any(json.dumps(spelling)[1:-1] in written for spelling in long):
        return answer
    return _hide_inside(answer, long)


def _hide_inside(value: Any, spellings: set[str]) -> Any:
    if isinstance(value, str):
        return _clean(value, spellings)
    if isinstance(value, Mapping):
        return {_clean(name, spellings): _hide_inside(one, spellings) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [_hide_inside(one, spellings) for one in value]
    return value


def hidden_in(connector: Connector, settings: Mapping[str, Any]) -> list[str]:
    """Every text among the settings that no plain field holds."""
    plain = {one.name for one in connector.fields if not one.secret}
    return [text for name, value in settings.items() if name not in plain for text in _texts(value)]


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, Mapping):
        value = list(value.values())
    if isinstance(value, list | tuple):
        for one in value:
            yield from _texts(one)
    elif value not in (None, "") and not isinstance(value, bool):
        yield str(value)


def _clean(text: str, spellings: set[str]) -> str:
    for spelling in sorted(spellings, key=len, reverse=True):
        text = text.replace(spelling, _HIDDEN)
    return text.encode(errors="replace").decode()
