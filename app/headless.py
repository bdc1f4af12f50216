"""Dayhand in a terminal: runs the engine without a window and prints what happens."""

import logging
import shutil
import sys
import time
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QObject, QTimer, Slot

from app.auto_deploy import AutoDeployer
from app.channels.service import ChannelService
from app.data.backup_timer import BackupTimer
from app.data.log_file import open_log
from app.data.metrics_file import MetricsFile, read_metrics_folder
from app.demo import prepare_demo
from app.lifecycle.process_exit import QuitDeadline, TerminationSignals
from app.lifecycle.startup import StartOptions
from app.session import Session
from app.widgets.visible_text import escape_invisible, truncate
from scheduler import __version__
from scheduler.engine.clock import SystemClock
from scheduler.engine.data_folder import StoreError
from scheduler.engine.errors import RefusedError
from scheduler.engine.queries.queries import WorkflowQueries
from scheduler.engine.queries.requests import RequestView
from scheduler.engine.queries.runs import RunView
from scheduler.engine.scheduling.launcher import Announcement
from scheduler.engine.settings import Settings
from scheduler.engine.user_only import STARTED_BY_SCRIPT
from scheduler.rules.handler_ids import handler_id
from scheduler.rules.phases import RunStatus
from scheduler.shell_words import quote_word
from scheduler.user_text import add_full_stop

log = logging.getLogger(__name__)

_PREFERENCES = "preferences.json"
_BATCH_MS = 20
"""How long announcements are collected before the changes are printed."""
_POLL_MS = 100
"""Between two checks whether there is nothing left to do."""
_ACTIONS_TIMEOUT_S = 30.0
"""How long quitting waits for outside actions."""
_ANSWERS = {
    "yes": "approved",
    "no": "rejected",
    "expired": "expired",
    "happened": "you said that it happened",
    "not-happened": "you said that it did not happen",
    "skip": "skipped",
    "solved": "no longer needed",
    "withdrawn": "no longer needed",
}
_NO_SUMMARY = {"producer": "checked; nothing new", "consumer": "nothing to do"}
"""For runs that succeeded without a summary, by kind of handler."""
_MAX_SENTENCE = 300
_MAX_OUTPUT_LINES = 3
"""Of a failed run's output."""
_FINISHED = frozenset({RunStatus.COMMITTED, RunStatus.CRASHED, RunStatus.CANCELLED})

Say = Callable[[str], None]


def run(folder: Path, options: StartOptions) -> None:
    """Run until asked to quit, or until the options say so. The caller holds the folder's lock."""
    with open_log(folder, echo=True):
        log.info("Dayhand %s started without a window", __version__)
        _run(folder, options)
        log.info("Dayhand quit")


def _run(folder: Path, wanted: StartOptions) -> None:
    app = QCoreApplication.instance() or QCoreApplication([])

    def say(sentence: str) -> None:
        print(sentence, flush=True, file=sys.stderr if wanted.to_stderr else sys.stdout)

    session = Session(folder, settings=_read_settings(folder))
    if wanted.greeting:
        say(wanted.greeting)
    if session.is_started_by_script:
        say(STARTED_BY_SCRIPT)
    if session.damage is not None:
        say(session.damage.describe(_command("dayhand restore", wanted.folder_option)))
    if wanted.demo:
        prepare_demo(session, folder)
    clock = SystemClock()
    narrator = RunPrinter(session.queries, say, lambda line: _command(line, wanted.folder_option), clock.now)
    deadline = QuitDeadline()
    signals = TerminationSignals(app.quit, deadline)
    printer = _ChangePrinter(narrator, say)
    session.announced.connect(printer.on_announcement)
    session.message_sent.connect(lambda title, text: say(f"{title}: {text}" if title else text))
    quitter = _Quitter(session, app.quit)
    session.quit_requested.connect(quitter.begin)
    _start(session, say)
    auto_deploy = AutoDeployer(session, say)
    backups = BackupTimer(folder, clock, say)
    metrics = _write_metrics(session, say)
    channels = ChannelService(session)
    channels.start()
    say(_greeting(session))
    printer.print_changes()
    if wanted.until_idle:
        idle_check = _IdleCheck(session, app.quit)
        idle_check.start()
    if wanted.seconds is not None:
        QTimer.singleShot(round(wanted.seconds * 1000), quitter.begin)
    app.exec()
    quitter.stop()
    deadline.start()
    auto_deploy.close()
    backups.stop()
    metrics.stop()
    channels.stop()
    session.stop()
    printer.print_changes()
    session.close()
    deadline.cancel()
    signals.close()


