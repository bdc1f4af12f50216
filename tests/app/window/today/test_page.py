"""Today: what needs the person, the picture of the day, and what happened in words."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from PySide6.QtWidgets import QLabel, QPushButton
from pytestqt.qtbot import QtBot

from app.asking import command
from app.life.installation import Installation
from app.widgets.empty import EmptyPage
from app.widgets.timeline_axis import day_span
from app.window import cards as cards_module
from app.window.day import Line, read_day
from app.window.happenings import Happenings
from app.window.today import TodayPage
from app.words.states import RunState
from scheduler.engine.workflows.views.requests import RequestView
from scheduler.rules.phases import Status
from tests.app.living import Wait, deploy, overview_of, rows
from tests.app.window.filling import add_run, few

__all__ = ["few"]


@pytest.fixture
def page(qtbot: QtBot, installation: Installation, request_: RequestView, wait: Wait) -> TodayPage:
    """When the sample workflow asks."""
    made = TodayPage(installation)
    qtbot.addWidget(made)
    made.resize(1000, 700)
    made.show()
    made.refresh()
    wait(lambda: request_.id in made.cards.cards and made.day is not None)
    return made


def test_a_yes_on_todays_card_becomes_a_line_of_what_happened(
    page: TodayPage, installation: Installation, request_: RequestView, wait: Wait, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cards_module, "LINGER", 1)
    installation.announced.connect(page.refresh)
    page.cards.cards[request_.id].buttons["approve"].click()
    wait(lambda: any(line.sentence == "Filed 3 receipts, 3 so far" for line in page.happenings.lines))
    wait(lambda: not page.cards.cards)
    assert not page.cards.isVisible()
    assert len(rows(installation)) == 4


def test_the_day_is_drawn_with_what_ran_what_waits_and_what_comes(
    installation: Installation, request_: RequestView
) -> None:
    day = read_day(installation)
    assert [lane.title for lane in day.lanes] == ["Receipts"]
    states = {bar.state for bar in day.bars}
    assert {RunState.DONE, RunState.WAITING} <= states
    assert all(bar.lane == "receipts" for bar in day.bars)
    waiting = [bar for bar in day.bars if bar.state is RunState.WAITING]
    assert [bar.words for bar in waiting] == ["Add 3 rows to expenses"]
    assert [bar.id for bar in waiting] == [request_.run]
    coming = [bar for bar in day.bars if bar.state is RunState.COMING]
    assert all(bar.start > day.overview.now for bar in coming)


def test_runs_with_nothing_to_tell_are_counted_not_listed(installation: Installation, request_: RequestView) -> None:
    """The look into the folder found something; it said nothing of it, and its consumer asks."""
    day = read_day(installation)
    assert [(line.state, line.sentence) for line in day.lines] == [(RunState.WAITING, "Add 3 rows to expenses")]
    assert day.quiet >= 1


def test_a_failure_is_a_line_with_its_reason(empty: Installation, wait: Wait) -> None:
    deploy(empty, "Broken", 'raise ValueError("no such column")')
    command(empty, "run", target="broken")
    wait(empty.views.attention)
    [line] = read_day(empty).lines
    assert (line.name, line.state) == ("Broken", RunState.FAILED)
    assert "no such column" in line.sentence


def test_of_several_attempts_the_last_one_is_told(few: Installation) -> None:
    now = few.house.engine.context.clock.now()
    lost = {"sentence": "The server did not answer."}
    add_run(few, "one", "chore-1", now, status=Status.TRANSIENT, followed=True, error=lost, summary=None)
    add_run(few, "two", "chore-1", now, chain="one", attempt=2, retry_of="one", summary="Filed after all")
    add_run(few, "last", "chore-1", now, status=Status.TRANSIENT, followed=True, error=lost, summary=None)
    day = read_day(few)
    told = {line.run: (line.state, line.sentence) for line in day.lines if line.run in ("one", "two", "last")}
    assert told == {
        "two": (RunState.DONE, "Filed after all"),
        "last": (RunState.FAILED, "The server did not answer."),
    }
    assert {bar.state for bar in day.bars if bar.id == "one"} == {RunState.FAILED}


def test_a_run_that_began_before_midnight_is_part_of_the_day(few: Installation) -> None:
    now = few.house.engine.context.clock.now()
    start, _ = day_span(now, overview_of(few).zone)
    hour = timedelta(hours=1)
    add_run(few, "over", "chore-1", start - hour, ended=start + timedelta(seconds=1), summary="Saved all")
    add_run(few, "before", "chore-1", start - hour, ended=start - hour / 2)
    add_run(few, "on", "chore-1", start - 20 * hour, ended=None, status=Status.ACTIVE)
    day = read_day(few)
    assert {"over", "on"} <= {bar.id for bar in day.bars} and "before" not in {bar.id for bar in day.bars}
    assert "Saved all" in [line.sentence for line in day.lines]


def test_other_days_are_drawn_when_one_looks_at_them_and_told_in_history(few: Installation) -> None:
    now = few.house.engine.context.clock.now()
    add_run(few, "old", "chore-1", now - timedelta(days=2), summary="Long ago")
    add_run(few, "new", "chore-1", now, summary="Just now")
    day = read_day(few, (now - timedelta(days=3), now + timedelta(days=3)))
    assert {"old", "new"} <= {bar.id for bar in day.bars}
    assert "Just now" in {line.sentence for line in day.lines} and "Long ago" not in {
        line.sentence for line in day.lines
    }
    assert any(bar.end is not None and bar.end > now + timedelta(days=2) for bar in day.bars)


def test_what_is_left_out_of_the_picture_is_said(few: Installation, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither the morning nor the evening of a full day looks empty."""
    monkeypatch.setattr("app.window.day._MOST_PAST", 2)
    monkeypatch.setattr("app.window.day._MOST_PAGES", 1)
    monkeypatch.setattr("app.window.day._MOST_COMING", 1)
    now = few.house.engine.context.clock.now().replace(microsecond=0)
    for number in range(5):
        add_run(few, f"r{number}", "chore-1", now - timedelta(seconds=5 - number))
    end = now + timedelta(days=2)
    day = read_day(few, (now - timedelta(days=1), end))
    assert day.known == now - timedelta(seconds=2)
    going_on = [bar for bar in day.bars if bar.words == "and so on"]
    assert {bar.lane for bar in going_on} <= {lane.id for lane in day.lanes} and going_on
    assert {bar.end for bar in going_on} == {end}


