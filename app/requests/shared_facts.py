"""What several calls have in common, such as their account, and what differs. Pure."""

from collections.abc import Sequence

from PySide6.QtCore import QCoreApplication

from app.requests.presentation import list_action_facts
from scheduler.connections.registry import Registry
from scheduler.engine.queries.requests import RequestView

_SEPARATOR = " · "
translate = QCoreApplication.translate


def share_facts(requests: Sequence[RequestView], registry: Registry) -> tuple[list[tuple[str, str]], list[str]]:
    """The facts that are the same for all, and for each request the others; none if nothing differs."""
    facts = [list_action_facts(one, registry) for one in requests]
    if len({pairs[0] for pairs in facts}) > 1:
        facts = [[*_split_connection(pairs[0]), *pairs[1:]] for pairs in facts]
    shared = [fact for fact in facts[0] if all(fact in own for own in facts)]
    places = [_SEPARATOR.join(value for label, value in own if (label, value) not in shared) for own in facts]
    return shared, places if any(places) else []


def _split_connection(fact: tuple[str, str]) -> list[tuple[str, str]]:
    """Its name, and its type, which other connections share."""
    label, described = fact
    name, _, kind = described.partition(_SEPARATOR)
    return [(label, name), *([(translate("answers", "Type"), kind)] if kind else [])]
