"""What changed between two texts, in one pane: only the changed lines with a few around them, for a card."""

from collections.abc import Sequence

from PySide6.QtCore import QEvent
from PySide6.QtGui import QFontMetrics

from app.look.theme import Space
from app.widgets.diff_pane import DiffPane, Line
from app.widgets.differences import Change, Row, compare, unify
from app.widgets.plain import reveal

_AROUND = 3
_MOST_LINES = 18
_GAP = "\N{HORIZONTAL ELLIPSIS}"


class Changes(DiffPane):
    """As tall as it needs to be, up to a point; what would hide or turn text around is written out."""

    def __init__(self, old: str, new: str) -> None:
        super().__init__("")
        self.setAccessibleName(self.tr("What changes"))
        self.set_lines(shorten(unify(compare(reveal(old), reveal(new)))))
        spacing = QFontMetrics(self.font()).lineSpacing()
        self._height = spacing * min(max(len(self.lines), 1), _MOST_LINES) + 2 * Space.SMALL
        self.setFixedHeight(self._height)
        self.horizontalScrollBar().rangeChanged.connect(self._make_room)

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802  # Qt's name
        super().changeEvent(event)
        if event.type() is QEvent.Type.PaletteChange and hasattr(self, "_lines"):
            self.dress()

    def _make_room(self, _low: int, high: int) -> None:
        """A bar at the foot must not cover the last line."""
        self.setFixedHeight(self._height + bool(high) * self.horizontalScrollBar().sizeHint().height())


def shorten(rows: Sequence[Row]) -> list[Line]:
    """Without what is far from any change; a line with dots stands for it."""
    changed = [place for place, row in enumerate(rows) if row.change is not Change.SAME]
    near = {at for place in changed for at in range(place - _AROUND, place + _AROUND + 1)}
    lines: list[Line] = []
    is_in_gap = False
    for place, row in enumerate(rows):
        if place in near:
            lines.append(_show(row))
        elif not is_in_gap:
            lines.append(Line(number=None, text=_GAP, change=Change.SAME))
        is_in_gap = place not in near
    return lines


def _show(row: Row) -> Line:
    side = row.new or row.old
    assert side is not None
    return Line(number=side.number, text=side.text, change=row.change, spans=side.spans)
