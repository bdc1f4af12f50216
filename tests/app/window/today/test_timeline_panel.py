"""The controls of the timeline: a way back from zooming, and a list for those who cannot see the picture."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible
from pytestqt.qtbot import QtBot

from app.i18n.state_labels import RunState
from app.widgets.timeline_layout import TimelineBar, TimelineLane
from app.window.today.timeline_panel import TimelinePanel

UTC_ZONE = ZoneInfo("UTC")
NOW = datetime(2026, 11, 16, 12, tzinfo=UTC)
LANES = [TimelineLane(id="photos", title="Back up photos"), TimelineLane(id="digest", title="Digest")]


def bar(id_: str, hour: float, state: RunState, lane: str = "photos", text: str = "") -> TimelineBar:
    start = NOW.replace(hour=0) + timedelta(hours=hour)
    return TimelineBar(id=id_, lane=lane, start=start, end=start, state=state, text=text)


BARS = [
    bar("later", 18, RunState.COMING),
    bar("bad", 9, RunState.FAILED, text="The disk was not plugged in."),
    bar("good", 7, RunState.DONE, "digest"),
    bar("long ago", -30, RunState.DONE),
]


def make_panel(qtbot: QtBot, folder: Path) -> TimelinePanel:
    panel = TimelinePanel(folder)
    qtbot.addWidget(panel)
    panel.resize(900, 400)
    panel.show()
    panel.set_day(LANES, BARS, zone=UTC_ZONE, now=NOW)
    return panel


@pytest.fixture
def panel(qtbot: QtBot, tmp_path: Path) -> TimelinePanel:
    return make_panel(qtbot, tmp_path)


def spoken(panel: TimelinePanel) -> list[str]:
    """What a screen reader finds in the list."""
    found = QAccessible.queryAccessibleInterface(panel.list)
    return [found.child(place).text(QAccessible.Text.Name) for place in range(found.childCount())]


def test_zooming_or_moving_offers_the_whole_day(panel: TimelinePanel) -> None:
    assert not panel.whole_day.isVisible()
    for change in (lambda: panel.timeline.zoom(2), lambda: panel.timeline.pan(0.1)):
        change()
        assert panel.whole_day.isVisible()
        panel.whole_day.click()
        assert panel.timeline.is_whole_day
        assert not panel.whole_day.isVisible()


def test_a_screen_reader_finds_every_run_in_the_list(panel: TimelinePanel) -> None:
    panel.as_list.click()
    assert panel.list.isVisible() and not panel.timeline.isVisible()
    assert spoken(panel) == [
        "Today 07:00 · Digest · Done",
        "Today 09:00 · Back up photos · Failed: The disk was not plugged in.",
        "Today 18:00 · Back up photos · Upcoming",
    ]
    assert QAccessible.queryAccessibleInterface(panel.list).text(QAccessible.Text.Name) == "Runs of the day"


def test_return_opens_a_row_of_the_list(qtbot: QtBot, panel: TimelinePanel) -> None:
    panel.as_list.click()
    panel.list.setCurrentRow(1)
    with qtbot.waitSignal(panel.opened) as opened:
        qtbot.keyClick(panel.list, Qt.Key.Key_Return)
    assert opened.args == ["bad"]


def test_a_refresh_keeps_the_selected_row(panel: TimelinePanel) -> None:
    panel.as_list.click()
    panel.list.setCurrentRow(1)
    panel.set_day(LANES, [*BARS, bar("early", 2, RunState.DONE)], zone=UTC_ZONE, now=NOW)
    assert panel.list.count() == 4
    assert panel.list.currentItem().text().endswith("The disk was not plugged in.")


def test_the_choice_is_remembered(qtbot: QtBot, tmp_path: Path, panel: TimelinePanel) -> None:
    panel.as_list.click()
    again = make_panel(qtbot, tmp_path)
    assert again.list.isVisible() and again.as_list.text() == "Show as timeline"
    again.as_list.click()
    assert make_panel(qtbot, tmp_path).timeline.isVisible()


def test_runs_at_one_instant_are_told_apart_in_the_list(panel: TimelinePanel) -> None:
    twins = [bar("one", 9, RunState.DONE), bar("two", 9, RunState.DONE)]
    panel.set_day(LANES, [*BARS, *twins], zone=UTC_ZONE, now=NOW)
    panel.timeline.cluster_opened.emit(["one", "two"])
    assert panel.list.isVisible()
    assert panel.list.currentItem().data(Qt.ItemDataRole.UserRole) == "one"
