"""What is kept of an error: in letters that can be stored, and without the secrets that it may quote."""

from collections.abc import Iterable
from dataclasses import replace
from urllib.parse import quote, quote_plus

from scheduler.rules.failures import Failure

_HIDDEN = "•••"


def make_keepable(failure: Failure, secrets: Iterable[str]) -> Failure:
    """Connectors and the libraries they use may quote an address with a password in it, or a name that is no text."""
    spellings = {
        spelling for secret in secrets for spelling in (secret, quote(secret), quote(secret, ""), quote_plus(secret))
    }
    told = None if failure.traceback is None else _clean(failure.traceback, spellings)
    return replace(failure, sentence=_clean(failure.sentence, spellings), traceback=told)


def _clean(text: str, spellings: set[str]) -> str:
    for spelling in sorted(spellings, key=len, reverse=True):
        text = text.replace(spelling, _HIDDEN)
    return text.encode(errors="replace").decode()
