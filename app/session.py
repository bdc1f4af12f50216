"""A data folder opened by the app: its store, engine, API and control socket."""

import time
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from threading import Event

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from app.api.backend import Result
from app.api.dispatcher import SCRIPT_VERBS, Dispatcher
from app.api.live_backend import LiveBackend
from app.data.keyring_names import ensure_entries
from app.data.temp_dir import remove_stale_temp_dirs
from app.engine_thread import EngineThread
from app.ipc.client import NOT_RESPONDING
from app.ipc.server import ControlServer
from app.platform.zone import machine_zone
from scheduler.connections.errors import VaultError
from scheduler.connections.secrets import SecretStore
from scheduler.connections.vault import Vault
from scheduler.engine.clock import Clock, SystemClock
from scheduler.engine.errors import RefusedError
from scheduler.engine.maintenance import Maintenance
from scheduler.engine.queries.queries import WorkflowQueries
from scheduler.engine.runtime import Runtime
from scheduler.engine.scheduling.conditions import Conditions
from scheduler.engine.scheduling.engine import Engine
from scheduler.engine.scheduling.launcher import Announce, Announcement
from scheduler.engine.settings import Settings
from scheduler.engine.user_only import make_script_app_refusal
from scheduler.store.opening import StoreDamage, close_store, open_store
from scheduler.workers.origin import is_app_started_by_script

_IDLE_MS = 3_000
"""Without announcements, before maintenance starts."""
_URGENT_MS, _URGENT_STEP_MS = 1_000, 50
"""Before maintenance that cannot wait for an idle moment, and between two steps of it."""
_GUI_TIMEOUT_S, _GUI_POLL_S = 10.0, 0.1
"""How long the GUI thread may take to handle a command, and how often to check whether the session has ended."""
_KEYRING_POLL_MS = 3_000
"""While the keyring is locked or unavailable."""


class Session(QObject):
    """The caller holds the folder's lock. Signals arrive in the thread that created it."""

    announced = Signal(object)
    """An Announcement: something changed that may be on the screen."""
    message_sent = Signal(str, str)
    """A workflow sends the user a message: title and text."""
    show_requested = Signal(str)
    """Show the window, with that script if there is one."""
    quit_requested = Signal()
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
        clock = clock or SystemClock()
        remove_stale_temp_dirs(folder)
        opened = open_store(folder, clock.now())
        self.damage: StoreDamage | None = opened.damage
        self.database = opened.database
        self._vault = Vault(changed=self._on_keyring_change, entries=ensure_entries(folder, opened.database))
        self._has_ended = False
        self.runtime = Runtime(
            opened.database,
            folder,
            machine_zone=machine_zone(),
            clock=clock,
            conditions=conditions,
            settings=settings,
            announce=self._announce,
            notify=self.message_sent.emit,
            secrets=SecretStore(clock.now, self._vault),
        )
        self.runtime.script_workers.end_orphans()  # before this session has workers
        self.queries = WorkflowQueries(self.runtime.engine.context, self.runtime.plans, self.runtime.registry)
        self.engine_thread = EngineThread(self._give_engine, clock)
        self.engine_thread.announced.connect(self.announced)
        self.runtime.repairs.run_on_engine_thread = lambda act: self.engine_thread.submit(lambda _: act())
        self._maintenance = Maintenance(self.runtime.engine.context, clean_up=self.runtime.remove_unused_environments)
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
        backend = LiveBackend(self.engine_thread, self.runtime, self.queries, show=self._show, quit_app=self._quit)
        self.api = Dispatcher(backend, make_script_app_refusal if self.is_started_by_script else None)
        self.control_server = ControlServer(folder, self.api.dispatch, script_verbs=SCRIPT_VERBS)

    def start(self) -> None:
        """OSError if the control socket cannot be opened; the engine runs anyway."""
        self.engine_thread.start()
        self.control_server.open()

    def stop(self) -> None:
        """Accept no more commands and stop all runs; they continue at the next start."""
        self._has_ended = True
        self._keyring_timer.stop()
        self.runtime.connection_setup.cancel_sign_in()
        self._idle_timer.stop()
        self._urgent_timer.stop()
        self.control_server.close()
        self.engine_thread.stop()
        self.runtime.close()

    def close(self) -> None:
        """After `stop`: close the store cleanly, so that the next start need not check it."""
        close_store(self.database)

    def submit_for_user(self, command: Callable[[Engine], Result]) -> "Future[Result]":
        """Run what only the user may do, on the engine's thread. RefusedError if a script started this app."""
        if self.is_started_by_script:
            raise make_script_app_refusal()
        return self.engine_thread.submit(command)

    def is_idle(self) -> bool:
        """Nothing is running, ready or due. To be called on the engine's thread."""
        in_flight, repairs = self.runtime.engine.dispatch.in_flight, self.runtime.repairs
        return in_flight == 0 and self.queries.is_idle() and not repairs.is_repairing

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
            self.engine_thread.submit(lambda _: self.runtime.grant_commands.resume_keyring_waits())
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
        return self.runtime.engine

    def _show(self, file: str) -> str:
        self._forward(lambda: self.show_requested.emit(file))
        return self._show_answer

    def _quit(self) -> None:
        self._forward(self.quit_requested.emit)

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
