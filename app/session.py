"""One open data folder for everything the app shows: commands, queries, clock, zone and signals of change."""

import time
from collections.abc import Callable
from concurrent.futures import Future
from datetime import datetime
from pathlib import Path
from threading import Event

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from app.data.saved_settings import SavedSettings
from app.data.temp_dir import remove_stale_temp_dirs
from app.engine_thread import EngineThread
from app.i18n.translate import translate_text
from app.ipc.client import NOT_RESPONDING
from app.ipc.server import ControlServer
from app.platform.zone import machine_zone
from scheduler.connections.errors import VaultError
from scheduler.connections.registry import Registry
from scheduler.connections.secrets import SecretStore
from scheduler.connections.vault import Vault
from scheduler.engine.api.backend import FixerPreferences, Result, SettingsStore
from scheduler.engine.api.dispatcher import SCRIPT_VERBS, Dispatcher
from scheduler.engine.channels.sender import ChannelSender
from scheduler.engine.clock import Clock, SystemClock
from scheduler.engine.connection_setup import ConnectionSetup
from scheduler.engine.data_folder import open_folder
from scheduler.engine.errors import RefusedError
from scheduler.engine.maintenance import Maintenance
from scheduler.engine.monitoring.report_mail import ReportText
from scheduler.engine.queries.queries import WorkflowQueries
from scheduler.engine.runtime import Runtime
from scheduler.engine.scheduling.conditions import Conditions
from scheduler.engine.scheduling.decision_log import write_decisions
from scheduler.engine.scheduling.engine import Engine
from scheduler.engine.scheduling.launcher import Announce, Announcement
from scheduler.engine.settings import Settings
from scheduler.engine.user_only import make_script_app_refusal
from scheduler.engine.workflows.validation import ValidatedScript
from scheduler.rules.report_periods import ReportPeriod
from scheduler.user_text import UserText
from scheduler.workers.origin import is_app_started_by_script

_COMMAND_TIMEOUT_S = 120.0
"""How long a command may wait for the engine's thread."""
_IDLE_MS = 3_000
"""Without announcements, before maintenance starts."""
_URGENT_MS, _URGENT_STEP_MS = 1_000, 50
"""Before maintenance that cannot wait for an idle moment, and between two steps of it."""
_GUI_TIMEOUT_S, _GUI_POLL_S = 10.0, 0.1
"""How long the GUI thread may take to handle a command, and how often to check whether the session has ended."""
_KEYRING_POLL_MS = 3_000
"""While the keyring is locked or unavailable."""


