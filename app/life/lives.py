"""The lives of the app: everything is put together, runs until the person quits, and is taken down in good order.

One life follows another where the person goes on from an export.
"""

import logging
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QTimer

from app.keeping.backing_up import BackupTimer
from app.keeping.logbook import keep_log
from app.keeping.preferences import Preferences, read_preferences, set_aside_damaged
from app.life.appearing import App
from app.life.crash import Crashes
from app.life.garbage import Garbage
from app.life.installation import Installation
from app.life.quit_deadline import QuitDeadline
from app.life.shell import Shell, end_app
from app.life.signals import EndSignals
from app.life.wanted import Wanted
from app.look.dressing import Look
from app.look.theme import Tone
from app.platform.attuning import attune
from app.platform.machine import session_bus, system_bus, watch_machine
from app.tray.icon import Tray
from app.watching import Watching
from app.words.interpreting import interpret
from scheduler import __version__
from scheduler.engine.clock import SystemClock
from scheduler.engine.settings import Settings
from scheduler.store.errors import StoreError

log = logging.getLogger(__name__)

_CALM = 120_000
"""Milliseconds after the start before a backup is made: everything else starts then, and the person may be waiting."""
_FILES = 60.0
"""Seconds between two looks at the files of workflows: the system tells of most changes at once."""


def run(app: App, tray: Tray, folder: Path, wanted: Wanted) -> None:
    """Run until the person quits. The caller holds the folder's lock."""
    with keep_log(folder) as log_file:
        log.info("Dayhand %s starts", __version__)
        try:
            path = _live(app, tray, folder, wanted, log_file)
        except StoreError as error:
            log.warning("It cannot: %s", error)
            raise
        while path is not None:
            first, again = _take_in(folder, path), replace(wanted, background=False, script="")
            path = _live(app, _make_tray(app), folder, again, log_file, first=first)
        log.info("Dayhand ends")


def _make_tray(app: App) -> Tray:
    bus = session_bus()
    tray = Tray(bus)
    app.aboutToQuit.connect(bus.close)
    bus.open()
    return tray


def _take_in(folder: Path, path: Path) -> tuple[str, Tone]:
    """Between two lives of the app; what the next one says first."""
    from app.keeping.bundle import BundleError  # noqa: PLC0415  loaded when needed
    from app.keeping.export import read_export  # noqa: PLC0415
    from app.window.settings_data import say_taken  # noqa: PLC0415

    try:
        taken = read_export(folder, path, SystemClock().now())
    except (BundleError, StoreError) as error:
        log.warning("%s was not taken in: %s", path, error)
        return interpret(str(error)), Tone.BAD
    return say_taken(taken), Tone.GOOD


def _live(
    app: App,
    tray: Tray,
    folder: Path,
    wanted: Wanted,
    log_file: Path,
    *,
    first: tuple[str, Tone] | None = None,
) -> Path | None:
    """Until the person quits, or wants to go on from an export, which is returned. `first` is said first."""
    begun_anew = set_aside_damaged(folder)
    preferences = read_preferences(folder)
    garbage = Garbage()
    machine, session = system_bus(), session_bus()
    moods = watch_machine(machine)
    installation = Installation(
        folder,
        conditions=moods,
        settings=preferences.settle(Settings()),
        shows="Its window is in front now.",
    )
    look = Look(app, preferences.appearance)
    shell = Shell(installation, moods, session, tray, preferences, look)
    crashes = Crashes(log_file, shell.window_if_shown)
    app.quit_asked.connect(shell.leave)
    deadline = QuitDeadline()
    signals = EndSignals(end_app, deadline)
    installation.announced.connect(garbage.stir)
    attune(installation.host, moods)
    machine.open()
    try:
        installation.start()
    except OSError as error:
        shell.say(interpret(str(error)), Tone.BAD)
    watching = Watching(installation, shell.said.emit, look=_FILES)
    backups = BackupTimer(folder, SystemClock(), shell.said.emit, first=_CALM)
    shell.start(wanted, greets=is_new(installation, preferences))
    if installation.damage is not None:
        command = f"dayhand restore{wanted.folder_option}"
        shell.say(interpret(installation.damage.say(command)), Tone.BAD)
    if begun_anew:
        log.warning("%s", begun_anew)
        shell.say(begun_anew, Tone.BAD)
    if first is not None:
        shell.say(*first)
    if wanted.seconds is not None:
        QTimer.singleShot(round(wanted.seconds * 1000), app.quit)
    app.exec()
    if shell.wanted_import is None:  # what ends for an import must not be cut off: the import comes after it
        deadline.begin()
    watching.close()
    backups.stop()
    shell.close()
    session.close()
    machine.close()
    installation.end()
    installation.close()
    crashes.close()
    deadline.met()
    signals.close()
    look.deleteLater()
    garbage.close()
    return shell.wanted_import


def is_new(installation: Installation, preferences: Preferences) -> bool:
    """Whether the person sees Dayhand for the first time."""
    return not preferences.welcomed and not installation.views.names()
