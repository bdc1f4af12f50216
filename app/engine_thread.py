"""The engine's home: a thread of its own, one single-shot timer, woken by commands and reports."""

import logging
import math
from collections.abc import Callable
from concurrent.futures import Future
from datetime import datetime, timedelta
from typing import Any, TypeVar

from PySide6.QtCore import QObject, Qt, QThread, QTimer, Signal, Slot

from app.news import News
from scheduler.engine.backoff import Backoff
from scheduler.engine.clock import Clock, SystemClock
from scheduler.engine.engine import LONGEST_SLEEP, Engine
from scheduler.engine.launcher import Announce, Announcement

log = logging.getLogger(__name__)

_Answer = TypeVar("_Answer")
_TICK = "tick"
_A_LITTLE = timedelta(milliseconds=2)
"""The timer counts whole milliseconds and is set to the one before; the rest is slept off."""
_MICROSECOND = timedelta(microseconds=1)
_JUMP = timedelta(seconds=5)
"""Wall and monotonic time that drift apart by more than this: the machine slept, or the clock was set."""


class Host(QObject):
    """Runs an engine off the GUI thread. Its signals arrive in the thread that made the host."""

    announced = Signal(object)
    """An Announcement: something changed that a person may be looking at."""
    _asked = Signal(object)
    _heard = Signal()
    _stopped = Signal()

    def __init__(self, make_engine: Callable[[Announce], Engine], clock: Clock | None = None) -> None:
        super().__init__()
        self._thread = QThread()
        self._thread.setObjectName("engine")
        clock = clock or SystemClock()
        self._news = News(clock)
        self._room = _EngineRoom(make_engine, clock, self._hear)
        self._room.moveToThread(self._thread)
        self._thread.started.connect(self._room.open)
        self._asked.connect(self._room.answer, Qt.ConnectionType.QueuedConnection)
        self._stopped.connect(self._room.close, Qt.ConnectionType.QueuedConnection)
        self._heard.connect(self._announce, Qt.ConnectionType.QueuedConnection)

    def start(self) -> None:
        self._thread.start()

    def _hear(self, announcement: Announcement) -> None:
        """From any thread. A burst of news crosses to this host's thread as one event."""
        if self._news.add(announcement):
            self._heard.emit()

    @Slot()
    def _announce(self) -> None:
        """What has come so far, and no more: what comes meanwhile waits until others had their turn."""
        for announcement in self._news.take():
            self.announced.emit(announcement)

    def ask(self, act: Callable[[Engine], _Answer]) -> "Future[_Answer]":
        """Have the engine's thread do something, then tick; the future holds its answer or its refusal."""
        future: Future[_Answer] = Future()
        self._asked.emit((act, future))
        return future

    def stop(self) -> None:
        """End the thread after what it is doing now."""
        self._stopped.emit()
        self._thread.wait()


class _EngineRoom(QObject):
    """Lives in the engine's thread."""

    _stirred = Signal()

    def __init__(self, make_engine: Callable[[Announce], Engine], clock: Clock, announce: Announce) -> None:
        super().__init__()
        self._make_engine = make_engine
        self._clock = clock
        self._announce = announce
        self._engine: Engine | None = None
        self._has_recovered = False
        self._timer: QTimer | None = None
        self._is_stirred = False
        self._wake = clock.now()
        self._backoff = Backoff(longest=LONGEST_SLEEP.total_seconds())
        self._last: tuple[datetime, float] | None = None

    @Slot()
    def open(self) -> None:
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._tick)
        self._stirred.connect(self._tick_soon, Qt.ConnectionType.QueuedConnection)
        self._engine = self._make_engine(self._hear)
        self._tick()

    @Slot()
    def close(self) -> None:
        """Let go of the timer in its own thread, then end that thread."""
        assert self._timer is not None
        self._timer.stop()
        self._timer.deleteLater()
        self._timer = None
        self.thread().quit()

    @Slot(object)
    def answer(self, asked: tuple[Callable[[Engine], Any], "Future[Any]"]) -> None:
        act, future = asked
        try:
            future.set_result(act(self._recovered()))
        except Exception as error:  # noqa: BLE001  handed to whoever asked
            future.set_exception(error)
        self._tick_soon()

    def _hear(self, announcement: Announcement) -> None:
        """From any thread: pass it on, and look whether something can start now."""
        self._announce(announcement)
        if announcement.stirs and not self._is_stirred:
            self._is_stirred = True
            self._stirred.emit()

    @Slot()
    def _tick_soon(self) -> None:
        self._is_stirred = False
        if self._timer is not None and not self._backoff.held(self._clock.monotonic()):
            self._timer.start(0)

    @Slot()
    def _tick(self) -> None:
        assert self._engine is not None
        assert self._timer is not None
        now = self._clock.now()
        if self._has_jumped(now):
            self._engine.stir()
        early = self._wake - now
        if timedelta() < early < _A_LITTLE:
            QThread.usleep(early // _MICROSECOND)
            now = self._clock.now()
        try:
            wake = self._recovered().tick(now)
        except Exception as error:  # the outermost frame of this slot: said, recorded, tried again
            log.exception("The tick failed")
            self._announce(Announcement("engine", f"Dayhand could not do its work: {error}", is_warning=True))
            monotonic = self._clock.monotonic()
            wake = now + timedelta(seconds=self._backoff.fail(_TICK, monotonic) - monotonic)
        self._wake = wake
        delay = min(max(wake - self._clock.now(), timedelta()), LONGEST_SLEEP)
        self._timer.start(math.floor(delay.total_seconds() * 1000))

    def _recovered(self) -> Engine:
        """The engine, once it has taken up what an earlier process left; a store that refuses is tried again."""
        assert self._engine is not None
        if not self._has_recovered:
            self._engine.recover()
            self._has_recovered = True
        return self._engine

    def _has_jumped(self, now: datetime) -> bool:
        monotonic = self._clock.monotonic()
        last, self._last = self._last, (now, monotonic)
        if last is None:
            return False
        return abs((now - last[0]) - timedelta(seconds=monotonic - last[1])) > _JUMP
