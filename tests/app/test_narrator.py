"""One readable line for each run, wait and answer."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from app.narrator import Narrator
from tests.engine.workflows.views.shop import RECEIPTS, Shop


class Told:
    def __init__(self, shop: Shop) -> None:
        self.shop = shop
        self.lines: list[str] = []
        self.narrator = self.start()

    def start(self) -> Narrator:
        now = datetime(2026, 11, 16, 10, 0, tzinfo=UTC).astimezone().replace(hour=9, minute=30)
        return Narrator(self.shop.views, self.lines.append, lambda line: f"{line} --data-dir here", lambda: now)

    def look(self) -> list[str]:
        """The new lines, without their time."""
        self.lines.clear()
        self.narrator.look()
        assert all(line.startswith("09:30:00  ") and "\n" not in line for line in self.lines)
        return [line[10:] for line in self.lines]


@pytest.fixture
def told(tmp_path: Path) -> Iterator[Told]:
    shop = Shop(tmp_path)
    shop.connect_table()
    yield Told(shop)
    shop.close()


def test_runs_a_question_and_its_answer(told: Told) -> None:
    told.shop.deploy(RECEIPTS)
    told.shop.settle()
    [request] = told.shop.views.attention()
    what = "Add 1 receipts to Expenses (append of table:expenses)"
    assert told.look() == [
        "receipts: looked; nothing to report",
        "receipts: looked for news",
        f"receipts: asks: {what}. See all of it and how to answer: dayhand attention {request.id} --data-dir here",
    ]
    assert told.look() == []
    told.shop.house.answering.approve(request.id)
    told.shop.settle()
    assert told.look() == [
        "receipts: you said yes: Add 1 receipts to Expenses",
        "receipts: Filed 1 receipts",
    ]


def test_what_waited_before_it_began_is_told_too(told: Told) -> None:
    told.shop.deploy(RECEIPTS)
    told.shop.settle()
    told.narrator = told.start()
    assert [line.partition("See all")[0] for line in told.look()] == [
        "receipts: asks: Add 1 receipts to Expenses (append of table:expenses). ",
    ]
    told.shop.house.answering.reject(told.shop.views.attention()[0].id)
    told.shop.settle()
    assert told.look()[0] == "receipts: you said no: Add 1 receipts to Expenses"


def test_a_question_that_went_with_its_workflow_no_longer_needs_anybody(told: Told) -> None:
    told.shop.deploy(RECEIPTS)
    told.shop.settle()
    told.look()
    told.shop.house.commands.remove("receipts")
    assert told.look() == ["receipts: it no longer needs you: Add 1 receipts to Expenses"]


def test_a_failure_and_how_to_go_on(told: Told) -> None:
    told.shop.deploy("""
        import dayhand
        flow = dayhand.Workflow("Failing")

        @flow.job(every="1h")
        def work(ctx):
            raise ValueError("first line\\nsecond line")
    """)
    [run] = told.shop.house.commands.run("failing")["runs"]
    told.shop.settle()
    failed, asks = told.look()
    assert failed.startswith("failing: failed. script.py, line 6: ValueError: first line second line")
    assert asks.endswith(f"Answer: dayhand retry {run} --data-dir here")
