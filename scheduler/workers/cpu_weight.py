"""The CPU share of workers relative to the app on Linux, which schedules sessions (autogroups), not processes.

Each worker has its own session, so its nice value does not count against the app. Workers weigh less while the window
is in use, and the same otherwise: a worker that weighs less answers late during a run.
"""

import subprocess
import threading
import time
from pathlib import Path

_LOW, _NORMAL = "10", "0"
_RETRY_AFTER_S = 0.11
"""Linux accepts about ten writes a second from users other than root."""


class CpuWeights:
    """The weights of all workers of this app. Any thread may call."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._weights: dict[subprocess.Popen[bytes], str] = {}
        self._target = _NORMAL
        self._is_waiting = False

    def add(self, process: "subprocess.Popen[bytes]") -> None:
        with self._lock:
            # A process that was waited for has a pid that may belong to another process by now.
            self._weights = {one: weight for one, weight in self._weights.items() if one.returncode is None}
            self._weights[process] = _NORMAL
            self._apply()

    def set_low(self, *, on: bool) -> None:
        with self._lock:
            self._target = _LOW if on else _NORMAL
            self._apply()

    def _apply(self) -> None:
        for process, weight in self._weights.items():
            if weight == self._target or process.returncode is not None:
                continue
            try:
                Path(f"/proc/{process.pid}/autogroup").write_text(self._target, encoding="ascii")
            except BlockingIOError:
                self._retry_later()
                return
            except OSError:
                pass  # another system, or it has already exited
            self._weights[process] = self._target

    def _retry_later(self) -> None:
        if not self._is_waiting:
            self._is_waiting = True
            threading.Thread(target=self._retry, name="worker cpu weight", daemon=True).start()

    def _retry(self) -> None:
        time.sleep(_RETRY_AFTER_S)
        with self._lock:
            self._is_waiting = False
            self._apply()


cpu_weights = CpuWeights()
