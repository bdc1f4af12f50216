"""Items of a short list with room around them: text of a few lines, on the ground that all our lists have."""

from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtGui import QColor, QFontMetrics, QPainter
from PySide6.QtWidgets import QFrame, QListWidget, QStyledItemDelegate, QStyleOptionViewItem

from app.look.dressing import lay_on_card
from app.look.theme import Space, colours_of
from app.window.workflows_list import paint_ground
from app.window.workflows_model import Index

_GLYPH = 16
_FLAGS = int(Qt.TextFlag.TextWordWrap) | int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)


def make_lines(name: str) -> QListWidget:
    """An empty list, read aloud by that name."""
    made = QListWidget()
    made.setAccessibleName(name)
    made.setFrameShape(QFrame.Shape.NoFrame)
    made.setWordWrap(True)  # else Qt does not lay it out anew for another width
    made.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    made.setItemDelegate(LinesDelegate(made))
    lay_on_card(made)
    return made


class LinesDelegate(QStyledItemDelegate):
    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        colours = colours_of(option.widget)
        painter.save()
        paint_ground(painter, option, colours)
        painter.setFont(option.font)
        painter.setPen(QColor(colours.text))
        room = option.rect.adjusted(Space.MEDIUM, 0, -Space.MEDIUM, 0)
        if icon := index.data(Qt.ItemDataRole.DecorationRole):
            icon.paint(painter, room.adjusted(0, 0, _GLYPH - room.width(), 0))
            room.setLeft(room.left() + _GLYPH + Space.MEDIUM)
        painter.drawText(room, _FLAGS, str(index.data()))
        painter.restore()

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:  # noqa: N802  # Qt's name
        beside = _GLYPH + Space.MEDIUM if index.data(Qt.ItemDataRole.DecorationRole) else 0
        width = max((option.rect.width() or 220) - 2 * Space.MEDIUM - beside, 120)
        room = QFontMetrics(option.font).boundingRect(QRect(0, 0, width, 10_000), _FLAGS, str(index.data()))
        return QSize(width, room.height() + 2 * Space.MEDIUM)
