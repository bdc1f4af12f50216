"""One notification as a small window of our own, with buttons. Knows nothing of other ones or of where it stands."""

from PySide6.QtCore import QEvent, Qt, QTimer, Signal
from PySide6.QtGui import (
    QAccessible,
    QAccessibleAnnouncementEvent,
    QEnterEvent,
    QKeyEvent,
    QMouseEvent,
    QMoveEvent,
    QShowEvent,
)
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QVBoxLayout

from app.notifications.content import sanitize
from app.notifications.notification import CLICK, Notification, Urgency
from app.theme.icons import load_app_icon, make_glyph_icon
from app.theme.stylesheet import set_style
from app.theme.tokens import Space, TextStyle, colours_of, make_font
from app.widgets.flow_layout import FlowLayout

WIDTH = 380
DURATION_S = 10
_ARM_MS = 500
"""A press only counts this long after the window appeared or moved: it may come under a click meant for another."""
_ICON_SIZE = 20


class PopupWindow(QFrame):
    """Stays until it is answered if it asks; else it disappears, but not while it is hovered or focused."""

    pressed = Signal(str)
    """The id of an action."""
    dismissed = Signal()
    """The user closed it, or its time is up."""

    def __init__(self, notification: Notification) -> None:
        kind = Qt.WindowType.Tool | Qt.WindowType.FramelessWindowHint | Qt.WindowType.WindowStaysOnTopHint
        super().__init__(None, kind)
        clean = sanitize(notification)
        # It must not take the keys that the user is typing elsewhere.
        self.setAttribute(Qt.WidgetAttribute.WA_ShowWithoutActivating)
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.setFixedWidth(WIDTH)
        self.setWindowTitle(clean.title)
        self.setWindowIcon(load_app_icon())
        self.setAccessibleName(clean.title)
        self.setAccessibleDescription(clean.text)
        set_style(self, "surface", "popup")
        self.buttons = {action: self._make_button(action, label) for action, label in clean.actions if action != CLICK}
        self.close_button = self._make_close_button()
        self._lay_out(clean)
        self.setFocus()  # else a button would have it, and a stray Enter would answer
        self._stays = bool(self.buttons) or clean.urgency is Urgency.CRITICAL
        self._is_armed = False
        self._arm_timer = QTimer(self, interval=_ARM_MS, singleShot=True)
        self._arm_timer.timeout.connect(self._arm)
        self._timer = QTimer(self, interval=DURATION_S * 1000, singleShot=True)
        self._timer.timeout.connect(self.dismissed)

    @property
    def is_armed(self) -> bool:
        """Whether a press counts."""
        return self._is_armed

    def fit(self) -> None:
        """As tall as its text and buttons need."""
        self.ensurePolished()
        self.setFixedHeight(self._layout.totalHeightForWidth(WIDTH))

    def _make_button(self, action: str, label: str) -> QPushButton:
        button = QPushButton(label.replace("&", "&&"))
        button.setAutoDefault(True)  # the Enter key presses the focused one
        button.clicked.connect(lambda: self._press(action))
        return button

    def _make_close_button(self) -> QPushButton:
        button = QPushButton()
        set_style(button, "importance", "quiet")
        button.setToolTip(self.tr("Close"))
        button.setAccessibleName(self.tr("Close"))
        button.clicked.connect(self.dismissed)
        return button

    def _lay_out(self, clean: Notification) -> None:
        icon, title = QLabel(), QLabel(clean.title)
        icon.setPixmap(load_app_icon().pixmap(_ICON_SIZE, _ICON_SIZE))
        title.setTextFormat(Qt.TextFormat.PlainText)
        title.setFont(make_font(TextStyle.STRONG, title.font()))
        title.setWordWrap(True)
        head = QHBoxLayout()
        head.setSpacing(Space.SMALL)
        for part, stretch in ((icon, 0), (title, 1), (self.close_button, 0)):
            head.addWidget(part, stretch, Qt.AlignmentFlag.AlignTop)
        self._layout = layout = QVBoxLayout(self)
        layout.setContentsMargins(Space.LARGE, Space.MEDIUM, Space.MEDIUM, Space.MEDIUM)
        layout.setSpacing(Space.SMALL)
        layout.addLayout(head)
        if clean.text:
            text = QLabel(clean.text)
            text.setTextFormat(Qt.TextFormat.PlainText)
            text.setWordWrap(True)
            layout.addWidget(text)
        if self.buttons:
            row = FlowLayout()
            for button in self.buttons.values():
                row.addWidget(button)
            layout.addLayout(row)
            set_style(next(iter(self.buttons.values())), "importance", "primary")
            for before, after in zip(self.buttons.values(), [*self.buttons.values()][1:], strict=False):
                self.setTabOrder(before, after)
            self.setTabOrder([*self.buttons.values()][-1], self.close_button)
        self._draw()

    def _draw(self) -> None:
        self.close_button.setIcon(make_glyph_icon("close", colours_of(self).muted))

    def _press(self, action: str) -> None:
        if self._is_armed:
            self.pressed.emit(action)

    def _arm(self) -> None:
        self._is_armed = True

    def _disarm(self) -> None:
        self._is_armed = False
        self._arm_timer.start()

    def _start_timer(self) -> None:
        if not self._stays and not self.underMouse() and not self.isActiveWindow():
            self._timer.start()

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802  Qt's name
        super().showEvent(event)
        self._disarm()
        self._start_timer()
        QAccessible.updateAccessibility(
            QAccessibleAnnouncementEvent(self, f"{self.accessibleName()}. {self.accessibleDescription()}")
        )

    def moveEvent(self, event: QMoveEvent) -> None:  # noqa: N802  Qt's name
        super().moveEvent(event)
        self._disarm()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:  # noqa: N802  Qt's name
        """A click on the window itself is an action where the notification has it."""
        super().mouseReleaseEvent(event)
        if event.button() is Qt.MouseButton.LeftButton and self.rect().contains(event.position().toPoint()):
            self._press(CLICK)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802  Qt's name
        if event.key() == Qt.Key.Key_Escape:
            self.dismissed.emit()
        else:
            super().keyPressEvent(event)

    def enterEvent(self, event: QEnterEvent) -> None:  # noqa: N802  Qt's name
        self._timer.stop()
        super().enterEvent(event)

    def leaveEvent(self, event: QEvent) -> None:  # noqa: N802  Qt's name
        super().leaveEvent(event)
        self._start_timer()

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802  Qt's name
        super().changeEvent(event)
        if not hasattr(self, "_timer"):
            return
        if event.type() is QEvent.Type.PaletteChange:
            self._draw()
        elif event.type() is QEvent.Type.ActivationChange:
            self._timer.stop() if self.isActiveWindow() else self._start_timer()
