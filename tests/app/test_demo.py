"""The sample workflow works without a network, asks once, and never adds a receipt twice."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from app.data.preferences import SavedFixer
from app.data.saved_settings import SavedSettings
from app.demo import prepare_demo
from scheduler.engine.api.offline_backend import WritableBackend
from tests.engine.queries.runtime_fixture import QueryRuntimeFixture


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[QueryRuntimeFixture]:
    shop = QueryRuntimeFixture(tmp_path)
    prepare_demo(WritableBackend(shop.services, SavedFixer, SavedSettings(shop.folder)), tmp_path)
    shop.run_until_idle()
    yield shop
    shop.close()


def rows(shop: QueryRuntimeFixture) -> list[str]:
    table = shop.folder / "expenses.csv"
    return table.read_text().splitlines()[1:] if table.exists() else []


def test_it_asks_once_before_it_adds_the_receipts(shop: QueryRuntimeFixture) -> None:
    [request] = shop.queries.attention()
    assert request.sentence == "Add 3 receipts (45.55) to Expenses"
    assert rows(shop) == []
    shop.services.request_commands.approve(request.id)
    shop.run_until_idle()
    assert len(rows(shop)) == 3
    assert shop.queries.attention() == []
    assert shop.queries.workflow("receipts").recent[0].summary == "Filed 3 receipts, 3 so far"


def test_a_new_receipt_is_found_at_the_next_run(shop: QueryRuntimeFixture) -> None:
    shop.services.request_commands.approve(shop.queries.attention()[0].id)
    shop.run_until_idle()
    (shop.folder / "receipts" / "tea.txt").write_text("Tea House\nDate: 2026-11-15\nTotal: 3.20\n")
    shop.move(minutes=1)
    [request] = shop.queries.attention()
    assert request.sentence == "Add 1 receipt (3.20) to Expenses"
    shop.services.request_commands.reject(request.id)
    shop.run_until_idle()
    assert len(rows(shop)) == 3
    assert shop.queries.workflow("receipts").recent[0].summary == "Skipped 1, as you chose"


def test_preparing_it_again_changes_nothing(shop: QueryRuntimeFixture) -> None:
    (shop.folder / "receipts" / "books.txt").write_text("Mine\nTotal: 1.00\n")
    prepare_demo(WritableBackend(shop.services, SavedFixer, SavedSettings(shop.folder)), shop.folder)
    assert (shop.folder / "receipts" / "books.txt").read_text().startswith("Mine")
    assert shop.queries.workflow("receipts").version == 1
    assert len(shop.queries.attention()) == 1
