"""The window's thread draws, and nothing stands in its way: the store is read elsewhere, and a watchdog looks."""

import sys
import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import FrameType
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from PySide6.QtCore import QTimer
from PySide6.QtGui import QStandardItemModel
from pytestqt.qtbot import QtBot

from app.life.installation import Installation
from app.lookout import Lookout
from app.watching import Watching
from app.window.history import HistoryPage
from app.window.history_model import Column, HistoryModel
from app.window.history_rows import Read, Row
from app.window.history_table import HistoryTable
from app.window.pages import PAGES
from app.window.window import Window
from app.window.workflows import WorkflowsPage
from app.words.states import RunState
from scheduler.store.database import Database
from tests.app.living import Wait, deploy
from tests.app.watchdog import Watchdog
from tests.app.window.filling import few

__all__ = ["few"]

NOW = datetime(2026, 11, 16, 12, tzinfo=UTC)
BUSY = 8


def make_rows(number: int) -> tuple[Row, ...]:
    return tuple(
        Row(
            key=f"run{place}",
            run=f"run{place}",
            at=NOW - timedelta(minutes=place),
            until=None,
            workflow="w",
            name="Receipts",
            state=list(RunState)[place % len(RunState)],
            what=f"Filed {place} receipts",
            took=timedelta(seconds=place),
        )
        for place in range(number)
    )


