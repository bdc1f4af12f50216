"""The History page: runs and times that did not run, filters, loading on scroll, and one run in detail."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Event
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from PySide6.QtCore import QDate, QModelIndex, QPoint, Qt
from PySide6.QtWidgets import QFileDialog, QLabel, QPushButton, QTableView
from pytestqt.qtbot import QtBot

from app.background import run_command
from app.i18n.state_labels import RunState
from app.session import Session
from app.window.history.history_data import HistoryRow, HistoryRows, read_folded_page, read_page
from app.window.history.model import HistoryColumn, HistoryModel
from app.window.history.page import HistoryPage
from app.window.history.run_details import StepBars
from scheduler.engine.queries.requests import RequestView
from scheduler.rules.history_query import HistoryQuery
from scheduler.rules.phases import RunPhase, RunStatus
from tests.app.app_fixture import Wait, deploy
from tests.app.window.sample_data import add_run
from tests.app.window.session_fixture import few

__all__ = ["few"]

NOW = datetime(2026, 11, 16, 12, 0, 30, tzinfo=UTC)


def row(key: str, state: RunState = RunState.DONE, minutes: int = 0, **facts: str | None) -> HistoryRow:
    return HistoryRow(
        key=key,
        run=key,
        at=NOW - timedelta(minutes=minutes),
        until=None,
        workflow="w",
        name="W",
        state=state,
        what=facts.get("what") or "Done",
        duration=timedelta(seconds=4),
        retry_of=facts.get("retry_of"),
    )


@pytest.fixture
def model(qtbot: QtBot) -> HistoryModel:
    return HistoryModel(ZoneInfo("UTC"))


@pytest.fixture
def page(qtbot: QtBot, few: Session, wait: Wait) -> HistoryPage:
    made = HistoryPage(few)
    qtbot.addWidget(made)
    made.resize(1100, 700)
    made.show()
    made.refresh()
    wait(lambda: made.model.rowCount() > 0)
    return made


def keys(model: HistoryModel) -> list[str]:
    return [one.key for one in model.rows]


def buttons(page: HistoryPage) -> dict[str, QPushButton]:
    return {one.text(): one for one in page.pane.findChildren(QPushButton) if one.isVisibleTo(page.pane)}


def said(page: HistoryPage) -> str:
    return "\n".join(one.text() for one in page.pane.findChildren(QLabel) if one.isVisibleTo(page.pane))


def test_new_rows_are_inserted_on_top_and_nothing_else_moves(model: HistoryModel) -> None:
    old = [row("b", minutes=1), row("a", minutes=2)]
    model.replace_rows(HistoryRows(rows=tuple(old), cursor=None), NOW)
    resets: list[bool] = []
    model.modelReset.connect(lambda: resets.append(True))
    model.update_rows(HistoryRows(rows=(row("c"), *old), cursor=None), NOW)
    assert keys(model) == ["c", "b", "a"] and not resets
    changed: list[int] = []
    model.dataChanged.connect(lambda first, _: changed.append(first.row()))
    model.update_rows(HistoryRows(rows=(row("c", RunState.FAILED), *old), cursor=None), NOW)
    assert changed == [0] and model.rows[0].state is RunState.FAILED


def test_rows_further_down_stay_when_the_first_page_is_read_again(model: HistoryModel) -> None:
    model.replace_rows(HistoryRows(rows=(row("c"), row("b", minutes=1)), cursor="x"), NOW)
    model.append(HistoryRows(rows=(row("a", minutes=2),), cursor=None))
    model.update_rows(HistoryRows(rows=(row("d"), row("c")), cursor="y"), NOW)
    assert keys(model) == ["d", "c", "b", "a"]


def test_a_first_page_without_known_rows_replaces_all(model: HistoryModel) -> None:
    model.replace_rows(HistoryRows(rows=(row("a"),), cursor=None), NOW)
    model.update_rows(HistoryRows(rows=(row("z"), row("y")), cursor=None), NOW)
    assert keys(model) == ["z", "y"]


def test_more_rows_are_requested_once_at_a_time(qtbot: QtBot) -> None:
    asked: list[str] = []
    model = HistoryModel(ZoneInfo("UTC"), fetch_page=asked.append)
    model.replace_rows(HistoryRows(rows=(row("b"),), cursor="here"), NOW)
    for _ in range(3):
        model.fetchMore(QModelIndex())
    assert asked == ["here"]
    model.append(HistoryRows(rows=(row("b"), row("a", minutes=1)), cursor=None))
    assert keys(model) == ["b", "a"]
    assert not model.canFetchMore(QModelIndex())


@pytest.mark.parametrize("state", [RunState.RETRYING, RunState.WAITING])
def test_a_waiting_row_below_the_first_page_fails_once_another_attempt_follows(
    model: HistoryModel, state: RunState
) -> None:
    """Only the first page is read again."""
    model.replace_rows(HistoryRows(rows=(row("b"),), cursor="here"), NOW)
    model.append(HistoryRows(rows=(row("one", state, minutes=5), row("other", state, minutes=6)), cursor=None))
    model.update_rows(HistoryRows(rows=(row("two", retry_of="one"), row("b")), cursor="here"), NOW)
    assert [one.state for one in model.rows] == [RunState.DONE, RunState.DONE, RunState.FAILED, state]
    assert model.index(2, HistoryColumn.RESULT).data(Qt.ItemDataRole.AccessibleTextRole) == "Failed"


def test_an_attempt_followed_by_another_is_listed_as_failed(few: Session) -> None:
    """And not among the waiting ones."""
    now = few.now()
    add_run(few, "lost", "chore-0", now, status=RunStatus.APPROVAL, followed=True, summary="")
    add_run(few, "asks", "chore-0", now, status=RunStatus.APPROVAL, phase=RunPhase.PREPARED, ended=None, summary="")
    add_run(few, "crashed", "chore-0", now, status=RunStatus.CRASHED, followed=True, summary="")
    for result in ("failed", "waiting", "retrying"):
        rows = read_page(few, HistoryQuery(statuses=(result,)), None, 100).rows
        assert {one.state.value for one in rows} <= {result}
        known = {one.run for one in rows} & {"lost", "asks", "crashed"}
        assert known == {"failed": {"lost", "crashed"}, "waiting": {"asks"}, "retrying": set()}[result]


def test_times_are_shown_in_the_local_zone(qtbot: QtBot) -> None:
    model = HistoryModel(ZoneInfo("Asia/Tokyo"))
    model.replace_rows(HistoryRows(rows=(row("a"),), cursor=None), NOW)
    assert model.index(0, HistoryColumn.WHEN).data() == "Today 21:00"
    assert model.index(0, HistoryColumn.DURATION).data() == "4.0 s"


def test_every_time_that_did_not_run_has_a_row_with_its_reason(page: HistoryPage, wait: Wait) -> None:
    page.filters.result.setCurrentIndex(page.filters.result.findData("missed"))
    wait(lambda: {one.state for one in page.model.rows} == {RunState.MISSED})
    assert {one.what for one in page.model.rows} == {
        "Its time passed while the computer or Dayhand was off, asleep or paused, or the clock was set ahead."
    }
    page.filters.result.setCurrentIndex(page.filters.result.findData("skipped"))
    wait(lambda: {one.state for one in page.model.rows} == {RunState.SKIPPED})
    page.table.selectRow(0)
    wait(page.row_pane.isVisible)
    assert page.row_pane.heading.text() == "The previous run was still running."
    assert not page.pane.isVisible()


def test_rows_are_filtered_by_text_and_workflow(page: HistoryPage, few: Session, wait: Wait) -> None:
    add_run(few, "special", "chore-1", few.now(), summary="Found a rare stamp")
    page.filters.search_field.setText("stamp")
    wait(lambda: [one.run for one in page.model.rows] == ["special"])
    page.filters.search_field.setText("nothing like it")
    wait(lambda: page.body.currentWidget() is page.no_results)
    assert page.no_results.button is not None
    page.no_results.button.click()
    wait(lambda: page.model.rowCount() > 10)
    page.filters.workflow.setCurrentIndex(page.filters.workflow.findData("chore-1"))
    wait(lambda: {one.workflow for one in page.model.rows} == {"chore-1"})


def test_a_new_search_does_not_wait_for_an_old_one(
    page: HistoryPage, few: Session, wait: Wait, monkeypatch: pytest.MonkeyPatch
) -> None:
    add_run(few, "special", "chore-1", few.now(), summary="Found a rare stamp")
    started, may_continue = Event(), Event()

    def read_slowly(installation: Session, wanted: HistoryQuery, *rest: Any) -> HistoryRows:
        if not wanted.text:
            started.set()
            may_continue.wait(60)
        return read_folded_page(installation, wanted, *rest)

    monkeypatch.setattr("app.window.history.page.read_folded_page", read_slowly)
    page.filters.workflow.setCurrentIndex(page.filters.workflow.findData("chore-0"))
    wait(started.is_set)
    try:
        page.filters.workflow.setCurrentIndex(0)
        page.filters.search_field.setText("stamp")
        wait(lambda: [one.run for one in page.model.rows] == ["special"])
    finally:
        may_continue.set()
    page.background.run(lambda: None, lambda _: started.clear())  # handled after the late answer
    wait(lambda: not started.is_set())
    assert [one.run for one in page.model.rows] == ["special"]


def test_the_count_follows_the_filters(page: HistoryPage, few: Session, wait: Wait) -> None:
    now = few.now()
    for number in range(120):
        add_run(few, f"shell{number:03}", "chore-1", now, summary="Found a shell")
    for number in range(60):
        add_run(few, f"stamp{number:03}", "chore-1", now, summary="Found a stamp")
    page.filters.search_field.setText("shell")
    wait(lambda: page.count.text() == "Latest 50 of 120; scroll for more")
    page.filters.search_field.setText("stamp")
    wait(lambda: page.count.text() == "Latest 50 of 60; scroll for more")
    add_run(few, "stamp060", "chore-1", now, summary="Found a stamp")
    page.refresh()
    wait(lambda: page.count.text() == "Latest 51 of 61; scroll for more")


def test_rows_are_filtered_by_a_custom_range(page: HistoryPage, few: Session, wait: Wait) -> None:
    context = few._runtime.engine.context
    begin = context.clock.now().astimezone(ZoneInfo(context.machine_zone)).replace(hour=0, minute=0, second=0)
    days = [begin + timedelta(days=day) for day in range(2, 6)]
    for at in (days[1] - timedelta(seconds=1), days[1], days[3] - timedelta(seconds=1), days[3]):
        add_run(few, f"at {at:%d %H}", "chore-1", at)
    page.filters.since.setCurrentIndex(page.filters.since.findText("Custom range"))
    page.filters.since.first.setDate(QDate(days[1].year, days[1].month, days[1].day))
    page.filters.since.last.setDate(QDate(days[2].year, days[2].month, days[2].day))
    wait(lambda: [one.run for one in page.model.rows] == [f"at {days[2]:%d} 23", f"at {days[1]:%d} 00"])
    assert page.filters.since.first.isVisibleTo(page)
    page.filters.show_all()
    wait(lambda: page.model.rowCount() > 10)
    assert not page.filters.since.first.isVisibleTo(page)


def test_workflows_are_sorted_naturally(page: HistoryPage) -> None:
    page.filters.show_names({"a": "Chore 10", "b": "chore 2", "c": "Chore 1"})
    assert [page.filters.workflow.itemText(at) for at in range(1, 4)] == ["Chore 1", "chore 2", "Chore 10"]


def test_rows_are_filtered_by_trigger(page: HistoryPage, few: Session, wait: Wait) -> None:
    add_run(few, "asked", "chore-1", few.now(), trigger="manual")
    page.filters.trigger.setCurrentIndex(page.filters.trigger.findData("manual"))
    assert page.filters.trigger.currentText() == "Started by you"
    wait(lambda: [one.run for one in page.model.rows] == ["asked"])


def test_a_long_history_is_loaded_while_scrolling(page: HistoryPage, few: Session, wait: Wait) -> None:
    begin = few.now() - timedelta(days=300)
    for number in range(900):
        add_run(few, f"old{number:05}", "chore-2", begin + timedelta(minutes=number))
    page.filters.workflow.setCurrentIndex(page.filters.workflow.findData("chore-2"))
    wait(lambda: {one.workflow for one in page.model.rows} == {"chore-2"} and page.model.rowCount() == 50)
    assert page.model.cursor is not None
    wait(lambda: page.count.text() == "Latest 50 of 914; scroll for more")

    def scroll() -> bool:
        page.table.scrollToBottom()
        return page.model.cursor is None

    wait(scroll)
    shown = keys(page.model)
    assert len(shown) == len(set(shown)) == 900 + 12 + 2
    assert page.count.text() == "914 entries"


def test_a_new_run_appears_on_top_and_keeps_the_selection(page: HistoryPage, few: Session, wait: Wait) -> None:
    page.table.selectRow(3)
    chosen = page.table.selected_row()
    add_run(few, "brand new", "chore-0", few.now())
    page.refresh()
    wait(lambda: page.model.rows[0].run == "brand new")
    assert page.table.selected_row() == chosen


def test_a_run_shows_the_exact_call_and_its_log_and_steps_only_behind_details(page: HistoryPage, wait: Wait) -> None:
    page.open_subject("run0000x0000")
    wait(lambda: page.pane.details is not None and "Added 2 rows" in page.pane.log.text_view.toPlainText())
    assert "What was done" in said(page) and "Appends rows" in said(page) and "expenses · Table" in said(page)
    [table] = [one for one in page.pane.findChildren(QTableView) if one.isVisibleTo(page.pane)]
    cells = [table.model().index(0, column).data() for column in range(2)]
    assert cells == ["Corner Bakery", "7.4"]
    assert not page.pane.findChildren(StepBars)[0].isVisible()
    assert "FileReceipt" not in said(page)
    buttons(page)["Technical details"].click()
    assert page.pane.findChildren(StepBars)[0].isVisible()
    assert "preparing" in page.pane.findChildren(StepBars)[0].toolTip()
    assert "FileReceipt (consumer)" in said(page)
    buttons(page)["Close"].click()
    assert not page.pane.isVisible()


def test_a_run_opened_before_the_rows_are_loaded_leaves_the_table_readable(
    qtbot: QtBot, few: Session, wait: Wait
) -> None:
    """As from a card or a notification."""
    page = HistoryPage(few)
    qtbot.addWidget(page)
    page.resize(1100, 700)
    page.open_subject("run0000x0000")
    page.show()
    page.refresh()
    wait(lambda: page.model.rowCount() > 0 and page.pane.details is not None and page.table.isVisible())
    assert page.table.isColumnHidden(HistoryColumn.DURATION)
    assert page.table.columnWidth(HistoryColumn.WHAT) > 100


def test_tab_goes_through_a_run_from_top_to_bottom(qtbot: QtBot, page: HistoryPage, few: Session, wait: Wait) -> None:
    page.resize(1180, 700)
    page.open_subject("run0000x0000")
    pane = page.pane
    wait(lambda: pane.details is not None and pane.log.isVisible())
    buttons(page)["Close"].setFocus()
    places = []
    while (focused := page.focusWidget()) is not None and pane.isAncestorOf(focused):
        places.append(focused.mapTo(pane, QPoint()).y())
        page.focusNextChild()
    assert len(places) > 4 and places == sorted(places)


def test_a_focused_button_of_a_run_keeps_the_focus_when_the_run_changes(
    qtbot: QtBot, page: HistoryPage, few: Session, wait: Wait
) -> None:
    page.open_subject("run0000x0000")
    pane = page.pane
    wait(lambda: pane.details is not None)
    assert pane.details is not None
    copy = buttons(page)["Copy ID"]
    copy.setFocus()
    pane._show(pane.run_id, replace(pane.details, summary="Filed 4 receipts"), pane._name)
    focused = pane.window().focusWidget()
    assert isinstance(focused, QPushButton) and focused is not copy and focused.text() == "Copy ID"


def test_names_are_shown_whole_if_that_leaves_enough_for_what_happened(
    qtbot: QtBot, page: HistoryPage, few: Session, wait: Wait
) -> None:
    table = page.table
    page.resize(1180, 700)
    longest = max(table.fontMetrics().horizontalAdvance(row.name) for row in page.model.rows)
    wait(lambda: table.columnWidth(HistoryColumn.WORKFLOW) > longest)
    page.resize(640, 700)
    wait(lambda: 1.4 * table.columnWidth(HistoryColumn.WORKFLOW) < table.columnWidth(HistoryColumn.WHAT))


def test_in_a_narrow_window_a_run_replaces_the_table(qtbot: QtBot, page: HistoryPage, few: Session, wait: Wait) -> None:
    page.resize(560, 400)
    page.table.selectRow(0)
    assert not page.pane.isVisible(), "selecting rows does not hide the table"
    page.open_subject("run0000x0000")
    wait(lambda: page.pane.details is not None)
    assert page.pane.isVisible() and not page.table.isVisible() and not page.filters.isVisible()
    page.refresh()
    page.search()
    assert page.table.isVisible() and page.filters.search_field.hasFocus() and not page.pane.isVisible()
    page.open_subject("run0000x0000")
    page.resize(1100, 700)
    assert page.pane.isVisible() and page.table.isVisible() and page.filters.isVisible()


def test_ctrl_f_searches_the_log_when_it_has_the_focus(page: HistoryPage, wait: Wait) -> None:
    page.open_subject("run0000x0000")
    wait(lambda: page.pane.log.isVisible() and page.pane.details is not None)
    page.search()
    assert page.filters.search_field.hasFocus()
    page.pane.log.text_view.setFocus()
    page.search()
    assert page.pane.log.search_field.hasFocus()


def test_a_failure_shows_its_file_and_line_and_can_be_retried(qtbot: QtBot, empty: Session, wait: Wait) -> None:
    deploy(empty, "Broken", "print('so far'); 1 / 0")
    [run] = run_command(empty, "run", target="broken")["runs"]
    wait(lambda: empty.queries.run_statuses([run])[0].is_over)
    page = HistoryPage(empty)
    qtbot.addWidget(page)
    page.resize(1000, 700)
    page.show()
    page.refresh()
    page.open_subject(run)
    wait(lambda: page.pane.details is not None and page.pane.details.status is RunStatus.LOGIC)
    assert "broken.py, line 6: it divides by zero" in said(page) and "ZeroDivisionError" not in said(page)
    wait(lambda: page.pane.log.text_view.toPlainText()[8:] == "  so far\n")
    buttons(page)["Run again"].click()
    wait(lambda: len(empty.queries.run(run).chain) == 2)
    page.refresh()
    wait(lambda: "Run again" not in buttons(page))


def test_a_long_reason_is_shown_in_full(page: HistoryPage, few: Session, wait: Wait) -> None:
    now = few.now()
    reason = "The server said that " + "it is very sorry, and that it cannot answer now; " * 20
    add_run(few, "sorry", "chore-0", now, status=RunStatus.CANCELLED, error={"sentence": reason}, summary=None)
    page.open_subject("sorry")
    page.show()
    wait(lambda: page.pane.details is not None and page.pane.details.id == "sorry")
    [heading] = [one for one in page.pane.findChildren(QLabel) if one.text() == reason]
    wait(lambda: 0 < heading.heightForWidth(heading.width()) <= heading.height())


def test_the_proposed_export_name_follows_the_chosen_type(page: HistoryPage, wait: Wait, tmp_path: Path) -> None:
    page.export.click()
    [dialog] = page.findChildren(QFileDialog)
    dialog.setDirectory(str(tmp_path))
    named = []
    for kind in reversed(dialog.nameFilters()):
        dialog.filterSelected.emit(kind)  # as the user's choice does
        named += [Path(name).name for name in dialog.selectedFiles()]
    assert named == ["history.json", "history.csv"]
    dialog.fileSelected.emit(str(tmp_path / "mine.json"))
    wait(lambda: "mine.json" in page.status_line.message and (tmp_path / "mine.json").exists())
    dialog.close()


def test_without_runs_the_page_explains_itself(qtbot: QtBot, empty: Session, wait: Wait) -> None:
    page = HistoryPage(empty)
    qtbot.addWidget(page)
    page.show()
    page.refresh()
    wait(lambda: page.body.currentWidget() is page.empty)


def test_a_waiting_run_shows_its_question(installation: Session, request_: RequestView) -> None:
    [waiting] = [one for one in read_page(installation, HistoryQuery(), None, 50).rows if one.state is RunState.WAITING]
    assert waiting.what == "Add 3 receipts (45.55) to Expenses"


def test_a_waiting_run_without_a_question_says_that_it_waits(few: Session) -> None:
    now = few.now()
    add_run(few, "waits", "chore-0", now, status=RunStatus.APPROVAL, phase=RunPhase.PREPARED, summary=None, ended=None)
    [waiting] = [one for one in read_page(few, HistoryQuery(), None, 50).rows if one.state is RunState.WAITING]
    assert waiting.what == "Waiting for your answer."
