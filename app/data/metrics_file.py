"""Writes the metrics to a file for node_exporter, once a minute, in a folder of the user's choice."""

import errno
import logging
import os
import threading
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QTimer

from app.data.atomic_file import write_atomically
from app.data.saved_settings import SavedSettings
from scheduler.engine.data_folder import StoreError
from scheduler.engine.queries.queries import WorkflowQueries
from scheduler.rules.openmetrics import MetricFamily, format_openmetrics

if TYPE_CHECKING:  # loads the theme, which is slow
    from app.data.preferences import Preferences

log = logging.getLogger(__name__)

FILE = "dayhand.prom"
"""node_exporter reads every *.prom in its folder."""
_INTERVAL_MS = 60_000
_REST_FACTOR = 100
"""After collecting, rest this many times as long: with a huge history it must not slow down the computer."""
_LAST_WRITE_TIMEOUT_S = 2.0


def metrics_folder(preferences: "Preferences") -> Path | None:
    """Where the user wants the file; None if nowhere."""
    return to_folder(preferences.metrics_folder) if preferences.writes_metrics else None


def read_metrics_folder(folder: Path) -> Path | None:
    """The same, as the data folder has it now."""
    values = SavedSettings(folder).read()
    return to_folder(str(values["metrics_folder"])) if values["writes_metrics"] else None


def to_folder(text: str) -> Path | None:
    """The folder that the user wrote; None if there is none."""
    return Path(os.path.expanduser(text)) if text else None  # noqa: PTH111  Path raises if there is no such user


def format_metrics(families: Iterable[MetricFamily]) -> bytes:
    return "".join(f"{line}\n" for line in format_openmetrics(families)).encode()


def write_metrics(queries: WorkflowQueries, folder: Path, *, is_running: bool = True) -> None:
    """Write the file now. OSError if it cannot be written, StoreError if the store cannot be read."""
    write_atomically(folder / FILE, format_metrics(queries.metrics(is_running=is_running)))


def describe_trouble(folder: Path, error: Exception) -> str:
    why = (error.strerror if isinstance(error, OSError) else None) or str(error)
    sentence = QCoreApplication.translate(
        "metrics", "{file} could not be written: {why}. Choose another folder in Settings."
    )
    return sentence.format(file=folder / FILE, why=why)


def find_trouble(folder: Path) -> str:
    """Why no file can be written there; empty if it can. Blocks while the folder is slow."""
    try:
        number = None if folder.is_dir() else errno.ENOENT
        if number is None and not os.access(folder, os.W_OK | os.X_OK):
            number = errno.EACCES
    except OSError as error:  # its name is too long
        return describe_trouble(folder, error)
    return "" if number is None else describe_trouble(folder, OSError(number, os.strerror(number)))


class MetricsFile(QTimer):
    """Keeps the file current while it is wanted, and removes it when it is not. A failure is reported once."""

    def __init__(
        self,
        queries: WorkflowQueries,
        folder: Path | None,
        report: Callable[[str], None],
        *,
        interval_ms: int = _INTERVAL_MS,
        reread: Callable[[], Path | None] | None = None,
    ) -> None:
        """With `reread`, a change that another program makes to the settings is noticed at the next interval."""
        super().__init__(interval=interval_ms)
        self._queries = queries
        self._report = report
        self._wanted = folder
        self._reread = reread
        self._written: Path | None = None
        """The folder in which the file is."""
        self._lock = threading.Lock()
        self._reported = ""
        self._rest_until = 0.0
        self._thread: threading.Thread | None = None
        self.timeout.connect(self._check)
        if folder is not None or reread is not None:
            self.start()
        if folder is not None:
            self._update(is_running=True)

    def apply(self, preferences: "Preferences") -> None:
        """Switch it on or off, or to another folder, at once."""
        self._switch(metrics_folder(preferences))

    def _switch(self, folder: Path | None) -> None:
        if folder == self._wanted:
            return
        self._wanted, self._reported = folder, ""
        if folder is None and self._reread is None:
            super().stop()
        else:
            self.start()
        self._update(is_running=True)

    def stop(self) -> None:
        """The last numbers stay in the file, and say that Dayhand no longer runs."""
        super().stop()
        if self._wanted is not None:
            self._update(is_running=False).join(_LAST_WRITE_TIMEOUT_S)

    def _check(self) -> None:
        if self._reread is not None:
            self._switch(self._reread())
        if self._wanted is None:
            return
        if (self._thread is None or not self._thread.is_alive()) and time.monotonic() >= self._rest_until:
            self._update(is_running=True)

    def _update(self, *, is_running: bool) -> threading.Thread:
        """On its own thread: the folder may be slow."""
        self._thread = threading.Thread(target=self._write, args=(is_running,), name="metrics", daemon=True)
        self._thread.start()
        return self._thread

    def _write(self, is_running: bool) -> None:  # noqa: FBT001  the target of a thread
        with self._lock:
            folder = self._wanted
            if self._written not in (None, folder):
                with suppress(OSError):  # it may be gone with its folder
                    (self._written / FILE).unlink(missing_ok=True)
                self._written = None
            if folder is None:
                return
            began = time.monotonic()
            try:
                write_metrics(self._queries, folder, is_running=is_running)
            except (OSError, ValueError, StoreError) as error:  # a ValueError if no path can have such a name
                self._report_once(describe_trouble(folder, error))
            else:
                self._written, self._reported = folder, ""
            self._rest_until = time.monotonic() + _REST_FACTOR * (time.monotonic() - began)

    def _report_once(self, sentence: str) -> None:
        if sentence != self._reported:
            self._reported = sentence
            log.warning("%s", sentence)
            self._report(sentence)
