"""What pages are laid out in: a heading, and a column of parts that scrolls and does not grow too wide to read."""

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QScrollArea, QSizePolicy, QVBoxLayout, QWidget

from app.look.dressing import mark
from app.look.theme import Space, Type
from app.window.saying import make_heading

_WIDEST = 1100


class Column(QScrollArea):
    """Add parts to `parts`; the heading is above them."""

    def __init__(self, title: str) -> None:
        super().__init__()
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        inner, column = _Inner(), QWidget()
        column.setMaximumWidth(_WIDEST)
        column.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        row = QHBoxLayout(inner)
        row.setContentsMargins(Space.WIDE, Space.WIDE, Space.WIDE, Space.WIDE)
        row.addWidget(column, 100)
        row.addStretch(1)
        self.parts = QVBoxLayout(column)
        self.parts.setContentsMargins(0, 0, 0, 0)
        self.parts.setSpacing(Space.MEDIUM)
        self.heading = make_heading(title, Type.DISPLAY)
        self.under = QLabel()
        self.under.setTextFormat(Qt.TextFormat.PlainText)
        mark(self.under, "ink", "muted")
        self.parts.addWidget(self.heading)
        self.parts.addWidget(self.under)
        self.setWidget(inner)


class CardArea(QScrollArea):
    """A card that scrolls where what is in it needs more room."""

    def __init__(self, inner: QWidget) -> None:
        super().__init__()
        self._inner = inner
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        mark(self, "surface", "card")
        self.setWidget(inner)
        for part in (inner, self.viewport()):
            part.setAutoFillBackground(False)  # the ground is the card's

    def minimumSizeHint(self) -> QSize:  # noqa: N802  # Qt's name
        """It scrolls up and down only."""
        beside = self.verticalScrollBar().sizeHint().width() + 2 * self.frameWidth()
        least = super().minimumSizeHint()
        return QSize(max(self._inner.minimumSizeHint().width() + beside, least.width()), least.height())


class _Inner(QWidget):
    """As tall as its text is at this width: what wrapped text needs at the least is reckoned for a narrow column."""

    def minimumSizeHint(self) -> QSize:  # noqa: N802  # Qt's name
        return QSize(super().minimumSizeHint().width(), 0)


def put_under(title: str, page: QWidget) -> QWidget:
    """A page that has no column of its own, below its heading."""
    whole = QWidget()
    layout = QVBoxLayout(whole)
    layout.setContentsMargins(Space.WIDE, Space.WIDE, Space.WIDE, Space.WIDE)
    layout.addWidget(make_heading(title, Type.DISPLAY))
    layout.addWidget(page, 1)
    return whole


def make_section(title: str) -> QLabel:
    label = make_heading(title)
    label.setContentsMargins(0, Space.MEDIUM, 0, 0)
    return label
