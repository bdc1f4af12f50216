"""A status as shape, word and colour: a widget, and the same drawn by hand for lists of thousands."""

from collections.abc import Iterable
from math import ceil

from PySide6.QtCore import QPoint, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QGuiApplication, QIcon, QPainter, QPaintEvent, QPixmap
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget

from app.look.icons import glyph
from app.look.theme import Colours, Space, colours_of
from app.widgets.signs import Sign

_SMALLEST_GLYPH = 12
_ABOVE = Space.HAIR + 1


def _glyph_size(metrics: QFontMetrics) -> int:
    """The shape grows with the word."""
    return max(round(metrics.height() * 0.75), _SMALLEST_GLYPH)


def measure_chip(sign: Sign, font: QFont) -> QSize:
    """The room that the whole sign needs."""
    metrics = QFontMetrics(font)
    width = Space.SMALL + _glyph_size(metrics) + Space.TIGHT + metrics.horizontalAdvance(sign.word) + Space.SMALL
    return QSize(width, max(metrics.height(), _SMALLEST_GLYPH) + 2 * _ABOVE)


def paint_chip(painter: QPainter, at: QPoint, sign: Sign, font: QFont, colours: Colours) -> None:
    """Draw the sign with its upper left corner there."""
    size = measure_chip(sign, font)
    ink = colours.tones[sign.tone]
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(ink.soft))
    painter.drawRoundedRect(QRectF(QRect(at, size)), size.height() / 2, size.height() / 2)
    side = _glyph_size(QFontMetrics(font))
    shape = glyph(sign.glyph, side, ink.text, painter.device().devicePixelRatioF())
    painter.drawPixmap(at + QPoint(Space.SMALL, (size.height() - side) // 2), shape)
    painter.setPen(QColor(ink.text))
    painter.setFont(font)
    words = QRect(at, size).adjusted(Space.SMALL + side + Space.TIGHT, 0, 0, 0)
    painter.drawText(words, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, sign.word)
    painter.restore()


def make_chip_icons(signs: Iterable[Sign], font: QFont, colours: Colours) -> list[QIcon]:
    """The same as icons of one size, for views that draw without us; sharp on the finest screen that there is."""
    wanted = list(signs)
    sizes = [measure_chip(sign, font) for sign in wanted]
    room = QSize(max(size.width() for size in sizes), max(size.height() for size in sizes))
    icons = []
    scales = sorted({1, *(ceil(screen.devicePixelRatio()) for screen in QGuiApplication.screens())})
    for sign in wanted:
        icon = QIcon()
        for scale in scales:
            picture = QPixmap(room * scale)
            picture.setDevicePixelRatio(scale)
            picture.fill(Qt.GlobalColor.transparent)
            painter = QPainter(picture)
            paint_chip(painter, QPoint(0, 0), sign, font, colours)
            painter.end()
            for mode in (QIcon.Mode.Normal, QIcon.Mode.Selected):  # else what is chosen is tinted
                icon.addPixmap(picture, mode)
        icons.append(icon)
    return icons


class Chip(QLabel):
    """A label, so that its word can be read aloud; drawn as a chip."""

    def __init__(self, sign: Sign, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.set_sign(sign)

    @property
    def sign(self) -> Sign:
        return self._sign

    def set_sign(self, sign: Sign, explanation: str = "") -> None:
        self._sign = sign
        self.setText(sign.word)
        self.setToolTip(explanation)
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:  # noqa: N802  # Qt's name
        return measure_chip(self._sign, self.font())

    def minimumSizeHint(self) -> QSize:  # noqa: N802  # Qt's name
        return self.sizeHint()

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802  # Qt's name
        painter = QPainter(self)
        paint_chip(painter, QPoint(0, 0), self._sign, self.font(), colours_of(self))
        painter.end()
