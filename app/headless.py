"""The engine without a face: runs what is stored, says what happens, ends when asked to."""

from datetime import datetime
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QTimer

from app.host import Host
from app.platform.zone import machine_zone
from app.signals import EndSignals
from scheduler.engine.clock import SystemClock
from scheduler.engine.engine import Engine
from scheduler.engine.launcher import Announce, Announcement
from scheduler.engine.simple_launcher import SimpleLauncher
from scheduler.store.health import close_store, open_store


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
    host.ask(_welcome).add_done_callback(lambda answer: _say(answer.result()))
    if seconds is not None:
        QTimer.singleShot(round(seconds * 1000), app.quit)
    app.exec()
    host.stop()
    launcher.close()
    close_store(opened.database)
    signals.deleteLater()
    return 0


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
