"""Garbage is collected in the GUI thread alone."""

import gc
import threading
import weakref

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.life.garbage import Garbage
from tests.app.living import LIMIT


class Knot:
    """Something in a cycle; says in which thread it ended."""

    def __init__(self, ended: list[str]) -> None:
        self.itself = self
        self.ended = ended

    def __del__(self) -> None:
        self.ended.append(threading.current_thread().name)


@pytest.fixture
def garbage(qtbot: QtBot) -> "Garbage":
    return Garbage()


def make_much(ended: list[str]) -> None:
    Knot(ended)
    kept = [[] for _ in range(10_000)]
    del kept


def test_no_other_thread_collects_and_the_gui_thread_does_soon(qtbot: QtBot, garbage: Garbage) -> None:
    try:
        ended: list[str] = []
        worker = threading.Thread(target=make_much, args=(ended,), name="worker")
        worker.start()
        worker.join()
        assert ended == [], "with collection on, ten thousand lists would have set it off"
        gathered = [[] for _ in range(2_000)]
        garbage.stir()
        qtbot.waitUntil(lambda: bool(ended), timeout=LIMIT)
        assert ended == [threading.current_thread().name]
        del gathered
    finally:
        garbage.close()


def test_closing_gives_collection_back_to_python(garbage: Garbage) -> None:
    assert not gc.isenabled()
    garbage.close()
    assert gc.isenabled()
    assert gc.get_freeze_count() == 0


def test_what_is_not_garbage_stays(qtbot: QtBot, garbage: Garbage) -> None:
    try:
        ended: list[str] = []
        knot = Knot(ended)
        alive = weakref.ref(knot)
        gathered = [[] for _ in range(2_000)]
        garbage.look()
        assert alive() is knot and ended == []
        del gathered
    finally:
        garbage.close()


def test_nobody_is_woken_to_collect_while_nobody_works_with_the_window(qapp: QApplication, garbage: Garbage) -> None:
    try:
        qapp.applicationStateChanged.emit(Qt.ApplicationState.ApplicationActive)
        assert garbage._often.isActive()
        qapp.applicationStateChanged.emit(Qt.ApplicationState.ApplicationInactive)
        assert not garbage._often.isActive()
        assert garbage._soon.isActive(), "once more, for what was left behind"
    finally:
        garbage.close()
