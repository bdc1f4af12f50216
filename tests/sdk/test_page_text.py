"""Blocks of web pages: what is offered, what is found again after changes, and hostile pages."""

import ast

import pytest
from dayhand.page_text import PageBlock, find_block, read_blocks, read_number

PAGE = """<html><head><title>Lamps</title><style>p { color: red }</style></head><body class="css-1x2y">
<nav><a href=/>Home</a> <a href=/shop>Shop</a></nav>
<main><h1>Desk lamp</h1>
<p>Was <s>€ 30,00</s> now <b class="price">€ 20,00</b> only</p>
<table><tr><th>Name<th>Price<tr><td>Lamp<td>12.50<tr><td>Chair<td>40.00</table>
<div class="card"><h3>Red</h3><p class="price">1 EUR</p></div>
<div class="card"><h3>Blue</h3><p class="price">2 EUR</p></div>
<script>document.write("<p>hidden</p>")</script><p hidden>secret</p><p style="display: none">secret</p>
</main></body></html>"""


def pick(page: str, text: str) -> PageBlock:
    [block] = [one for one in read_blocks(page) if one.text == text]
    return block


def find(page: str, text: str, changed: str) -> str | None:
    """The text that the block has on the changed page."""
    found = find_block(changed, pick(page, text).mark)
    return None if found is None else found.text


def test_headings_paragraphs_cells_and_prices_are_offered_from_top_to_bottom() -> None:
    assert [(one.kind, one.text) for one in read_blocks(PAGE)] == [
        ("text", "Lamps"),
        ("text", "Home Shop"),
        ("heading", "Desk lamp"),
        ("price", "Was € 30,00 now € 20,00 only"),
        ("price", "€ 30,00"),
        ("price", "€ 20,00"),
        ("cell", "Name"),
        ("cell", "Price"),
        ("cell", "Lamp"),
        ("cell", "12.50"),
        ("cell", "Chair"),
        ("cell", "40.00"),
        ("heading", "Red"),
        ("price", "1 EUR"),
        ("heading", "Blue"),
        ("price", "2 EUR"),
    ]


def test_a_mark_can_be_written_into_a_script() -> None:
    for block in read_blocks(PAGE):
        assert ast.literal_eval(repr(block.mark)) == block.mark


def test_every_block_of_an_unchanged_page_is_found() -> None:
    for block in read_blocks(PAGE):
        assert find_block(PAGE, block.mark) == block


@pytest.mark.parametrize(
    ("text", "old", "new", "expected"),
    [
        ("€ 20,00", "€ 20,00", "€ 1.018,50", "€ 1.018,50"),
        ("€ 20,00", "€ 20,00", "Sold out", None),
        ("1 EUR", "1 EUR", "Sold out", "Sold out"),
        ("12.50", "12.50", "11.90", "11.90"),
        ("12.50", "12.50", "Sold out", "Sold out"),
        ("40.00", "<tr><td>Lamp", "<tr><td>New<td>7.00<tr><td>Lamp", "40.00"),
        ("12.50", "<main>", "<main><div class=ad>Buy!</div>", "12.50"),
        ("12.50", "css-1x2y", "css-9z8w", "12.50"),
        ("2 EUR", '<div class="card"><h3>Red</h3><p class="price">1 EUR</p></div>', "", "2 EUR"),
        ("Desk lamp", "Desk lamp", "Floor lamp", "Floor lamp"),
        ("Lamps", "Lamps", "All lamps", "All lamps"),
    ],
)
def test_a_changed_text_is_found_in_its_place(text: str, old: str, new: str, expected: str | None) -> None:
    assert PAGE.count(old) == 1
    assert find(PAGE, text, PAGE.replace(old, new)) == expected


def test_a_row_is_found_after_the_table_was_sorted() -> None:
    rows = "<tr><td>Lamp<td>12.50<tr><td>Chair<td>40.00"
    assert find(PAGE, "12.50", PAGE.replace(rows, "<tr><td>Chair<td>40.00<tr><td>Lamp<td>11")) == "11"


def test_a_text_is_found_after_the_page_got_another_style() -> None:
    changed = PAGE.replace('class="card"', 'class="tile"').replace("<main>", '<main><div class="wide">')
    assert find(PAGE, "2 EUR", changed.replace("2 EUR", "3 EUR")) == "3 EUR"


@pytest.mark.parametrize(
    ("text", "old", "new"),
    [
        ("12.50", "<tr><td>Lamp<td>12.50", ""),
        ("12.50", "<td>Lamp", "<td>Other lamp"),
        ("2 EUR", "<h3>Blue</h3>", "<h3>Green</h3>"),
        ("2 EUR", '<div class="card"><h3>Blue</h3><p class="price">2 EUR</p></div>', ""),
        ("€ 20,00", '<p>Was <s>€ 30,00</s> now <b class="price">€ 20,00</b> only</p>', "<p>All new!</p>"),
    ],
)
def test_a_text_that_is_gone_is_never_confused_with_another(text: str, old: str, new: str) -> None:
    assert PAGE.count(old) == 1
    assert find(PAGE, text, PAGE.replace(old, new)) is None


def test_equal_texts_are_told_apart_by_their_order_while_their_number_is_the_same() -> None:
    page = "<ul><li>A<li>B</ul><p>x</p><p>x</p><p>x</p>"
    second = [one for one in read_blocks(page) if one.text == "x"][1]
    assert find_block(page, second.mark) == second
    assert find_block(page.replace("<p>x</p>", "", 1), second.mark) is None


@pytest.mark.parametrize("page", ["", "no markup", "<p>", "<html><b class=price>5 €</b></html>"])
def test_small_pages_have_their_text(page: str) -> None:
    texts = [one.text for one in read_blocks(page)]
    assert texts == [{"no markup": "no markup"}.get(page, "5 €")] * ("b" in page or "no" in page)


@pytest.mark.parametrize("mark", [{}, {"path": []}, {"path": ["p"], "order": 7}, {"label": "x"}])
def test_a_strange_mark_finds_nothing(mark: dict[str, object]) -> None:
    assert find_block(PAGE, mark) is None


HOSTILE = {
    "tags that never end": "<a " * 600_000,
    "deep": "<div>" * 400_000,
    "comments": "<!--" * 500_000,
    "attributes": "<div " + "a=b " * 500_000,
    "one attribute": "<a b='" + "x" * 1_900_000,
    "prices": "<b>1 €</b>" * 200_000,
    "brackets": "<" * 2_000_000,
    "paragraphs": "<p>x" * 500_000,
    "one text": "x" * 2_000_000,
    "digits": "1" * 2_000_000,
    "classes": f"<p class='{'a ' * 900_000}'>x",
    "end tags": "<p>x" + "</p>" * 500_000,
    "nested inline": "<b>1" * 500_000,
}


@pytest.mark.parametrize("page", HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_page_is_read_within_limits(page: str) -> None:
    """Reading one of them again and again would take minutes."""
    blocks = read_blocks(page)
    assert len(blocks) <= 2_100 and all(len(one.text) <= 300 for one in blocks)
    assert all(len(repr(one.mark)) < 3_000 for one in blocks)


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("€ 12,50", 12.5),
        ("$1,000.49", 1000.49),
        ("1.200,00 EUR", 1200),
        ("1.200", 1200),
        ("CHF 1'250.-", 1250),
        ("7", 7),
        ("none", None),
        ("", None),
    ],
)
def test_numbers_are_read_in_either_notation(text: str, number: float | None) -> None:
    assert read_number(text) == number
