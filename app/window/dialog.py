"""Base dialog: a heading, a body that scrolls on small screens, and a row of buttons."""

from collections.abc import Sequence

from PySide6.QtCore import QSize, Qt, QTimer
from PySide6.QtGui import QPaintEvent, QShowEvent
from PySide6.QtWidgets import QDialog, QFrame, QHBoxLayout, QLayout, QPushButton, QScrollArea, QVBoxLayout, QWidget

from app.theme.tokens import Space
from app.widgets.fit_to_screen import find_room, fit_to_screen
from app.window.feedback import make_heading


class DialogBody(QScrollArea):
    """As tall as its content, if the screen has room."""

    def __init__(self, layout: QLayout) -> None:
        super().__init__()
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._layout = layout
        layout.setContentsMargins(0, 0, 0, Space.SMALL)
        self.verticalScrollBar().rangeChanged.connect(self._keep_off_scroll_bar)
        inner = QWidget()
        inner.setLayout(layout)
        self.setWidget(inner)
        policy = self.sizePolicy()
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)

    def _keep_off_scroll_bar(self, _least: int, most: int) -> None:
        self._layout.setContentsMargins(0, 0, Space.SMALL if most else 0, Space.SMALL)

    def hasHeightForWidth(self) -> bool:  # noqa: N802  # Qt's name
        return True

    def heightForWidth(self, width: int) -> int:  # noqa: N802  # Qt's name
        layout = self._layout
        return layout.totalHeightForWidth(width) if layout.hasHeightForWidth() else layout.totalSizeHint().height()

    def minimumSizeHint(self) -> QSize:  # noqa: N802  # Qt's name
        """Never narrower than the content: it does not scroll sideways."""
        return QSize(self._layout.totalMinimumSize().width(), super().minimumSizeHint().height())


class Dialog(QDialog):
    """Add widgets to `parts`, unless the caller passes a body of its own."""

    def __init__(self, width: int, parent: QWidget | None = None, *, body: DialogBody | None = None) -> None:
        super().__init__(parent)
        self._must_fit = False
        self.setMinimumWidth(min(width, find_room(self).width()))
        self.parts = QVBoxLayout()
        self.parts.setSpacing(Space.MEDIUM)
        self.body = body or DialogBody(self.parts)
        self.button_row = QHBoxLayout()
        self.button_row.setSpacing(Space.SMALL)
        self.main_layout = QVBoxLayout(self)
        self.main_layout.setContentsMargins(Space.WIDE, Space.WIDE, Space.WIDE, Space.LARGE)
        self.main_layout.setSpacing(Space.MEDIUM)
        self.heading = make_heading("")
        self.heading.setWordWrap(True)
        self.heading.hide()
        self.main_layout.addWidget(self.heading)
        self.main_layout.addWidget(self.body, 1)
        self.main_layout.addLayout(self.button_row)

    def add_buttons(self, *aside: QPushButton, last: QPushButton, others: Sequence[QPushButton] = ()) -> None:
        """Add the buttons: `aside` at the left, `last` at the far right, where Return in a field presses it."""
        for button in aside:
            self.button_row.addWidget(button)
        self.button_row.addStretch(1)
        for button in (*others, last):
            self.button_row.addWidget(button)
        last.setDefault(True)

    def set_titles(self, title: str, heading: str = "") -> None:
        """Set the window title, and the heading, which repeats it by default."""
        self.setWindowTitle(title)
        self.heading.setText(heading or title)
        self.heading.show()

    def fit(self) -> None:
        """Resize to the content. Resized before it is placed, a window ends up in the corner of the screen."""
        handle = self.windowHandle()
        if self.isVisible() and handle is not None and not handle.isExposed():
            self._must_fit = True
        else:
            self._fit()

    def _fit(self) -> None:
        self.body.updateGeometry()  # it is not notified of changes inside it
        self.main_layout.activate()
        width = max(self.width(), self.main_layout.totalMinimumSize().width())
        fit_to_screen(self, QSize(width, self.main_layout.totalHeightForWidth(width)))

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802  # Qt's name
        super().showEvent(event)
        for button in self.findChildren(QPushButton):
            button.setAutoDefault(True)  # else Return presses `last` even if another button has the focus
        self._fit()

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802  # Qt's name
        super().paintEvent(event)
        if self._must_fit:
            self._must_fit = False
            QTimer.singleShot(0, self, self.fit)
