"""The list of connections as painted, at any width."""

from datetime import UTC, datetime
from typing import Any

import pytest
from PySide6.QtCore import QRect
from PySide6.QtGui import QFontMetrics, QImage, QPainter
from PySide6.QtWidgets import QListView, QStyleOptionViewItem
from pytestqt.qtbot import QtBot

from app.window.connections.model import ConnectionDelegate, ConnectionListRow, ConnectionsModel
from scheduler.engine.queries.connections import ConnectionView

NOW = datetime(2026, 11, 17, tzinfo=UTC)
SHORT, LONG = "inbox-of-mine", "expenses-of-the-whole-family-since-2019"


class RecordingPainter(QPainter):
    """Records the lines painted beside the chip, and whether each fits."""

    def __init__(self, image: QImage) -> None:
        super().__init__(image)
        self.lines: list[tuple[str, bool]] = []

    def drawText(self, *given: Any) -> None:  # noqa: N802  # Qt's name
        match given:
            case (QRect() as room, 0, str() as text):
                fits = QFontMetrics(self.font()).horizontalAdvance(text) <= room.width()
                self.lines.append((text, fits and room.right() < self.device().width()))
            case _:
                super().drawText(*given)


def paint(qtbot: QtBot, name: str, width: int) -> list[tuple[str, bool]]:
    """The painted lines of one connection, its name first."""
    model, view = ConnectionsModel(), QListView()
    qtbot.addWidget(view)
    shown = ConnectionView(
        connection=f"files:{name}", settings={}, trouble=None, is_connected=True, used_by=(), created=NOW
    )
    model.set_rows([ConnectionListRow(view=shown, kind="Files", has_fields=True, users=())])
    image = QImage(width, 60, QImage.Format.Format_ARGB32)
    option: Any = QStyleOptionViewItem()
    option.rect, option.widget, option.font = image.rect(), view, view.font()
    painter = RecordingPainter(image)
    ConnectionDelegate().paint(painter, option, model.index(0))
    painter.end()
    return painter.lines


@pytest.mark.parametrize("width", [240, 320, 480, 900])
@pytest.mark.parametrize("name", [SHORT, LONG])
def test_every_line_fits_and_a_long_name_is_elided(qtbot: QtBot, name: str, width: int) -> None:
    lines = paint(qtbot, name, width)
    assert len(lines) == 2 and all(fits for _, fits in lines), lines
    assert lines[0][0] == name or lines[0][0].endswith("…")


def test_a_narrow_list_shows_a_name_of_ordinary_length_in_full(qtbot: QtBot) -> None:
    """Chips have their own column only if there is room for one."""
    assert paint(qtbot, SHORT, 250)[0] == (SHORT, True)
    assert paint(qtbot, LONG, 900)[0] == (LONG, True)
