"""Runs the engine on its own thread, woken by one timer, by commands and by finished runs."""

import math
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import replace
from datetime import timedelta
from threading import Lock
from typing import Any, TypeVar

from PySide6.QtCore import QObject, Qt, QThread, QTimer, Signal, Slot

from scheduler.engine.clock import Clock, SystemClock
from scheduler.engine.scheduling.engine import MAX_SLEEP, Engine
from scheduler.engine.scheduling.launcher import Announce, Announcement
from scheduler.engine.ticker import Ticker

_Answer = TypeVar("_Answer")
_TIMER_RESOLUTION = timedelta(milliseconds=2)
"""The timer counts whole milliseconds, rounded down; the thread sleeps the rest."""
_MICROSECOND = timedelta(microseconds=1)
_MAX_QUEUED = 1_000
"""While the window hangs; the oldest are dropped first."""
_REPEAT_S = 600.0
"""After which the same warning is reported again."""


class AnnouncementQueue:
    """Announcements on their way to the GUI thread: duplicates are merged, warnings throttled, the number limited."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._lock = Lock()
        self._queued: dict[Announcement, None] = {}
        self._warned: dict[str, float] = {}

    def add(self, announcement: Announcement) -> bool:
        """Return whether it is the first since the last `take`, so that the receiver must be woken."""
        with self._lock:
            if announcement.is_warning and self._is_repeated(announcement.sentence):
                announcement = replace(announcement, sentence="", is_warning=False)
            is_first = not self._queued
            self._queued[announcement] = None
            if len(self._queued) > _MAX_QUEUED:
                del self._queued[next(iter(self._queued))]
            return is_first

    def take(self) -> list[Announcement]:
        """All queued announcements, oldest first."""
        with self._lock:
            taken, self._queued = list(self._queued), {}
            return taken

    def _is_repeated(self, sentence: str) -> bool:
        now = self._clock.monotonic()
        self._warned = {one: at for one, at in self._warned.items() if now < at + _REPEAT_S}
        if sentence in self._warned:
            return True
        self._warned[sentence] = now
        if len(self._warned) > _MAX_QUEUED:
            del self._warned[next(iter(self._warned))]
        return False


class EngineThread(QObject):
    """Runs an engine off the GUI thread. Its signals arrive in the thread that created it."""

    announced = Signal(object)
    """An Announcement: something changed that may be on the screen."""
    _submitted = Signal(object)
    _queued = Signal()
    _stopped = Signal()

    def __init__(self, make_engine: Callable[[Announce], Engine], clock: Clock | None = None) -> None:
        super().__init__()
        self._thread = QThread()
        self._thread.setObjectName("engine")
        clock = clock or SystemClock()
        self._announcements = AnnouncementQueue(clock)
        self._worker = _EngineWorker(make_engine, clock, self._queue)
        self._worker.moveToThread(self._thread)
        self._thread.started.connect(self._worker.open)
        self._submitted.connect(self._worker.execute, Qt.ConnectionType.QueuedConnection)
        self._stopped.connect(self._worker.close, Qt.ConnectionType.QueuedConnection)
        self._queued.connect(self._emit_announcements, Qt.ConnectionType.QueuedConnection)

    def start(self) -> None:
        self._thread.start()

    def _queue(self, announcement: Announcement) -> None:
        """From any thread. A burst of announcements crosses threads as one Qt event."""
        if self._announcements.add(announcement):
            self._queued.emit()

    @Slot()
    def _emit_announcements(self) -> None:
        """Only those queued so far, so that other events get their turn."""
        for announcement in self._announcements.take():
            self.announced.emit(announcement)

    def submit(self, act: Callable[[Engine], _Answer]) -> "Future[_Answer]":
        """Call `act` on the engine's thread, then tick; the future holds its result or its error."""
        future: Future[_Answer] = Future()
        self._submitted.emit((act, future))
        return future

    def stop(self) -> None:
        """End the thread after its current step."""
        self._stopped.emit()
        self._thread.wait()


class _EngineWorker(QObject):
    """Lives on the engine's thread."""

    _woken = Signal()

    def __init__(self, make_engine: Callable[[Announce], Engine], clock: Clock, announce: Announce) -> None:
        super().__init__()
        self._make_engine = make_engine
        self._clock = clock
        self._announce = announce
        self._ticker: Ticker | None = None
        self._timer: QTimer | None = None
        self._is_woken = False
        self._wake = clock.now()

    @Slot()
    def open(self) -> None:
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._tick)
        self._woken.connect(self._tick_soon, Qt.ConnectionType.QueuedConnection)
        self._ticker = Ticker(self._make_engine(self._on_announcement), self._clock, self._announce)
        self._tick()

    @Slot()
    def close(self) -> None:
        """Delete the timer in its own thread, then end that thread."""
        assert self._timer is not None
        self._timer.stop()
        self._timer.deleteLater()
        self._timer = None
        self.thread().quit()

    @Slot(object)
    def execute(self, submitted: tuple[Callable[[Engine], Any], "Future[Any]"]) -> None:
        act, future = submitted
        assert self._ticker is not None
        try:
            future.set_result(act(self._ticker.recovered()))
        except Exception as error:  # noqa: BLE001  raised by the future
            future.set_exception(error)
        self._tick_soon()

    def _on_announcement(self, announcement: Announcement) -> None:
        """From any thread: pass it on, and tick if it may let something start."""
        self._announce(announcement)
        if announcement.wakes_engine and not self._is_woken:
            self._is_woken = True
            self._woken.emit()

    @Slot()
    def _tick_soon(self) -> None:
        self._is_woken = False
        if self._timer is not None and self._ticker is not None and not self._ticker.is_delayed:
            self._timer.start(0)

    @Slot()
    def _tick(self) -> None:
        assert self._ticker is not None
        assert self._timer is not None
        now = self._clock.now()
        early = self._wake - now
        if timedelta() < early < _TIMER_RESOLUTION:
            QThread.usleep(early // _MICROSECOND)
            now = self._clock.now()
        self._wake = wake = self._ticker.tick(now)
        delay = min(max(wake - self._clock.now(), timedelta()), MAX_SLEEP)
        self._timer.start(math.floor(delay.total_seconds() * 1000))
