"""Details show all of the data, in words, and never something that only looks like it."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.widgets.details import (
    MAX_CELL,
    MAX_COLUMNS,
    MAX_PAIRS,
    MAX_SECTIONS,
    Pairs,
    Prose,
    Section,
    Table,
    read_details,
)
from app.widgets.value_labels import make_labels, say_key
from app.widgets.value_text import say_value, show_text, write_json

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
                found.append(show_text(text))
    return "\0".join(found)


@given(VALUES)
def test_nothing_of_the_data_is_left_out(value: Any) -> None:
    """On the card itself, or exactly behind Show all where that says that there is more."""
    sections = read_details(value)
    shown = all_text(sections)
    for section in sections:
        if isinstance(section.body, Table) and section.body.whole is not None:
            shown += "".join(show_text(section.body.whole(row)) for row in range(len(section.body.rows)))
    for leaf in leaves(value):
        assert say_value(leaf).strip('"') in shown or show_text(write_json(leaf)).strip('"') in shown


@given(VALUES)
def test_nothing_shown_hides_or_turns_around(value: Any) -> None:
    assert "\u202e" not in all_text(read_details(value))


def test_rows_become_a_table_with_every_column_that_occurs() -> None:
    rows = [{"shop": "Bakery", "amount": 4.5}, {"shop": "Railway", "amount": 119, "note": "to Munich"}]
    (section,) = read_details({"rows": rows})
    assert section.title == "Rows (2)"
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
        ([], "(empty list)"),
        ({}, "(empty object)"),
        (0.1, "0.1"),
        ({"a_b": [1, None]}, '{"a_b": [1, null]}'),
        ("true", '"true"'),
        ("Yes", '"Yes"'),
        ("None", '"None"'),
        ("(empty)", '"(empty)"'),
        (" a", '" a"'),
        ("a\t", '"a\t"'),
        ('"a"', '""a""'),
        ("a\0b", "a⟨0000⟩b"),
        ("pay" + " " * 5000 + "100", "pay⟨5000 spaces⟩100"),
        ("pay" + "\n" * 41 + "100", "pay\n⟨40 empty lines⟩\n100"),
        ("a" + "\u00a0" * 40 + "b", "a⟨40 spaces⟩b"),
        (" " * 300 + "pay", '"⟨300 spaces⟩pay"'),
        (10**300, str(10**300)),
        ("anna@m\u00fcller.de", "anna@m\u00fcller.de⟨xn--mller-kva.de⟩"),
        ("https://\u0430pple.com/pay", "https://\u0430pple.com⟨xn--pple-43d.com⟩/pay"),
        ("\u0430pple.com", "\u0430pple.com⟨xn--pple-43d.com⟩"),
    ],
)
def test_values_are_said_in_words(value: Any, said: str) -> None:
    assert say_value(value) == said


def test_keys_are_said_as_words() -> None:
    assert say_key("message_id") == "Message id"
    assert say_key("_") == "_"
    assert say_key("") == "(empty)"
    assert say_key("a\nWith: me") == "a ↵ With: me"
    assert say_key("pay\u202eto") == "pay⟨202E⟩to"


WORDS = {"title": "Title", "summary": "Title"}


@pytest.mark.parametrize(
    "keys",
    [
        ["title", "summary"],
        ["to", "To", "TO"],
        ["a b", "a_b", "a  b", " a b"],
        ["With", "action"],
        ["x" * 5000, "x" * 5000 + "y", "x" * 4999],
        ["caf\u00e9", "cafe\u0301"],
        ["a\n", "a"],
        ["", "(empty)"],
    ],
)
def test_no_two_values_have_the_same_label(keys: list[str]) -> None:
    """One that reads like another, or like a label of ours, has its exact name beside it."""
    labels = make_labels([(key,) for key in keys], WORDS, ["With", "Action"])
    seen = {" ".join(label.casefold().replace("_", " ").split()) for label in [*labels, "With", "Action"]}
    assert len(seen) == len(keys) + 2


@given(st.lists(st.text("aA _\n\u202e\u0301", max_size=4), unique=True, max_size=6))
def test_labels_of_different_keys_differ(keys: list[str]) -> None:
    assert len(set(make_labels([(key,) for key in keys], {}))) == len(keys)


def test_two_parameters_with_one_name_are_both_shown() -> None:
    (section,) = read_details({"summary": "harmless", "title": "TRANSFER everything"}, WORDS)
    assert section.body == Pairs(
        pairs=(('Title ("summary")', "harmless"), ('Title ("title")', "TRANSFER everything")),
    )


def test_a_way_that_reads_like_a_key_is_told_from_it() -> None:
    (section,) = read_details({"a \u203a B": 1, "a": {"b": 2}})
    assert isinstance(section.body, Pairs)
    first, second = section.body.pairs
    assert first[0] != second[0]


def test_what_is_nested_deeply_stays_together_and_is_exact() -> None:
    deep: Any = {"end": "here"}
    for _ in range(50):
        deep = {"in": deep}
    (section,) = read_details({"json": deep})
    assert isinstance(section.body, Prose)
    assert '"end": "here"' in section.body.text
    assert show_text(section.body.text) == section.body.text, "its indentation is no gap to be pointed out"
    assert len(section.title) < 100


def test_many_values_become_one_table_that_counts_them() -> None:
    (section,) = read_details({f"key {number}": "x" * 300 for number in range(MAX_PAIRS + 1)})
    assert section.title == "Values (31)"
    assert isinstance(section.body, Table)
    assert section.body.rows[30] == ("key 30", "x" * MAX_CELL + "…")
    assert section.body.whole is not None
    assert "x" * 300 in section.body.whole(30)


def test_many_long_values_are_counted_and_the_rest_can_be_reached() -> None:
    sections = read_details({f"key {number}": [number] for number in range(MAX_SECTIONS + 3)})
    assert len(sections) == MAX_SECTIONS + 1
    assert sections[-1].title == "More values (3)"
    assert "[10]" in all_text(sections)


def test_rows_with_too_many_different_names_stand_as_they_are_written() -> None:
    rows = [{f"k{number}": number} for number in range(MAX_COLUMNS + 1)]
    (section,) = read_details({"rows": rows})
    assert isinstance(section.body, Table)
    assert section.body.columns == ()
    assert section.body.rows[40] == ('{"k40": 40}',)


def test_cells_are_written_only_when_they_are_looked_at() -> None:
    """What a card of a huge table takes does not grow with it."""
    asked: list[str] = []

    class Text(str):
        __slots__ = ()

        def __getitem__(self, place: Any) -> str:
            asked.append(str(self)[:1])
            return str(self)[place]

    rows = [{"a": Text(f"{number}" * 300)} for number in range(10)]
    (section,) = read_details(rows)
    assert isinstance(section.body, Table)
    assert not asked
    assert section.body.rows[3][0].startswith("333")
    assert set(asked) == {"3"}