def _read_settings(folder: Path) -> Settings:
    """The preferences set in the window apply here too."""
    if not (folder / _PREFERENCES).exists():
        return Settings()
    from app.data.preferences import read_preferences  # noqa: PLC0415  loads the theme, which is slow

    return read_preferences(folder).apply_to(Settings())


def _write_metrics(session: Session, say: Say) -> MetricsFile:
    """As the settings say."""

    def read() -> Path | None:
        return read_metrics_folder(session.folder)

    return MetricsFile(session.queries, read(), say, reread=read)


def _start(session: Session, say: Callable[[str], None]) -> None:
    try:
        session.start()
    except OSError as error:
        say(str(error))


class _IdleCheck(QTimer):
    """Asks the engine's thread regularly whether anything is left to do; calls `ended` if not."""

    def __init__(self, session: Session, ended: Callable[[], None]) -> None:
        super().__init__(interval=_POLL_MS)
        self._session = session
        self._ended = ended
        self._result: Future[bool] | None = None
        self.timeout.connect(self._check)

    def _check(self) -> None:
        if self._result is None:
            self._result = self._session.submit(lambda _: self._session.is_idle())
        elif self._result.done():
            result, self._result = self._result, None
            if result.exception() is None and result.result():
                self.stop()
                self._ended()


class _Quitter(QTimer):
    """Waits for running outside actions, up to a limit, then calls `ended`."""

    def __init__(self, session: Session, ended: Callable[[], None], *, seconds: float = _ACTIONS_TIMEOUT_S) -> None:
        super().__init__(interval=_POLL_MS)
        self._session = session
        self._ended = ended
        self._seconds = seconds
        self._deadline = 0.0
        self._result: Future[tuple[str, ...]] | None = None
        self.timeout.connect(self._check)

    @Slot()
    def begin(self) -> None:
        if not self.isActive():
            self._deadline = time.monotonic() + self._seconds
            self.start()
            self._check()

    def _check(self) -> None:
        if self._result is None:
            self._result = self._session.submit(lambda _: self._session.queries.uninterruptible())
        elif self._result.done():
            result, self._result = self._result, None
            if result.exception() is not None or not result.result():
                self._end()
                return
        if time.monotonic() >= self._deadline:
            self._end()

    def _end(self) -> None:
        self.stop()
        self._ended()


def _greeting(session: Session) -> str:
    known = session.queries.workflows()
    times = [one.next for one in known if one.next is not None]
    next_run = f", next run {min(times).astimezone():%a %d %b %H:%M}" if times else ""
    workflows = f"{len(known)} workflow{'' if len(known) == 1 else 's'}" if known else "No workflows yet"
    return f"Dayhand is running. {workflows}{next_run}. Press Ctrl+C to quit."


