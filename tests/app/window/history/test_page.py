"""History: everything that ran and did not, however much there is, and one run with all that is known of it."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Event
from zoneinfo import ZoneInfo

import pytest
from PySide6.QtCore import QDate, QModelIndex, Qt
from PySide6.QtWidgets import QFileDialog, QLabel, QPushButton, QTableView
from pytestqt.qtbot import QtBot

from app.asking import command
from app.life.installation import Installation
from app.window.history import HistoryPage
from app.window.history_details import Steps
from app.window.history_model import Column, HistoryModel
from app.window.history_rows import Read, Row, read_page
from app.words.states import RunState
from scheduler.engine.workflows.views.history import Found
from scheduler.engine.workflows.views.requests import RequestView
from scheduler.rules.phases import Phase, Status
from tests.app.living import Wait, deploy
from tests.app.window.filling import add_run, few

__all__ = ["few"]

NOW = datetime(2026, 11, 16, 12, 0, 30, tzinfo=UTC)


def row(key: str, state: RunState = RunState.DONE, minutes: int = 0, **facts: str | None) -> Row:
    return Row(
        key=key,
        run=key,
        at=NOW - timedelta(minutes=minutes),
        until=None,
        workflow="w",
        name="W",
        state=state,
        what=facts.get("what") or "Done",
        took=timedelta(seconds=4),
        retry_of=facts.get("retry_of"),
    )


@pytest.fixture
def model(qtbot: QtBot) -> HistoryModel:
    return HistoryModel(ZoneInfo("UTC"))


@pytest.fixture
def page(qtbot: QtBot, few: Installation, wait: Wait) -> HistoryPage:
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


def test_news_come_on_top_and_nothing_else_moves(model: HistoryModel) -> None:
    old = [row("b", minutes=1), row("a", minutes=2)]
    model.start(Read(rows=tuple(old), cursor=None), NOW)
    resets: list[bool] = []
    model.modelReset.connect(lambda: resets.append(True))
    model.renew(Read(rows=(row("c"), *old), cursor=None), NOW)
    assert keys(model) == ["c", "b", "a"] and not resets
    changed: list[int] = []
    model.dataChanged.connect(lambda first, _: changed.append(first.row()))
    model.renew(Read(rows=(row("c", RunState.FAILED), *old), cursor=None), NOW)
    assert changed == [0] and model.rows[0].state is RunState.FAILED


def test_rows_further_down_stay_when_the_first_page_is_read_again(model: HistoryModel) -> None:
    model.start(Read(rows=(row("c"), row("b", minutes=1)), cursor="x"), NOW)
    model.append(Read(rows=(row("a", minutes=2),), cursor=None))
    model.renew(Read(rows=(row("d"), row("c")), cursor="y"), NOW)
    assert keys(model) == ["d", "c", "b", "a"]


def test_a_wholly_new_page_takes_the_place_of_the_old_one(model: HistoryModel) -> None:
    model.start(Read(rows=(row("a"),), cursor=None), NOW)
    model.renew(Read(rows=(row("z"), row("y")), cursor=None), NOW)
    assert keys(model) == ["z", "y"]


def test_more_is_asked_for_once_at_a_time(model: HistoryModel) -> None:
    asked: list[str] = []
    model.more = asked.append
    model.start(Read(rows=(row("b"),), cursor="here"), NOW)
    for _ in range(3):
        model.fetchMore(QModelIndex())
    assert asked == ["here"]
    model.append(Read(rows=(row("b"), row("a", minutes=1)), cursor=None))
    assert keys(model) == ["b", "a"]
    assert not model.canFetchMore(QModelIndex())


@pytest.mark.parametrize("state", [RunState.RETRYING, RunState.WAITING])
def test_a_row_further_down_that_was_followed_does_not_wait_any_more(model: HistoryModel, state: RunState) -> None:
    """Only the first page is read again."""
    model.start(Read(rows=(row("b"),), cursor="here"), NOW)
    model.append(Read(rows=(row("one", state, minutes=5), row("other", state, minutes=6)), cursor=None))
    model.renew(Read(rows=(row("two", retry_of="one"), row("b")), cursor="here"), NOW)
    assert [one.state for one in model.rows] == [RunState.DONE, RunState.DONE, RunState.FAILED, state]
    assert model.index(2, Column.RESULT).data(Qt.ItemDataRole.AccessibleTextRole) == "Failed"


def test_an_attempt_that_another_followed_is_found_among_the_failed_ones(few: Installation) -> None:
    """And not among those that wait."""
    now = few.house.engine.context.clock.now()
    add_run(few, "lost", "chore-0", now, status=Status.APPROVAL, followed=True, summary="")
    add_run(few, "asks", "chore-0", now, status=Status.APPROVAL, phase=Phase.PREPARED, ended=None, summary="")
    add_run(few, "crashed", "chore-0", now, status=Status.CRASHED, followed=True, summary="")
    for result in ("failed", "waiting", "retrying"):
        rows = read_page(few, Found(status=result), None, 100).rows
        assert {one.state.value for one in rows} <= {result}
        known = {one.run for one in rows} & {"lost", "asks", "crashed"}
        assert known == {"failed": {"lost", "crashed"}, "waiting": {"asks"}, "retrying": set()}[result]


def test_times_are_said_in_the_zone_of_this_computer(qtbot: QtBot) -> None:
    model = HistoryModel(ZoneInfo("Asia/Tokyo"))
    model.start(Read(rows=(row("a"),), cursor=None), NOW)
    assert model.index(0, Column.WHEN).data() == "Today 21:00"
    assert model.index(0, Column.TOOK).data() == "4.0 s"


def test_every_time_that_did_not_run_has_a_row_with_its_reason(page: HistoryPage, wait: Wait) -> None:
    page.filters.result.setCurrentIndex(page.filters.result.findData("missed"))
    wait(lambda: {one.state for one in page.model.rows} == {RunState.MISSED})
    assert {one.what for one in page.model.rows} == {
        "Its time passed while the computer or Dayhand was off, asleep or paused."
    }
    page.filters.result.setCurrentIndex(page.filters.result.findData("skipped"))
    wait(lambda: {one.state for one in page.model.rows} == {RunState.SKIPPED})
    page.table.selectRow(0)
    assert page.saying.sentence.endswith("The run before it was still going.")
    assert not page.pane.isVisible()


def test_it_is_narrowed_by_words_workflow_and_time(page: HistoryPage, few: Installation, wait: Wait) -> None:
    add_run(few, "special", "chore-1", few.house.engine.context.clock.now(), summary="Found a rare stamp")
    page.filters.field.setText("stamp")
    wait(lambda: [one.run for one in page.model.rows] == ["special"])
    page.filters.field.setText("nothing like it")
    wait(lambda: page.body.currentWidget() is page.nothing)
    assert page.nothing.button is not None
    page.nothing.button.click()
    wait(lambda: page.model.rowCount() > 10)
    page.filters.workflow.setCurrentIndex(page.filters.workflow.findData("chore-1"))
    wait(lambda: {one.workflow for one in page.model.rows} == {"chore-1"})


def test_what_is_looked_for_now_waits_for_nothing_that_was(
    page: HistoryPage, few: Installation, wait: Wait, monkeypatch: pytest.MonkeyPatch
) -> None:
    add_run(few, "special", "chore-1", few.house.engine.context.clock.now(), summary="Found a rare stamp")
    begun, go_on = Event(), Event()

    def read_slowly(installation: Installation, wanted: Found, cursor: str | None, most: int) -> Read:
        if not wanted.text:
            begun.set()
            go_on.wait(60)
        return read_page(installation, wanted, cursor, most)

    monkeypatch.setattr("app.window.history.read_page", read_slowly)
    page.filters.workflow.setCurrentIndex(page.filters.workflow.findData("chore-0"))
    wait(begun.is_set)
    try:
        page.filters.workflow.setCurrentIndex(0)
        page.filters.field.setText("stamp")
        wait(lambda: [one.run for one in page.model.rows] == ["special"])
    finally:
        go_on.set()
    page.asking.ask(lambda: None, lambda _: begun.clear())  # heard after the late answer
    wait(lambda: not begun.is_set())
    assert [one.run for one in page.model.rows] == ["special"]


def test_the_count_follows_what_is_looked_for(page: HistoryPage, few: Installation, wait: Wait) -> None:
    now = few.house.engine.context.clock.now()
    for number in range(120):
        add_run(few, f"shell{number:03}", "chore-1", now, summary="Found a shell")
    for number in range(60):
        add_run(few, f"stamp{number:03}", "chore-1", now, summary="Found a stamp")
    page.filters.field.setText("shell")
    wait(lambda: page.count.text() == "The newest 50 of 120; more as you scroll")
    page.filters.field.setText("stamp")
    wait(lambda: page.count.text() == "The newest 50 of 60; more as you scroll")
    add_run(few, "stamp060", "chore-1", now, summary="Found a stamp")
    page.refresh()
    wait(lambda: page.count.text() == "The newest 51 of 61; more as you scroll")


def test_days_can_be_chosen(page: HistoryPage, few: Installation, wait: Wait) -> None:
    context = few.house.engine.context
    begin = context.clock.now().astimezone(ZoneInfo(context.machine_zone)).replace(hour=0, minute=0, second=0)
    days = [begin + timedelta(days=day) for day in range(2, 6)]
    for at in (days[1] - timedelta(seconds=1), days[1], days[3] - timedelta(seconds=1), days[3]):
        add_run(few, f"at {at:%d %H}", "chore-1", at)
    page.filters.since.setCurrentIndex(page.filters.since.findText("Choose days"))
    page.filters.first.setDate(QDate(days[1].year, days[1].month, days[1].day))
    page.filters.last.setDate(QDate(days[2].year, days[2].month, days[2].day))
    wait(lambda: [one.run for one in page.model.rows] == [f"at {days[2]:%d} 23", f"at {days[1]:%d} 00"])
    assert page.filters.first.isVisibleTo(page)
    page.filters.show_all()
    wait(lambda: page.model.rowCount() > 10)
    assert not page.filters.first.isVisibleTo(page)


def test_workflows_are_listed_as_people_count(page: HistoryPage) -> None:
    page.filters.show_names({"a": "Chore 10", "b": "chore 2", "c": "Chore 1"})
    assert [page.filters.workflow.itemText(at) for at in range(1, 4)] == ["Chore 1", "chore 2", "Chore 10"]


def test_it_is_narrowed_by_what_made_a_run_start(page: HistoryPage, few: Installation, wait: Wait) -> None:
    add_run(few, "asked", "chore-1", few.house.engine.context.clock.now(), trigger="manual")
    page.filters.trigger.setCurrentIndex(page.filters.trigger.findData("manual"))
    assert page.filters.trigger.currentText() == "Started by you"
    wait(lambda: [one.run for one in page.model.rows] == ["asked"])


def test_a_long_past_is_read_as_one_scrolls(page: HistoryPage, few: Installation, wait: Wait) -> None:
    begin = few.house.engine.context.clock.now() - timedelta(days=300)
    for number in range(900):
        add_run(few, f"old{number:05}", "chore-2", begin + timedelta(minutes=number))
    page.filters.workflow.setCurrentIndex(page.filters.workflow.findData("chore-2"))
    wait(lambda: {one.workflow for one in page.model.rows} == {"chore-2"} and page.model.rowCount() == 50)
    assert page.model.cursor is not None
    wait(lambda: page.count.text() == "The newest 50 of 914; more as you scroll")

    def scroll() -> bool:
        page.table.scrollToBottom()
        return page.model.cursor is None

    wait(scroll)
    shown = keys(page.model)
    assert len(shown) == len(set(shown)) == 900 + 12 + 2
    assert page.count.text() == "914 in all"


def test_what_happens_while_one_looks_is_put_on_top(page: HistoryPage, few: Installation, wait: Wait) -> None:
    page.table.selectRow(3)
    chosen = page.table.chosen()
    add_run(few, "brand new", "chore-0", few.house.engine.context.clock.now())
    page.refresh()
    wait(lambda: page.model.rows[0].run == "brand new")
    assert page.table.chosen() == chosen


def test_a_run_shows_the_exact_call_and_its_log_and_steps_only_behind_details(page: HistoryPage, wait: Wait) -> None:
    page.open_subject("run0000x0000")
    wait(lambda: page.pane.details is not None and "Added 2 rows" in page.pane.log.lines.toPlainText())
    assert "What was done" in said(page) and "Add rows at the end" in said(page) and "expenses (Table)" in said(page)
    [table] = [one for one in page.pane.findChildren(QTableView) if one.isVisibleTo(page.pane)]
    cells = [table.model().index(0, column).data() for column in range(2)]
    assert cells == ["Corner Bakery", "7.4"]
    assert not page.pane.findChildren(Steps)[0].isVisible()
    assert "FileReceipt" not in said(page)
    buttons(page)["Details"].click()
    assert page.pane.findChildren(Steps)[0].isVisible()
    assert "preparing" in page.pane.findChildren(Steps)[0].toolTip()
    assert "FileReceipt (consumer)" in said(page)
    buttons(page)["Close"].click()
    assert not page.pane.isVisible()


def test_a_run_that_is_opened_before_the_rows_are_there_leaves_them_room_to_be_read(
    qtbot: QtBot, few: Installation, wait: Wait
) -> None:
    """As from a card or a notice."""
    page = HistoryPage(few)
    qtbot.addWidget(page)
    page.resize(1100, 700)
    page.open_subject("run0000x0000")
    page.show()
    page.refresh()
    wait(lambda: page.model.rowCount() > 0 and page.pane.details is not None and page.table.isVisible())
    assert page.table.isColumnHidden(Column.TOOK)
    assert page.table.columnWidth(Column.WHAT) > 100


def test_in_a_narrow_window_a_run_takes_the_place_of_the_rows(
    qtbot: QtBot, page: HistoryPage, few: Installation, wait: Wait
) -> None:
    page.resize(560, 400)
    page.table.selectRow(0)
    assert not page.pane.isVisible(), "whoever walks along the rows goes on seeing them"
    page.open_subject("run0000x0000")
    wait(lambda: page.pane.details is not None)
    assert page.pane.isVisible() and not page.table.isVisible() and not page.filters.isVisible()
    page.refresh()
    page.search()
    assert page.table.isVisible() and page.filters.field.hasFocus() and not page.pane.isVisible()
    page.open_subject("run0000x0000")
    page.resize(1100, 700)
    assert page.pane.isVisible() and page.table.isVisible() and page.filters.isVisible()


def test_ctrl_f_searches_the_log_for_whoever_is_in_it(page: HistoryPage, wait: Wait) -> None:
    page.open_subject("run0000x0000")
    wait(lambda: page.pane.log.isVisible() and page.pane.details is not None)
    page.search()
    assert page.filters.field.hasFocus()
    page.pane.log.lines.setFocus()
    page.search()
    assert page.pane.log.field.hasFocus()


def test_a_real_failure_names_its_place_and_is_tried_again(qtbot: QtBot, empty: Installation, wait: Wait) -> None:
    deploy(empty, "Broken", "print('so far'); 1 / 0")
    [run] = command(empty, "run", target="broken")["runs"]
    wait(lambda: empty.views.endings([run])[0].is_over)
    page = HistoryPage(empty)
    qtbot.addWidget(page)
    page.resize(1000, 700)
    page.show()
    page.refresh()
    page.open_subject(run)
    wait(lambda: page.pane.details is not None and page.pane.details.status is Status.LOGIC)
    assert "ZeroDivisionError" in said(page) and "broken.py, line 6" in said(page)
    wait(lambda: page.pane.log.lines.toPlainText() == "so far\n")
    buttons(page)["Try again"].click()
    wait(lambda: len(empty.views.run(run).chain) == 2)
    page.refresh()
    wait(lambda: "Try again" not in buttons(page))


def test_a_long_reason_is_shown_whole(page: HistoryPage, few: Installation, wait: Wait) -> None:
    now = few.house.engine.context.clock.now()
    reason = "The server said that " + "it is very sorry, and that it cannot answer now; " * 20
    add_run(few, "sorry", "chore-0", now, status=Status.CANCELLED, error={"sentence": reason}, summary=None)
    page.open_subject("sorry")
    page.show()
    wait(lambda: page.pane.details is not None and page.pane.details.id == "sorry")
    [heading] = [one for one in page.pane.findChildren(QLabel) if one.text() == reason]
    wait(lambda: 0 < heading.heightForWidth(heading.width()) <= heading.height())


def test_the_name_of_an_export_follows_its_kind(page: HistoryPage, wait: Wait, tmp_path: Path) -> None:
    page.export.click()
    [dialog] = page.findChildren(QFileDialog)
    dialog.setDirectory(str(tmp_path))
    named = []
    for kind in reversed(dialog.nameFilters()):
        dialog.filterSelected.emit(kind)  # as a person's choice does
        named += [Path(name).name for name in dialog.selectedFiles()]
    assert named == ["history.json", "history.csv"]
    dialog.fileSelected.emit(str(tmp_path / "mine.json"))
    wait(lambda: "mine.json" in page.saying.sentence and (tmp_path / "mine.json").exists())
    dialog.close()


def test_before_anything_ran_the_page_says_so(qtbot: QtBot, empty: Installation, wait: Wait) -> None:
    page = HistoryPage(empty)
    qtbot.addWidget(page)
    page.show()
    page.refresh()
    wait(lambda: page.body.currentWidget() is page.empty)


def test_a_run_that_waits_says_what_it_asks(installation: Installation, request_: RequestView) -> None:
    [waiting] = [one for one in read_page(installation, Found(), None, 50).rows if one.state is RunState.WAITING]
    assert waiting.what == "Add 3 receipts (45.55) to Expenses"


def test_one_that_waits_and_asks_nothing_of_its_own_says_that_it_waits(few: Installation) -> None:
    now = few.house.engine.context.clock.now()
    add_run(few, "waits", "chore-0", now, status=Status.APPROVAL, phase=Phase.PREPARED, summary=None, ended=None)
    [waiting] = [one for one in read_page(few, Found(), None, 50).rows if one.state is RunState.WAITING]
    assert waiting.what == "It waits for your answer."
