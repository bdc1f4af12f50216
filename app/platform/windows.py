"""The machine's moods as Windows tells them: by messages to a window that nobody sees. Not run on Windows."""

from collections.abc import Callable

from PySide6.QtCore import QAbstractNativeEventFilter, QByteArray, QCoreApplication, QObject, Signal
from PySide6.QtGui import QWindow

from app.platform.windows_power import News, ask_for_resumes, is_on_battery, read_message

_MESSAGE = b"windows_generic_MSG"


class _Filter(QAbstractNativeEventFilter):
    def __init__(self, tell: Callable[[News], None]) -> None:
        super().__init__()
        self._tell = tell

    def nativeEventFilter(  # noqa: N802  Qt's name
        self, kind: QByteArray | bytes | bytearray | memoryview, message: int
    ) -> tuple[bool, int]:
        """Looks at every message, and keeps none from its window."""
        if kind == _MESSAGE and (news := read_message(int(message))) is not None:
            self._tell(news)
        return False, 0


class WindowsMachine(QObject):
    """Power and sleep at once, since the same window hears of both; `clock_set` is for whoever watches the zone."""

    changed = Signal()
    resumed = Signal()
    clock_set = Signal()

    def __init__(
        self,
        ask_power: Callable[[], bool | None] = is_on_battery,
        ask_for_resumes: Callable[[int], None] = ask_for_resumes,
    ) -> None:
        super().__init__()
        self._ask_power = ask_power
        self.is_on_battery = ask_power()
        self._filter = _Filter(self._hear)
        app = QCoreApplication.instance()
        assert app is not None, "there are no messages before the application"
        app.installNativeEventFilter(self._filter)
        # A window that was never shown does not exist for Windows, and one started hidden has no other.
        self._window = QWindow()
        self._window.create()
        ask_for_resumes(int(self._window.winId()))

    def _hear(self, news: News) -> None:
        self.is_on_battery = self._ask_power()
        if news is News.RESUMED:
            self.resumed.emit()
        elif news is News.POWER:
            self.changed.emit()
        else:
            self.clock_set.emit()