@pytest.fixture
def store_uses(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Who uses the store in the window's thread, while a test runs."""
    uses: list[str] = []
    watched = threading.get_ident()

    def note(name: str, real: Callable[..., Any]) -> Callable[..., Any]:
        def use(self: Database, *arguments: Any, **named: Any) -> Any:
            if threading.get_ident() == watched:
                caller = sys._getframe(1)
                uses.append(f"{name} in {Path(caller.f_code.co_filename).name}:{caller.f_lineno}")
            return real(self, *arguments, **named)

        return use

    for name in ("read", "write"):
        monkeypatch.setattr(Database, name, note(name, getattr(Database, name)))
    return uses


def stand_in_the_way(ended: Callable[[], bool]) -> None:
    """What no slot may do: it keeps the window's thread."""
    for _ in range(60_000):
        if ended():
            return
        threading.Event().wait(0.001)


def test_the_watchdog_names_what_stands_in_the_way(qtbot: QtBot, wait: Wait) -> None:
    dog = Watchdog()
    with dog.watching():
        QTimer.singleShot(0, lambda: stand_in_the_way(lambda: bool(dog.blocks and dog.blocks[-1].total() >= 3)))
        wait(lambda: any("stand_in_the_way" in stack for block in dog.blocks for stack in block))
        beats = len(dog.gaps)
        wait(lambda: len(dog.gaps) > beats)
    assert max(gap.own for gap in dog.gaps) > 0


def test_the_store_is_noticed_in_this_thread_and_not_in_others(few: Installation, store_uses: list[str]) -> None:
    """What the next tests rely on."""
    elsewhere = threading.Thread(target=few.views.workflows)
    elsewhere.start()
    elsewhere.join()
    assert not store_uses
    few.views.workflows()
    assert store_uses


@pytest.mark.parametrize("name", list(PAGES))
def test_no_page_reads_the_store_in_the_windows_thread(
    name: str, qtbot: QtBot, few: Installation, wait: Wait, store_uses: list[str]
) -> None:
    window = Window(few)
    qtbot.addWidget(window)
    window.come_up()
    window.open_page(name)
    page = window.pages[name]
    for _ in range(3):
        few.announced.emit(None)
        wait(lambda: not window._soon.isActive() and not page.asking._again)
    window.hide()
    assert store_uses == []


def test_neither_workflows_at_work_nor_a_filtered_history_touch_the_store_there(
    qtbot: QtBot, few: Installation, wait: Wait, store_uses: list[str]
) -> None:
    """Runs begin and end, the tray's overview follows, and the person types: all of it is read by other threads."""

    def deploy_all() -> None:
        for one in range(BUSY):
            deploy(few, f"Busy{one}", "ctx.done('Did it')")

    deploying = threading.Thread(target=deploy_all)
    deploying.start()
    wait(lambda: not deploying.is_alive())
    window, lookout = Window(few), Lookout(few)
    qtbot.addWidget(window)
    lookout.changed.connect(window.show_overview)
    window.come_up()
    window.open_page("history")
    page = window.page
    assert isinstance(page, HistoryPage)
    few.host.ask(lambda _: [few.house.commands.run(f"busy{one}") for one in range(BUSY)])
    wait(lambda: sum(row.what == "Did it" for row in page.model.rows) == BUSY)
    for word in ("rare", "Filed", ""):
        page.filters.field.setText(word)
        wait(lambda word=word: page._shown is not None and page._shown.text == word)
    page.open_subject(page.model.rows[0].run or "")
    wait(lambda: page.pane.details is not None)
    wait(lambda: lookout.latest is not None and len(lookout.latest.workflows) == 4 + BUSY)
    lookout.close()
    window.hide()
    assert store_uses == []


def test_the_files_of_workflows_are_watched_elsewhere(few: Installation, wait: Wait, store_uses: list[str]) -> None:
    """Whether after news, or now and then: a folder may be on a slow network."""
    looked: list[int] = []

    class Noting(Watching):
        def look(self) -> bool:
            looked.append(threading.get_ident())
            return super().look()

    watching = Noting(few, lambda _: None)
    wait(lambda: looked)
    few.announced.emit(None)
    wait(lambda: len(looked) > 1)
    watching.close()
    assert threading.get_ident() not in looked
    assert store_uses == []


def test_a_workflow_is_opened_and_left_without_the_store(
    qtbot: QtBot, few: Installation, wait: Wait, store_uses: list[str]
) -> None:
    page = WorkflowsPage(few)
    qtbot.addWidget(page)
    page.show()
    page.open_subject("chore-0")
    page.refresh()
    wait(lambda: page.pane.facts is not None)
    page.pane.back.click()
    assert store_uses == []


def test_the_table_is_drawn_without_a_single_call_of_python(qtbot: QtBot) -> None:
    """Each would wait until no other thread runs Python."""
    model = HistoryModel(ZoneInfo("UTC"))
    table = HistoryTable(model)
    qtbot.addWidget(table)
    table.resize(900, 700)
    model.start(Read(rows=make_rows(100), cursor=None), NOW)
    table.show()
    qtbot.waitExposed(table)
    table.viewport().repaint()  # once, so that Qt knows which of its methods are not ours
    calls: list[str] = []

    def note(frame: FrameType, event: str, _argument: Any) -> None:
        if event == "call":
            calls.append(frame.f_code.co_name)

    sys.setprofile(note)
    table.viewport().repaint()
    sys.setprofile(None)
    assert calls == []


def test_the_cells_have_words_and_the_results_a_shape(qtbot: QtBot) -> None:
    model = HistoryModel(ZoneInfo("UTC"))
    table = HistoryTable(model)
    qtbot.addWidget(table)
    model.start(Read(rows=make_rows(1), cursor=None), NOW)
    assert isinstance(model, QStandardItemModel)
    assert [model.horizontalHeaderItem(column).text() for column in Column] == [
        "When",
        "Result",
        "Workflow",
        "What happened",
        "Took",
    ]
    assert model.item(0, Column.WHAT).text() == "Filed 0 receipts"
    assert model.item(0, Column.RESULT).accessibleText() == "Done"
    assert not model.item(0, Column.RESULT).icon().isNull()
    assert table.editTriggers() == table.EditTrigger.NoEditTriggers
    assert model.tip(model.index(0, Column.WHEN)) == "2026-11-16 12:00:00 UTC"
    assert model.tip(model.index(0, Column.WHAT)) == "Filed 0 receipts"


def test_what_comes_between_and_what_goes_leaves_the_others_where_they_are(qtbot: QtBot) -> None:
    model = HistoryModel(ZoneInfo("UTC"))
    rows = make_rows(6)
    model.start(Read(rows=(rows[1], rows[2], rows[4]), cursor="more"), NOW)
    model.append(Read(rows=(rows[5],), cursor="more"))
    stays = model.item(1, Column.WHAT)
    model.renew(Read(rows=(rows[0], rows[2], rows[3], rows[4]), cursor="more"), NOW)
    assert [row.key for row in model.rows] == ["run0", "run2", "run3", "run4", "run5"]
    assert [model.item(place, Column.WHAT).text() for place in range(5)] == [
        f"Filed {number} receipts" for number in (0, 2, 3, 4, 5)
    ]
    assert model.item(1, Column.WHAT) is stays
    model.renew(Read(rows=(rows[2], rows[4]), cursor=None), NOW)
    assert [row.key for row in model.rows] == ["run2", "run4"] and model.rowCount() == 2


def test_after_midnight_today_is_yesterday_in_every_row(qtbot: QtBot) -> None:
    model = HistoryModel(ZoneInfo("UTC"))
    rows = make_rows(3)
    model.start(Read(rows=rows[:1], cursor="more"), NOW)
    model.append(Read(rows=rows[1:], cursor="more"))
    assert model.item(2, Column.WHEN).text() == "Today 11:58"
    model.renew(Read(rows=rows[:1], cursor="more"), NOW + timedelta(days=1))
    assert [model.item(place, Column.WHEN).text() for place in range(3)] == [
        "Yesterday 12:00",
        "Yesterday 11:59",
        "Yesterday 11:58",
    ]
