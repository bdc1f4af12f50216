"""Icons and glyphs, rendered from SVG in any colour and size."""

from functools import lru_cache
from itertools import product
from math import ceil

from PySide6.QtCore import QByteArray, QRectF, QSize, Qt
from PySide6.QtGui import QFont, QIcon, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer

from app.i18n.state_labels import TrayState
from app.resources import find_resource, read_resource

TRAY_SIZES = (16, 22, 24, 32, 44, 48, 64)
ON_LIGHT, ON_DARK = "#24292f", "#f4f5f6"
"""Icon colours for a light and a dark panel."""
_MAX_COUNT = 9
_HALO_OPACITY = 0.45
_COLOUR_PLACEHOLDER = "currentColor"


def make_tray_icon(state: TrayState, *, dark_panel: bool, count: int = 0) -> QIcon:
    """The icon of the state in all panel sizes; ATTENTION shows a count above 1."""
    icon = QIcon()
    colour, other = (ON_DARK, ON_LIGHT) if dark_panel else (ON_LIGHT, ON_DARK)
    text = str(count) if count <= _MAX_COUNT else f"{_MAX_COUNT}+"

    def draw(size: int, ink: str) -> QPixmap:
        if state is TrayState.ATTENTION and count > 1:
            return _draw_count(text, size, ink)
        return draw_svg(f"tray/{state.value}", size, ink)

    for size in TRAY_SIZES:
        icon.addPixmap(_add_halo(draw(size, colour), draw(size, other)))
    return icon


def load_app_icon() -> QIcon:
    return QIcon(str(find_resource("icons/app.svg")))


def make_glyph_icon(name: str, colour: str, size: int = 16) -> QIcon:
    """For buttons and fields; sharp up to 3x scale."""
    icon = QIcon()
    for scale in (1, 2, 3):
        icon.addPixmap(draw_glyph(name, size, colour, scale))
    return icon


def draw_glyph(name: str, size: int, colour: str, ratio: float = 1.0) -> QPixmap:
    """A small status glyph, `size` logical pixels wide."""
    return draw_svg(f"glyphs/{name}", size, colour, ratio)


@lru_cache(maxsize=512)
def draw_svg(name: str, size: int, colour: str, ratio: float = 1.0) -> QPixmap:
    """Render the icon `name` with currentColor replaced by `colour`."""
    renderer = QSvgRenderer(
        QByteArray(read_resource(f"icons/{name}.svg").replace(_COLOUR_PLACEHOLDER, colour).encode())
    )
    side = ceil(size * ratio)
    pixmap = QPixmap(QSize(side, side))
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    renderer.render(painter, QRectF(0, 0, side, side))
    painter.end()
    pixmap.setDevicePixelRatio(ratio)
    return pixmap


def _add_halo(shape: QPixmap, other: QPixmap) -> QPixmap:
    """A faint rim in the other colour: the colour of a panel is a guess, and the icon must be visible on any."""
    halo = QPixmap(shape.size())
    halo.fill(Qt.GlobalColor.transparent)
    painter = QPainter(halo)
    width = max(1, round(shape.width() / 24))
    for x, y in product((-width, 0, width), repeat=2):
        painter.drawPixmap(x, y, other)
    painter.end()
    drawn = QPixmap(shape)
    painter = QPainter(drawn)
    painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_DestinationOver)
    painter.setOpacity(_HALO_OPACITY)
    painter.drawPixmap(0, 0, halo)
    painter.end()
    return drawn


@lru_cache(maxsize=128)
def _draw_count(count: str, size: int, colour: str) -> QPixmap:
    """The attention icon with the count cut out, readable on any panel."""
    pixmap = QPixmap(draw_svg("tray/count", size, colour))
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
