"""The sample workflow works without a network, asks once, and never adds a receipt twice."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from app.demo import prepare_demo
from tests.engine.queries.runtime_fixture import QueryRuntimeFixture


@pytest.fixture
def runtime(tmp_path: Path) -> Iterator[QueryRuntimeFixture]:
    runtime = QueryRuntimeFixture(tmp_path)
    prepare_demo(runtime.services, tmp_path)
    runtime.run_until_idle()
    yield runtime
    runtime.close()


def rows(runtime: QueryRuntimeFixture) -> list[str]:
    table = runtime.folder / "expenses.csv"
    return table.read_text().splitlines()[1:] if table.exists() else []


def test_it_asks_once_before_it_adds_the_receipts(runtime: QueryRuntimeFixture) -> None:
    [request] = runtime.queries.attention()
    assert request.sentence == "Add 3 receipts (45.55) to Expenses"
    assert rows(runtime) == []
    runtime.services.request_commands.approve(request.id)
    runtime.run_until_idle()
    assert len(rows(runtime)) == 3
    assert runtime.queries.attention() == []
    assert runtime.queries.workflow("receipts").recent[0].summary == "Filed 3 receipts, 3 so far"


def test_a_new_receipt_is_found_at_the_next_run(runtime: QueryRuntimeFixture) -> None:
    runtime.services.request_commands.approve(runtime.queries.attention()[0].id)
    runtime.run_until_idle()
    (runtime.folder / "receipts" / "tea.txt").write_text("Tea House\nDate: 2026-11-15\nTotal: 3.20\n")
    runtime.move(minutes=1)
    [request] = runtime.queries.attention()
    assert request.sentence == "Add 1 receipt (3.20) to Expenses"
    runtime.services.request_commands.reject(request.id)
    runtime.run_until_idle()
    assert len(rows(runtime)) == 3
    assert runtime.queries.workflow("receipts").recent[0].summary == "Skipped 1, as you chose"


def test_preparing_it_again_changes_nothing(runtime: QueryRuntimeFixture) -> None:
    (runtime.folder / "receipts" / "books.txt").write_text("Mine\nTotal: 1.00\n")
    prepare_demo(runtime.services, runtime.folder)
    assert (runtime.folder / "receipts" / "books.txt").read_text().startswith("Mine")
    assert runtime.queries.workflow("receipts").version == 1
    assert len(runtime.queries.attention()) == 1