def test_moving_the_picture_reads_what_comes_into_sight(page: TodayPage, wait: Wait) -> None:
    before = page.day
    page.timeline.pan(-1)
    wait(lambda: page.day is not before)


def test_details_and_bars_lead_to_the_run_and_titles_to_the_workflow(
    qtbot: QtBot, page: TodayPage, request_: RequestView
) -> None:
    with qtbot.waitSignal(page.open_page) as opened:
        page.happenings.opened.emit(request_.run)
    assert opened.args == ["history", request_.run]
    for bar, expected in {
        str(request_.run): ["history", request_.run],
        "coming:receipts:1": ["workflows", "receipts"],
        "time:receipts/look:1:0": ["workflows", "receipts"],
    }.items():
        with qtbot.waitSignal(page.open_page) as opened:
            page.timeline.opened.emit(bar)
        assert opened.args == expected


def test_lines_that_come_and_go_leave_no_old_words(qtbot: QtBot) -> None:
    """Rows are used again; what they said before must not be seen."""
    shown = Happenings()
    qtbot.addWidget(shown)
    shown.show()
    now = datetime(2026, 11, 16, 12, 0, tzinfo=UTC)

    def line(number: int, run: str = "r") -> Line:
        name = f"Name {number}"
        return Line(at=now, workflow="w", name=name, state=RunState.DONE, sentence=f"Did {number} <b>", run=run)

    def words() -> list[str]:
        return [one.text() for one in shown.findChildren(QLabel) if one.isVisibleTo(shown)]

    shown.show_lines([line(1), line(2), line(3)], ZoneInfo("Europe/Berlin"))
    assert len(words()) == 12
    shown.show_lines([line(4, run="")], ZoneInfo("Europe/Berlin"))
    assert sorted(words()) == ["13:00", "Did 4 <b>", "Done", "Name 4"]
    buttons = [one for one in shown.findChildren(QPushButton) if one.isVisibleTo(shown)]
    assert buttons == [], "what has no run has no details"
    shown.show_lines([line(5, run="r5")], ZoneInfo("Europe/Berlin"))
    [button] = [one for one in shown.findChildren(QPushButton) if one.isVisibleTo(shown)]
    with qtbot.waitSignal(shown.opened) as opened:
        button.click()
    assert opened.args == ["r5"]


def test_the_clock_of_the_picture_rests_while_nobody_looks(page: TodayPage) -> None:
    assert page._clock.isActive()
    page.hide()
    assert not page._clock.isActive()
    page.show()
    assert page._clock.isActive()


def test_without_workflows_the_page_says_what_to_do_next(qtbot: QtBot, empty: Installation, wait: Wait) -> None:
    page = TodayPage(empty)
    qtbot.addWidget(page)
    page.show()
    page.refresh()
    nothing = page.findChild(EmptyPage)
    wait(nothing.isVisible)
    with qtbot.waitSignal(page.open_page) as opened:
        nothing.button.click()
    assert opened.args == ["workflows", ""]
