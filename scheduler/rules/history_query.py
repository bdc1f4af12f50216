"""A search in the history, and the position where its next page starts."""

import re
import unicodedata
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

_NO_LIMIT = 2**62
FOLLOWED = "followed"
"""The shown status of a waiting attempt that another one replaced; its stored status still says that it waits."""
_WORD = re.compile(r"[^\W_]+")


class RunFilter(NamedTuple):
    """What a run must match; empty fields match anything."""

    workflow: str | None = None
    handler: str | None = None
    statuses: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    """Each must be a prefix of a word of the run."""
    trigger: str | None = None
    """What started it."""

    @property
    def needs_index(self) -> bool:
        return bool(self.handler or self.statuses or self.words or self.trigger)


@dataclass(frozen=True, slots=True, kw_only=True)
class HistorySearch:
    workflow: str | None = None
    handler: str | None = None
    statuses: tuple[str, ...] = ()
    since: datetime | None = None
    until: datetime | None = None
    text: str = ""
    trigger: str | None = None
    translated_reasons: tuple[tuple[str, str], ...] = ()
    """By reason: its sentence in the user's language, if that is not English."""

    @property
    def run_filter(self) -> RunFilter:
        return RunFilter(self.workflow, self.handler, self.statuses, split_words(self.text), self.trigger)


class HistoryCursor(NamedTuple):
    """The start of a page: before that run, and before that planned time that did not run."""

    number: int = _NO_LIMIT
    planned: int = _NO_LIMIT
    schedule: str = ""
    """Of several planned for the same instant, before this one."""


def split_words(text: str) -> tuple[str, ...]:
    """The words of a text, without case and accents."""
    plain = text.casefold()
    if not plain.isascii():
        decomposed = unicodedata.normalize("NFKD", plain)
        plain = "".join(letter for letter in decomposed if not unicodedata.combining(letter))
    return tuple(_WORD.findall(plain))
