"""What is looked for in history, and where a page of it goes on."""

import re
import unicodedata
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

_FAR = 2**62
FOLLOWED = "followed"
"""How an attempt stands that waited until another took its place: its own status still says that it waits."""
_WORD = re.compile(r"[^\W_]+")


class Wanted(NamedTuple):
    """What a run must be like to be found; empty means whatever."""

    workflow: str | None = None
    handler: str | None = None
    statuses: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    """Each must begin a word of the run."""
    trigger: str | None = None
    """What made it start."""

    @property
    def needs_index(self) -> bool:
        return bool(self.handler or self.statuses or self.words or self.trigger)


@dataclass(frozen=True, slots=True, kw_only=True)
class Search:
    workflow: str | None = None
    handler: str | None = None
    statuses: tuple[str, ...] = ()
    since: datetime | None = None
    until: datetime | None = None
    text: str = ""
    trigger: str | None = None
    said: tuple[tuple[str, str], ...] = ()
    """By reason why a time did not run: its sentence as the person who looks reads it, if that is not ours."""

    @property
    def wanted(self) -> Wanted:
        return Wanted(self.workflow, self.handler, self.statuses, read_words(self.text), self.trigger)


class Page(NamedTuple):
    """Where to go on: before that run, and before that planned time of those that did not run."""

    number: int = _FAR
    planned: int = _FAR
    schedule: str = ""
    """Many are planned for the same instant; of those, before this one."""


def read_words(text: str) -> tuple[str, ...]:
    """The words in a text, without case and accents."""
    plain = text.casefold()
    if not plain.isascii():
        apart = unicodedata.normalize("NFKD", plain)
        plain = "".join(letter for letter in apart if not unicodedata.combining(letter))
    return tuple(_WORD.findall(plain))
