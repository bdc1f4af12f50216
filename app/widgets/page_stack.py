"""Pages of which one is visible; unlike QStackedWidget, only that one determines the size."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QSizePolicy, QTabWidget, QVBoxLayout, QWidget


class PageStack(QWidget):
    currentChanged = Signal(int)  # noqa: N815  # as in QStackedWidget

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._pages: list[QWidget] = []
        self._current: QWidget | None = None
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)

    def addWidget(self, page: QWidget) -> None:  # noqa: N802  # Qt's name
        """The first page added is shown."""
        self._pages.append(page)
        page.hide()
        self._layout.addWidget(page)
        if self._current is None:
            self.setCurrentWidget(page)

    def removeWidget(self, page: QWidget) -> None:  # noqa: N802  # Qt's name
        """If it was current, no page is. The caller owns the page."""
        self._pages.remove(page)
        self._layout.removeWidget(page)
        page.hide()
        if self._current is page:
            self._current = None

    def currentWidget(self) -> QWidget | None:  # noqa: N802  # Qt's name
        return self._current

    def currentIndex(self) -> int:  # noqa: N802  # Qt's name
        return -1 if self._current is None else self._pages.index(self._current)

    def setCurrentIndex(self, index: int) -> None:  # noqa: N802  # Qt's name
        self.setCurrentWidget(self._pages[index])

    def setCurrentWidget(self, page: QWidget) -> None:  # noqa: N802  # Qt's name
        before, self._current = self._current, page
        if before is page:
            return
        if before is not None:
            before.hide()
        page.show()
        self.currentChanged.emit(self.currentIndex())

    def heightForWidth(self, width: int) -> int:  # noqa: N802  # Qt's name
        """For scroll areas: no more than the current page needs."""
        del width
        return self.minimumSizeHint().height()


def size_by_current_tab(tabs: QTabWidget) -> None:
    """Let only the current tab determine the size; Qt takes the largest, which may be wider than the window."""

    def update(current: int) -> None:
        for place in range(tabs.count()):
            policy = QSizePolicy.Policy.Preferred if place == current else QSizePolicy.Policy.Ignored
            if (page := tabs.widget(place)) is not None:
                page.setSizePolicy(policy, policy)

    tabs.currentChanged.connect(update)
    update(tabs.currentIndex())
