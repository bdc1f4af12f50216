"""How wide the columns and how tall the rows of a table of approvals are: what a call would do needs no scrolling."""

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QTableView

from app.theme.tokens import Space
from app.widgets.visible_text import BREAK_POINT, add_break_points
from app.window.requests.approval_model import MAX_CELL_PX, ApprovalModel

_MAX_VISIBLE_LINES = 16
_UNLIMITED_PX = 100_000
_MAX_SENTENCE_PX = 360
_SHORT_PX = 140
"""A column of short texts, such as amounts and dates, is never narrower than they are."""
_NARROW_PX = 110
"""Below this, long texts would have a word per line."""
_LONG_WORD_PX, _MAX_PIECE_PX = 200, 160
"""Words such as paths have break points, and how wide their pieces are."""
_PADDING = 3 * Space.SMALL


def break_words(metrics: QFontMetrics, text: str) -> str:
    return add_break_points(text, metrics.horizontalAdvance, _LONG_WORD_PX, _MAX_PIECE_PX)


def count_lines(metrics: QFontMetrics, text: str, width: int = MAX_CELL_PX) -> int:
    """How many lines a cell needs; its long words have break points."""
    if metrics.horizontalAdvance(text) <= width:
        return 1
    box = metrics.boundingRect(0, 0, width, _UNLIMITED_PX, Qt.TextFlag.TextWordWrap, text)
    return -(-box.height() // metrics.lineSpacing())


def share_width(room: int, wanted: Sequence[int], least: Sequence[int]) -> list[int]:
    """Columns that want little get all of it; the others share the rest evenly."""

    def limit(most: int) -> list[int]:
        return [max(one, min(full, most)) for full, one in zip(wanted, least, strict=True)]

    low, high = 0, max(wanted, default=0)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if sum(limit(middle)) <= room else (low, middle - 1)
    return limit(low)


def fit_table(view: QTableView, model: ApprovalModel) -> None:
    """Rows are as tall as their cells, so that a cell is cut only in a row that is marked."""
    metrics, rows = view.fontMetrics(), range(model.rowCount())
    widths = _measure_columns(view, model)
    for place, width in enumerate(widths):
        view.setColumnWidth(place, width)
    one_line = view.verticalHeader().defaultSectionSize()
    values = range(1, len(widths) - 2)
    for row in rows:
        lines = 1
        if model.fits(row):  # one that does not is opened, so that it needs no height
            cells = ((model.index(row, place).data(), widths[place] - _PADDING) for place in values)
            lines = max((count_lines(metrics, text, width) for text, width in cells), default=1)
        view.setRowHeight(row, one_line + (lines - 1) * metrics.lineSpacing())
    header = view.horizontalHeader().sizeHint().height()
    bar = view.horizontalScrollBar().sizeHint().height()
    height = min(max(view.verticalHeader().length(), one_line), _MAX_VISIBLE_LINES * one_line)
    view.setFixedHeight(header + height + bar + 2 * view.frameWidth() + Space.SMALL)


def _measure_columns(view: QTableView, model: ApprovalModel) -> list[int]:
    metrics, heads = view.fontMetrics(), model.heads()
    last = len(heads) - 2  # what the workflow says, and then the result: cut where there is no room
    wanted, least = [], []
    for place, head in enumerate(heads):
        cells = {str(model.index(row, place).data()) for row in range(model.rowCount())}
        name = metrics.horizontalAdvance(head)
        full = max(map(metrics.horizontalAdvance, cells), default=0)
        full = min(max(name, full), _MAX_SENTENCE_PX if place >= last else MAX_CELL_PX)
        if place == 0:
            full += 2 * Space.LARGE  # the box
        must = min(full, name)
        if place == 0 or (place < last and full <= _SHORT_PX):
            must = full
        elif place < last:
            must = min(full, max(name, _NARROW_PX, *(_measure_widest_word(metrics, cell) for cell in cells)))
        is_shown = not view.isColumnHidden(place)
        wanted.append((full + _PADDING) * is_shown)
        least.append((must + _PADDING) * is_shown)
    room = view.maximumViewportSize().width() - view.verticalScrollBar().sizeHint().width()
    return share_width(room, wanted, least)


def _measure_widest_word(metrics: QFontMetrics, text: str) -> int:
    pieces = text.replace(BREAK_POINT, " ").split()
    return max(map(metrics.horizontalAdvance, pieces), default=0)
