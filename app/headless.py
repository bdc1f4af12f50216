"""The engine without a face: runs what is stored, says what happens, ends when asked to."""

import threading
from datetime import datetime
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QTimer

from app.host import Host
from app.platform.zone import machine_zone
from app.signals import EndSignals
from scheduler.engine.clock import Clock, SystemClock
from scheduler.engine.engine import Engine
from scheduler.engine.launcher import Announce, Announcement
from scheduler.engine.simple_launcher import SimpleLauncher
from scheduler.store.backups import back_up_if_due
from scheduler.store.errors import StoreError
from scheduler.store.health import close_store, open_store

_BACKUP_LOOK = 3_600_000
"""Milliseconds between two looks whether a backup is due."""


def run(folder: Path, seconds: float | None = None) -> int:
    """Run until the process is asked to end, or for so many seconds."""
    app = QCoreApplication.instance() or QCoreApplication([])
    clock = SystemClock()
    opened = open_store(folder, clock.now())
    if opened.damage is not None:
        _say(opened.damage.sentence)
    launcher = SimpleLauncher({})

    def make(announce: Announce) -> Engine:
        return Engine(opened.database, launcher, machine_zone=machine_zone(), clock=clock, announce=announce)

    host = Host(make)
    host.announced.connect(_hear)
    signals = EndSignals(app.quit)
    host.start()
    backups = QTimer(interval=_BACKUP_LOOK)
    backups.timeout.connect(lambda: _back_up(folder, clock))
    backups.start()
    _back_up(folder, clock)
    host.ask(_welcome).add_done_callback(lambda answer: _say(answer.result()))
    if seconds is not None:
        QTimer.singleShot(round(seconds * 1000), app.quit)
    app.exec()
    host.stop()
    launcher.close()
    close_store(opened.database)
    signals.deleteLater()
    return 0


def _back_up(folder: Path, clock: Clock) -> None:
    """Once a day, on a thread of its own since every page is read; one that fails is said and tried again."""

    def copy() -> None:
        try:
            back_up_if_due(folder, clock.now())
        except StoreError as error:
            _say(f"No backup could be made: {error}")

    threading.Thread(target=copy, name="backup").start()


def _welcome(engine: Engine) -> str:
    times = [view.row.next_at for view in engine.views.schedules() if view.row.next_at is not None]
    if not times:
        return "Dayhand is running. It has no schedules yet. Ctrl+C ends it."
    return f"Dayhand is running, {len(times)} schedules, the next at {_local(min(times))}. Ctrl+C ends it."


def _hear(announcement: Announcement) -> None:
    if announcement.sentence:
        _say(announcement.sentence)


def _local(instant: datetime) -> str:
    return f"{instant.astimezone():%a %d %b %H:%M}"


def _say(sentence: str) -> None:
    print(sentence, flush=True)
