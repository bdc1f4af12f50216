"""A watchdog for the window's thread: when that does not answer for a while, what it is doing is written down."""

import faulthandler
import re
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from tempfile import TemporaryFile

from PySide6.QtCore import QObject, Qt, QTimer

BEAT, LATE = 5, 40
"""Milliseconds between two signs of life, and after which one that is missing is looked into."""
_FRAME = re.compile(r'File "(?:.*/)?([^/"]+)", line (\d+) in (.+)')


class Watchdog(QObject):
    """Made in the thread that it watches, which must have an event loop. Looks from another one."""

    def __init__(self) -> None:
        super().__init__()
        self.gaps: list[float] = []
        """Milliseconds by which each sign of life came too late."""
        self.blocks: list[Counter[str]] = []
        """One for each time that it was too late: how often the thread was found where, the innermost call first."""
        self._watched = threading.get_ident()
        self._beat = time.perf_counter()
        self._ended = threading.Event()
        self._heart = QTimer(self, interval=BEAT, timerType=Qt.TimerType.PreciseTimer)
        self._heart.timeout.connect(self._live)
        self._thread = threading.Thread(target=self._watch, name="watchdog")

    @contextmanager
    def watching(self) -> Iterator["Watchdog"]:
        self._beat = time.perf_counter()
        self._heart.start()
        self._thread.start()
        try:
            yield self
        finally:
            self._heart.stop()
            self._ended.set()
            self._thread.join()

    def _live(self) -> None:
        now = time.perf_counter()
        self.gaps.append((now - self._beat) * 1000 - BEAT)
        self._beat = now

    def _watch(self) -> None:
        blocked_since = 0.0
        with TemporaryFile("w+") as file:
            while not self._ended.wait(BEAT / 1000):
                beat = self._beat
                if (time.perf_counter() - beat) * 1000 < LATE:
                    continue
                if beat != blocked_since:
                    blocked_since = beat
                    self.blocks.append(Counter())
                # Frames held here would be let go here, with the widgets in them: only their names are taken.
                file.seek(0)
                file.truncate()
                faulthandler.dump_traceback(file)
                file.seek(0)
                self.blocks[-1][_collapse(file.read(), self._watched)] += 1


def _collapse(dumped: str, thread: int) -> str:
    """Where that thread was, as one line."""
    found = [part for part in re.split(r"\n(?=Thread|Current thread)", dumped) if f"0x{thread:016x}" in part]
    frames = [f"{name}:{line}:{function}" for part in found for name, line, function in _FRAME.findall(part)]
    return " < ".join(frames)
