"""What is kept of an error: in letters that can be stored, and without the secrets that it may quote."""

from collections.abc import Iterable
from dataclasses import replace

from scheduler.connections.discretion import spell, take_out
from scheduler.rules.failures import Failure


def make_keepable(failure: Failure, secrets: Iterable[str]) -> Failure:
    """Connectors and the libraries they use may quote an address with a password in it, or a name that is no text."""
    spellings = spell(secrets)
    told = None if failure.traceback is None else take_out(failure.traceback, spellings)
    return replace(failure, sentence=take_out(failure.sentence, spellings), traceback=told)


def hide(text: str, secrets: Iterable[str]) -> str:
    """The text without them."""
    return take_out(text, spell(secrets))
