"""Dayhand without a face: runs what is deployed, says what happens, ends when asked to."""

import logging
import shlex
import shutil
import sys
import time
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QObject, QTimer, Slot

from app.demo import prepare_demo
from app.keeping.backing_up import BackupTimer
from app.keeping.logbook import keep_log
from app.life.installation import Installation
from app.life.quit_deadline import QuitDeadline
from app.life.signals import EndSignals
from app.life.wanted import Wanted
from app.narrator import Narrator
from app.watching import Watching
from scheduler import __version__
from scheduler.engine.clock import SystemClock
from scheduler.engine.launcher import Announcement
from scheduler.engine.settings import Settings
from scheduler.engine.user_only import STARTED_BY_SCRIPT
from scheduler.store.errors import StoreError

log = logging.getLogger(__name__)

_PREFERENCES = "preferences.json"
_TOGETHER = 20
"""Milliseconds over which news are gathered before they are told."""
_QUIET_LOOK = 100
"""Milliseconds between two looks whether there is nothing left to do."""
_SECONDS_FOR_ACTIONS = 30.0
"""How long quitting waits for what is being done outside."""


def run(folder: Path, wanted: Wanted) -> None:
    """Run until the process is asked to end, or for so long. The caller holds the folder's lock."""
    with keep_log(folder, echo=True):
        log.info("Dayhand %s starts, without a window", __version__)
        _run(folder, wanted)
        log.info("Dayhand ends")


def _run(folder: Path, wanted: Wanted) -> None:
    app = QCoreApplication.instance() or QCoreApplication([])

    def say(sentence: str) -> None:
        print(sentence, flush=True, file=sys.stderr if wanted.to_stderr else sys.stdout)

    installation = Installation(folder, settings=_settings(folder))
    if wanted.greeting:
        say(wanted.greeting)
    if installation.is_of_script:
        say(STARTED_BY_SCRIPT)
    if installation.damage is not None:
        say(installation.damage.say(_command("dayhand restore", wanted.folder_option)))
    if wanted.demo:
        prepare_demo(installation.house, folder)
    clock = SystemClock()
    narrator = Narrator(installation.views, say, lambda line: _command(line, wanted.folder_option), clock.now)
    deadline = QuitDeadline()
    signals = EndSignals(app.quit, deadline)
    tale = _Tale(narrator, say)
    installation.announced.connect(tale.hear)
    installation.told.connect(lambda title, text: say(f"{title}: {text}" if title else text))
    quitting = _Quitting(installation, app.quit)
    installation.quit_wanted.connect(quitting.begin)
    _start(installation, say)
    watching = Watching(installation, say)
    backups = BackupTimer(folder, clock, say)
    say(_welcome(installation))
    tale.look()
    if wanted.until_idle:
        quiet = _Quiet(installation, app.quit)
        quiet.start()
    if wanted.seconds is not None:
        QTimer.singleShot(round(wanted.seconds * 1000), quitting.begin)
    app.exec()
    quitting.stop()
    deadline.begin()
    watching.close()
    backups.stop()
    installation.end()
    tale.look()
    installation.close()
    deadline.met()
    signals.close()


def _settings(folder: Path) -> Settings:
    """What the person chose in the window holds here, too."""
    if not (folder / _PREFERENCES).exists():
        return Settings()
    from app.keeping.preferences import read_preferences  # noqa: PLC0415  knows how things look, which costs time

    return read_preferences(folder).settle(Settings())


def _start(installation: Installation, say: Callable[[str], None]) -> None:
    try:
        installation.start()
    except OSError as error:
        say(str(error))


class _Quiet(QTimer):
    """Asks the engine's thread now and then whether anything is left to do."""

    def __init__(self, installation: Installation, ended: Callable[[], None]) -> None:
        super().__init__(interval=_QUIET_LOOK)
        self._installation = installation
        self._ended = ended
        self._asked: Future[bool] | None = None
        self.timeout.connect(self._look)

    def _look(self) -> None:
        if self._asked is None:
            self._asked = self._installation.host.ask(lambda _: self._installation.is_quiet())
        elif self._asked.done():
            asked, self._asked = self._asked, None
            if asked.exception() is None and asked.result():
                self.stop()
                self._ended()


class _Quitting(QTimer):
    """Waits until no workflow does anything outside that must not be cut off, then ends; it does not wait for ever."""

    def __init__(
        self, installation: Installation, ended: Callable[[], None], *, seconds: float = _SECONDS_FOR_ACTIONS
    ) -> None:
        super().__init__(interval=_QUIET_LOOK)
        self._installation = installation
        self._ended = ended
        self._seconds = seconds
        self._give_up = 0.0
        self._asked: Future[tuple[str, ...]] | None = None
        self.timeout.connect(self._look)

    @Slot()
    def begin(self) -> None:
        if not self.isActive():
            self._give_up = time.monotonic() + self._seconds
            self.start()
            self._look()

    def _look(self) -> None:
        if self._asked is None:
            self._asked = self._installation.host.ask(lambda _: self._installation.views.underway())
        elif self._asked.done():
            asked, self._asked = self._asked, None
            if asked.exception() is not None or not asked.result():
                self._end()
                return
        if time.monotonic() >= self._give_up:
            self._end()

    def _end(self) -> None:
        self.stop()
        self._ended()


def _welcome(installation: Installation) -> str:
    known = installation.views.workflows()
    times = [one.next for one in known if one.next is not None]
    coming = f", the next at {min(times).astimezone():%a %d %b %H:%M}" if times else ""
    workflows = f"{len(known)} workflow{'' if len(known) == 1 else 's'}" if known else "It has no workflows yet"
    return f"Dayhand is running. {workflows}{coming}. Ctrl+C ends it."


class _Tale(QObject):
    """Tells what is new after news, a burst of them at once; trouble is said once until all is well."""

    def __init__(self, narrator: Narrator, say: Callable[[str], None]) -> None:
        super().__init__()
        self._narrator = narrator
        self._say = say
        self._trouble = ""
        self._soon = QTimer(self, singleShot=True, interval=_TOGETHER)
        self._soon.timeout.connect(self.look)

    @Slot(object)
    def hear(self, announcement: Announcement) -> None:
        if announcement.sentence and announcement.sentence != self._trouble:
            self._say(announcement.sentence)
        if announcement.is_warning:
            self._trouble = announcement.sentence
        if not self._soon.isActive():
            self._soon.start()

    @Slot()
    def look(self) -> None:
        try:
            self._narrator.look()
        except StoreError as error:
            if str(error) != self._trouble:
                self._trouble = str(error)
                self._say(self._trouble)
        else:
            self._trouble = ""


def _command(line: str, folder_option: str) -> str:
    """As it can be typed here."""
    program = "dayhand"
    if shutil.which(program) is None and Path(sys.argv[0]).name == program:
        program = shlex.quote(sys.argv[0])
    return f"{program}{line.removeprefix('dayhand')}{folder_option}"
