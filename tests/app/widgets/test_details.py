"""Details show all of the data, readable and unambiguous."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.widgets.details import (
    MAX_CELL_CHARS,
    MAX_COLUMNS,
    MAX_PAIRS,
    MAX_SECTIONS,
    DetailSection,
    DetailTable,
    Pairs,
    TextBlock,
    make_sections,
)
from app.widgets.value_text import escape_hidden, format_json, format_key, format_value, make_labels

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


def all_text(sections: tuple[DetailSection, ...]) -> str:
    texts = []
    for section in sections:
        texts.append(section.title)
        match section.body:
            case Pairs(pairs=pairs):
                texts += [word for pair in pairs for word in pair]
            case DetailTable(columns=columns, rows=rows):
                texts += [*columns, *(cell for row in rows for cell in row)]
            case TextBlock(text=text):
                texts.append(escape_hidden(text))
    return "\0".join(texts)


@given(VALUES)
def test_no_data_is_left_out(value: Any) -> None:
    """It is on the card or in Show all."""
    sections = make_sections(value)
    shown = all_text(sections)
    for section in sections:
        if isinstance(section.body, DetailTable) and section.body.full_row is not None:
            shown += "".join(escape_hidden(section.body.full_row(row)) for row in range(len(section.body.rows)))
    for leaf in leaves(value):
        assert format_value(leaf).strip('"') in shown or escape_hidden(format_json(leaf)).strip('"') in shown


@given(VALUES)
def test_no_direction_override_is_shown(value: Any) -> None:
    assert "\u202e" not in all_text(make_sections(value))


def test_rows_become_a_table_with_all_columns() -> None:
    rows = [{"shop": "Bakery", "amount": 4.5}, {"shop": "Railway", "amount": 119, "note": "to Munich"}]
    (section,) = make_sections({"rows": rows})
    assert section.title == "Rows (2)"
    assert section.body == DetailTable(
        columns=("Shop", "Amount", "Note"),
        rows=(("Bakery", "4.5", ""), ("Railway", "119", "to Munich")),
        numeric=frozenset({1}),
    )


def test_booleans_are_not_numbers() -> None:
    (section,) = make_sections([{"paid": True}, {"paid": False}])
    assert section.body == DetailTable(columns=("Paid",), rows=(("yes",), ("no",)))


def test_short_values_come_first_as_pairs_and_nested_ones_with_their_path() -> None:
    pairs, body = make_sections({"body": "Dear all,\nhello", "subject": "Hi", "headers": {"reply_to": "me"}})
    assert pairs.body == Pairs(pairs=(("Subject", "Hi"), ("Headers › Reply to", "me")))  # noqa: RUF001
    assert body == DetailSection(title="Body", body=TextBlock(text="Dear all,\nhello"))


def test_strings_become_a_list() -> None:
    (section,) = make_sections(["a.txt", "b.txt"])
    assert section.body == DetailTable(columns=(), rows=(("a.txt",), ("b.txt",)))


def test_short_unnamed_rows_are_padded() -> None:
    (section,) = make_sections([[1, 2], [3]])
    assert section.body == DetailTable(columns=(), rows=(("1", "2"), ("3", "")))


@pytest.mark.parametrize(
    ("value", "expected"),
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
def test_values_are_formatted_unambiguously(value: Any, expected: str) -> None:
    assert format_value(value) == expected


def test_keys_are_formatted_as_words() -> None:
    assert format_key("message_id") == "Message id"
    assert format_key("_") == "_"
    assert format_key("") == "(empty)"
    assert format_key("a\nWith: me") == "a ↵ With: me"
    assert format_key("pay\u202eto") == "pay⟨202E⟩to"


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
    """A label that looks like another one, or like a built-in one, gets the exact key added."""
    labels = make_labels([(key,) for key in keys], WORDS, ["With", "Action"])
    seen = {" ".join(label.casefold().replace("_", " ").split()) for label in [*labels, "With", "Action"]}
    assert len(seen) == len(keys) + 2


@given(st.lists(st.text("aA _\n\u202e\u0301", max_size=4), unique=True, max_size=6))
def test_labels_of_different_keys_differ(keys: list[str]) -> None:
    assert len(set(make_labels([(key,) for key in keys], {}))) == len(keys)


def test_two_parameters_with_the_same_label_are_both_shown() -> None:
    (section,) = make_sections({"summary": "harmless", "title": "TRANSFER everything"}, WORDS)
    assert section.body == Pairs(
        pairs=(('Title ("summary")', "harmless"), ('Title ("title")', "TRANSFER everything")),
    )


def test_a_path_differs_from_a_key_that_looks_like_it() -> None:
    (section,) = make_sections({"a \u203a B": 1, "a": {"b": 2}})
    assert isinstance(section.body, Pairs)
    first, second = section.body.pairs
    assert first[0] != second[0]


def test_deeply_nested_data_stays_together_and_exact() -> None:
    deep: Any = {"end": "here"}
    for _ in range(50):
        deep = {"in": deep}
    (section,) = make_sections({"json": deep})
    assert isinstance(section.body, TextBlock)
    assert '"end": "here"' in section.body.text
    assert escape_hidden(section.body.text) == section.body.text, "indentation is not counted as a gap"
    assert len(section.title) < 100


def test_many_values_become_one_table_with_a_count() -> None:
    (section,) = make_sections({f"key {number}": "x" * 300 for number in range(MAX_PAIRS + 1)})
    assert section.title == "Values (31)"
    assert isinstance(section.body, DetailTable)
    assert section.body.rows[30] == ("key 30", "x" * MAX_CELL_CHARS + "…")
    assert section.body.full_row is not None
    assert "x" * 300 in section.body.full_row(30)


def test_many_long_values_are_listed_in_a_last_section() -> None:
    sections = make_sections({f"key {number}": [number] for number in range(MAX_SECTIONS + 3)})
    assert len(sections) == MAX_SECTIONS + 1
    assert sections[-1].title == "More values (3)"
    assert "[10]" in all_text(sections)


def test_rows_with_too_many_different_keys_are_shown_as_json() -> None:
    rows = [{f"k{number}": number} for number in range(MAX_COLUMNS + 1)]
    (section,) = make_sections({"rows": rows})
    assert isinstance(section.body, DetailTable)
    assert section.body.columns == ()
    assert section.body.rows[40] == ('{"k40": 40}',)


def test_cells_are_formatted_only_on_access() -> None:
    """The cost of a card does not grow with its table."""
    formatted: list[str] = []

    class Text(str):
        __slots__ = ()

        def __getitem__(self, place: Any) -> str:
            formatted.append(str(self)[:1])
            return str(self)[place]

    rows = [{"a": Text(f"{number}" * 300)} for number in range(10)]
    (section,) = make_sections(rows)
    assert isinstance(section.body, DetailTable)
    assert not formatted
    assert section.body.rows[3][0].startswith("333")
    assert set(formatted) == {"3"}
