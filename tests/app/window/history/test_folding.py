"""Folded rows of the History page, columns, copying, days by name, and which row a click opens."""

from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPushButton
from pytestqt.qtbot import QtBot

from app.i18n.state_labels import RunState
from app.session import Session
from app.window.history.date_filter import DateFilter
from app.window.history.model import HistoryColumn
from app.window.history.page import HistoryPage
from scheduler.rules.phases import HandlerKind, RunStatus
from scheduler.store import logs
from tests.app.app_fixture import Wait
from tests.app.window.sample_data import add_run
from tests.app.window.session_fixture import few

__all__ = ["few"]


@pytest.fixture
def quiet(few: Session) -> datetime:
    """Twelve runs of one day with nothing to report, one that says something, and three more: of an earlier year."""
    begin = datetime(2024, 3, 5, 9, tzinfo=ZoneInfo(few.zone))
    facts = {"summary": None, "mutating_at": None, "handler": "poll", "kind": HandlerKind.PRODUCER}
    with few._runtime.database.write() as db:
        db.execute("DELETE FROM runs WHERE workflow = 'chore-1'")
        db.execute("DELETE FROM occurrences WHERE schedule LIKE 'chore-1/%'")
    for minute in range(0, 60, 5):
        add_run(few, f"quiet{minute:02}", "chore-1", begin + timedelta(minutes=minute), **facts)
    add_run(few, "loud", "chore-1", begin + timedelta(minutes=60))
    for minute in range(65, 80, 5):
        add_run(few, f"quiet{minute:02}", "chore-1", begin + timedelta(minutes=minute), **facts)
    return begin


@pytest.fixture
def make_page(qtbot: QtBot, few: Session, wait: Wait) -> Callable[[], HistoryPage]:
    """The page with the history of that workflow."""

    def make() -> HistoryPage:
        page = HistoryPage(few)
        qtbot.addWidget(page)
        page.resize(1280, 700)
        page.show()
        page.refresh()
        wait(lambda: page.model.rowCount() > 0)
        page.filters.workflow.setCurrentIndex(page.filters.workflow.findData("chore-1"))
        wait(lambda: {one.name for one in page.model.rows} == {"Back up photos"})
        return page

    return make


def whats(page: HistoryPage) -> list[str]:
    """What the rows say; those that stand for several runs, across the columns."""
    columns = [HistoryColumn.WHAT if one.quiet is None else HistoryColumn.WORKFLOW for one in page.model.rows]
    spans = [page.table.columnSpan(place, HistoryColumn.WORKFLOW) for place in range(page.model.rowCount())]
    assert spans == [1 if column is HistoryColumn.WHAT else 5 for column in columns]
    return [page.model.index(place, column).data() for place, column in enumerate(columns)]


def click(page: HistoryPage, place: int, *, twice: bool = False) -> None:
    """The pointer stays where it is on the screen, even if the table moves."""
    view = page.table.viewport()
    on_screen = view.mapToGlobal(QPoint(60, page.table.visualRect(page.model.index(place, 0)).center().y()))
    QTest.mouseClick(view, Qt.MouseButton.LeftButton, pos=view.mapFromGlobal(on_screen))
    if twice:
        QApplication.processEvents()
        QTest.mouseDClick(view, Qt.MouseButton.LeftButton, pos=view.mapFromGlobal(on_screen))


FOLDED = [
    "▸ 3 runs with nothing to report, 10:05\N{EN DASH}10:15 · Back up photos",
    "Filed 3 receipts",
    "▸ 12 runs with nothing to report, 09:00\N{EN DASH}09:55 · Back up photos",
]


