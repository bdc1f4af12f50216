"""The sample workflow: works without a network, asks once, never adds a receipt twice."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from app.demo import prepare_demo
from tests.engine.workflows.views.shop import Shop


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[Shop]:
    shop = Shop(tmp_path)
    prepare_demo(shop.house, tmp_path)
    shop.settle()
    yield shop
    shop.close()


def rows(shop: Shop) -> list[str]:
    table = shop.folder / "expenses.csv"
    return table.read_text().splitlines()[1:] if table.exists() else []


def test_it_asks_once_before_it_adds_what_it_found(shop: Shop) -> None:
    [request] = shop.views.attention()
    assert request.sentence == "Add 3 receipts (45.55) to Expenses"
    assert rows(shop) == []
    shop.house.answering.approve(request.id)
    shop.settle()
    assert len(rows(shop)) == 3
    assert shop.views.attention() == []
    assert shop.views.workflow("receipts").recent[0].summary == "Filed 3 receipts, 3 so far"


def test_a_new_receipt_is_found_at_the_next_look(shop: Shop) -> None:
    shop.house.answering.approve(shop.views.attention()[0].id)
    shop.settle()
    (shop.folder / "receipts" / "tea.txt").write_text("Tea House\nDate: 2026-11-15\nTotal: 3.20\n")
    shop.move(minutes=1)
    [request] = shop.views.attention()
    assert request.sentence == "Add 1 receipt (3.20) to Expenses"
    shop.house.answering.reject(request.id)
    shop.settle()
    assert len(rows(shop)) == 3
    assert shop.views.workflow("receipts").recent[0].summary == "Left out 1, as you said"


def test_preparing_it_again_changes_nothing(shop: Shop) -> None:
    (shop.folder / "receipts" / "books.txt").write_text("Mine\nTotal: 1.00\n")
    prepare_demo(shop.house, shop.folder)
    assert (shop.folder / "receipts" / "books.txt").read_text().startswith("Mine")
    assert shop.views.workflow("receipts").version == 1
    assert len(shop.views.attention()) == 1
