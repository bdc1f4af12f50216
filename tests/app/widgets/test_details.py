"""Details show all of the data, in words, and never something that only looks like it."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.widgets.details import Pairs, Prose, Section, Table, read_details, say_key, say_value

SCALARS = st.one_of(
    st.none(), st.booleans(), st.integers(), st.text("abc Ä<&>\n\u202e", max_size=200), st.floats(allow_nan=False)
)
KEYS = st.text("abc_", min_size=1, max_size=6)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(KEYS, inner, max_size=4)),
    max_leaves=12,
)


def leaves(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return [leaf for inner in value.values() for leaf in leaves(inner)]
    if isinstance(value, list):
        return [leaf for inner in value for leaf in leaves(inner)]
    return [value]


def all_text(sections: tuple[Section, ...]) -> str:
    found = []
    for section in sections:
        found.append(section.title)
        match section.body:
            case Pairs(pairs=pairs):
                found += [word for pair in pairs for word in pair]
            case Table(columns=columns, rows=rows):
                found += [*columns, *(cell for row in rows for cell in row)]
            case Prose(text=text):
                found.append(text)
    return "\0".join(found)


@given(VALUES)
def test_nothing_of_the_data_is_left_out(value: Any) -> None:
    shown = all_text(read_details(value))
    for leaf in leaves(value):
        assert say_value(leaf) in shown


@given(VALUES)
def test_nothing_shown_hides_or_turns_around(value: Any) -> None:
    assert "\u202e" not in all_text(read_details(value))


def test_rows_become_a_table_with_every_column_that_occurs() -> None:
    rows = [{"shop": "Bakery", "amount": 4.5}, {"shop": "Railway", "amount": 119, "note": "to Munich"}]
    (section,) = read_details({"rows": rows})
    assert section.title == "Rows"
    assert section.body == Table(
        columns=("Shop", "Amount", "Note"),
        rows=(("Bakery", "4.5", ""), ("Railway", "119", "to Munich")),
        numeric=frozenset({1}),
    )


def test_flags_are_no_numbers() -> None:
    (section,) = read_details([{"paid": True}, {"paid": False}])
    assert section.body == Table(columns=("Paid",), rows=(("yes",), ("no",)))


def test_short_values_come_first_as_pairs_and_nested_ones_with_their_way() -> None:
    pairs, body = read_details({"body": "Dear all,\nhello", "subject": "Hi", "headers": {"reply_to": "me"}})
    assert pairs.body == Pairs(pairs=(("Subject", "Hi"), ("Headers › Reply to", "me")))  # noqa: RUF001
    assert body == Section(title="Body", body=Prose(text="Dear all,\nhello"))


def test_files_are_a_list() -> None:
    (section,) = read_details(["a.txt", "b.txt"])
    assert section.body == Table(columns=(), rows=(("a.txt",), ("b.txt",)))


def test_rows_without_names_are_filled_up() -> None:
    (section,) = read_details([[1, 2], [3]])
    assert section.body == Table(columns=(), rows=(("1", "2"), ("3", "")))


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (None, "–"),  # noqa: RUF001
        (True, "yes"),
        ("", "(empty)"),
        ([], "(nothing)"),
        ({}, "(nothing)"),
        (0.1, "0.1"),
        ({"a_b": [1, None]}, "A b: 1, –"),  # noqa: RUF001
    ],
)
def test_values_are_said_in_words(value: Any, said: str) -> None:
    assert say_value(value) == said


def test_keys_are_said_as_words() -> None:
    assert say_key("message_id") == "Message id"
    assert say_key("_") == "_"
