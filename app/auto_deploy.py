"""Redeploys a workflow when its file is saved, by any editor, once the script is valid."""

import logging
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from PySide6.QtCore import QFileSystemWatcher, QObject, Signal, Slot

from app.data.script_file import hash_script, read_script_file
from app.i18n.translate import translate_text
from app.session import Session
from scheduler.engine.errors import RefusedError
from scheduler.engine.queries.workflows import WatchedWorkflow
from scheduler.engine.scheduling.error_backoff import delay_after
from scheduler.engine.workflows.deployment import DeployOptions
from scheduler.engine.workflows.validation import InvalidScriptError

log = logging.getLogger(__name__)

_FILE_DELAY_S = 0.25
"""Before a changed file is read: editors write in several steps."""
_ANNOUNCEMENT_DELAY_S = 1.0
"""Before announcements are acted on: one of them may add a file to watch."""
_POLL_S = 2.0
"""Between two checks of the files' times, for file systems without change events."""
_MAX_RETRY_S = 60.0


class _FileVersion(NamedTuple):
    """Enough to tell that a file has changed."""

    modified: int
    size: int
    node: int


class AutoDeployer(QObject):
    """Checks and deploys on its own thread. Sleeps while there is nothing to watch.

    It calls `report` there with what was deployed, and `refuse` with what could not be.
    """

    _paths_changed = Signal(object)
    """The paths to watch."""

    def __init__(
        self,
        session: Session,
        report: Callable[[str], None],
        *,
        refuse: Callable[[str], None] | None = None,
        poll_s: float = _POLL_S,
    ) -> None:
        super().__init__()
        self._session = session
        self._report = report
        self._refuse = refuse or report
        self._poll_s = poll_s
        self._versions: dict[str, _FileVersion | None] = {}
        self._tried: dict[str, str] = {}
        """By path: the hash of the last attempt, so that an error is reported once."""
        self._watched: set[str] = set()
        self._is_stale = False
        """Whether the watcher may have lost a path, as it does when a file is replaced."""
        self._ended = threading.Event()
        self._woken = threading.Event()
        self._ready_at = 0.0

        self._lock = threading.Lock()
        self._watcher = QFileSystemWatcher(self)
        self._watcher.fileChanged.connect(self._on_file_change)
        self._watcher.directoryChanged.connect(self._on_file_change)
        self._paths_changed.connect(self._watch_paths)
        session.announced.connect(self._on_announcement)
        self._thread = threading.Thread(target=self._run, name="auto-deploy", daemon=True)
        self._thread.start()

    def close(self) -> None:
        self._ended.set()
        self._woken.set()
        self._thread.join()

    @Slot()
    def _on_file_change(self) -> None:
        self._is_stale = True
        self._ready_at = time.monotonic() + _FILE_DELAY_S
        self._woken.set()

    @Slot()
    def _on_announcement(self) -> None:
        if not self._woken.is_set():
            self._ready_at = time.monotonic() + _ANNOUNCEMENT_DELAY_S
            self._woken.set()

    @Slot(object)
    def _watch_paths(self, wanted: set[str]) -> None:
        known = {*self._watcher.files(), *self._watcher.directories()}
        if gone := known - wanted:
            self._watcher.removePaths(sorted(gone))
        if new := wanted - known:
            self._watcher.addPaths(sorted(new))

    def _run(self) -> None:
        failures = 0
        while not self._ended.is_set():
            try:
                is_any, failures = self.check_files(), 0
            except Exception:  # the outermost frame of this thread: logged, and retried less and less often
                log.exception("The workflow files could not be checked")
                failures += 1
                self._ended.wait(delay_after(failures, _MAX_RETRY_S))
                continue
            self._woken.wait(self._poll_s if is_any else None)
            while (left := self._ready_at - time.monotonic()) > 0 and not self._ended.wait(left):
                pass
            self._woken.clear()

    def check_files(self) -> bool:
        """Deploy every changed file, in this thread; return whether there are files to watch."""
        with self._lock:
            is_stale, self._is_stale = self._is_stale, False
            files = self._session.queries.watched_workflows()
            paths = {one.path for one in files}
            wanted = {path for path in (*paths, *(str(Path(path).parent) for path in paths)) if Path(path).exists()}
            if is_stale or wanted != self._watched:
                self._watched = wanted
                self._paths_changed.emit(wanted)
            for one in files:
                version = _file_version(one.path)
                if version is not None and version != self._versions.get(one.path):
                    self._versions[one.path] = version
                    self._try_deploy(one)
        return bool(files)

    def _try_deploy(self, watched: WatchedWorkflow) -> None:
        source = read_script_file(watched.path)
        if not source or not source.strip():  # still being written
            return
        digest = hash_script(source)
        if digest in (watched.sha256, self._tried.get(watched.path)):
            return
        self._tried[watched.path] = digest
        name = Path(watched.path).name
        try:
            self._report(self._deploy(watched.workflow, watched.path, source))
        except InvalidScriptError as error:
            sentence = self.tr("{file} was saved, but the previous version stays in use: {why}")
            self._refuse(sentence.format(file=name, why=translate_text(str(error))))
        except RefusedError as error:
            sentence = self.tr("{file} was saved, but the workflow was not updated: {why}")
            self._refuse(sentence.format(file=name, why=translate_text(error.sentence)))
        except Exception as error:  # noqa: BLE001  reported, and the other files are still checked
            sentence = self.tr("{file} was saved, but the workflow could not be updated: {why}")
            self._refuse(sentence.format(file=name, why=translate_text(str(error))))

    def _deploy(self, workflow: str, path: str, source: str) -> str:
        validated = self._session.validate(path, source)
        if validated.slug != workflow:
            sentence = self.tr("its workflow is now called {name}, not {workflow}. Add it yourself.")
            raise RefusedError("another name", sentence.format(name=validated.slug, workflow=workflow))
        known = {one.kind for one in self._session.queries.workflow(workflow).handlers}
        if "job" in {one["kind"] for one in validated.described["handlers"]} - known:  # a script may have saved itself
            sentence = self.tr("it now has a job, which can do anything you can. Update it yourself.")
            raise RefusedError("first job", sentence)
        answer = self._session.execute_for_user(
            lambda runtime: runtime.workflow_commands.deploy(validated, DeployOptions())
        )
        sentence = self.tr("{workflow} was updated to version {version} because its file was saved.")
        return sentence.format(workflow=answer["workflow"], version=answer["version"])


def _file_version(path: str) -> _FileVersion | None:
    try:
        status = Path(path).stat()
    except OSError:
        return None
    return _FileVersion(status.st_mtime_ns, status.st_size, status.st_ino)
