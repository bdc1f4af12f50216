"""A page column is as tall as its content: it scrolls to the last part, and no further."""

import pytest
from PySide6.QtWidgets import QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from app.theme.tokens import Space, Tone
from app.widgets.request_card import CardContent, RequestCard
from app.widgets.status_signs import StatusSign
from app.window.page import PageColumn


@pytest.mark.parametrize("width", [500, 1000])
def test_no_blank_space_follows_many_cards_with_long_sentences(qtbot: QtBot, width: int) -> None:
    column, parts = PageColumn("Attention"), QWidget()
    layout = QVBoxLayout(parts)
    sign = StatusSign(glyph="failed", word="Script error", tone=Tone.BAD)
    sentence = "receipts.py, line 12: the table has no column named amount, and nothing can be added to it without one."
    for number in range(20):
        layout.addWidget(
            RequestCard(CardContent(id=str(number), sign=sign, title="Receipts", when="now", sentence=sentence))
        )
    column.parts.addWidget(parts)
    column.parts.addStretch(1)
    qtbot.addWidget(column)
    column.resize(width, 300)
    column.show()
    qtbot.waitUntil(lambda: column.verticalScrollBar().maximum() > 0)
    inner = column.widget()
    end = parts.mapTo(inner, parts.rect().bottomLeft()).y() + 1
    assert inner.height() - end == Space.WIDE
