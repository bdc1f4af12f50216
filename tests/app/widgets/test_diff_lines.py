"""A difference leaves nothing out on either side and marks what really changed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.widgets.differences import Change, Row, Side, compare, count, find_changes, unify

TEXTS = st.lists(st.sampled_from(["a b c", "a b d", "x", "", "  y", "long line of words"]), max_size=12).map("\n".join)


def olds(rows: list[Row]) -> list[str]:
    return [row.old.text for row in rows if row.old]


def news(rows: list[Row]) -> list[str]:
    return [row.new.text for row in rows if row.new]


def lines(text: str) -> list[str]:
    return text.split("\n") if text else []


@given(TEXTS, TEXTS)
def test_both_texts_can_be_read_from_the_rows(old: str, new: str) -> None:
    rows = compare(old, new)
    assert olds(rows) == lines(old)
    assert news(rows) == lines(new)
    for sides in ([row.old for row in rows if row.old], [row.new for row in rows if row.new]):
        assert [side.number for side in sides] == list(range(1, len(sides) + 1))


@given(TEXTS, TEXTS)
def test_below_each_other_nothing_is_lost_either(old: str, new: str) -> None:
    rows = unify(compare(old, new))
    assert olds(rows) == lines(old)
    assert news(rows) == lines(new)
    assert all(row.change is not Change.EDITED for row in rows)


@given(TEXTS, TEXTS)
def test_what_is_called_the_same_is_the_same_and_what_is_not_differs(old: str, new: str) -> None:
    for row in compare(old, new):
        if row.change is Change.SAME:
            assert row.old and row.new and row.old.text == row.new.text
        if row.change is Change.EDITED:
            assert row.old and row.new and row.old.text != row.new.text
            assert outside(row.old) == outside(row.new)


def outside(side: Side) -> str:
    """What is left of a line without its marked words."""
    text = side.text
    for start, end in reversed(side.spans):
        text = text[:start] + text[end:]
    return text


@given(TEXTS)
def test_a_text_does_not_differ_from_itself(text: str) -> None:
    rows = compare(text, text)
    assert find_changes(rows) == []
    assert count(rows) == (0, 0)


def test_only_the_changed_word_is_marked() -> None:
    (row,) = compare('@flow.producer(every="15m")', '@flow.producer(every="5m")')
    assert row.change is Change.EDITED
    assert row.old and row.new
    assert [row.old.text[slice(*span)] for span in row.old.spans] == ["15m"]
    assert [row.new.text[slice(*span)] for span in row.new.spans] == ["5m"]


def test_lines_with_little_in_common_are_not_compared_word_by_word() -> None:
    rows = compare("import os", "return (state, 7)")
    assert [row.change for row in rows] == [Change.REMOVED, Change.ADDED]


def test_lines_that_are_alike_find_each_other_past_others() -> None:
    removed = compare("gone for good\nkeep this word", "keep that word")
    assert [row.change for row in removed] == [Change.REMOVED, Change.EDITED]
    added = compare("keep this word", "something new\nkeep that word")
    assert [row.change for row in added] == [Change.ADDED, Change.EDITED]


def test_added_and_removed_lines_are_counted_an_edited_one_as_both() -> None:
    rows = compare("one line\ntwo lines\nthree", "one line\ntwo linen\nfour words here\nthree")
    assert count(rows) == (2, 1)


def test_each_stretch_of_changes_is_one_stop() -> None:
    assert find_changes(compare("a\nb\nc\nd\ne", "a\nX\nY\nd\nZ")) == [1, 6]


@pytest.mark.parametrize(("old", "new", "changes"), [("", "", 0), ("", "a", 1), ("a\n", "a", 1), ("a\r\nb", "a\nb", 0)])
def test_ends_of_lines(old: str, new: str, changes: int) -> None:
    """A missing last newline is a difference; the way a system ends its lines is not."""
    assert len([row for row in compare(old, new) if row.change is not Change.SAME]) == changes
