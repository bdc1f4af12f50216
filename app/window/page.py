"""The base class of pages, and the layout parts they share."""

from pathlib import Path

from PySide6.QtCore import QEvent, QObject, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QDropEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHBoxLayout,
    QLabel,
    QScrollArea,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from app.background import BackgroundTasks
from app.overview import Overview
from app.session import Session
from app.theme.stylesheet import set_style
from app.theme.tokens import Space, TextStyle
from app.widgets.search_field import SearchField
from app.window.feedback import make_heading

NEW_WORKFLOW = "+"
"""As subject of the Workflows page: choose what to create. No slug has this name."""


class Page(QWidget):
    """Created when it is first opened. While it is shown, the window calls `refresh` after changes."""

    open_page = Signal(str, str)
    """A page, and a subject on it (a workflow's slug, a run, a request); empty for the page itself."""
    status_message = Signal(str, object)
    """A message for the window to show, and its Tone."""
    preferences_changed = Signal(object)
    """The Preferences that the user just changed."""
    import_requested = Signal(str)
    """Path of a checked export to restore from."""
    title = ""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self.session = session
        self.background = BackgroundTasks(self)

    def refresh(self) -> None:
        """Read the data again, in the background."""

    def show_overview(self, overview: Overview) -> None:
        """Called when the page is opened and, while it is shown, after every change."""

    def open_subject(self, subject: str) -> None:
        """Show this subject; `refresh` follows."""

    def show_start(self) -> None:
        """The user chose the page itself: show its list, not what was open in it."""

    def go_back(self) -> None:
        """Alt+Left, and no link led here: leave what is open in the page."""

    def keep_place(self) -> None:
        """The user is about to come back from a link that it had: show the same, at the same place."""

    def focus_first(self) -> None:
        """Focus what the user will most likely use: a search field, the first control, or else the page itself."""
        self.update_tab_order()
        found = [one for one in self.findChildren(QWidget) if one.isVisible() and one.isEnabled() and _takes_tab(one)]
        first = min(found, key=lambda one: _rank(self, one), default=None)
        if first is None:
            self.focus_itself()
        else:
            first.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def focus_itself(self) -> None:
        """A screen reader says its title; Tab moves on to its first control."""
        self.setAccessibleName(self.title)
        self.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def update_tab_order(self) -> None:
        """Called before Tab moves the focus: put widgets created late into visual tab order."""

    def offer_script(self, path: Path) -> None:
        """A script was dropped on the window; only the Workflows page receives it."""

    def send_delayed_answers(self, *, wait: bool = False) -> None:
        """Called before the page is deleted: send what the user could still have undone; with `wait`, it may block."""

    def search(self) -> None:
        """Ctrl+F: focus the search field, if there is one."""


def focus_list(view: QAbstractItemView) -> bool:
    """Focus a list with its current row, or its first; False if it is hidden or empty."""
    if not view.isVisible() or not view.model().rowCount():
        return False
    if not view.currentIndex().isValid():
        view.setCurrentIndex(view.model().index(0, 0))
    view.setFocus(Qt.FocusReason.ShortcutFocusReason)
    return True


def _takes_tab(widget: QWidget) -> bool:
    return bool(widget.focusPolicy() & Qt.FocusPolicy.TabFocus)


def _rank(page: QWidget, widget: QWidget) -> tuple[bool, int, int]:
    at = widget.mapTo(page, widget.rect().topLeft())
    return not isinstance(widget, SearchField), at.y(), at.x()


def accept_dropped_script(event: QDropEvent) -> Path | None:
    """The Python file being dragged; None, and not accepted, unless it is exactly one that may be copied."""
    urls = event.mimeData().urls()
    if len(urls) != 1 or not urls[0].isLocalFile() or not event.possibleActions() & Qt.DropAction.CopyAction:
        return None
    path = Path(urls[0].toLocalFile())
    if path.suffix.lower() != ".py":
        return None
    event.setDropAction(Qt.DropAction.CopyAction)  # after a move the file manager would delete the file
    event.accept()
    return path


_MAX_WIDTH = 1100


