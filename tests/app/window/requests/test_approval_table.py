"""What a call would do is visible without scrolling sideways, however long the other texts are."""

from collections.abc import Sequence

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from app.session import Session
from app.window.attention.filters import make_kind_subject
from app.window.attention.page import AttentionPage
from app.window.main_window import MainWindow
from app.window.requests.approval_table import ApprovalTable, share_width
from scheduler.engine.queries.requests import RequestView
from scheduler.rules.requests import RequestKind
from tests.app.app_fixture import Wait
from tests.app.window.request_samples import make_approval, make_overview

SHOP = "Ursula's Garden Centre and Nursery, Bad Homburg in front of the Heights, Main Street 5"


@pytest.fixture
def window(empty: Session, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> MainWindow:
    monkeypatch.setattr(AttentionPage, "refresh", lambda _: None)
    made = MainWindow(empty)
    qtbot.addWidget(made)
    made.resize(1280, 800)
    made.show()
    return made


def open_table(window: MainWindow, session: Session, requests: Sequence[RequestView]) -> ApprovalTable:
    window.open_page("attention", make_kind_subject(RequestKind.APPROVAL))
    page = window.pages["attention"]
    assert isinstance(page, AttentionPage)
    page.show_overview(make_overview(requests, session.registry))
    [entry] = page.cards.entries.values()
    entry.open()
    assert entry.table is not None
    return entry.table


def make_receipts() -> list[RequestView]:
    """Of many workflows with long names, to several tables, with long texts everywhere."""
    return [
        make_approval(
            number,
            f"receipts-of-the-garden-and-of-everything-else-{number % 20}",
            parameters={"rows": [{"shop": SHOP, "date": "2026-11-17", "amount": number + 1234.5}]},
            call={"connection": f"table:expenses-of-the-household-{number % 6}"},
            sentence=f"Add the receipt of {SHOP} to the expenses",
        )
        for number in range(40)
    ]


def is_visible(table: ApprovalTable, head: str) -> bool:
    place = list(table.model.heads()).index(head)
    right = table.view.columnViewportPosition(place) + table.view.columnWidth(place)
    return right <= table.view.viewport().width() and not table.view.isColumnHidden(place)


def test_the_values_of_calls_are_visible_in_a_common_window(window: MainWindow, empty: Session, wait: Wait) -> None:
    table = open_table(window, empty, make_receipts())
    shown = ("Asked", "Shop", "Date", "Amount", "Workflow", "Where")
    wait(lambda: table.view.width() > 900 and all(is_visible(table, head) for head in shown))
    assert table.view.horizontalScrollBar().maximum() == 0


def test_short_values_are_on_one_line_and_long_texts_on_as_many_as_they_need(
    window: MainWindow, empty: Session, wait: Wait
) -> None:
    table = open_table(window, empty, make_receipts())
    wait(lambda: table.view.width() > 900 and is_visible(table, "Where"))
    metrics, flags = table.view.fontMetrics(), Qt.TextFlag.TextWordWrap
    for place in range(table.model.columnCount() - 2):
        text, width = table.model.index(0, place).data(), table.view.columnWidth(place)
        box = metrics.boundingRect(0, 0, width, 10_000, flags, text)
        assert box.height() <= table.view.rowHeight(0)
        assert place in (1, 4, 5) or metrics.horizontalAdvance(text) < width, table.model.heads()[place]
    assert table.view.rowHeight(0) > 3 * metrics.lineSpacing(), "the shop has several lines"


def test_columns_become_wider_with_the_window(window: MainWindow, empty: Session, wait: Wait) -> None:
    window.resize(1000, 800)
    table = open_table(window, empty, make_receipts())
    wait(lambda: is_visible(table, "Amount"))
    narrow, tall = table.view.columnWidth(1), table.view.rowHeight(0)
    window.resize(1280, 800)
    wait(lambda: table.view.columnWidth(1) > narrow and table.view.rowHeight(0) < tall)


def test_in_a_narrow_window_the_values_come_first(window: MainWindow, empty: Session, wait: Wait) -> None:
    window.resize(800, 600)
    table = open_table(window, empty, make_receipts())
    wait(lambda: is_visible(table, "Amount") and not is_visible(table, "Where"))


@pytest.mark.parametrize(
    ("room", "widths"),
    [
        (1000, [50, 300, 400]),
        (550, [50, 250, 250]),
        (350, [50, 100, 200]),
        (100, [50, 60, 200]),
    ],
)
def test_columns_that_want_little_get_all_of_it(room: int, widths: list[int]) -> None:
    assert share_width(room, [50, 300, 400], [50, 60, 200]) == widths
