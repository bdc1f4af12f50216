"""Fifty workflows run and thousands of events arrive while the user searches the history.

Measures CPU time of the GUI thread, not waiting time, which depends on other tests running beside this one;
`./packaging/bench --only window` measures that, over a million runs."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.overview_watcher import OverviewWatcher
from app.session import Session
from app.window.history.page import HistoryPage
from app.window.main_window import MainWindow
from tests.app.app_fixture import Wait, started
from tests.app.watchdog import Watchdog
from tests.bench.window import fill

PAST_RUNS, EVENTS = 2_000, 5_000
MAX_COMPUTED_MS = 50


@pytest.fixture
def busy(qtbot: QtBot, tmp_path: Path) -> Iterator[Session]:
    fill(tmp_path / "data", PAST_RUNS)
    made = Session(tmp_path / "data")
    with started(made):
        yield made


def count_events(installation: Session) -> int:
    (number,) = installation._runtime.database.read().execute("SELECT sum(sequence) FROM workflows").fetchone()
    return int(number)


def test_the_gui_thread_never_computes_for_long(qtbot: QtBot, busy: Session, wait: Wait) -> None:
    window, watcher = MainWindow(busy), OverviewWatcher(busy)
    qtbot.addWidget(window)
    watcher.changed.connect(window.show_overview)
    window.bring_to_front()
    window.open_page("history")
    page = window.page
    assert isinstance(page, HistoryPage)
    wait(lambda: page.model.rowCount() > 0)
    before = count_events(busy)
    watchdog = Watchdog()
    with watchdog.watching():
        while count_events(busy) - before < EVENTS:
            for word in ("harbour", "museum", ""):
                page.filters.search_field.setText(word)
                wait(lambda word=word: page._shown is not None and page._shown.text == word)
    watcher.close()
    window.hide()
    assert len(watchdog.gaps) > 100
    assert max(gap.computed for gap in watchdog.gaps) < MAX_COMPUTED_MS
