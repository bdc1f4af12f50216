"""Fifty workflows run and thousands of events arrive while the person searches in History: a watchdog looks.

What it judges is for how long the window's thread computed between two signs of life, not for how long a machine that
is busy with other tests let it wait; `./packaging/bench --only window` measures that, over a million runs."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.life.installation import Installation
from app.lookout import Lookout
from app.window.history import HistoryPage
from app.window.window import Window
from tests.app.living import Wait, alive
from tests.app.watchdog import Watchdog
from tests.bench.window import fill

PAST, EVENTS = 2_000, 5_000
LONGEST = 50
"""Milliseconds."""


@pytest.fixture
def busy(qtbot: QtBot, tmp_path: Path) -> Iterator[Installation]:
    fill(tmp_path / "data", PAST)
    made = Installation(tmp_path / "data")
    with alive(made):
        yield made


def count_events(installation: Installation) -> int:
    (number,) = installation.database.read().execute("SELECT sum(sequence) FROM workflows").fetchone()
    return int(number)


def test_the_windows_thread_computes_only_a_moment_at_a_time(qtbot: QtBot, busy: Installation, wait: Wait) -> None:
    window, lookout = Window(busy), Lookout(busy)
    qtbot.addWidget(window)
    lookout.changed.connect(window.show_overview)
    window.come_up()
    window.open_page("history")
    page = window.page
    assert isinstance(page, HistoryPage)
    wait(lambda: page.model.rowCount() > 0)
    before = count_events(busy)
    dog = Watchdog()
    with dog.watching():
        while count_events(busy) - before < EVENTS:
            for word in ("harbour", "museum", ""):
                page.filters.field.setText(word)
                wait(lambda word=word: page._shown is not None and page._shown.text == word)
    lookout.close()
    window.hide()
    assert len(dog.gaps) > 100
    assert max(gap.computed for gap in dog.gaps) < LONGEST