def test_runs_with_nothing_to_report_are_one_row_until_it_is_clicked(
    quiet: datetime, make_page: Callable[[], HistoryPage], few: Session, wait: Wait
) -> None:
    page = make_page()
    assert whats(page) == FOLDED
    assert page.count.text() == "16 entries"
    click(page, 2)
    wait(lambda: page.model.rowCount() == 15)
    assert whats(page)[2:] == [FOLDED[2].replace("▸", "▾"), *["Checked; nothing new."] * 12]
    assert page.count.text() == "16 entries"
    add_run(few, "new", "chore-1", quiet + timedelta(minutes=90))
    page.refresh()
    wait(lambda: page.model.rowCount() == 16)
    assert whats(page)[3].startswith("▾ 12") and [one.run for one in page.model.rows[4:6]] == ["quiet55", "quiet50"]
    click(page, 3)
    wait(lambda: page.model.rowCount() == 4)
    assert whats(page) == ["Filed 3 receipts", *FOLDED]


def test_return_unfolds_and_folds_a_row(
    quiet: datetime, make_page: Callable[[], HistoryPage], qtbot: QtBot, wait: Wait
) -> None:
    page = make_page()
    page.table.selectRow(0)
    qtbot.keyClick(page.table, Qt.Key.Key_Return)
    wait(lambda: page.model.rowCount() == 6)
    qtbot.keyClick(page.table, Qt.Key.Key_Return)
    wait(lambda: page.model.rowCount() == 3)


def test_show_all_runs_gives_each_its_row(quiet: datetime, make_page: Callable[[], HistoryPage], wait: Wait) -> None:
    page = make_page()
    page.filters.all_runs.click()
    wait(lambda: page.model.rowCount() == 16)
    assert page.model.rows[0].run == "quiet75"
    page.filters.all_runs.click()
    wait(lambda: whats(page) == FOLDED)


def test_a_search_folds_what_it_finds(quiet: datetime, make_page: Callable[[], HistoryPage], wait: Wait) -> None:
    page = make_page()
    page.filters.search_field.setText("poll")
    wait(lambda: whats(page) == ["▸ 15 runs with nothing to report, 09:00\N{EN DASH}10:15 · Back up photos"])


def test_many_folded_days_are_loaded_while_scrolling(
    quiet: datetime, make_page: Callable[[], HistoryPage], few: Session, wait: Wait
) -> None:
    facts = {"summary": None, "mutating_at": None, "handler": "poll", "kind": HandlerKind.PRODUCER}
    for day in range(1, 131):
        for minute in (0, 5):
            add_run(few, f"day{day}x{minute}", "chore-1", quiet + timedelta(days=day, minutes=minute), **facts)
    page = make_page()
    assert page.model.rowCount() == 50 and page.model.cursor is not None
    wait(lambda: page.count.text() == "Latest 100 of 276; scroll for more")

    def scroll() -> bool:
        page.table.scrollToBottom()
        return page.model.cursor is None

    wait(scroll)
    assert page.model.rowCount() == 133 and page.count.text() == "276 entries"
    assert len({one.key for one in page.model.rows}) == 133


def test_the_job_and_the_planned_time_have_columns(
    make_page: Callable[[], HistoryPage], quiet: datetime, few: Session, wait: Wait
) -> None:
    """The job only where a workflow has more than that, the planned time only if the run did not start then."""
    with few._runtime.database.write() as db:
        for run, planned in (("late", quiet), ("next day", quiet - timedelta(days=1)), ("prompt", quiet)):
            db.execute(
                "INSERT INTO occurrences (key, schedule, planned, due, origin, state, created, began, ended) "
                "VALUES (?, 'chore-1/poll', ?, ?, 'automatic', 'succeeded', 0, 1, 1)",
                (run, int(planned.timestamp() * 1000), 0),
            )
    add_run(few, "prompt", "chore-1", quiet + timedelta(hours=3), occurrence="prompt")
    with few._runtime.database.write() as db:
        db.execute(
            "UPDATE runs SET began = ?1, created = ?1 WHERE id = 'prompt'", (int(quiet.timestamp() * 1000) + 20_000,)
        )
    for run in ("late", "next day"):
        add_run(few, run, "chore-1", quiet + timedelta(hours=4), occurrence=run, handler="digest")
    page = make_page()
    shown = {
        one.run: [page.model.index(place, column).data() for column in (HistoryColumn.JOB, HistoryColumn.PLANNED)]
        for place, one in enumerate(page.model.rows)
    }
    assert not page.table.isColumnHidden(HistoryColumn.JOB)
    assert shown["late"] == ["Digest", "for 09:00"]
    assert shown["next day"] == ["Digest", "for 4 Mar 2024 09:00"]
    assert shown["prompt"] == ["", ""]


