"""The diff of two texts: aligned lines, and the words that differ inside them. Pure."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from enum import StrEnum

_WORDS = re.compile(r"\w+|\s+|[^\w\s]")
_MIN_SIMILARITY = 0.4
"""Lines that share less than this are not compared word by word."""

Span = tuple[int, int]


class LineChange(StrEnum):
    SAME = "same"
    EDITED = "edited"
    """Both sides have the line; words in it differ."""
    ADDED = "added"
    REMOVED = "removed"


@dataclass(frozen=True, slots=True, kw_only=True)
class DiffSide:
    """A line of one text; numbers start at 1."""

    number: int
    text: str
    spans: tuple[Span, ...] = ()
    """Start and end of each part that differs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DiffRow:
    """Two aligned lines; an added line has no old side, a removed one no new side."""

    change: LineChange
    old: DiffSide | None
    new: DiffSide | None


def compare_lines(old: str, new: str) -> list[DiffRow]:
    """Every line of both texts, in order. A missing final newline is a difference."""
    olds, news = _split_lines(old), _split_lines(new)
    rows: list[DiffRow] = []
    for tag, a, b, c, d in SequenceMatcher(None, olds, news, autojunk=False).get_opcodes():
        if tag == "equal":
            rows += [
                DiffRow(change=LineChange.SAME, old=_make_side(olds, a + step), new=_make_side(news, c + step))
                for step in range(b - a)
            ]
        else:
            rows += _replace(olds, news, (a, b), (c, d))
    return rows


def find_change_starts(rows: Sequence[DiffRow]) -> list[int]:
    """Index of the first row of each block of changes."""
    return [
        place
        for place, row in enumerate(rows)
        if row.change is not LineChange.SAME and (place == 0 or rows[place - 1].change is LineChange.SAME)
    ]


def unify(rows: Sequence[DiffRow]) -> list[DiffRow]:
    """Rows of a unified diff: in each block first what was removed, then what was added."""
    unified: list[DiffRow] = []
    added: list[DiffRow] = []
    for row in rows:
        if row.change is LineChange.SAME:
            unified += added
            added = []
            unified.append(row)
            continue
        if row.old is not None:
            unified.append(DiffRow(change=LineChange.REMOVED, old=row.old, new=None))
        if row.new is not None:
            added.append(DiffRow(change=LineChange.ADDED, old=None, new=row.new))
    return unified + added


def count_changes(rows: Sequence[DiffRow]) -> tuple[int, int]:
    """Lines added and removed; an edited line counts as both."""
    added = sum(row.change in (LineChange.ADDED, LineChange.EDITED) for row in rows)
    return added, sum(row.change in (LineChange.REMOVED, LineChange.EDITED) for row in rows)


def _replace(olds: list[str], news: list[str], old: Span, new: Span) -> Iterator[DiffRow]:
    """Pair similar lines in order; the rest was removed or added."""
    a, c = old[0], new[0]
    while a < old[1] and c < new[1]:
        spans = _compare_words(olds[a], news[c])
        if spans is not None:
            yield DiffRow(
                change=LineChange.EDITED, old=_make_side(olds, a, spans[0]), new=_make_side(news, c, spans[1])
            )
            a, c = a + 1, c + 1
        elif old[1] - a > new[1] - c:
            yield DiffRow(change=LineChange.REMOVED, old=_make_side(olds, a), new=None)
            a += 1
        elif old[1] - a < new[1] - c:
            yield DiffRow(change=LineChange.ADDED, old=None, new=_make_side(news, c))
            c += 1
        else:
            yield DiffRow(change=LineChange.REMOVED, old=_make_side(olds, a), new=None)
            yield DiffRow(change=LineChange.ADDED, old=None, new=_make_side(news, c))
            a, c = a + 1, c + 1
    for place in range(a, old[1]):
        yield DiffRow(change=LineChange.REMOVED, old=_make_side(olds, place), new=None)
    for place in range(c, new[1]):
        yield DiffRow(change=LineChange.ADDED, old=None, new=_make_side(news, place))


def _compare_words(old: str, new: str) -> tuple[tuple[Span, ...], tuple[Span, ...]] | None:
    """The parts that differ in each line, or None if the lines have little in common."""
    olds, news = list(_WORDS.finditer(old)), list(_WORDS.finditer(new))
    matcher = SequenceMatcher(None, [word[0] for word in olds], [word[0] for word in news], autojunk=False)
    shared = sum(
        len(word[0].strip()) for block in matcher.get_matching_blocks() for word in olds[block.a :][: block.size]
    )
    # Whitespace does not count as similarity.
    if 2 * shared < _MIN_SIMILARITY * sum(len(word[0].strip()) for word in olds + news) or not shared:
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


def _make_side(lines: list[str], place: int, spans: tuple[Span, ...] = ()) -> DiffSide:
    return DiffSide(number=place + 1, text=lines[place], spans=spans)


def _split_lines(text: str) -> list[str]:
    """Lines as editors count them: a text that ends with a newline has an empty last line."""
    return text.replace("\r\n", "\n").split("\n") if text else []
