"""Items of short lists are as tall as their text at every width, and never overlap."""

from itertools import pairwise

import pytest
from PySide6.QtCore import QRect, Qt
from PySide6.QtWidgets import QListWidget
from pytestqt.qtbot import QtBot

from app.theme.tokens import Space
from app.window.workflows.list_view import make_text_list

NAMES = ["Calendar reminder", "Certificates and disks of the whole household", "Mailed receipts", "Watch page"]


def fits(rows: QListWidget) -> bool:
    """Whether each item is as tall as its text and below the one before."""
    places = [rows.visualItemRect(rows.item(row)) for row in range(rows.count())]
    room = QRect(0, 0, rows.viewport().width() - 2 * Space.MEDIUM, 1_000)
    texts = [rows.fontMetrics().boundingRect(room, Qt.TextFlag.TextWordWrap, name).height() for name in NAMES]
    below_each_other = all(above.bottom() < below.top() for above, below in pairwise(places))
    return below_each_other and [place.height() - 2 * Space.MEDIUM for place in places] == texts


@pytest.mark.parametrize("widths", [(160, 700, 160), (700, 160, 700)])
def test_items_do_not_overlap_at_any_width(qtbot: QtBot, widths: tuple[int, ...]) -> None:
    rows = make_text_list("Templates")
    qtbot.addWidget(rows)
    rows.addItems(NAMES)
    rows.show()
    for width in widths:
        rows.resize(width, 400)
        qtbot.waitUntil(lambda: fits(rows))
