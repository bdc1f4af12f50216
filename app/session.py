"""One data folder while the app runs with it: store, engine, and the socket that hears commands."""

import time
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from threading import Event

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from app.control.client import SILENT
from app.control.server import Control
from app.desk.desk import FOR_SCRIPTS, Desk
from app.desk.floor import Answer
from app.desk.served import ServedFloor
from app.host import Host
from app.keeping.entries import make_entries
from app.keeping.scratch import remove_leftovers
from app.platform.zone import machine_zone
from scheduler.connections.keeper import Keeper
from scheduler.connections.vault import Vault
from scheduler.connections.vault_errors import VaultError
from scheduler.engine.clock import Clock, SystemClock
from scheduler.engine.conditions import Conditions
from scheduler.engine.engine import Engine
from scheduler.engine.house import House
from scheduler.engine.launcher import Announce, Announcement
from scheduler.engine.refusal import RefusedError
from scheduler.engine.settings import Settings
from scheduler.engine.tidying import Tidying
from scheduler.engine.user_only import refuse_app_of_script
from scheduler.engine.workflows.views import WorkflowViews
from scheduler.store.health import Damage, close_store, open_store
from scheduler.workers.origin import is_app_of_script

_QUIET = 3_000
"""Milliseconds without news after which there is time to tidy up."""
_NOW_AND_THEN, _BREATH = 1_000, 50
"""Milliseconds after which, whatever happens, what cannot wait is looked for; and between two steps of it."""
_HEARING, _STEP = 10.0, 0.1
"""Seconds that the thread of the window may take to hear a wish, and between two looks whether that still matters."""
_KEYRING_LOOK = 3_000
"""Milliseconds between two looks at a keyring that was locked or away."""


