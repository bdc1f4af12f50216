"""Icons and glyphs, drawn from SVG in the colour and size that is asked for. Shapes carry the meaning, colour helps."""

from functools import lru_cache
from math import ceil

from PySide6.QtCore import QByteArray, QRectF, QSize, Qt
from PySide6.QtGui import QFont, QIcon, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer

from app.resources import find_resource, read_resource
from app.words.states import TrayState

TRAY_SIZES = (16, 22, 24, 32, 44, 48, 64)
ON_LIGHT, ON_DARK = "#24292f", "#f4f5f6"
"""Symbols on a light and on a dark panel."""
_MOST_COUNTED = 9
_PAINT = "currentColor"


def tray_icon(state: TrayState, *, dark_panel: bool, count: int = 0) -> QIcon:
    """The symbol of the state, in every size that panels ask for; what needs attention may say how many need it."""
    icon = QIcon()
    colour = ON_DARK if dark_panel else ON_LIGHT
    for size in TRAY_SIZES:
        if state is TrayState.ATTENTION and count > 1:
            icon.addPixmap(_draw_count(str(count) if count <= _MOST_COUNTED else f"{_MOST_COUNTED}+", size, colour))
        else:
            icon.addPixmap(draw(f"tray/{state.value}", size, colour))
    return icon


def app_icon() -> QIcon:
    return QIcon(str(find_resource("icons/app.svg")))


def glyph_icon(name: str, colour: str, size: int = 16) -> QIcon:
    """For buttons and fields; sharp on screens of up to three times the size."""
    icon = QIcon()
    for scale in (1, 2, 3):
        icon.addPixmap(glyph(name, size, colour, scale))
    return icon


def glyph(name: str, size: int, colour: str, ratio: float = 1.0) -> QPixmap:
    """A small status shape, `size` logical pixels wide on a screen of that ratio."""
    return draw(f"glyphs/{name}", size, colour, ratio)


@lru_cache(maxsize=512)
def draw(name: str, size: int, colour: str, ratio: float = 1.0) -> QPixmap:
    """The SVG `name` of our icons with what it leaves open painted in `colour`."""
    renderer = QSvgRenderer(QByteArray(read_resource(f"icons/{name}.svg").replace(_PAINT, colour).encode()))
    side = ceil(size * ratio)
    pixmap = QPixmap(QSize(side, side))
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    renderer.render(painter, QRectF(0, 0, side, side))
    painter.end()
    pixmap.setDevicePixelRatio(ratio)
    return pixmap


@lru_cache(maxsize=128)
def _draw_count(count: str, size: int, colour: str) -> QPixmap:
    """The shape of attention with how many cut out of it, so that it can be read on any panel."""
    pixmap = QPixmap(draw("tray/count", size, colour))
    font = QFont("Sans Serif")
    font.setWeight(QFont.Weight.Bold)
    font.setPixelSize(round(size * (0.62 if len(count) == 1 else 0.5)))
    painter = QPainter(pixmap)
    painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_DestinationOut)
    painter.setFont(font)
    bubble = QRectF(0, size / 16, size, size * 11 / 16)
    painter.drawText(bubble, Qt.AlignmentFlag.AlignCenter, count)
    painter.end()
    return pixmap