class RunPrinter:
    """Prints one line for each run, request and answer since the last call. `command` completes a command line."""

    def __init__(
        self, views: WorkflowQueries, say: Say, command: Callable[[str], str], now: Callable[[], datetime]
    ) -> None:
        self._views = views
        self._now = now
        self._say = say
        self._command = command
        self._number = views.last_run_number()
        self._watched: dict[str, str] = {one.run: "" for one in views.attention() if one.run is not None}
        """Unfinished runs, with the status that was printed last."""
        self._open_requests: dict[str, RequestView] = {}

    def print_changes(self) -> None:
        """Print what is new."""
        changes = self._views.changes_since(self._number, self._watched)
        self._number = changes.number
        open_now = {one.id: one for one in self._views.attention()}
        for gone in [
            one for one in self._open_requests if one not in open_now
        ]:  # before the runs that follow from the answer
            self._print_answer(self._find_answer(self._open_requests.pop(gone)))
        for run in changes.runs:
            self._print_run(run)
        for one in open_now.values():
            if one.id not in self._open_requests:
                self._open_requests[one.id] = replace(one, call=None, ui=None)  # they may be large
                self._print_request(one)

    def _find_answer(self, request: RequestView) -> RequestView:
        try:
            return self._views.request(request.id)
        except RefusedError:  # its workflow was removed
            return replace(request, answer="withdrawn")

    def _print_run(self, run: RunView) -> None:
        if run.status in _FINISHED or run.status in (RunStatus.LOGIC, RunStatus.INTERNAL):
            known = self._watched.pop(run.id, None)
        else:
            known = self._watched.get(run.id)
            self._watched[run.id] = run.status.value
        sentence = _describe_run(run)
        if sentence is not None and known != run.status.value:
            self._write(handler_id(run.workflow, run.job) if run.job else run.workflow, sentence)

    def _print_request(self, one: RequestView) -> None:
        if one.failed_run is not None:
            for line in one.failed_run.output.splitlines()[-_MAX_OUTPUT_LINES:]:
                self._write(_name_request(one), f"| {truncate(line, _MAX_SENTENCE)}")
            again, log_ = (self._command(f"dayhand {verb} {one.run}") for verb in ("retry", "logs"))
            self._write(_name_request(one), f"{one.failed_run.summary} Run again: {again} | Log: {log_}")
            return
        what = "" if not one.call else f" ({one.call['tool']} of {one.call['connection']})"
        how = f"Answer: {self._command(one.how[0])}"
        if one.kind in ("approval", "question"):  # show it in full before it is answered
            how = f"Details and how to answer: {self._command(f'dayhand attention {one.id}')}"
        self._write(_name_request(one), f"asks: {add_full_stop(truncate(one.sentence, _MAX_SENTENCE) + what)} {how}")

    def _print_answer(self, one: RequestView) -> None:
        answer = _ANSWERS.get(one.answer or "", "answered")
        if one.answered_from:
            answer = f"{answer} through {one.answered_from}"
        self._write(_name_request(one), f"{answer}: {truncate(one.sentence, _MAX_SENTENCE)}")

    def _write(self, name: str, sentence: str) -> None:
        self._say(f"{self._now().astimezone():%H:%M:%S}  {name}: {escape_invisible(' '.join(sentence.split()))}")


class _ChangePrinter(QObject):
    """Prints changes after announcements, batched; a problem is printed once until it is solved."""

    def __init__(self, narrator: RunPrinter, say: Callable[[str], None]) -> None:
        super().__init__()
        self._narrator = narrator
        self._say = say
        self._problem = ""
        self._batch = QTimer(self, singleShot=True, interval=_BATCH_MS)
        self._batch.timeout.connect(self.print_changes)

    @Slot(object)
    def on_announcement(self, announcement: Announcement) -> None:
        if announcement.sentence and announcement.sentence != self._problem:
            self._say(announcement.sentence)
            if announcement.is_warning:
                log.info("%s", announcement.sentence)
        if announcement.is_warning:
            self._problem = announcement.sentence
        if not self._batch.isActive():
            self._batch.start()

    @Slot()
    def print_changes(self) -> None:
        try:
            self._narrator.print_changes()
        except StoreError as error:
            if str(error) != self._problem:
                self._problem = str(error)
                self._say(self._problem)
        else:
            self._problem = ""


def _command(line: str, folder_option: str) -> str:
    """A command line that can be pasted in this terminal."""
    program = "dayhand"
    if shutil.which(program) is None and Path(sys.argv[0]).name == program:
        program = quote_word(sys.argv[0])
    return f"{program}{line.removeprefix('dayhand')}{folder_option}"


def _name_request(one: RequestView) -> str:
    return handler_id(one.workflow, one.job) if one.job else one.workflow


def _describe_run(run: RunView) -> str | None:
    """None if another line covers it: its end, or its request."""
    match run.status:
        case RunStatus.ACTIVE:
            return None if run.attempt == 1 else f"retrying, attempt {run.attempt}"
        case RunStatus.COMMITTED:
            return run.summary or _NO_SUMMARY.get(run.kind) or (f"done: {run.command}" if run.command else "done")
        case RunStatus.TRANSIENT:
            return f"will retry. {run.error}"
        case RunStatus.APPROVAL:
            return None if run.error is None else f"waiting for you. {run.error}"
        case RunStatus.RECONCILIATION:
            return f"checking whether it happened. {run.error}"
        case RunStatus.LOGIC | RunStatus.INTERNAL:
            return f"failed. {run.error}"
        case RunStatus.CRASHED:
            return "was interrupted"
        case RunStatus.CANCELLED:
            return run.summary or "was stopped"
