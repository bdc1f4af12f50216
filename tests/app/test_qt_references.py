"""The installed Qt binding must not lose references: 6.12.0 did on Python 3.11, and aborted within minutes."""

import sys

from PySide6.QtCore import QCoreApplication, QObject, Signal
from pytestqt.qtbot import QtBot

EMITS = 5_000
NOISE = 500
"""Other code in this process may change the counts slightly; a loss per call changes them by thousands."""


class Bell(QObject):
    rung = Signal(bool)


def test_signals_and_void_calls_do_not_change_reference_counts(qtbot: QtBot) -> None:
    bell = Bell()
    received: list[bool] = []
    bell.rung.connect(received.append)
    singletons = (None, True, False)
    before = [sys.getrefcount(value) for value in singletons]
    for _ in range(EMITS):
        bell.rung.emit(singletons[1])
        received.clear()
        bell.setObjectName("bell")
        QCoreApplication.processEvents()
    for value, count in zip(singletons, before, strict=True):
        assert abs(sys.getrefcount(value) - count) < NOISE, f"references to {value} drift"
