"""The Today page: open requests, the timeline of the day, and the activity list."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from PySide6.QtWidgets import QLabel, QPushButton
from pytestqt.qtbot import QtBot

from app.background import run_command
from app.i18n.state_labels import RunState
from app.session import Session
from app.widgets.empty_state import EmptyState
from app.widgets.timeline_layout import local_day
from app.window import request_cards as cards_module
from app.window.page import NEW_WORKFLOW
from app.window.today.activity_list import ActivityList
from app.window.today.page import TodayPage
from app.window.today.today_data import ActivityLine, read_day
from scheduler.engine.queries.requests import RequestView
from scheduler.rules.phases import RunStatus
from scheduler.rules.requests import Block, RequestKind
from scheduler.store import lanes, schedules
from scheduler.store.lanes import LaneRow
from tests.app.app_fixture import Wait, deploy, overview_of, table_lines
from tests.app.window.request_samples import make_mail, make_overview, make_request
from tests.app.window.sample_data import add_run
from tests.app.window.session_fixture import few

__all__ = ["few"]


@pytest.fixture
def page(qtbot: QtBot, installation: Session, request_: RequestView, wait: Wait) -> TodayPage:
    """While the sample workflow waits for an answer."""
    made = TodayPage(installation)
    qtbot.addWidget(made)
    made.resize(1000, 700)
    made.show()
    made.refresh()
    wait(lambda: request_.id in made.cards.cards and made.day is not None)
    return made


def test_kinds_of_requests_without_a_row_are_named(qtbot: QtBot, empty: Session) -> None:
    """Broken things come first; approvals must not be forgotten behind them."""
    kinds = (RequestKind.RUN_FAILED, RequestKind.SCRIPT_ERROR, RequestKind.RECONNECT, RequestKind.UNSURE)
    page = TodayPage(empty)
    qtbot.addWidget(page)
    page.show()
    rare = [make_request(number, kind, f"chore-{number}") for number, kind in enumerate(kinds)]
    page.show_overview(make_overview([*rare, *(make_mail(number) for number in range(20, 60))], empty.registry))
    assert len(page.cards.entries) == 4
    assert page._hidden.isVisible() and page._hidden.text() == "Asks for your approval (40)"
    page.show_overview(make_overview(rare, empty.registry))
    assert not page._hidden.isVisible()


def test_an_approved_request_becomes_a_line_of_the_activity_list(
    page: TodayPage, installation: Session, request_: RequestView, wait: Wait, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cards_module, "ANSWERED_CARD_MS", 1)
    installation.announced.connect(page.refresh)
    page.cards.cards[request_.id].buttons["approve"].click()
    wait(lambda: any(line.sentence == "Filed 3 receipts, 3 so far" for line in page.activity.lines))
    wait(lambda: not page.cards.cards)
    assert not page.cards.isVisible()
    assert len(table_lines(installation)) == 4


def test_the_timeline_shows_past_waiting_and_upcoming_runs(installation: Session, request_: RequestView) -> None:
    day = read_day(installation)
    assert [lane.title for lane in day.lanes] == ["Receipts"]
    states = {bar.state for bar in day.bars}
    assert {RunState.DONE, RunState.WAITING} <= states
    assert all(bar.lane == "receipts" for bar in day.bars)
    waiting = [bar for bar in day.bars if bar.state is RunState.WAITING]
    assert [bar.text for bar in waiting] == ["Add 3 rows to expenses"]
    assert [bar.id for bar in waiting] == [request_.run]
    coming = [bar for bar in day.bars if bar.state is RunState.COMING]
    assert all(bar.start > day.overview.now for bar in coming)


def test_runs_with_nothing_to_report_are_counted_not_listed(installation: Session, request_: RequestView) -> None:
    """The first run of the consumer found nothing to do; then the producer found receipts, which wait for approval."""
    day = read_day(installation)
    [waiting, found] = day.lines
    assert (waiting.state, waiting.sentence) == (RunState.WAITING, "Add 3 rows to expenses")
    assert found.state is RunState.DONE and found.sentence.startswith("Found 3 new items: ")
    assert day.quiet_runs >= 1


def test_a_failure_is_listed_with_its_reason(empty: Session, wait: Wait) -> None:
    deploy(empty, "Broken", 'raise ValueError("no such column")')
    run_command(empty, "run", target="broken")
    wait(empty.queries.attention)
    [line] = read_day(empty).lines
    assert (line.name, line.state) == ("Broken", RunState.FAILED)
    assert "no such column" in line.sentence


def test_of_several_attempts_only_the_last_is_listed(few: Session) -> None:
    now = few.now()
    lost = {"sentence": "The server did not answer."}
    add_run(few, "one", "chore-1", now, status=RunStatus.TRANSIENT, followed=True, error=lost, summary=None)
    add_run(few, "two", "chore-1", now, chain="one", attempt=2, retry_of="one", summary="Filed after all")
    add_run(few, "last", "chore-1", now, status=RunStatus.TRANSIENT, followed=True, error=lost, summary=None)
    day = read_day(few)
    shown = {line.run: (line.state, line.sentence) for line in day.lines if line.run in ("one", "two", "last")}
    assert shown == {
        "two": (RunState.DONE, "Filed after all"),
        "last": (RunState.FAILED, "The server did not answer."),
    }
    assert {bar.state for bar in day.bars if bar.id == "one"} == {RunState.FAILED}


def test_a_run_that_started_before_midnight_is_part_of_the_day(few: Session) -> None:
    now = few.now()
    start, _ = local_day(now, overview_of(few).zone)
    hour = timedelta(hours=1)
    add_run(few, "over", "chore-1", start - hour, ended=start + timedelta(seconds=1), summary="Saved all")
    add_run(few, "before", "chore-1", start - hour, ended=start - hour / 2)
    add_run(few, "on", "chore-1", start - 20 * hour, ended=None, status=RunStatus.ACTIVE)
    day = read_day(few)
    assert {"over", "on"} <= {bar.id for bar in day.bars} and "before" not in {bar.id for bar in day.bars}
    assert "Saved all" in [line.sentence for line in day.lines]


def test_other_days_appear_on_the_timeline_but_not_in_the_list(few: Session) -> None:
    now = few.now()
    add_run(few, "old", "chore-1", now - timedelta(days=2), summary="Long ago")
    add_run(few, "new", "chore-1", now, summary="Just now")
    day = read_day(few, (now - timedelta(days=3), now + timedelta(days=3)))
    assert {"old", "new"} <= {bar.id for bar in day.bars}
    assert "Just now" in {line.sentence for line in day.lines} and "Long ago" not in {
        line.sentence for line in day.lines
    }
    assert any(bar.end is not None and bar.end > now + timedelta(days=2) for bar in day.bars)


def test_what_the_timeline_leaves_out_is_marked(few: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither the start nor the end of a busy span looks empty."""
    monkeypatch.setattr("app.window.today.today_data._PAGE_SIZE", 2)
    monkeypatch.setattr("app.window.today.today_data._MAX_PAGES", 1)
    monkeypatch.setattr("app.window.today.today_data._MAX_COMING", 1)
    now = few.now().replace(microsecond=0)
    for number in range(5):
        add_run(few, f"r{number}", "chore-1", now - timedelta(seconds=5 - number))
    end = now + timedelta(days=2)
    day = read_day(few, (now - timedelta(days=1), end))
    assert day.known_since == now - timedelta(seconds=2)
    repeating = [bar for bar in day.bars if bar.text == "repeats"]
    assert {bar.lane for bar in repeating} <= {lane.id for lane in day.lanes} and repeating
    assert {bar.end for bar in repeating} == {end}


