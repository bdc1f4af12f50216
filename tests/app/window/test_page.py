"""A column is as tall as what is in it: one scrolls to the last part, and no further."""

import pytest
from PySide6.QtWidgets import QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from app.look.theme import Space, Tone
from app.widgets.card import Card, CardValue
from app.widgets.signs import Sign
from app.window.frame import Column


@pytest.mark.parametrize("width", [500, 1000])
def test_nothing_blank_follows_many_cards_with_long_sentences(qtbot: QtBot, width: int) -> None:
    column, parts = Column("Attention"), QWidget()
    layout = QVBoxLayout(parts)
    sign = Sign(glyph="failed", word="Script error", tone=Tone.BAD)
    sentence = "receipts.py, line 12: the table has no column named amount, and nothing can be added to it without one."
    for number in range(20):
        layout.addWidget(Card(CardValue(id=str(number), sign=sign, title="Receipts", when="now", sentence=sentence)))
    column.parts.addWidget(parts)
    column.parts.addStretch(1)
    qtbot.addWidget(column)
    column.resize(width, 300)
    column.show()
    qtbot.waitUntil(lambda: column.verticalScrollBar().maximum() > 0)
    inner = column.widget()
    end = parts.mapTo(inner, parts.rect().bottomLeft()).y() + 1
    assert inner.height() - end == Space.WIDE
