"""Cyclic garbage is collected in the GUI thread only."""

import gc
import threading
import weakref

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.lifecycle.gui_gc import GuiGarbageCollector
from tests.app.app_fixture import LIMIT


class Cycle:
    """A reference cycle that records the thread in which it was destroyed."""

    def __init__(self, ended: list[str]) -> None:
        self.itself = self
        self.ended = ended

    def __del__(self) -> None:
        self.ended.append(threading.current_thread().name)


@pytest.fixture
def garbage(qtbot: QtBot) -> "GuiGarbageCollector":
    return GuiGarbageCollector()


def make_garbage(ended: list[str]) -> None:
    Cycle(ended)
    kept = [[] for _ in range(10_000)]
    del kept


def test_only_the_gui_thread_collects(qtbot: QtBot, garbage: GuiGarbageCollector) -> None:
    try:
        ended: list[str] = []
        worker = threading.Thread(target=make_garbage, args=(ended,), name="worker")
        worker.start()
        worker.join()
        assert ended == [], "automatic collection would have run after ten thousand lists"
        gathered = [[] for _ in range(2_000)]
        garbage.collect_soon()
        qtbot.waitUntil(lambda: bool(ended), timeout=LIMIT)
        assert ended == [threading.current_thread().name]
        del gathered
    finally:
        garbage.close()


def test_closing_enables_automatic_collection(garbage: GuiGarbageCollector) -> None:
    assert not gc.isenabled()
    garbage.close()
    assert gc.isenabled()
    assert gc.get_freeze_count() == 0


def test_reachable_objects_are_kept(qtbot: QtBot, garbage: GuiGarbageCollector) -> None:
    try:
        ended: list[str] = []
        cycle = Cycle(ended)
        alive = weakref.ref(cycle)
        gathered = [[] for _ in range(2_000)]
        garbage.collect_due()
        assert alive() is cycle and ended == []
        del gathered
    finally:
        garbage.close()


def test_the_timer_runs_only_while_the_window_is_active(qapp: QApplication, garbage: GuiGarbageCollector) -> None:
    try:
        qapp.applicationStateChanged.emit(Qt.ApplicationState.ApplicationActive)
        assert garbage._interval_timer.isActive()
        qapp.applicationStateChanged.emit(Qt.ApplicationState.ApplicationInactive)
        assert not garbage._interval_timer.isActive()
        assert garbage._delay_timer.isActive(), "one last collection"
    finally:
        garbage.close()
