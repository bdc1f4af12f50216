"""A row layout that wraps into further lines when it does not fit."""

from PySide6.QtCore import QMargins, QRect, QSize, Qt
from PySide6.QtWidgets import QLayout, QLayoutItem, QWidget

from app.theme.tokens import Space


class FlowLayout(QLayout):
    """Widgets from left to right. Spare width goes to the expanding widget, or into the gap."""

    def __init__(self, spacing: int = Space.SMALL) -> None:
        super().__init__()
        self.setContentsMargins(QMargins())
        self.setSpacing(spacing)
        self._items: list[QLayoutItem] = []
        self._growing: QWidget | None = None
        self._right_aligned: tuple[QWidget, ...] = ()

    def add_expanding(self, widget: QWidget) -> None:
        self._growing = widget
        self.addWidget(widget)

    def add_right_aligned(self, *widgets: QWidget) -> None:
        """Right-aligned while everything fits on one line; hidden ones do not matter."""
        self._right_aligned = widgets
        for widget in widgets:
            self.addWidget(widget)

    def addItem(self, item: QLayoutItem) -> None:  # noqa: N802  # Qt's name
        self._items.append(item)

    def count(self) -> int:
        return len(self._items)

    def itemAt(self, place: int) -> QLayoutItem | None:  # noqa: N802  # Qt's name
        return self._items[place] if 0 <= place < len(self._items) else None

    def takeAt(self, place: int) -> QLayoutItem | None:  # noqa: N802  # Qt's name
        return self._items.pop(place) if 0 <= place < len(self._items) else None

    def expandingDirections(self) -> Qt.Orientation:  # noqa: N802  # Qt's name
        return Qt.Orientation.Horizontal

    def hasHeightForWidth(self) -> bool:  # noqa: N802  # Qt's name
        return True

    def heightForWidth(self, width: int) -> int:  # noqa: N802  # Qt's name
        heights = [self._line_height(line, width) for line in self._break_lines(width)]
        return sum(heights) + self.spacing() * max(len(heights) - 1, 0)

    def sizeHint(self) -> QSize:  # noqa: N802  # Qt's name
        shown = self._visible_items()
        width = sum(item.sizeHint().width() for item in shown) + self.spacing() * max(len(shown) - 1, 0)
        return QSize(width, max((item.sizeHint().height() for item in shown), default=0))

    def minimumSize(self) -> QSize:  # noqa: N802  # Qt's name
        shown = self._visible_items()
        width = max((item.minimumSize().width() for item in shown), default=0)
        return QSize(width, max((item.sizeHint().height() for item in shown), default=0))

    def setGeometry(self, place: QRect) -> None:  # noqa: N802  # Qt's name
        super().setGeometry(place)
        top, lines = place.y(), self._break_lines(place.width())
        for line in lines:
            height = self._line_height(line, place.width())
            self._place_line(line, QRect(place.x(), top, place.width(), height), is_alone=len(lines) == 1)
            top += height + self.spacing()

    def _visible_items(self) -> list[QLayoutItem]:
        return [item for item in self._items if not item.isEmpty()]

    def _break_lines(self, width: int) -> list[list[QLayoutItem]]:
        lines: list[list[QLayoutItem]] = []
        left = 0
        for item in self._visible_items():
            needed = item.sizeHint().width()
            if lines and needed + self.spacing() <= left:
                lines[-1].append(item)
                left -= needed + self.spacing()
            else:
                lines.append([item])
                left = width - needed
        return lines

    def _line_height(self, line: list[QLayoutItem], width: int) -> int:
        """Wrapped text is higher in a narrow line."""
        widths = self._widths_of(line, width)
        return max(_height_of(item, own) for item, own in zip(line, widths, strict=True))

    def _widths_of(self, line: list[QLayoutItem], width: int) -> list[int]:
        """Spare width goes to the expanding widget."""
        spare = width - sum(item.sizeHint().width() for item in line) - self.spacing() * (len(line) - 1)
        widths = []
        for item in line:
            own = item.sizeHint().width()
            if item.widget() is self._growing:
                own = min(own + spare, item.maximumSize().width())
            widths.append(min(own, width))
        return widths

    def _place_line(self, line: list[QLayoutItem], place: QRect, *, is_alone: bool) -> None:
        taken = sum(item.sizeHint().width() for item in line) + self.spacing() * (len(line) - 1)
        spare, left = place.width() - taken, place.x()
        gap_before = next((item for item in line if item.widget() in self._right_aligned), None)
        for item, width in zip(line, self._widths_of(line, place.width()), strict=True):
            height = _height_of(item, width)
            if is_alone and item is gap_before:
                left += max(spare, 0)
            item.setGeometry(QRect(left, place.y() + (place.height() - height) // 2, width, height))
            left += width + self.spacing()


def _height_of(item: QLayoutItem, width: int) -> int:
    return item.heightForWidth(width) if item.hasHeightForWidth() else item.sizeHint().height()
