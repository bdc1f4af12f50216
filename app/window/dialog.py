"""What dialogs are laid out in: a heading, a body that scrolls where the screen is lower than it, a row of buttons."""

from collections.abc import Sequence

from PySide6.QtCore import QSize, Qt, QTimer
from PySide6.QtGui import QPaintEvent, QShowEvent
from PySide6.QtWidgets import QDialog, QFrame, QHBoxLayout, QLayout, QPushButton, QScrollArea, QVBoxLayout, QWidget

from app.look.theme import Space
from app.widgets.fitting import find_room, fit
from app.window.saying import make_heading


class Body(QScrollArea):
    """As high as what is laid out in it, where there is room for that."""

    def __init__(self, layout: QLayout) -> None:
        super().__init__()
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._layout = layout
        layout.setContentsMargins(0, 0, Space.SMALL, Space.SMALL)
        inner = QWidget()
        inner.setLayout(layout)
        self.setWidget(inner)
        policy = self.sizePolicy()
        policy.setHeightForWidth(True)  # Qt takes it so
        self.setSizePolicy(policy)

    def hasHeightForWidth(self) -> bool:  # noqa: N802  # Qt's name
        return True

    def heightForWidth(self, width: int) -> int:  # noqa: N802  # Qt's name
        layout = self._layout
        return layout.totalHeightForWidth(width) if layout.hasHeightForWidth() else layout.totalSizeHint().height()

    def minimumSizeHint(self) -> QSize:  # noqa: N802  # Qt's name
        """As wide as its parts need, which nobody could scroll to."""
        return QSize(self._layout.totalMinimumSize().width(), super().minimumSizeHint().height())


class Dialog(QDialog):
    """Parts go to `parts`, or into a body of the caller's; buttons to `foot`."""

    def __init__(self, width: int, parent: QWidget | None = None, *, body: Body | None = None) -> None:
        super().__init__(parent)
        self._fits_later = False
        self.setMinimumWidth(min(width, find_room(self).width()))
        self.parts = QVBoxLayout()
        self.parts.setSpacing(Space.MEDIUM)
        self.body = body or Body(self.parts)
        self.foot = QHBoxLayout()
        self.foot.setSpacing(Space.SMALL)
        self.whole = QVBoxLayout(self)
        self.whole.setContentsMargins(Space.WIDE, Space.WIDE, Space.WIDE, Space.LARGE)
        self.whole.setSpacing(Space.MEDIUM)
        self.heading = make_heading("")
        self.heading.setWordWrap(True)
        self.heading.hide()
        self.whole.addWidget(self.heading)
        self.whole.addWidget(self.body, 1)
        self.whole.addLayout(self.foot)

    def conclude(self, *aside: QPushButton, last: QPushButton, others: Sequence[QPushButton] = ()) -> None:
        """The row of buttons: some at the left, and at the right the one that Return presses wherever one types."""
        for button in aside:
            self.foot.addWidget(button)
        self.foot.addStretch(1)
        for button in (*others, last):
            self.foot.addWidget(button)
        last.setDefault(True)

    def entitle(self, title: str, heading: str = "") -> None:
        """The heading says the same, unless it says more."""
        self.setWindowTitle(title)
        self.heading.setText(heading or title)
        self.heading.show()

    def fit(self) -> None:
        """As high as what it shows now; a window that changes before it has got its place ends in the corner."""
        handle = self.windowHandle()
        if self.isVisible() and handle is not None and not handle.isExposed():
            self._fits_later = True
        else:
            self._fit()

    def _fit(self) -> None:
        self.body.updateGeometry()  # it does not hear of what changes inside it
        self.whole.activate()
        width = max(self.width(), self.whole.totalMinimumSize().width())
        fit(self, QSize(width, self.whole.totalHeightForWidth(width)))

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802  # Qt's name
        super().showEvent(event)
        for button in self.findChildren(QPushButton):
            button.setAutoDefault(True)  # else Return would press the last one while another has the focus
        self._fit()

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802  # Qt's name
        super().paintEvent(event)
        if self._fits_later:
            self._fits_later = False
            QTimer.singleShot(0, self, self.fit)
