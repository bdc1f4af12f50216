"""Runs the desktop app in one process: open everything, run until the user quits, close everything in order.

The app starts again in the same process after the user imports an export.
"""

import logging
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QTimer

from app.auto_deploy import AutoDeployer
from app.channels.service import ChannelService
from app.data.backup_timer import BackupTimer
from app.data.log_file import open_log
from app.data.metrics_file import MetricsFile, metrics_folder, read_metrics_folder
from app.data.preferences import Preferences, read_preferences, set_aside_damaged
from app.engine_thread import EngineThread
from app.i18n.translate import translate_text
from app.lifecycle.crash import CrashReporter
from app.lifecycle.desktop_ui import DesktopUi, exit_event_loop
from app.lifecycle.early_tray import DesktopApplication
from app.lifecycle.gui_gc import GuiGarbageCollector
from app.lifecycle.process_exit import QuitDeadline, TerminationSignals
from app.lifecycle.startup import StartOptions
from app.platform.dbus import Bus
from app.platform.detect import session_bus, system_bus, watch_machine
from app.platform.machine_conditions import MachineConditions
from app.platform.user_presence import find_presence
from app.platform.zone import machine_zone
from app.session import Session
from app.theme.stylesheet import Theme
from app.theme.tokens import Tone
from app.tray.icon import TrayIcon
from scheduler import __version__
from scheduler.engine.clock import SystemClock
from scheduler.engine.data_folder import StoreError
from scheduler.engine.scheduling.engine import Engine
from scheduler.engine.settings import Settings

log = logging.getLogger(__name__)

_FIRST_BACKUP_MS = 120_000
"""Wait before the first backup: everything else starts then, and the user may be waiting."""
_FILE_CHECK_S = 60.0
"""Between two checks of the workflows' files: the system reports most changes immediately."""


def run(app: DesktopApplication, tray: TrayIcon, folder: Path, options: StartOptions) -> None:
    """Run until the user quits. The caller holds the folder's lock."""
    with open_log(folder) as log_file:
        log.info("Dayhand %s starts", __version__)
        try:
            path = _run_once(app, tray, folder, options, log_file)
        except StoreError as error:
            log.warning("Dayhand cannot start: %s", error)
            raise
        while path is not None:
            message, again = _import(folder, path), replace(options, background=False, script="")
            path = _run_once(app, _make_tray(app), folder, again, log_file, message=message)
        log.info("Dayhand ends")


def connect_engine(engine_thread: EngineThread, conditions: MachineConditions) -> None:
    """Report changes of the machine to the engine immediately, instead of at its next tick."""
    conditions.changed.connect(lambda: engine_thread.submit(Engine.wake))
    conditions.resumed.connect(lambda: engine_thread.submit(Engine.wake))
    conditions.zone_changed.connect(lambda zone: engine_thread.submit(lambda engine: engine.change_zone(zone)))


def is_first_start(session: Session, preferences: Preferences) -> bool:
    """Whether the user sees Dayhand for the first time."""
    return not preferences.welcomed and not session.queries.names()


def _make_tray(app: DesktopApplication) -> TrayIcon:
    bus = session_bus()
    tray = TrayIcon(bus)
    app.aboutToQuit.connect(bus.close)
    bus.open()
    return tray


def _import(folder: Path, path: Path) -> tuple[str, Tone]:
    """Import the export; the message to show after the restart."""
    from app.data.atomic_file import DataFileError  # noqa: PLC0415  loaded when needed
    from app.data.export import import_export  # noqa: PLC0415
    from app.window.settings.data_section import describe_import  # noqa: PLC0415

    try:
        imported = import_export(folder, path, SystemClock().now(), machine_zone())
    except (DataFileError, StoreError) as error:
        log.warning("%s was not imported: %s", path, error)
        return translate_text(str(error)), Tone.BAD
    return describe_import(imported), Tone.GOOD


def tell_author(ui: DesktopUi, session: Session, message: str) -> None:
    """That a saved script could not be used: its author looks at an editor, not at the window."""
    ui.status_message.emit(message)
    session.message_sent.emit(QCoreApplication.translate("restart", "Script not updated"), message)