class Installation(QObject):
    """The caller holds the folder's lock. Signals arrive in the thread that made it."""

    announced = Signal(object)
    """An Announcement: something changed that a person may be looking at."""
    told = Signal(str, str)
    """A workflow has a message for the person: title and text."""
    show_wanted = Signal(str)
    """The window, with a script to look at if there is one."""
    quit_wanted = Signal()
    _more_to_tidy = Signal()
    _more_to_keep_up = Signal()
    _keyring_changed = Signal(bool)
    _wished = Signal(object, object)

    def __init__(
        self,
        folder: Path,
        *,
        clock: Clock | None = None,
        conditions: Conditions | None = None,
        settings: Settings | None = None,
        shows: str = "Dayhand has no window; it runs in a terminal.",
        is_of_script: bool | None = None,
    ) -> None:
        """Whether a script started this app is found out, unless it is told."""
        super().__init__()
        self.is_of_script = is_app_of_script() if is_of_script is None else is_of_script
        """If so, it runs what is deployed and takes no answers."""
        self.folder = folder
        self._shows = shows
        self._listener: Announce = lambda _: None
        clock = clock or SystemClock()
        remove_leftovers(folder)
        opened = open_store(folder, clock.now())
        self.damage: Damage | None = opened.damage
        self.database = opened.database
        self._vault = Vault(changed=self._hear_keyring, entries=make_entries(folder, opened.database))
        self._has_ended = False
        self.house = House(
            opened.database,
            folder,
            machine_zone=machine_zone(),
            clock=clock,
            conditions=conditions,
            settings=settings,
            announce=self._announce,
            tell=self.told.emit,
            secrets=Keeper(clock.now, self._vault),
        )
        self.house.workshop.end_orphans()  # before there are workers of our own
        self.views = WorkflowViews(self.house.engine.context, self.house.plans, self.house.registry)
        self.host = Host(self._move_in, clock)
        self.host.announced.connect(self.announced)
        self.house.repairs.hand_over = lambda act: self.host.ask(lambda _: act())
        self._tidying = Tidying(self.house.engine.context, clean_up=self.house.remove_unused_environments)
        self._later = QTimer(self, singleShot=True, interval=_QUIET)
        self._later.timeout.connect(self._tidy)
        self._meanwhile = QTimer(self, singleShot=True)
        self._meanwhile.timeout.connect(self._keep_up)
        self.announced.connect(self._tidy_later)
        self._more_to_tidy.connect(self._tidy)
        self._more_to_keep_up.connect(self._go_on_keeping_up)
        self._keyring_look = QTimer(self, interval=_KEYRING_LOOK)
        self._keyring_look.timeout.connect(self._vault.look)
        self._keyring_changed.connect(self._follow_keyring)
        self._wished.connect(self._hear)
        floor = ServedFloor(self.host, self.house, self.views, show=self._show, quit_app=self._quit)
        self.desk = Desk(floor, refuse_app_of_script if self.is_of_script else None)
        self.control = Control(folder, self.desk.answer, for_scripts=FOR_SCRIPTS)

    def start(self) -> None:
        """OSError if commands cannot be heard; the engine runs all the same."""
        self.host.start()
        self.control.open()

    def end(self) -> None:
        """Hear no more commands and end what runs; it goes on at the next start."""
        self._has_ended = True
        self._keyring_look.stop()
        self.house.connecting.give_up()
        self._later.stop()
        self._meanwhile.stop()
        self.control.close()
        self.host.stop()
        self.house.close()

    def close(self) -> None:
        """After its end: leave the store so that the next start need not check it."""
        close_store(self.database)

    def ask_for_user(self, command: Callable[[Engine], Answer]) -> "Future[Answer]":
        """Something that only the user may do, on the engine's thread. RefusedError in an app of a script."""
        if self.is_of_script:
            raise refuse_app_of_script()
        return self.host.ask(command)

    def is_quiet(self) -> bool:
        """On the engine's thread: nothing runs, waits to run, or is due."""
        in_flight, repairs = self.house.engine.dispatch.in_flight, self.house.repairs
        return in_flight == 0 and self.views.is_quiet() and not repairs.is_under_way

    @Slot()
    def _tidy_later(self) -> None:
        """A while after something happened; while nothing does, nobody is woken."""
        self._later.start()
        if not self._meanwhile.isActive():
            self._meanwhile.start(_NOW_AND_THEN)

    @Slot()
    def _tidy(self) -> None:
        self.host.ask(self._tidy_if_quiet)

    @Slot()
    def _keep_up(self) -> None:
        """Though there are news all the time."""
        self.host.ask(lambda _: self._more_to_keep_up.emit() if self._tidying.keep_up() else None)

    @Slot()
    def _go_on_keeping_up(self) -> None:
        if not self._has_ended:
            self._meanwhile.start(_BREATH)

    def _tidy_if_quiet(self, engine: Engine) -> None:
        """On the engine's thread."""
        if engine.dispatch.in_flight == 0 and self._tidying.step():
            self._more_to_tidy.emit()

    def _hear_keyring(self, trouble: VaultError | None) -> None:
        """In any thread."""
        if self._has_ended:
            return
        if trouble is None:
            self.host.ask(lambda _: self.house.allowing.keyring_is_back())
        self._keyring_changed.emit(trouble is None)

    @Slot(bool)
    def _follow_keyring(self, is_there: bool) -> None:  # noqa: FBT001  Qt's way of calling
        """While it is away, look now and then, without a dialog, whether it is back."""
        if is_there or self._has_ended:
            self._keyring_look.stop()
        else:
            self._keyring_look.start()

    def _announce(self, announcement: Announcement) -> None:
        self._listener(announcement)

    def _move_in(self, announce: Announce) -> Engine:
        self._listener = announce
        return self.house.engine

    def _show(self, file: str) -> str:
        self._pass_on(lambda: self.show_wanted.emit(file))
        return self._shows

    def _quit(self) -> None:
        self._pass_on(self.quit_wanted.emit)

    def _pass_on(self, wish: Callable[[], None]) -> None:
        """To the thread of the window, from any other. One that hangs there does not say that all is well."""
        heard, give_up = Event(), time.monotonic() + _HEARING
        self._wished.emit(wish, heard)
        while not heard.wait(_STEP) and not self._has_ended:
            if time.monotonic() > give_up:
                raise RefusedError("silent", SILENT)

    @Slot(object, object)
    def _hear(self, wish: Callable[[], None], heard: Event) -> None:
        wish()
        heard.set()
