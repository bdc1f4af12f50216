"""How much of the processor workers take beside the app, where Linux weighs sessions and not single processes.

Each worker has a session of its own, so that its niceness counts for nothing beside the app. While the person looks at
the window, workers weigh less. Else they weigh the same: in the talk of a run, who weighs less answers late.
"""

import subprocess
import threading
import time
from pathlib import Path

_LIGHT, _SAME = "10", "0"
_REFUSED = 0.11
"""Seconds after which Linux takes another one: ten a second of those who are not root."""


class Weights:
    """Of all workers of this app. Any thread may call."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._weights: dict[subprocess.Popen[bytes], str] = {}
        self._wanted = _SAME
        self._is_waiting = False

    def add(self, process: "subprocess.Popen[bytes]") -> None:
        with self._lock:
            # Whoever was waited for to the end has a number that may be somebody else's by now.
            self._weights = {one: weight for one, weight in self._weights.items() if one.returncode is None}
            self._weights[process] = _SAME
            self._weigh()

    def step_back(self, *, on: bool) -> None:
        with self._lock:
            self._wanted = _LIGHT if on else _SAME
            self._weigh()

    def _weigh(self) -> None:
        for process, weight in self._weights.items():
            if weight == self._wanted or process.returncode is not None:
                continue
            try:
                Path(f"/proc/{process.pid}/autogroup").write_text(self._wanted, encoding="ascii")
            except BlockingIOError:
                self._try_again()
                return
            except OSError:
                pass  # another system, or it is gone already
            self._weights[process] = self._wanted

    def _try_again(self) -> None:
        if not self._is_waiting:
            self._is_waiting = True
            threading.Thread(target=self._wait, name="weigh workers", daemon=True).start()

    def _wait(self) -> None:
        time.sleep(_REFUSED)
        with self._lock:
            self._is_waiting = False
            self._weigh()


weights = Weights()