def _run_once(
    app: DesktopApplication,
    tray: TrayIcon,
    folder: Path,
    options: StartOptions,
    log_file: Path,
    *,
    message: tuple[str, Tone] | None = None,
) -> Path | None:
    """Until the user quits, or wants to import an export, whose path is returned."""
    reset_message = set_aside_damaged(folder)
    parts = _open(app, tray, folder, log_file, lambda: _end_with_session(parts))
    try:
        parts.session.start()
    except OSError as error:
        parts.ui.show_status(translate_text(str(error)), Tone.BAD)
    watching = AutoDeployer(
        parts.session,
        parts.ui.status_message.emit,
        refuse=partial(tell_author, parts.ui, parts.session),
        poll_s=_FILE_CHECK_S,
    )
    backups = BackupTimer(folder, SystemClock(), parts.ui.status_message.emit, first_delay_ms=_FIRST_BACKUP_MS)
    metrics = MetricsFile(
        parts.session.queries,
        metrics_folder(parts.preferences),
        parts.ui.status_message.emit,
        reread=lambda: read_metrics_folder(parts.session.folder),
    )
    parts.ui.preferences_applied.connect(metrics.apply)
    parts.channels.start()
    parts.ui.start(options, shows_welcome=is_first_start(parts.session, parts.preferences))
    if parts.session.damage is not None:
        command = f"dayhand restore{options.folder_option}"
        parts.ui.show_status(translate_text(parts.session.damage.describe(command)), Tone.BAD)
    if reset_message:
        log.warning("%s", reset_message)
        parts.ui.show_status(reset_message, Tone.BAD)
    if message is not None:
        parts.ui.show_status(*message)
    if options.seconds is not None:
        QTimer.singleShot(round(options.seconds * 1000), app.quit)
    app.exec()
    if parts.ui.import_path is None:  # no deadline before an import: cutting off here would lose it
        parts.deadline.start()
    watching.close()
    backups.stop()
    metrics.stop()
    _close(parts)
    return parts.ui.import_path


@dataclass(frozen=True, slots=True, kw_only=True)
class _Parts:
    """What is open while the app runs."""

    preferences: Preferences
    garbage: GuiGarbageCollector
    system_bus: Bus
    session_bus: Bus
    session: Session
    look: Theme
    ui: DesktopUi
    crashes: CrashReporter
    channels: ChannelService
    deadline: QuitDeadline
    signals: TerminationSignals


def _open(
    app: DesktopApplication, tray: TrayIcon, folder: Path, log_file: Path, session_end: Callable[[], None]
) -> _Parts:
    preferences = read_preferences(folder)
    garbage = GuiGarbageCollector()
    machine_bus, user_bus = system_bus(), session_bus()
    conditions = watch_machine(machine_bus)
    presence = find_presence(machine_bus, user_bus, sys.platform)
    session = Session(
        folder,
        conditions=conditions,
        settings=preferences.apply_to(Settings()),
        show_answer="The window is in front now.",
    )
    look = Theme(app, preferences.appearance)
    ui = DesktopUi(session, conditions, user_bus, tray, preferences, look)
    crashes = CrashReporter(log_file, ui.visible_window)
    app.quit_requested.connect(ui.quit)
    deadline = QuitDeadline()
    signals = TerminationSignals(exit_event_loop, deadline)
    session.announced.connect(garbage.collect_soon)
    connect_engine(session.engine_thread, conditions)
    channels = ChannelService(session, presence)
    conditions.changed.connect(channels.retry)
    conditions.resumed.connect(channels.retry)
    conditions.session_ends.connect(session_end)
    machine_bus.open()
    return _Parts(
        preferences=preferences,
        garbage=garbage,
        system_bus=machine_bus,
        session_bus=user_bus,
        session=session,
        look=look,
        ui=ui,
        crashes=crashes,
        channels=channels,
        deadline=deadline,
        signals=signals,
    )


def _end_with_session(parts: _Parts) -> None:
    """The system waits for this and nothing after it, so the rest of the program does not run."""
    parts.deadline.start()
    _close(parts)
    log.info("Dayhand ends with the session")
    os._exit(0)


def _close(parts: _Parts) -> None:
    parts.channels.stop()
    parts.ui.close()
    parts.session_bus.close()
    parts.system_bus.close()
    parts.session.stop()
    parts.session.close()
    parts.crashes.close()
    parts.deadline.cancel()
    parts.signals.close()
    parts.look.deleteLater()
    parts.garbage.close()
