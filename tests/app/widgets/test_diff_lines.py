"""A diff keeps every line of both texts and marks exactly what changed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.widgets.diff_lines import (
    DiffRow,
    DiffSide,
    LineChange,
    compare_lines,
    count_changes,
    find_change_starts,
    unify,
)

TEXTS = st.lists(st.sampled_from(["a b c", "a b d", "x", "", "  y", "long line of words"]), max_size=12).map("\n".join)


def old_lines(rows: list[DiffRow]) -> list[str]:
    return [row.old.text for row in rows if row.old]


def new_lines(rows: list[DiffRow]) -> list[str]:
    return [row.new.text for row in rows if row.new]


def split_lines(text: str) -> list[str]:
    return text.split("\n") if text else []


@given(TEXTS, TEXTS)
def test_the_rows_contain_both_texts(old: str, new: str) -> None:
    rows = compare_lines(old, new)
    assert old_lines(rows) == split_lines(old)
    assert new_lines(rows) == split_lines(new)
    for sides in ([row.old for row in rows if row.old], [row.new for row in rows if row.new]):
        assert [side.number for side in sides] == list(range(1, len(sides) + 1))


@given(TEXTS, TEXTS)
def test_unified_rows_contain_both_texts(old: str, new: str) -> None:
    rows = unify(compare_lines(old, new))
    assert old_lines(rows) == split_lines(old)
    assert new_lines(rows) == split_lines(new)
    assert all(row.change is not LineChange.EDITED for row in rows)


@given(TEXTS, TEXTS)
def test_same_rows_are_equal_and_edited_rows_differ_in_their_spans(old: str, new: str) -> None:
    for row in compare_lines(old, new):
        if row.change is LineChange.SAME:
            assert row.old and row.new and row.old.text == row.new.text
        if row.change is LineChange.EDITED:
            assert row.old and row.new and row.old.text != row.new.text
            assert without_spans(row.old) == without_spans(row.new)


def without_spans(side: DiffSide) -> str:
    """The line without its marked words."""
    text = side.text
    for start, end in reversed(side.spans):
        text = text[:start] + text[end:]
    return text


@given(TEXTS)
def test_equal_texts_have_no_changes(text: str) -> None:
    rows = compare_lines(text, text)
    assert find_change_starts(rows) == []
    assert count_changes(rows) == (0, 0)


def test_only_the_changed_word_is_marked() -> None:
    (row,) = compare_lines('@flow.producer(every="15m")', '@flow.producer(every="5m")')
    assert row.change is LineChange.EDITED
    assert row.old and row.new
    assert [row.old.text[slice(*span)] for span in row.old.spans] == ["15m"]
    assert [row.new.text[slice(*span)] for span in row.new.spans] == ["5m"]


def test_lines_with_little_in_common_are_not_compared_word_by_word() -> None:
    rows = compare_lines("import os", "return (state, 7)")
    assert [row.change for row in rows] == [LineChange.REMOVED, LineChange.ADDED]


def test_similar_lines_are_paired_across_others() -> None:
    removed = compare_lines("gone for good\nkeep this word", "keep that word")
    assert [row.change for row in removed] == [LineChange.REMOVED, LineChange.EDITED]
    added = compare_lines("keep this word", "something new\nkeep that word")
    assert [row.change for row in added] == [LineChange.ADDED, LineChange.EDITED]


def test_an_edited_line_counts_as_added_and_removed() -> None:
    rows = compare_lines("one line\ntwo lines\nthree", "one line\ntwo linen\nfour words here\nthree")
    assert count_changes(rows) == (2, 1)


def test_each_block_of_changes_is_one_stop() -> None:
    assert find_change_starts(compare_lines("a\nb\nc\nd\ne", "a\nX\nY\nd\nZ")) == [1, 6]


@pytest.mark.parametrize(("old", "new", "changes"), [("", "", 0), ("", "a", 1), ("a\n", "a", 1), ("a\r\nb", "a\nb", 0)])
def test_line_endings(old: str, new: str, changes: int) -> None:
    """A missing final newline is a difference; CRLF instead of LF is not."""
    assert len([row for row in compare_lines(old, new) if row.change is not LineChange.SAME]) == changes
