"""A status as glyph, word and colour: a widget, and functions that paint the same in long lists."""

from collections.abc import Iterable
from math import ceil

from PySide6.QtCore import QPoint, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QGuiApplication, QIcon, QPainter, QPaintEvent, QPixmap
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget

from app.theme.icons import draw_glyph
from app.theme.tokens import Colours, Space, colours_of
from app.widgets.status_signs import StatusSign

_MIN_GLYPH_SIZE = 12
_PADDING = Space.HAIR + 1


def _glyph_size(metrics: QFontMetrics) -> int:
    """The glyph scales with the text."""
    return max(round(metrics.height() * 0.75), _MIN_GLYPH_SIZE)


def chip_size(sign: StatusSign, font: QFont) -> QSize:
    """The size of the painted chip."""
    metrics = QFontMetrics(font)
    width = Space.SMALL + _glyph_size(metrics) + Space.TIGHT + metrics.horizontalAdvance(sign.word) + Space.SMALL
    return QSize(width, max(metrics.height(), _MIN_GLYPH_SIZE) + 2 * _PADDING)


def paint_chip(painter: QPainter, at: QPoint, sign: StatusSign, font: QFont, colours: Colours) -> None:
    """Draw the chip with its upper left corner at `at`."""
    size = chip_size(sign, font)
    ink = colours.tones[sign.tone]
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(ink.soft))
    painter.drawRoundedRect(QRectF(QRect(at, size)), size.height() / 2, size.height() / 2)
    side = _glyph_size(QFontMetrics(font))
    shape = draw_glyph(sign.glyph, side, ink.text, painter.device().devicePixelRatioF())
    painter.drawPixmap(at + QPoint(Space.SMALL, (size.height() - side) // 2), shape)
    painter.setPen(QColor(ink.text))
    painter.setFont(font)
    words = QRect(at, size).adjusted(Space.SMALL + side + Space.TIGHT, 0, 0, 0)
    painter.drawText(words, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, sign.word)
    painter.restore()


def make_chip_icons(signs: Iterable[StatusSign], font: QFont, colours: Colours) -> list[QIcon]:
    """Chips as icons of one size, for views without a delegate; sharp at the highest screen scale."""
    listed = list(signs)
    sizes = [chip_size(sign, font) for sign in listed]
    room = QSize(max(size.width() for size in sizes), max(size.height() for size in sizes))
    icons = []
    scales = sorted({1, *(ceil(screen.devicePixelRatio()) for screen in QGuiApplication.screens())})
    for sign in listed:
        icon = QIcon()
        for scale in scales:
            picture = QPixmap(room * scale)
            picture.setDevicePixelRatio(scale)
            picture.fill(Qt.GlobalColor.transparent)
            painter = QPainter(picture)
            paint_chip(painter, QPoint(0, 0), sign, font, colours)
            painter.end()
            for mode in (QIcon.Mode.Normal, QIcon.Mode.Selected):  # else Qt tints selected icons
                icon.addPixmap(picture, mode)
        icons.append(icon)
    return icons


class StatusChip(QLabel):
    """A label, so that screen readers read its word; painted as a chip."""

    def __init__(self, sign: StatusSign, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.set_sign(sign)

    @property
    def sign(self) -> StatusSign:
        return self._sign

    def set_sign(self, sign: StatusSign, explanation: str = "") -> None:
        self._sign = sign
        self.setText(sign.word)
        self.setToolTip(explanation)
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:  # noqa: N802  # Qt's name
        return chip_size(self._sign, self.font())

    def minimumSizeHint(self) -> QSize:  # noqa: N802  # Qt's name
        return self.sizeHint()

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802  # Qt's name
        painter = QPainter(self)
        paint_chip(painter, QPoint(0, 0), self._sign, self.font(), colours_of(self))
        painter.end()
