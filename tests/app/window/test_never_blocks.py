"""The GUI thread never reads the store, and a watchdog notices when it is blocked."""

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

from app.auto_deploy import AutoDeployer
from app.i18n.state_labels import RunState
from app.overview_watcher import OverviewWatcher
from app.session import Session
from app.window.history.history_data import HistoryRow, HistoryRows
from app.window.history.model import HistoryColumn, HistoryModel
from app.window.history.page import HistoryPage
from app.window.history.table import HistoryTable
from app.window.main_window import MainWindow
from app.window.navigation import PAGES
from app.window.workflows.page import WorkflowsPage
from scheduler.store.database import Database
from tests.app.app_fixture import Wait, deploy
from tests.app.watchdog import Watchdog
from tests.app.window.session_fixture import few

__all__ = ["few"]

NOW = datetime(2026, 11, 16, 12, tzinfo=UTC)
BUSY = 8


def make_rows(number: int) -> tuple[HistoryRow, ...]:
    return tuple(
        HistoryRow(
            key=f"run{place}",
            run=f"run{place}",
            at=NOW - timedelta(minutes=place),
            until=None,
            workflow="w",
            name="Receipts",
            state=list(RunState)[place % len(RunState)],
            what=f"Filed {place} receipts",
            duration=timedelta(seconds=place),
        )
        for place in range(number)
    )


