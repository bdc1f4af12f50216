"""Deploying a workflow again when its file is saved: by whatever editor, and not before it makes sense."""

import hashlib
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

from PySide6.QtCore import QFileSystemWatcher, QObject, QTimer, Slot

from app.life.installation import Installation
from scheduler.engine.refusal import RefusedError
from scheduler.engine.workflows.deploying import Wish
from scheduler.engine.workflows.validation import NotValidError
from scheduler.engine.workflows.views.workflows import Watched

_SETTLE = 250
"""Milliseconds after a change before the file is read: editors write in several steps."""
_LOOK = 2_000
"""Milliseconds between two looks at the files' times, for file systems that tell nobody."""
_LARGEST = 4_000_000


class _Seen(NamedTuple):
    """What a file looked like; enough to know that it is another one."""

    modified: int
    size: int
    node: int


class Watching(QObject):
    """Lives on the main thread; scripts are checked on a thread of its own, one at a time."""

    def __init__(self, installation: Installation, say: Callable[[str], None], *, look: int = _LOOK) -> None:
        super().__init__()
        self._installation = installation
        self._say = say
        self._files: dict[str, Watched] = {}
        self._seen: dict[str, _Seen | None] = {}
        self._tried: dict[str, str] = {}
        """By path: the hash of what was last tried, so that the same mistake is said once."""
        self._busy: set[str] = set()
        self._worker = ThreadPoolExecutor(1, "watching")
        self._watcher = QFileSystemWatcher(self)
        self._watcher.fileChanged.connect(self._settle)
        self._watcher.directoryChanged.connect(self._settle)
        self._soon = QTimer(self, singleShot=True, interval=_SETTLE)
        self._soon.timeout.connect(self.look)
        self._often = QTimer(self, interval=look)
        self._often.timeout.connect(self.look)
        self._often.start()
        installation.announced.connect(self._settle)
        self.look()

    def close(self) -> None:
        self._often.stop()
        self._soon.stop()
        self._worker.shutdown(wait=True)

    @Slot()
    def _settle(self) -> None:
        self._soon.start()

    @Slot()
    def look(self) -> None:
        """Try every file that is not as it was."""
        self._follow()
        for path, watched in self._files.items():
            seen = _see(path)
            if path not in self._busy and seen is not None and seen != self._seen.get(path):
                self._seen[path] = seen
                self._try(path, watched)

    def _follow(self) -> None:
        """Watch what is to be watched now: the files, and their folders, since editors replace files."""
        self._files = {one.path: one for one in self._installation.views.watched()}
        wanted = {*self._files, *(str(Path(path).parent) for path in self._files)}
        wanted = {path for path in wanted if Path(path).exists()}
        known = {*self._watcher.files(), *self._watcher.directories()}
        if gone := known - wanted:
            self._watcher.removePaths(sorted(gone))
        if new := wanted - known:
            self._watcher.addPaths(sorted(new))

    def _try(self, path: str, watched: Watched) -> None:
        source = _read(path)
        if not source or not source.strip():  # just being written
            return
        digest = hashlib.sha256(source.encode()).hexdigest()
        if digest in (watched.sha256, self._tried.get(path)):
            return
        self._tried[path] = digest
        self._busy.add(path)
        deploying = self._worker.submit(self._deploy, watched.workflow, path, source)
        deploying.add_done_callback(lambda done: self._end(path, done))

    def _deploy(self, workflow: str, path: str, source: str) -> str:
        """On the worker's thread."""
        validated = self._installation.house.validation.validate(path, source)
        if validated.slug != workflow:
            sentence = self.tr("it now calls itself {name}, not {workflow}; deploy it yourself.")
            raise RefusedError("another name", sentence.format(name=validated.slug, workflow=workflow))
        asked = self._installation.host.ask(lambda _: self._installation.house.commands.deploy(validated, Wish()))
        answer = asked.result()
        sentence = self.tr("{workflow}: deployed version {version}, since its file was saved.")
        return sentence.format(workflow=answer["workflow"], version=answer["version"])

    def _end(self, path: str, done: "Future[str]") -> None:
        self._busy.discard(path)
        error = done.exception()
        if error is None:
            self._say(done.result())
            return
        if isinstance(error, NotValidError):
            sentence, why = self.tr("{file} was saved, and the version before goes on: {why}"), str(error)
        elif isinstance(error, RefusedError):
            sentence, why = self.tr("{file} was saved, and not deployed: {why}"), error.sentence
        else:
            sentence, why = self.tr("{file} was saved, and could not be deployed: {why}"), str(error)
        self._say(sentence.format(file=Path(path).name, why=why))


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
