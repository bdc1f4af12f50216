"""Shows widgets offscreen, in English, with a light or dark theme."""

from array import array
from collections.abc import Callable, Iterator
from datetime import UTC, datetime

import pytest
from PySide6.QtCore import QLocale, QPoint
from PySide6.QtGui import QColor, QFont, QImage, QPalette
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from app.theme.stylesheet import Theme
from app.theme.tokens import Appearance, Colours

NOW = datetime(2026, 11, 16, 12, 0, tzinfo=UTC)


@pytest.fixture(autouse=True)
def english() -> Iterator[None]:
    before = QLocale()
    QLocale.setDefault(QLocale(QLocale.Language.English, QLocale.Country.UnitedKingdom))
    yield
    QLocale.setDefault(before)


@pytest.fixture(params=[Appearance.LIGHT, Appearance.DARK], ids=["light", "dark"])
def colours(request: pytest.FixtureRequest, qapp: QApplication) -> Iterator[Colours]:
    """Apply the theme, and remove it afterwards."""
    palette, font = QPalette(qapp.palette()), QFont(qapp.font())
    look = Theme(qapp, request.param)
    yield look.colours
    look.deleteLater()
    qapp.setStyleSheet("")
    qapp.setPalette(palette)
    qapp.setFont(font)


@pytest.fixture
def shown(qtbot: QtBot) -> Iterator[Callable[..., None]]:
    """Shows a widget, in a given size, and keeps it alive until the end of the test."""
    kept: list[QWidget] = []

    def show(widget: QWidget, width: int = 0, height: int = 0) -> None:
        kept.append(widget)
        qtbot.addWidget(widget)
        if width:
            widget.resize(width, height or widget.sizeHint().height())
        with qtbot.waitActive(widget, timeout=30_000):
            widget.show()
            widget.activateWindow()

    yield show
    kept.clear()


class Screenshot:
    """A screenshot of a widget, for checking pixels."""

    def __init__(self, widget: QWidget) -> None:
        self.image: QImage = widget.grab().toImage()
        self.ratio = self.image.devicePixelRatio()

    def colour(self, x: float, y: float) -> QColor:
        return self.image.pixelColor(QPoint(round(x * self.ratio), round(y * self.ratio)))

    def count(self, colour: str) -> int:
        """How many pixels have exactly this colour."""
        image = self.image.convertToFormat(QImage.Format.Format_RGB32)
        return array("I", bytes(image.constBits())).count(QColor(colour).rgb())


@pytest.fixture
def picture() -> type[Screenshot]:
    return Screenshot