def test_the_times_of_all_workflows_are_read_together(few: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    """Reading all schedules for each workflow took seconds with hundreds of them."""
    reads: list[object] = []
    read = schedules.list_all
    monkeypatch.setattr(schedules, "list_all", lambda *args, **more: reads.append(args) or read(*args, **more))
    now = few.now()
    assert read_day(few, (now, now + timedelta(days=2))).bars
    assert len(reads) < len(few.queries.workflows())


def test_moving_the_timeline_reads_the_visible_span(page: TodayPage, wait: Wait) -> None:
    before = page.day
    page.timeline.pan(-1)
    wait(lambda: page.day is not before)


def test_details_and_bars_open_the_run_and_other_bars_the_workflow(
    qtbot: QtBot, page: TodayPage, request_: RequestView
) -> None:
    with qtbot.waitSignal(page.open_page) as opened:
        page.activity.opened.emit(request_.run)
    assert opened.args == ["history", request_.run]
    for bar, expected in {
        str(request_.run): ["history", request_.run],
        "coming:receipts:1": ["workflows", "receipts"],
        "time:receipts/look:1:0": ["workflows", "receipts"],
    }.items():
        with qtbot.waitSignal(page.open_page) as opened:
            page.timeline.opened.emit(bar)
        assert opened.args == expected


def test_reused_rows_show_no_old_text(qtbot: QtBot) -> None:
    """Rows are reused; their old text must not be visible."""
    shown = ActivityList()
    qtbot.addWidget(shown)
    shown.show()
    now = datetime(2026, 11, 16, 12, 0, tzinfo=UTC)

    def line(number: int, run: str = "r") -> ActivityLine:
        name = f"Name {number}"
        return ActivityLine(at=now, workflow="w", name=name, state=RunState.DONE, sentence=f"Did {number} <b>", run=run)

    def words() -> list[str]:
        return [one.text() for one in shown.findChildren(QLabel) if one.isVisibleTo(shown)]

    shown.show_lines([line(1), line(2), line(3)], ZoneInfo("Europe/Berlin"), now)
    assert len(words()) == 12
    shown.show_lines([line(4, run="")], ZoneInfo("Europe/Berlin"), now)
    assert sorted(words()) == ["13:00", "Did 4 <b>", "Done", "Name 4"]
    buttons = [one for one in shown.findChildren(QPushButton) if one.isVisibleTo(shown)]
    assert buttons == [], "a line without a run has no Details button"
    shown.show_lines([line(5, run="r5")], ZoneInfo("Europe/Berlin"), now)
    [button] = [one for one in shown.findChildren(QPushButton) if one.isVisibleTo(shown)]
    with qtbot.waitSignal(shown.opened) as opened:
        button.click()
    assert opened.args == ["r5"]


def test_the_timer_stops_while_the_page_is_hidden(page: TodayPage) -> None:
    assert page._clock.isActive()
    page.hide()
    assert not page._clock.isActive()
    page.show()
    assert page._clock.isActive()


def test_without_workflows_the_page_offers_to_add_one(qtbot: QtBot, empty: Session, wait: Wait) -> None:
    page = TodayPage(empty)
    qtbot.addWidget(page)
    page.show()
    page.refresh()
    nothing = page.findChild(EmptyState)
    wait(nothing.isVisible)
    with qtbot.waitSignal(page.open_page) as opened:
        nothing.button.click()
    assert opened.args == ["workflows", NEW_WORKFLOW]


def coming(session: Session, workflow: str) -> list[datetime]:
    day = read_day(session, (session.now(), session.now() + timedelta(hours=3)))
    return [one.start for one in day.bars if one.state is RunState.COMING and one.lane == workflow]


def test_the_timeline_has_no_coming_runs_of_what_is_paused_or_blocked(few: Session) -> None:
    """All have a check every five minutes; the last is paused."""
    assert coming(few, "chore-0") and coming(few, "chore-1") and not coming(few, "chore-3")
    with few._runtime.database.write() as db:
        lanes.block(db, LaneRow("chore-0", "", Block.TOO_MANY_FAILURES, "It keeps failing.", None, None))
    assert not coming(few, "chore-0")
    assert coming(few, "chore-1")


def test_while_everything_is_paused_the_timeline_shows_only_what_follows(few: Session) -> None:
    end = few.now() + timedelta(minutes=30)
    run_command(few, "pause", everything=True, until=end.isoformat())
    assert all(at > end for at in coming(few, "chore-0"))
    run_command(few, "pause", everything=True)
    assert not coming(few, "chore-0")
