"""A watchdog for the GUI thread: when it is blocked, its stack is recorded."""

import ctypes
import faulthandler
import os
import re
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from tempfile import TemporaryFile
from typing import Self

from PySide6.QtCore import QObject, Qt, QTimer

BEAT, LATE = 5, 40
"""Milliseconds between two beats, and after which a missing one counts as a block."""
_FRAME = re.compile(r'File "(?:.*/)?([^/"]+)", line (\d+) in (.+)')


@dataclass(frozen=True, slots=True, kw_only=True)
class Gap:
    """Between two beats, in milliseconds."""

    late: float
    """How late the second beat was."""
    computed: float
    """How long the thread was running."""
    starved: float
    """How long it was ready while other processes had the CPU."""

    @property
    def own(self) -> float:
        """The part caused by the app: its thread was running, or waiting for another of its threads."""
        return max(self.late - self.starved, 0.0)


class Watchdog(QObject):
    """Created in the thread that it watches, which needs an event loop; checks from another thread."""

    def __init__(self) -> None:
        super().__init__()
        self.gaps: list[Gap] = []
        self.blocks: list[Counter[str]] = []
        """One per block: how often the thread was found at which stack, innermost call first."""
        self._watched = threading.get_ident()
        self._beat, self._spent = time.perf_counter(), (0.0, 0.0)
        self._ended = threading.Event()
        self._heart = QTimer(self, interval=BEAT, timerType=Qt.TimerType.PreciseTimer)
        self._heart.timeout.connect(self._live)
        self._thread = threading.Thread(target=self._watch, name="watchdog")

    @contextmanager
    def watching(self) -> Iterator["Watchdog"]:
        with _Spending() as spending:
            self._spending = spending
            self._beat, self._spent = time.perf_counter(), spending.read()
            self._heart.start()
            self._thread.start()
            try:
                yield self
            finally:
                self._heart.stop()
                self._ended.set()
                self._thread.join()

    def _live(self) -> None:
        now, spent = time.perf_counter(), self._spending.read()
        computed, starved = (after - before for after, before in zip(spent, self._spent, strict=True))
        self.gaps.append(Gap(late=(now - self._beat) * 1000 - BEAT, computed=computed, starved=starved))
        self._beat, self._spent = now, spent

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
                # Holding frames here would free their widgets in this thread, so only names are recorded.
                file.seek(0)
                file.truncate()
                faulthandler.dump_traceback(file)
                file.seek(0)
                self.blocks[-1][_collapse(file.read(), self._watched)] += 1


class _Spending:
    """The scheduler statistics of Linux for the creating thread: milliseconds running, and waiting for a CPU."""

    def __enter__(self) -> Self:
        self._file = os.open("/proc/thread-self/schedstat", os.O_RDONLY)
        self._buffer = ctypes.create_string_buffer(100)
        # Unlike os.pread it keeps the GIL, and need not wait for it again.
        self._read = ctypes.PyDLL(None).pread
        self._read.argtypes = [ctypes.c_int, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_long]
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._file)

    def read(self) -> tuple[float, float]:
        length = self._read(self._file, self._buffer, len(self._buffer), 0)
        computed, starved, _ = self._buffer.raw[:length].split()
        return int(computed) / 1e6, int(starved) / 1e6


def _collapse(dumped: str, thread: int) -> str:
    """The stack of that thread as one line."""
    parts = [part for part in re.split(r"\n(?=Thread|Current thread)", dumped) if f"0x{thread:016x}" in part]
    frames = [f"{name}:{line}:{function}" for part in parts for name, line, function in _FRAME.findall(part)]
    return " < ".join(frames)
