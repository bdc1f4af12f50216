"""Deploying a workflow again when its file is saved: by whatever editor, and not before it makes sense."""

import hashlib
import logging
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from PySide6.QtCore import QFileSystemWatcher, QObject, Signal, Slot

from app.life.installation import Installation
from app.words.interpreting import interpret
from scheduler.engine.backoff import delay_after
from scheduler.engine.refusal import RefusedError
from scheduler.engine.workflows.deploying import Wish
from scheduler.engine.workflows.validation import NotValidError
from scheduler.engine.workflows.views.workflows import Watched

log = logging.getLogger(__name__)

_SETTLE = 0.25
"""Seconds after a change before the file is read: editors write in several steps."""
_GATHER = 1.0
"""Seconds over which other news are gathered: one of them may be that another file is to be watched."""
_LOOK = 2.0
"""Seconds between two looks at the files' times, for file systems that tell nobody."""
_LARGEST = 4_000_000
_LONGEST_PAUSE_S = 60.0
"""Between two tries to look at all, while that fails."""


class _Seen(NamedTuple):
    """What a file looked like; enough to know that it is another one."""

    modified: int
    size: int
    node: int


class Watching(QObject):
    """Looks and deploys on a thread of its own, and calls `say` there. Where nothing is to be watched, it sleeps."""

    _wanted = Signal(object)
    """The paths that the system shall tell of."""

    def __init__(self, installation: Installation, say: Callable[[str], None], *, look: float = _LOOK) -> None:
        super().__init__()
        self._installation = installation
        self._say = say
        self._often = look
        self._seen: dict[str, _Seen | None] = {}
        self._tried: dict[str, str] = {}
        """By path: the hash of what was last tried, so that the same mistake is said once."""
        self._followed: set[str] = set()
        self._has_lost = False
        """Whether the system may have forgotten one of them: it does when a file is replaced."""
        self._ended = threading.Event()
        self._stirred = threading.Event()
        self._settled = 0.0
        """When what changed may be looked at."""
        self._looking = threading.Lock()
        self._watcher = QFileSystemWatcher(self)
        self._watcher.fileChanged.connect(self._settle)
        self._watcher.directoryChanged.connect(self._settle)
        self._wanted.connect(self._follow)
        installation.announced.connect(self._gather)
        self._thread = threading.Thread(target=self._watch, name="watching", daemon=True)
        self._thread.start()

    def close(self) -> None:
        self._ended.set()
        self._stirred.set()
        self._thread.join()

    @Slot()
    def _settle(self) -> None:
        """A file changed, and may go on changing."""
        self._has_lost = True
        self._settled = time.monotonic() + _SETTLE
        self._stirred.set()

    @Slot()
    def _gather(self) -> None:
        if not self._stirred.is_set():
            self._settled = time.monotonic() + _GATHER
            self._stirred.set()

    @Slot(object)
    def _follow(self, wanted: set[str]) -> None:
        known = {*self._watcher.files(), *self._watcher.directories()}
        if gone := known - wanted:
            self._watcher.removePaths(sorted(gone))
        if new := wanted - known:
            self._watcher.addPaths(sorted(new))

    def _watch(self) -> None:
        """The thread."""
        failures = 0
        while not self._ended.is_set():
            try:
                is_any, failures = self.look(), 0
            except Exception:  # the outermost frame of this thread: recorded, and tried again, less often each time
                log.exception("The files of workflows could not be looked at")
                failures += 1
                self._ended.wait(delay_after(failures, _LONGEST_PAUSE_S))
                continue
            self._stirred.wait(self._often if is_any else None)
            while (left := self._settled - time.monotonic()) > 0 and not self._ended.wait(left):
                pass
            self._stirred.clear()

    def look(self) -> bool:
        """Try every file that is not as it was, in this thread; whether there is any to be watched."""
        with self._looking:
            has_lost, self._has_lost = self._has_lost, False
            files = self._installation.views.watched()
            paths = {one.path for one in files}
            wanted = {path for path in (*paths, *(str(Path(path).parent) for path in paths)) if Path(path).exists()}
            if has_lost or wanted != self._followed:
                self._followed = wanted
                self._wanted.emit(wanted)
            for one in files:
                seen = _see(one.path)
                if seen is not None and seen != self._seen.get(one.path):
                    self._seen[one.path] = seen
                    self._try(one)
        return bool(files)

    def _try(self, watched: Watched) -> None:
        source = _read(watched.path)
        if not source or not source.strip():  # just being written
            return
        digest = hashlib.sha256(source.encode()).hexdigest()
        if digest in (watched.sha256, self._tried.get(watched.path)):
            return
        self._tried[watched.path] = digest
        name = Path(watched.path).name
        try:
            self._say(self._deploy(watched.workflow, watched.path, source))
        except NotValidError as error:
            sentence = self.tr("{file} was saved, and the version before goes on: {why}")
            self._say(sentence.format(file=name, why=interpret(str(error))))
        except RefusedError as error:
            sentence = self.tr("{file} was saved, and not deployed: {why}")
            self._say(sentence.format(file=name, why=interpret(error.sentence)))
        except Exception as error:  # noqa: BLE001  said, and the other files are looked at all the same
            sentence = self.tr("{file} was saved, and could not be deployed: {why}")
            self._say(sentence.format(file=name, why=interpret(str(error))))

    def _deploy(self, workflow: str, path: str, source: str) -> str:
        validated = self._installation.house.validation.validate(path, source)
        if validated.slug != workflow:
            sentence = self.tr("it now calls itself {name}, not {workflow}; deploy it yourself.")
            raise RefusedError("another name", sentence.format(name=validated.slug, workflow=workflow))
        known = {one.kind for one in self._installation.views.workflow(workflow).handlers}
        if "job" in {one["kind"] for one in validated.described["handlers"]} - known:  # a script may have saved itself
            sentence = self.tr("it now has a job, which may do all that you may; deploy it yourself.")
            raise RefusedError("first job", sentence)
        deploy = self._installation.house.commands.deploy
        answer = self._installation.ask_for_user(lambda _: deploy(validated, Wish())).result()
        sentence = self.tr("{workflow}: deployed version {version}, since its file was saved.")
        return sentence.format(workflow=answer["workflow"], version=answer["version"])


def _see(path: str) -> _Seen | None:
    try:
        facts = Path(path).stat()
    except OSError:
        return None
    return _Seen(facts.st_mtime_ns, facts.st_size, facts.st_ino)


def _read(path: str) -> str | None:
    """None while it cannot be read; there will be another look when it changes."""
    try:
        if Path(path).stat().st_size > _LARGEST:
            return None
        return Path(path).read_bytes().decode()
    except (OSError, UnicodeDecodeError):
        return None