class Session(QObject):
    """The caller holds the folder's lock. Signals arrive in the thread that created it.

    It is the backend of the API: commands run on the engine's thread, queries on the caller's.
    """

    announced = Signal(object)
    """An Announcement: something changed that may be on the screen."""
    message_sent = Signal(str, str)
    """A workflow sends the user a message: title and text."""
    show_requested = Signal(str)
    """Show the window, with that script if there is one."""
    quit_requested = Signal()
    is_running = True
    """For the API, which also works without an app."""
    _maintenance_unfinished = Signal()
    _urgent_unfinished = Signal()
    _keyring_changed = Signal(bool)
    _forwarded = Signal(object, object)

    def __init__(
        self,
        folder: Path,
        *,
        clock: Clock | None = None,
        conditions: Conditions | None = None,
        settings: Settings | None = None,
        show_answer: str = "Dayhand runs in a terminal, without a window.",
        is_started_by_script: bool | None = None,
    ) -> None:
        """`is_started_by_script`: whether a script started this app; detected if None."""
        super().__init__()
        self.is_started_by_script = is_app_started_by_script() if is_started_by_script is None else is_started_by_script
        """If so, it runs what is deployed but accepts no answers."""
        self.folder = folder
        self._show_answer = show_answer
        self._listener: Announce = lambda _: None
        self.clock = clock or SystemClock()
        remove_stale_temp_dirs(folder)
        self._opened = open_folder(folder, self.clock.now())
        self.damage = self._opened.damage
        write_decisions(self._opened.database, self.clock)
        self._vault = Vault(changed=self._on_keyring_change, entries=self._opened.keyring_entries)
        self._has_started = self._has_ended = False
        self._runtime = Runtime(
            self._opened.database,
            folder,
            machine_zone=machine_zone(),
            clock=self.clock,
            conditions=conditions,
            settings=settings,
            announce=self._announce,
            notify=self._notify,
            secrets=SecretStore(self.clock.now, self._vault),
            dry_run=_dry_run,
            write_report=self._write_report,
            run_on_engine_thread=lambda act: self.engine_thread.submit(lambda _: act()),
        )
        self._runtime.script_workers.end_orphans()  # before this session has workers
        self.queries = WorkflowQueries(self._runtime.engine.context, self._runtime.plans, self._runtime.registry)
        self.engine_thread = EngineThread(self._give_engine, self.clock)
        self.engine_thread.announced.connect(self.announced)
        self._maintenance = Maintenance(self._runtime.engine.context, clean_up=self._runtime.remove_unused_environments)
        self._idle_timer = QTimer(self, singleShot=True, interval=_IDLE_MS)
        self._idle_timer.timeout.connect(self._run_maintenance)
        self._urgent_timer = QTimer(self, singleShot=True)
        self._urgent_timer.timeout.connect(self._run_urgent)
        self.announced.connect(self._schedule_maintenance)
        self._maintenance_unfinished.connect(self._run_maintenance)
        self._urgent_unfinished.connect(self._continue_urgent)
        self._keyring_timer = QTimer(self, interval=_KEYRING_POLL_MS)
        self._keyring_timer.timeout.connect(self._vault.check_availability)
        self._keyring_changed.connect(self._poll_keyring)
        self._forwarded.connect(self._run_forwarded)
        self.api = Dispatcher(self, make_script_app_refusal if self.is_started_by_script else None)
        self.control_server = ControlServer(folder, self.api.dispatch, script_verbs=SCRIPT_VERBS)

    def start(self) -> None:
        """OSError if the control socket cannot be opened; the engine runs anyway."""
        self._has_started = True
        self.engine_thread.start()
        self.control_server.open()

    def stop(self) -> None:
        """Accept no more commands and stop all runs; they continue at the next start."""
        self._has_ended = True
        self._keyring_timer.stop()
        self._runtime.connection_setup.cancel_sign_in()
        self._idle_timer.stop()
        self._urgent_timer.stop()
        self.control_server.close()
        self.engine_thread.stop()
        self._runtime.close()

    def close(self) -> None:
        """After `stop`: close the store cleanly, so that the next start need not check it."""
        self._opened.close()

    @property
    def zone(self) -> str:
        """The machine's time zone; it may change."""
        return self._runtime.engine.context.machine_zone

    def now(self) -> datetime:
        return self.clock.now()

    @property
    def registry(self) -> Registry:
        return self._runtime.registry

    @property
    def connection_setup(self) -> ConnectionSetup:
        """Its methods block; not for the engine's or the window's thread."""
        return self._runtime.connection_setup

    @property
    def channels(self) -> ChannelSender:
        """Its methods block, as above."""
        return self._runtime.channels

    @property
    def fixer_preferences(self) -> FixerPreferences:
        from app.data.preferences import SavedFixer  # noqa: PLC0415  loads the theme, which is slow

        return SavedFixer(self.folder)

    @property
    def saved_settings(self) -> SettingsStore:
        return SavedSettings(self.folder)

    def validate(self, path: str, source: str) -> ValidatedScript:
        """Check whether a script can be deployed. Blocks."""
        return self._runtime.validation.validate(path, source)

    def submit(self, command: Callable[[Runtime], Result]) -> "Future[Result]":
        """Run a command on the engine's thread."""
        return self.engine_thread.submit(lambda _: command(self._runtime))

    def execute(self, command: Callable[[Runtime], Result]) -> Result:
        """Run a command on the engine's thread, and wait for it. Before `start`, that is the caller's thread."""
        return self.submit(command).result(_COMMAND_TIMEOUT_S) if self._has_started else command(self._runtime)

    def execute_for_user(self, command: Callable[[Runtime], Result]) -> Result:
        """Execute what only the user may do. RefusedError if a script started this app."""
        if self.is_started_by_script:
            raise make_script_app_refusal()
        return self.execute(command)

    def is_idle(self) -> bool:
        """Nothing is running, ready or due. To be called on the engine's thread."""
        in_flight, repairs = self._runtime.engine.dispatch.in_flight, self._runtime.repairs
        return in_flight == 0 and self.queries.is_idle() and not repairs.is_repairing

    def lower_worker_priority(self, *, on: bool) -> None:
        """So that scripts do not slow down what the user is looking at."""
        self._runtime.script_workers.lower_priority(on=on)

    def show_window(self, file: str) -> str:
        """From any thread but the GUI's: bring the window to the front; return a sentence for the user."""
        self._forward(lambda: self.show_requested.emit(file))
        return self._show_answer

    def quit(self) -> None:
        """From any thread but the GUI's: ask the app to quit."""
        self._forward(self.quit_requested.emit)

    @Slot()
    def _schedule_maintenance(self) -> None:
        """After every announcement; without any, no timer runs."""
        self._idle_timer.start()
        if not self._urgent_timer.isActive():
            self._urgent_timer.start(_URGENT_MS)

    @Slot()
    def _run_maintenance(self) -> None:
        self.engine_thread.submit(self._maintain_if_idle)

    @Slot()
    def _run_urgent(self) -> None:
        self.engine_thread.submit(
            lambda _: self._urgent_unfinished.emit() if self._maintenance.index_while_busy() else None
        )

    @Slot()
    def _continue_urgent(self) -> None:
        if not self._has_ended:
            self._urgent_timer.start(_URGENT_STEP_MS)

    def _maintain_if_idle(self, engine: Engine) -> None:
        """Runs on the engine's thread."""
        if engine.dispatch.in_flight == 0 and self._maintenance.step():
            self._maintenance_unfinished.emit()

    def _on_keyring_change(self, error: VaultError | None) -> None:
        """Called from any thread."""
        if self._has_ended:
            return
        if error is None:
            self.engine_thread.submit(lambda _: self._runtime.grant_commands.resume_keyring_waits())
        self._keyring_changed.emit(error is None)

    @Slot(bool)
    def _poll_keyring(self, is_available: bool) -> None:  # noqa: FBT001  a Qt slot
        """While it is unavailable, check regularly, without a dialog, whether it is back."""
        if is_available or self._has_ended:
            self._keyring_timer.stop()
        else:
            self._keyring_timer.start()

    def _announce(self, announcement: Announcement) -> None:
        self._listener(announcement)

    def _give_engine(self, announce: Announce) -> Engine:
        self._listener = announce
        return self._runtime.engine

    def _notify(self, title: str, text: str) -> None:
        self.message_sent.emit(title, translate_text(text) if isinstance(text, UserText) else text)

    def _write_report(self, period: ReportPeriod) -> ReportText:
        """For the mail, in the user's language."""
        from app.report.mail import write_mail  # noqa: PLC0415  loads the theme, which is slow

        return write_mail(self.queries.report(period.since, period.until))

    def _forward(self, act: Callable[[], None]) -> None:
        """Call `act` on the GUI thread, from any other; RefusedError if that thread hangs."""
        done, deadline = Event(), time.monotonic() + _GUI_TIMEOUT_S
        self._forwarded.emit(act, done)
        while not done.wait(_GUI_POLL_S) and not self._has_ended:
            if time.monotonic() > deadline:
                raise RefusedError("silent", NOT_RESPONDING)

    @Slot(object, object)
    def _run_forwarded(self, act: Callable[[], None], done: Event) -> None:
        act()
        done.set()


def _dry_run(runtime: Runtime, path: str, source: str) -> str | None:
    from scheduler.engine.dry_run.dry_run import find_dry_run_error  # noqa: PLC0415  only needed for repairs

    return find_dry_run_error(runtime, path, source)
