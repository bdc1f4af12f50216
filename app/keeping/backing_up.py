"""Backups by themselves: looks now and then whether one is due, and makes it on a thread of its own."""

import threading
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QTimer

from scheduler.engine.clock import Clock
from scheduler.store.backups import back_up_if_due
from scheduler.store.errors import StoreError

_LOOK = 3_600_000
"""Milliseconds between two looks whether a backup is due."""


def back_up_now_and_then(folder: Path, clock: Clock, say: Callable[[str], None], *, first: int = 0) -> QTimer:
    """Once a day, on a thread of its own since every page is read; one that fails is said and tried again.

    The first look comes after so many milliseconds.
    """

    def copy() -> None:
        try:
            back_up_if_due(folder, clock.now())
        except StoreError as error:
            say(QCoreApplication.translate("backing up", "No backup could be made: {why}").format(why=error))

    def look() -> None:
        timer.start(_LOOK)
        threading.Thread(target=copy, name="backup").start()

    timer = QTimer()
    timer.timeout.connect(look)
    timer.start(first)
    return timer