def test_selected_rows_are_copied_as_a_table(
    quiet: datetime, make_page: Callable[[], HistoryPage], qtbot: QtBot, wait: Wait
) -> None:
    page = make_page()
    assert page.table.isColumnHidden(HistoryColumn.JOB), "no row has one"
    page.table.selectAll()
    qtbot.keyClick(page.table, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    lines = [line.split("\t") for line in QGuiApplication.clipboard().text().splitlines()]
    assert lines[1] == [
        "2024-03-05 10:00:00",
        "Done",
        "Back up photos",
        "",
        "",
        "Filed 3 receipts",
        "4.0 s",
        "loud",
    ]
    assert lines[2][5] == "12 runs with nothing to report, 09:00\N{EN DASH}09:55" and len(lines) == 3
    page.table.copy_ids()
    assert QGuiApplication.clipboard().text() == "loud"


def test_id_and_log_of_a_run_are_copied_with_a_button(
    quiet: datetime, make_page: Callable[[], HistoryPage], few: Session, wait: Wait
) -> None:
    with few._runtime.database.write() as db:
        logs.append(db, "loud", "one\ntwo ", quiet)
        logs.append(db, "loud", "and a half\nthree\n", quiet + timedelta(seconds=5))
    page = make_page()
    page.open_subject("loud")
    wait(lambda: page.pane.details is not None and not page.pane.log.isHidden())
    buttons = {one.text(): one for one in page.pane.findChildren(type(page.pane.log.copy_button))}
    buttons["Copy ID"].click()
    assert QGuiApplication.clipboard().text() == "loud"
    buttons["Copy log"].click()
    assert QGuiApplication.clipboard().text() == "09:00:00  one\n09:00:00  two and a half\n09:00:05  three\n"


@pytest.mark.parametrize("twice", [False, True])
def test_a_click_opens_and_highlights_the_row_below_the_pointer(
    quiet: datetime,
    make_page: Callable[[], HistoryPage],
    wait: Wait,
    twice: bool,  # noqa: FBT001  a parameter of the test
) -> None:
    """Also after a row without a run, whose reason used to be shown above the table."""
    page = make_page()
    page.filters.show_all()
    wait(lambda: page.model.rowCount() > 10)
    places = [place for place, one in enumerate(page.model.rows) if one.state is RunState.SKIPPED][:1]
    places += [place for place, one in enumerate(page.model.rows) if one.run is not None and place > places[0]][:3]
    page.status_line.show_message("Exported.")
    for place in places:
        row = page.model.rows[place]
        click(page, place, twice=twice)
        opened = page.pane if row.run else page.row_pane
        wait(opened.isVisible)
        assert page.table.selected_rows() == [row]
        wait(lambda row=row: page.pane.run_id == (row.run or ""))


def test_a_run_opened_from_elsewhere_is_highlighted_or_nothing_is(
    quiet: datetime, make_page: Callable[[], HistoryPage], wait: Wait
) -> None:
    page = make_page()
    page.table.selectRow(0)
    page.open_subject("loud")
    assert [one.run for one in page.table.selected_rows()] == ["loud"]
    page.open_subject("quiet05")  # folded
    assert page.table.selected_rows() == []
    wait(lambda: page.pane.details is not None and page.pane.details.id == "quiet05")


def test_show_log_scrolls_to_the_log(
    quiet: datetime, make_page: Callable[[], HistoryPage], few: Session, wait: Wait
) -> None:
    with few._runtime.database.write() as db:
        logs.append(db, "loud", "printed\n" * 200)
        db.execute("UPDATE runs SET summary = ? WHERE id = 'loud'", ("A long story. " * 200,))
    page = make_page()
    page.open_subject("loud#log")
    log = page.pane.log
    wait(log.text_view.hasFocus)
    top = log.text_view.mapTo(page.pane.viewport(), QPoint(0, 0)).y()
    assert 0 <= top < page.pane.viewport().height() - 100
    page.open_subject("quiet05#log")
    wait(lambda: page.pane.status_line.message == "This run printed nothing.")


TUESDAY = date(2026, 11, 17)
UTC_ZONE = ZoneInfo("UTC")


@pytest.fixture
def days(qtbot: QtBot) -> DateFilter:
    made = DateFilter(UTC_ZONE, TUESDAY)
    qtbot.addWidget(made)
    qtbot.addWidget(made.day_row)
    return made


@pytest.mark.parametrize(
    ("label", "first", "last"),
    [
        ("Any time", None, None),
        ("Today", "11-17", None),
        ("Yesterday (Monday)", "11-16", "11-16"),
        ("Sunday, 15 Nov", "11-15", "11-15"),
        ("Tuesday, 10 Nov", "11-10", "11-10"),
        ("This week", "11-16", None),
        ("Last week", "11-09", "11-15"),
        ("Last 7 days", "11-11", None),
    ],
)
def test_a_day_of_the_last_week_is_chosen_by_its_name(
    days: DateFilter, label: str, first: str | None, last: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.window.history.date_filter._first_weekday", lambda: 1)
    place = days.findText(label)
    assert place >= 0
    days.setCurrentIndex(place)
    since, until = days.find_range(datetime(2026, 11, 17, 12, tzinfo=UTC))
    assert (since and f"{since:%m-%d %H:%M}") == (first and f"{first} 00:00")
    assert (until and f"{until:%m-%d %H:%M:%S}") == (last and f"{last} 23:59:59")


def test_a_chosen_weekday_stays_that_day_after_midnight(days: DateFilter) -> None:
    days.setCurrentIndex(days.findText("Tuesday, 10 Nov"))
    days.show_today(TUESDAY + timedelta(days=1))
    assert days.currentText() == "Choose a day…" and not days.day_row.isHidden()
    since, _ = days.find_range(datetime(2026, 11, 18, 12, tzinfo=UTC))
    assert since == datetime(2026, 11, 10, tzinfo=UTC)
    assert days.findText("Yesterday (Tuesday)") >= 0


def test_the_details_of_a_run_fit_beside_the_table(
    quiet: datetime, make_page: Callable[[], HistoryPage], few: Session, wait: Wait
) -> None:
    """Even of a failed run with attempts and long names, in the narrowest window that shows both."""
    error = {"sentence": "KeyError: 'amount'", "traceback": "File receipts.py, line 3\n" * 30, "file": "receipts.py"}
    at = quiet + timedelta(hours=4)
    facts = {"error": error, "chain": "one", "handler": "file_every_receipt_of_the_last_quarter_in_the_table"}
    add_run(few, "one", "chore-1", at, status=RunStatus.TRANSIENT, followed=True, **facts)
    add_run(few, "two", "chore-1", at, status=RunStatus.LOGIC, retry_of="one", attempt=2, **facts)
    page = make_page()
    page.resize(880, 700)
    page.open_subject("two")
    wait(lambda: page.pane.details is not None)
    [button] = [one for one in page.pane.findChildren(QPushButton) if one.text() == "Technical details"]
    button.click()
    inner = page.pane.widget()
    wait(lambda: inner.minimumSizeHint().width() <= inner.width() == page.pane.viewport().width())
