"""Ticks an engine on a thread of its own, for hosts without an event loop."""

import threading
from collections.abc import Callable
from datetime import datetime, timedelta

from scheduler.engine.clock import Clock
from scheduler.engine.scheduling.engine import MAX_SLEEP


class TimerThread:
    """One delay after the other, each until the next tick and at most a minute; `wake` ends the current one."""

    def __init__(self, tick: Callable[[datetime], datetime], clock: Clock, is_delayed: Callable[[], bool]) -> None:
        """`tick` never raises. While `is_delayed`, because a tick failed, `wake` does not shorten the delay."""
        self._tick = tick
        self._clock = clock
        self._is_delayed = is_delayed
        self._woken = threading.Event()
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, name="scheduler timer", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def wake(self) -> None:
        """From any thread: tick soon."""
        self._woken.set()

    def stop(self) -> None:
        """End the thread after its current tick."""
        self._stopped.set()
        self._woken.set()
        if threading.current_thread() is not self._thread:
            self._thread.join()

    def _run(self) -> None:
        while not self._stopped.is_set():
            self._woken.clear()  # before the tick, so that a change during it leads to another one
            wake = self._tick(self._clock.now())
            delay = min(max(wake - self._clock.now(), timedelta()), MAX_SLEEP)
            (self._stopped if self._is_delayed() else self._woken).wait(delay.total_seconds())
