"""When the user last had the window in front of them, and the absence that ended with its next showing.

An absence is a long time without the window, or a shorter one in which the computer slept or Dayhand did not run.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from PySide6.QtCore import QEvent, QObject, QSettings, QTimer, Signal
from PySide6.QtWidgets import QWidget

from app.session import Session

_SETTINGS_FILE = "window.ini"
_SEEN, _SINCE, _UNTIL = "presence/seen", "presence/away_since", "presence/away_until"
_INTERVAL_MS = 5 * 60_000
"""How often the current time is stored while the window is shown, for the case that Dayhand is killed."""
LONG_ABSENCE = timedelta(hours=8)
SHORT_ABSENCE = timedelta(minutes=15)
"""Enough if the computer slept or Dayhand did not run meanwhile."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Absence:
    since: datetime
    until: datetime

    @property
    def is_long(self) -> bool:
        return self.until - self.since >= LONG_ABSENCE


class PresenceStore:
    """Kept beside the window's size, so that it survives a restart."""

    def __init__(self, folder: Path) -> None:
        self._settings = QSettings(str(folder / _SETTINGS_FILE), QSettings.Format.IniFormat)

    @property
    def absence(self) -> Absence | None:
        """The last one, unless the user dismissed its summary."""
        since, until = self._read(_SINCE), self._read(_UNTIL)
        return None if since is None or until is None else Absence(since=since, until=until)

    def dismiss(self) -> None:
        self._settings.remove(_SINCE)
        self._settings.remove(_UNTIL)
        self._settings.sync()

    def record(self, now: datetime, *, was_interrupted: bool) -> bool:
        """The user sees the window now; returns whether an absence has ended."""
        seen = self._read(_SEEN)
        has_returned = seen is not None and now - seen >= (SHORT_ABSENCE if was_interrupted else LONG_ABSENCE)
        if has_returned and seen is not None:
            self._settings.setValue(_SINCE, seen.isoformat())
            self._settings.setValue(_UNTIL, now.isoformat())
        self._settings.setValue(_SEEN, now.isoformat())
        self._settings.sync()
        return has_returned

    def _read(self, name: str) -> datetime | None:
        try:
            at = datetime.fromisoformat(str(self._settings.value(name, "")))
        except ValueError:
            return None
        return at if at.tzinfo is not None else None


class PresenceWatcher(QObject):
    """Watches one window. Without the window on the screen no timer runs."""

    returned = Signal()
    """An absence has ended."""

    def __init__(self, window: QWidget, session: Session) -> None:
        super().__init__(window)
        self._window = window
        self._session = session
        self._store = PresenceStore(session.folder)
        self._was_interrupted = True  # Dayhand did not run until now
        self._timer = QTimer(self, interval=_INTERVAL_MS)
        self._timer.timeout.connect(self.note_sleep)  # only late if the computer slept
        window.installEventFilter(self)

    def note_sleep(self) -> None:
        """The computer woke up, or may have slept."""
        self._was_interrupted = True
        if self._is_shown:
            self._record()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802  # Qt's name
        match event.type():
            case QEvent.Type.Show | QEvent.Type.WindowStateChange if self._is_shown:
                self._timer.start()
                self._record()
            case QEvent.Type.Hide | QEvent.Type.WindowStateChange if self._timer.isActive():
                self._timer.stop()
                self._record()
        return super().eventFilter(watched, event)

    @property
    def _is_shown(self) -> bool:
        return self._window.isVisible() and not self._window.isMinimized()

    def _record(self) -> None:
        if self._store.record(self._session.now(), was_interrupted=self._was_interrupted):
            self.returned.emit()
        self._was_interrupted = False