class PageColumn(QScrollArea):
    """A heading and a scrolling column, no wider than is readable. Add widgets to `parts`."""

    def __init__(self, title: str) -> None:
        super().__init__()
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        inner, column = _ColumnContent(), QWidget()
        column.setMaximumWidth(_MAX_WIDTH)
        column.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        row = QHBoxLayout(inner)
        row.setContentsMargins(Space.WIDE, Space.WIDE, Space.WIDE, Space.WIDE)
        row.addWidget(column, 100)
        row.addStretch(1)
        self.parts = QVBoxLayout(column)
        self.parts.setContentsMargins(0, 0, 0, 0)
        self.parts.setSpacing(Space.MEDIUM)
        self.heading = make_heading(title, TextStyle.DISPLAY)
        self.subtitle = QLabel()
        self.subtitle.setTextFormat(Qt.TextFormat.PlainText)
        set_style(self.subtitle, "ink", "muted")
        self.parts.addWidget(self.heading)
        self.parts.addWidget(self.subtitle)
        self.setWidget(inner)

    def focusNextPrevChild(self, next: bool) -> bool:  # noqa: A002, FBT001, N802  # Qt's name
        """Show what has the focus in the end: hiding a button that has it first moves it on, perhaps far away."""
        if not QWidget.focusNextPrevChild(self, next):
            return False
        QTimer.singleShot(0, self, self._show_focused)
        return True

    def _show_focused(self) -> None:
        """A table is left where it is as long as a part of it is in view."""
        focused = self.focusWidget()
        if focused is None or (focused.height() > self.height() // 2 and not focused.visibleRegion().isEmpty()):
            return
        self._scroll_to(focused)

    def scroll_to(self, part: QWidget) -> None:
        """Show all of it, or its beginning if it is too high, once it is laid out; move no more than that."""

        def scroll() -> None:
            self._scroll_to(part)
            QTimer.singleShot(0, part, lambda: self._scroll_to(part))  # the column has grown by it only now

        QTimer.singleShot(0, part, scroll)

    def _scroll_to(self, part: QWidget) -> None:
        column: QWidget = self.widget()  # type: ignore[assignment]  # set at the start
        if not column.isAncestorOf(part):
            return
        for parent in _list_parents(part, column):  # what was just shown is laid out from the inside to the outside
            if (layout := parent.layout()) is not None:
                layout.activate()
        bar, top = self.verticalScrollBar(), part.mapTo(column, part.rect().topLeft()).y()
        page = self.viewport().height()
        if part.height() + 2 * Space.MEDIUM > page or top < bar.value():
            bar.setValue(top - Space.MEDIUM)
        elif top + part.height() > bar.value() + page:
            bar.setValue(top + part.height() + Space.MEDIUM - page)


def _list_parents(part: QWidget, last: QWidget) -> list[QWidget]:
    """The widget itself first, `last` at the end."""
    found = [part]
    while found[-1] is not last and (parent := found[-1].parentWidget()) is not None:
        found.append(parent)
    return found


class CardArea(QScrollArea):
    """A card whose content scrolls vertically."""

    def __init__(self, inner: QWidget) -> None:
        super().__init__()
        self._inner = inner
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        set_style(self, "surface", "card")
        self.setWidget(inner)
        for part in (inner, self.viewport()):
            part.setAutoFillBackground(False)  # show the background of the card
        inner.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802  # Qt's name
        """Make room when the content needs more width: nothing scrolls horizontally."""
        if watched is self._inner and event.type() is QEvent.Type.LayoutRequest:
            self.updateGeometry()
        return super().eventFilter(watched, event)

    def minimumSizeHint(self) -> QSize:  # noqa: N802  # Qt's name
        beside = self.verticalScrollBar().sizeHint().width() + 2 * self.frameWidth()
        least = super().minimumSizeHint()
        return QSize(max(self._inner.minimumSizeHint().width() + beside, least.width()), least.height())


class _ColumnContent(QWidget):
    """Ignores the minimum height of wrapped text, which Qt computes for a narrower column."""

    def minimumSizeHint(self) -> QSize:  # noqa: N802  # Qt's name
        return QSize(super().minimumSizeHint().width(), 0)


def make_titled_page(title: str, page: QWidget) -> QWidget:
    """A widget below a page heading."""
    whole = QWidget()
    layout = QVBoxLayout(whole)
    layout.setContentsMargins(Space.WIDE, Space.WIDE, Space.WIDE, Space.WIDE)
    layout.addWidget(make_heading(title, TextStyle.DISPLAY))
    layout.addWidget(page, 1)
    return whole


def make_section_heading(title: str) -> QLabel:
    label = make_heading(title)
    label.setContentsMargins(0, Space.MEDIUM, 0, 0)
    return label