@pytest.fixture
def store_uses(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Every use of the store in the GUI thread during a test."""
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


def block_until(ended: Callable[[], bool]) -> None:
    """What no slot may do: block the GUI thread."""
    for _ in range(60_000):
        if ended():
            return
        threading.Event().wait(0.001)


def test_the_watchdog_names_what_blocks_the_gui_thread(qtbot: QtBot, wait: Wait) -> None:
    dog = Watchdog()
    with dog.watching():
        QTimer.singleShot(0, lambda: block_until(lambda: bool(dog.blocks and dog.blocks[-1].total() >= 3)))
        wait(lambda: any("block_until" in stack for block in dog.blocks for stack in block))
        beats = len(dog.gaps)
        wait(lambda: len(dog.gaps) > beats)
    assert max(gap.own for gap in dog.gaps) > 0


def test_store_uses_are_recorded_in_this_thread_and_not_in_others(few: Session, store_uses: list[str]) -> None:
    """The next tests rely on this."""
    elsewhere = threading.Thread(target=few.queries.workflows)
    elsewhere.start()
    elsewhere.join()
    assert not store_uses
    few.queries.workflows()
    assert store_uses


@pytest.mark.parametrize("name", list(PAGES))
def test_no_page_reads_the_store_in_the_gui_thread(
    name: str, qtbot: QtBot, few: Session, wait: Wait, store_uses: list[str]
) -> None:
    window = MainWindow(few)
    qtbot.addWidget(window)
    window.bring_to_front()
    window.open_page(name)
    page = window.pages[name]
    for _ in range(3):
        few.announced.emit(None)
        wait(lambda: not window._refresh_timer.isActive() and not page.background._pending)
    window.hide()
    assert store_uses == []


def test_neither_running_workflows_nor_filtering_read_the_store_in_the_gui_thread(
    qtbot: QtBot, few: Session, wait: Wait, store_uses: list[str]
) -> None:
    """Runs start and end, the overview follows, and the user types: other threads do all the reading."""

    def deploy_all() -> None:
        for one in range(BUSY):
            deploy(few, f"Busy{one}", "ctx.done('Did it')")

    deploying = threading.Thread(target=deploy_all)
    deploying.start()
    wait(lambda: not deploying.is_alive())
    window, watcher = MainWindow(few), OverviewWatcher(few)
    qtbot.addWidget(window)
    watcher.changed.connect(window.show_overview)
    window.bring_to_front()
    window.open_page("history")
    page = window.page
    assert isinstance(page, HistoryPage)
    few.engine_thread.submit(lambda _: [few._runtime.workflow_commands.run(f"busy{one}") for one in range(BUSY)])
    wait(lambda: sum(row.what == "Did it" for row in page.model.rows) == BUSY)
    for word in ("rare", "Filed", ""):
        page.filters.search_field.setText(word)
        wait(lambda word=word: page._shown is not None and page._shown.text == word)
    page.open_subject(page.model.rows[0].run or "")
    wait(lambda: page.pane.details is not None)
    wait(lambda: watcher.latest is not None and len(watcher.latest.workflows) == 4 + BUSY)
    watcher.close()
    window.hide()
    assert store_uses == []


def test_script_files_are_not_watched_in_the_gui_thread(few: Session, wait: Wait, store_uses: list[str]) -> None:
    """A folder may be on a slow network."""
    threads: list[int] = []

    class RecordingWatcher(AutoDeployer):
        def check_files(self) -> bool:
            threads.append(threading.get_ident())
            return super().check_files()

    watching = RecordingWatcher(few, lambda _: None)
    wait(lambda: threads)
    few.announced.emit(None)
    wait(lambda: len(threads) > 1)
    watching.close()
    assert threading.get_ident() not in threads
    assert store_uses == []


def test_opening_and_leaving_a_workflow_reads_nothing_in_the_gui_thread(
    qtbot: QtBot, few: Session, wait: Wait, store_uses: list[str]
) -> None:
    page = WorkflowsPage(few)
    qtbot.addWidget(page)
    page.show()
    page.open_subject("chore-0")
    page.refresh()
    wait(lambda: page.pane.data is not None)
    page.pane.back.click()
    assert store_uses == []


def test_the_table_is_painted_without_calling_python(qtbot: QtBot) -> None:
    """Each call would have to wait for the interpreter lock."""
    model = HistoryModel(ZoneInfo("UTC"))
    table = HistoryTable(model)
    qtbot.addWidget(table)
    table.resize(900, 700)
    model.replace_rows(HistoryRows(rows=make_rows(100), cursor=None), NOW)
    table.show()
    qtbot.waitExposed(table)
    table.viewport().repaint()  # once, so that Qt caches which methods are not overridden
    calls: list[str] = []

    def note(frame: FrameType, event: str, _argument: Any) -> None:
        if event == "call":
            calls.append(frame.f_code.co_name)

    sys.setprofile(note)
    table.viewport().repaint()
    sys.setprofile(None)
    assert calls == []


def test_cells_have_text_and_results_have_an_icon(qtbot: QtBot) -> None:
    model = HistoryModel(ZoneInfo("UTC"))
    table = HistoryTable(model)
    qtbot.addWidget(table)
    model.replace_rows(HistoryRows(rows=make_rows(1), cursor=None), NOW)
    assert isinstance(model, QStandardItemModel)
    assert [model.horizontalHeaderItem(column).text() for column in HistoryColumn] == [
        "When",
        "Result",
        "Workflow",
        "Job",
        "Originally",
        "What happened",
        "Duration",
    ]
    assert model.item(0, HistoryColumn.WHAT).text() == "Filed 0 receipts"
    assert model.item(0, HistoryColumn.RESULT).accessibleText() == "Done"
    assert not model.item(0, HistoryColumn.RESULT).icon().isNull()
    assert table.editTriggers() == table.EditTrigger.NoEditTriggers
    assert model.tooltip(model.index(0, HistoryColumn.WHEN)) == "2026-11-16 12:00:00 UTC"
    assert model.tooltip(model.index(0, HistoryColumn.WHAT)) == "Filed 0 receipts"


def test_inserted_and_removed_rows_leave_the_others_in_place(qtbot: QtBot) -> None:
    model = HistoryModel(ZoneInfo("UTC"))
    rows = make_rows(6)
    model.replace_rows(HistoryRows(rows=(rows[1], rows[2], rows[4]), cursor="more"), NOW)
    model.append(HistoryRows(rows=(rows[5],), cursor="more"))
    stays = model.item(1, HistoryColumn.WHAT)
    model.update_rows(HistoryRows(rows=(rows[0], rows[2], rows[3], rows[4]), cursor="more"), NOW)
    assert [row.key for row in model.rows] == ["run0", "run2", "run3", "run4", "run5"]
    assert [model.item(place, HistoryColumn.WHAT).text() for place in range(5)] == [
        f"Filed {number} receipts" for number in (0, 2, 3, 4, 5)
    ]
    assert model.item(1, HistoryColumn.WHAT) is stays
    model.update_rows(HistoryRows(rows=(rows[2], rows[4]), cursor=None), NOW)
    assert [row.key for row in model.rows] == ["run2", "run4"] and model.rowCount() == 2


def test_after_midnight_today_is_yesterday_in_every_row(qtbot: QtBot) -> None:
    model = HistoryModel(ZoneInfo("UTC"))
    rows = make_rows(3)
    model.replace_rows(HistoryRows(rows=rows[:1], cursor="more"), NOW)
    model.append(HistoryRows(rows=rows[1:], cursor="more"))
    assert model.item(2, HistoryColumn.WHEN).text() == "Today 11:58"
    model.update_rows(HistoryRows(rows=rows[:1], cursor="more"), NOW + timedelta(days=1))
    assert [model.item(place, HistoryColumn.WHEN).text() for place in range(3)] == [
        "Yesterday 12:00",
        "Yesterday 11:59",
        "Yesterday 11:58",
    ]
