"""What changed between two texts: lines beside each other, and the words that differ inside them. Pure."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from enum import StrEnum

_WORDS = re.compile(r"\w+|\s+|[^\w\s]")
_ALIKE = 0.4
"""Lines that share less than this are not worth comparing word by word."""

Span = tuple[int, int]


class Change(StrEnum):
    SAME = "same"
    EDITED = "edited"
    """Both sides have the line; words in it differ."""
    ADDED = "added"
    REMOVED = "removed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """A line of one text; its number counts from one."""

    number: int
    text: str
    spans: tuple[Span, ...] = ()
    """What differs, from and to."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """Two lines that stand beside each other; an added one has no old, a removed one no new."""

    change: Change
    old: Side | None
    new: Side | None


def compare(old: str, new: str) -> list[Row]:
    """Every line of both texts, in order. A line's end counts: a missing last newline is a difference."""
    olds, news = _lines(old), _lines(new)
    rows: list[Row] = []
    for tag, a, b, c, d in SequenceMatcher(None, olds, news, autojunk=False).get_opcodes():
        if tag == "equal":
            rows += [
                Row(change=Change.SAME, old=_side(olds, a + step), new=_side(news, c + step)) for step in range(b - a)
            ]
        else:
            rows += _replace(olds, news, (a, b), (c, d))
    return rows


def find_changes(rows: Sequence[Row]) -> list[int]:
    """Where each stretch of changed rows begins."""
    return [
        place
        for place, row in enumerate(rows)
        if row.change is not Change.SAME and (place == 0 or rows[place - 1].change is Change.SAME)
    ]


def unify(rows: Sequence[Row]) -> list[Row]:
    """Below each other instead of beside: in each stretch first what was removed, then what was added."""
    unified: list[Row] = []
    added: list[Row] = []
    for row in rows:
        if row.change is Change.SAME:
            unified += added
            added = []
            unified.append(row)
            continue
        if row.old is not None:
            unified.append(Row(change=Change.REMOVED, old=row.old, new=None))
        if row.new is not None:
            added.append(Row(change=Change.ADDED, old=None, new=row.new))
    return unified + added


def count(rows: Sequence[Row]) -> tuple[int, int]:
    """How many lines were added and removed; an edited one is both."""
    added = sum(row.change in (Change.ADDED, Change.EDITED) for row in rows)
    return added, sum(row.change in (Change.REMOVED, Change.EDITED) for row in rows)


def _replace(olds: list[str], news: list[str], old: Span, new: Span) -> Iterator[Row]:
    """Pair lines that are alike, in order; the rest was removed or added."""
    a, c = old[0], new[0]
    while a < old[1] and c < new[1]:
        spans = _compare_words(olds[a], news[c])
        if spans is not None:
            yield Row(change=Change.EDITED, old=_side(olds, a, spans[0]), new=_side(news, c, spans[1]))
            a, c = a + 1, c + 1
        elif old[1] - a > new[1] - c:
            yield Row(change=Change.REMOVED, old=_side(olds, a), new=None)
            a += 1
        elif old[1] - a < new[1] - c:
            yield Row(change=Change.ADDED, old=None, new=_side(news, c))
            c += 1
        else:
            yield Row(change=Change.REMOVED, old=_side(olds, a), new=None)
            yield Row(change=Change.ADDED, old=None, new=_side(news, c))
            a, c = a + 1, c + 1
    for place in range(a, old[1]):
        yield Row(change=Change.REMOVED, old=_side(olds, place), new=None)
    for place in range(c, new[1]):
        yield Row(change=Change.ADDED, old=None, new=_side(news, place))


def _compare_words(old: str, new: str) -> tuple[tuple[Span, ...], tuple[Span, ...]] | None:
    """What differs in each, or None if they have little in common."""
    olds, news = list(_WORDS.finditer(old)), list(_WORDS.finditer(new))
    matcher = SequenceMatcher(None, [word[0] for word in olds], [word[0] for word in news], autojunk=False)
    shared = sum(
        len(word[0].strip()) for block in matcher.get_matching_blocks() for word in olds[block.a :][: block.size]
    )
    # Blanks are in every line; they make nothing alike.
    if 2 * shared < _ALIKE * sum(len(word[0].strip()) for word in olds + news) or not shared:
        return None
    removed, added = [], []
    for tag, a, b, c, d in matcher.get_opcodes():
        if tag == "equal":
            continue
        if a < b:
            removed.append((olds[a].start(), olds[b - 1].end()))
        if c < d:
            added.append((news[c].start(), news[d - 1].end()))
    return tuple(removed), tuple(added)


def _side(lines: list[str], place: int, spans: tuple[Span, ...] = ()) -> Side:
    return Side(number=place + 1, text=lines[place], spans=spans)


def _lines(text: str) -> list[str]:
    """Lines without their ends, as editors count them; a text that ends with a newline ends with an empty line."""
    return text.replace("\r\n", "\n").split("\n") if text else []
