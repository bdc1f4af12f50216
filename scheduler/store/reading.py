"""What a column says: an instant that must be there, a word that an older or newer version may not know."""

from datetime import datetime
from enum import StrEnum
from typing import TypeVar

from scheduler.store.database import from_ms

Word = TypeVar("Word", bound=StrEnum)


def instant(milliseconds: int) -> datetime:
    found = from_ms(milliseconds)
    assert found is not None
    return found


def word(words: type[Word], written: str, instead: Word) -> Word:
    """The word as it is written, or the one to take for it where nobody knows it."""
    try:
        return words(written)
    except ValueError:
        return instead
