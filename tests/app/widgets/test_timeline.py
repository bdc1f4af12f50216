"""The timeline: panning, zooming, tooltips and keyboard use."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QHelpEvent, QWheelEvent
from PySide6.QtWidgets import QApplication, QToolTip
from pytestqt.qtbot import QtBot

from app.i18n.state_labels import RunState
from app.theme.tokens import Colours, Space, Tone
from app.widgets.timeline import Timeline
from app.widgets.timeline_layout import TimelineBar, TimelineLane
from app.widgets.timeline_scene import AXIS_HEIGHT, MAX_SPAN, MIN_SPAN

BERLIN = ZoneInfo("Europe/Berlin")
NOW = datetime(2026, 11, 16, 12, 0, tzinfo=UTC)
MIDNIGHT = datetime(2026, 11, 15, 23, 0, tzinfo=UTC)
LANES = [
    TimelineLane(id="receipts", title="Receipts"),
    TimelineLane(id="backup", title="Backup"),
    TimelineLane(id="quiet", title="Quiet"),
]
LEFT, NO_KEY, CTRL = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ControlModifier


def bar(name: str, lane: str, hour: float, minutes: float | None, state: RunState, words: str = "") -> TimelineBar:
    start = MIDNIGHT + timedelta(hours=hour)
    end = None if minutes is None else start + timedelta(minutes=minutes)
    return TimelineBar(id=name, lane=lane, start=start, end=end, state=state, text=words)


BARS = [
    bar("night", "backup", 3, 120, RunState.DONE, "Saved 1.2 GB"),
    bar("now", "backup", 12, None, RunState.RUNNING),
    bar("broken", "receipts", 6, 90, RunState.FAILED),
    bar("later", "receipts", 18, None, RunState.COMING),
    bar("a", "receipts", 9, 0, RunState.DONE),
    bar("b", "receipts", 9.1, 0, RunState.DONE),
    bar("elsewhere", "nobody", 9, 0, RunState.DONE),
]


@pytest.fixture
def timeline(shown: Callable[..., None]) -> Timeline:
    timeline = Timeline()
    timeline.set_day(LANES, BARS, zone=BERLIN, now=NOW)
    shown(timeline, 1000, 300)
    return timeline


def bar_rect(timeline: Timeline, bar_id: str) -> QRect:
    """Where the bar is in the viewport; empty if there is none."""
    if (found := timeline._scene.find_mark(bar_id)) is None:
        return QRect()
    rect, unit = timeline._scene.rect_of(*found), timeline._unit
    return QRectF(rect.topLeft() * unit, rect.size() * unit).toRect()


def click(qtbot: QtBot, timeline: Timeline, at: QPoint) -> None:
    qtbot.mouseClick(timeline.viewport(), LEFT, NO_KEY, at)


def turn_wheel(timeline: Timeline, x: float, delta: QPoint, modifiers: Qt.KeyboardModifier) -> QWheelEvent:
    at = QPointF(x, 100)
    event = QWheelEvent(
        at,
        timeline.viewport().mapToGlobal(at),
        QPoint(),
        delta,
        Qt.MouseButton.NoButton,
        modifiers,
        Qt.ScrollPhase.NoScrollPhase,
        False,  # noqa: FBT003  # Qt's order
    )
    QApplication.sendEvent(timeline.viewport(), event)
    return event


def test_at_first_the_whole_local_day_is_visible(timeline: Timeline) -> None:
    assert timeline.span == (MIDNIGHT, MIDNIGHT + timedelta(days=1))


def test_bars_lie_at_their_time_in_the_lane_of_their_workflow(timeline: Timeline) -> None:
    night, running, broken = (bar_rect(timeline, name) for name in ("night", "now", "broken"))
    pixels_per_hour = (running.left() - night.left()) / 9
    assert night.width() == pytest.approx(2 * pixels_per_hour, abs=2)
    assert broken.left() - night.left() == pytest.approx(3 * pixels_per_hour, abs=2)
    assert broken.bottom() < night.top()
    assert bar_rect(timeline, "elsewhere") == QRect()


def test_a_click_on_a_run_opens_it(qtbot: QtBot, timeline: Timeline) -> None:
    with qtbot.waitSignal(timeline.opened) as opened:
        click(qtbot, timeline, bar_rect(timeline, "night").center())
    assert opened.args == ["night"]


def test_a_click_beside_a_run_opens_nothing(qtbot: QtBot, timeline: Timeline) -> None:
    with qtbot.assertNotEmitted(timeline.opened), qtbot.assertNotEmitted(timeline.lane_opened):
        click(qtbot, timeline, bar_rect(timeline, "night").center() + QPoint(0, 90))
        click(qtbot, timeline, QPoint(600, AXIS_HEIGHT // 2))


def test_a_click_on_a_name_opens_the_workflow(qtbot: QtBot, timeline: Timeline) -> None:
    with qtbot.waitSignal(timeline.lane_opened) as opened:
        click(qtbot, timeline, QPoint(20, bar_rect(timeline, "night").center().y()))
    assert opened.args == ["backup"]


def test_a_click_on_a_cluster_zooms_in_until_its_runs_are_apart(qtbot: QtBot, timeline: Timeline) -> None:
    assert bar_rect(timeline, "a") == bar_rect(timeline, "b")
    with qtbot.assertNotEmitted(timeline.opened):
        click(qtbot, timeline, bar_rect(timeline, "a").center())
    assert not bar_rect(timeline, "a").intersects(bar_rect(timeline, "b"))
    for name in "ab":
        assert timeline.viewport().rect().contains(bar_rect(timeline, name))


def test_runs_at_the_same_instant_are_opened_together(qtbot: QtBot, timeline: Timeline) -> None:
    twins = [bar("one", "quiet", 9, 0, RunState.DONE), bar("two", "quiet", 9, 0, RunState.DONE)]
    timeline.set_day(LANES, twins, zone=BERLIN, now=NOW)
    with qtbot.waitSignal(timeline.cluster_opened) as opened:
        click(qtbot, timeline, bar_rect(timeline, "one").center())
    assert opened.args == [["one", "two"]]


def test_a_double_click_beside_the_runs_shows_the_whole_day_again(qtbot: QtBot, timeline: Timeline) -> None:
    timeline.zoom(3)
    timeline.pan(0.5)
    assert not timeline.is_whole_day
    beside = QPoint(600, timeline.viewport().height() - 4)
    double_click(qtbot, timeline, beside)
    assert timeline.is_whole_day


def test_a_double_click_on_a_cluster_zooms_in_and_not_back(qtbot: QtBot, timeline: Timeline) -> None:
    double_click(qtbot, timeline, bar_rect(timeline, "a").center())
    assert not timeline.is_whole_day


def double_click(qtbot: QtBot, timeline: Timeline, at: QPoint) -> None:
    """As the user does it: the first of the two clicks is an ordinary one."""
    click(qtbot, timeline, at)
    qtbot.mouseDClick(timeline.viewport(), LEFT, NO_KEY, at)


def test_long_names_end_in_dots_and_the_tooltip_shows_them(timeline: Timeline, monkeypatch: pytest.MonkeyPatch) -> None:
    name = "Invoices of the shop in the old town, with reminders and a copy for the accountant"
    timeline.set_day([TimelineLane(id="long", title=name)], [], zone=BERLIN, now=NOW)
    assert timeline._scene.gutter < QFontMetrics(timeline.font()).horizontalAdvance(name)
    timeline.resize(400, 300)
    assert timeline._scene.gutter < 0.45 * 400
    said: list[str] = []
    monkeypatch.setattr(QToolTip, "showText", lambda _at, text, *_: said.append(text))
    at = QPoint(20, AXIS_HEIGHT + 20)
    QApplication.sendEvent(timeline.viewport(), QHelpEvent(QEvent.Type.ToolTip, at, at))
    assert name in said[0]


def test_dragging_pans_and_opens_nothing(qtbot: QtBot, timeline: Timeline) -> None:
    view, start = timeline.viewport(), bar_rect(timeline, "night").center()
    before = bar_rect(timeline, "night").left()
    with qtbot.assertNotEmitted(timeline.opened), qtbot.waitSignal(timeline.span_changed):
        qtbot.mousePress(view, LEFT, NO_KEY, start)
        qtbot.mouseMove(view, start + QPoint(60, 0))
        qtbot.mouseMove(view, start + QPoint(120, 0))
        qtbot.mouseRelease(view, LEFT, NO_KEY, start + QPoint(120, 0))
    assert bar_rect(timeline, "night").left() == pytest.approx(before + 120, abs=2)


def test_ctrl_wheel_zooms_around_the_pointer(qtbot: QtBot, timeline: Timeline) -> None:
    x = bar_rect(timeline, "night").left()
    turn_wheel(timeline, x, QPoint(0, 240), CTRL)
    start, end = timeline.span
    assert (end - start) / timedelta(hours=1) == pytest.approx(24 / 1.25**2, rel=0.01)
    assert bar_rect(timeline, "night").left() == pytest.approx(x, abs=2)


def test_a_horizontal_or_shift_wheel_pans(timeline: Timeline) -> None:
    turn_wheel(timeline, 500, QPoint(-120, 0), NO_KEY)
    assert timeline.span[0] == MIDNIGHT + timedelta(hours=3)
    turn_wheel(timeline, 500, QPoint(0, 120), Qt.KeyboardModifier.ShiftModifier)
    assert timeline.span[0] == MIDNIGHT


def test_the_plain_wheel_scrolls_the_page_while_all_lanes_are_visible(timeline: Timeline) -> None:
    assert timeline.verticalScrollBar().maximum() == 0
    assert not turn_wheel(timeline, 500, QPoint(0, -120), NO_KEY).isAccepted()
    assert timeline.span == (MIDNIGHT, MIDNIGHT + timedelta(days=1))


def test_zooming_is_limited(timeline: Timeline) -> None:
    for _ in range(60):
        timeline.zoom(1.25)
    assert timeline.span[1] - timeline.span[0] == MIN_SPAN
    for _ in range(60):
        timeline.zoom(0.8)
    assert timeline.span[1] - timeline.span[0] == MAX_SPAN


def test_keys_zoom_pan_and_return_to_the_day(qtbot: QtBot, timeline: Timeline) -> None:
    timeline.setFocus()
    qtbot.keyClick(timeline, Qt.Key.Key_Plus)
    assert timeline.span[1] - timeline.span[0] == timedelta(days=1) / 1.25
    qtbot.keyClick(timeline, Qt.Key.Key_Right, CTRL)
    assert timeline.span[1] > MIDNIGHT + timedelta(days=1)
    qtbot.keyClick(timeline, Qt.Key.Key_0)
    assert timeline.span == (MIDNIGHT, MIDNIGHT + timedelta(days=1))


def test_arrows_move_between_runs_and_return_opens_one(qtbot: QtBot, timeline: Timeline) -> None:
    timeline.setFocus()
    focused = []
    right, down, up = Qt.Key.Key_Right, Qt.Key.Key_Down, Qt.Key.Key_Up
    for key in (right, right, down, right, down, up, right):
        qtbot.keyClick(timeline, key)
        focused.append(timeline.focused)
    assert focused == ["broken", "a", "now", "now", "now", "a", "later"]
    with qtbot.waitSignal(timeline.opened) as opened:
        qtbot.keyClick(timeline, Qt.Key.Key_Return)
    assert opened.args == ["later"]


def test_the_focused_run_is_announced_and_scrolled_into_view(qtbot: QtBot, timeline: Timeline) -> None:
    timeline.show_span(MIDNIGHT + timedelta(hours=5), MIDNIGHT + timedelta(hours=8))
    timeline.setFocus()
    for _ in range(3):
        qtbot.keyClick(timeline, Qt.Key.Key_Right)
    qtbot.keyClick(timeline, Qt.Key.Key_Right)
    assert timeline.focused == "later"
    assert timeline.accessibleDescription() == "Receipts\nUpcoming · today 18:00"
    assert timeline.viewport().rect().contains(bar_rect(timeline, "later"))


def test_a_run_has_a_tooltip(timeline: Timeline) -> None:
    at = bar_rect(timeline, "night").center()
    QApplication.sendEvent(
        timeline.viewport(), QHelpEvent(QEvent.Type.ToolTip, at, timeline.viewport().mapToGlobal(at))
    )
    assert QToolTip.text() == "Backup\nDone · today 03:00 to 05:00\nTook 2 h\nSaved 1.2 GB"


def test_markup_from_a_script_is_not_interpreted(timeline: Timeline) -> None:
    tricky = [bar("x", "quiet", 9, 60, RunState.DONE, "<b>Paid</b> <img src='/etc/passwd'>")]
    timeline.set_day(LANES, tricky, zone=BERLIN, now=NOW)
    at = bar_rect(timeline, "x").center()
    QApplication.sendEvent(
        timeline.viewport(), QHelpEvent(QEvent.Type.ToolTip, at, timeline.viewport().mapToGlobal(at))
    )
    assert "&lt;b&gt;Paid&lt;/b&gt;" in QToolTip.text()
    assert "<img" not in QToolTip.text()


@pytest.mark.parametrize(
    ("name", "description"),
    [
        ("now", "Backup\nRunning · since today 12:00"),
        ("a", "Receipts\n2 runs: 2 done\ntoday 09:00 to 09:06"),
        ("broken", "Receipts\nFailed · today 06:00 to 07:30\nTook 1 h 30 min"),
    ],
)
def test_each_kind_of_mark_has_a_description(timeline: Timeline, name: str, description: str) -> None:
    found = timeline._scene.mark_at(QPointF(bar_rect(timeline, name).center()))
    assert found is not None
    assert timeline._describe(*found) == description


def test_new_data_keeps_the_visible_span(timeline: Timeline) -> None:
    timeline.zoom(4)
    before = timeline.span
    timeline.set_day(LANES, BARS, zone=BERLIN, now=NOW + timedelta(minutes=5))
    assert timeline.span == before


def test_a_new_day_resets_the_visible_span(timeline: Timeline) -> None:
    timeline.zoom(4)
    timeline.set_day(LANES, BARS, zone=BERLIN, now=MIDNIGHT + timedelta(days=1, minutes=1))
    assert timeline.span == (MIDNIGHT + timedelta(days=1), MIDNIGHT + timedelta(days=2))


def test_the_period_without_data_does_not_look_empty(timeline: Timeline) -> None:
    place = QRect(bar_rect(timeline, "night").right() + 60, AXIS_HEIGHT + 2, 20, 20)
    before = timeline.grab(place).toImage()
    timeline.set_day(LANES, BARS, zone=BERLIN, now=NOW, known_since=NOW)
    assert timeline.grab(place).toImage() != before


def test_a_running_bar_grows_with_the_time(timeline: Timeline) -> None:
    before = bar_rect(timeline, "now").width()
    timeline.set_day(LANES, BARS, zone=BERLIN, now=NOW + timedelta(hours=4))
    assert bar_rect(timeline, "now").width() > before + 50


def test_panning_reuses_the_layout(timeline: Timeline) -> None:
    layout = timeline._scene.layout(0)
    timeline.pan(0.3)
    assert timeline._scene.layout(0) is layout
    timeline.zoom(2)
    assert timeline._scene.layout(0) is not layout


def test_states_are_painted_in_their_colours(timeline: Timeline, colours: Colours, picture: type) -> None:
    drawn = picture(timeline.viewport())
    broken, night, later = (bar_rect(timeline, name) for name in ("broken", "night", "later"))
    assert drawn.colour(broken.right() - 6, broken.center().y()).name() == colours.tones[Tone.BAD].text
    assert drawn.colour(night.right() - 3, night.center().y()).name() == colours.tones[Tone.GOOD].soft
    assert drawn.colour(later.left() + 2, later.top() + 4).name() == colours.surface, "upcoming runs are outlines"


def test_now_is_a_line_in_the_accent_colour(timeline: Timeline, colours: Colours, picture: type) -> None:
    drawn = picture(timeline.viewport())
    x = bar_rect(timeline, "now").right()
    column = [drawn.colour(x + shift, 120).name() for shift in (-1, 0, 1)]
    assert colours.accent in column
    timeline.show_span(MIDNIGHT, MIDNIGHT + timedelta(hours=6))
    assert picture(timeline.viewport()).count(colours.accent) == 0


def test_lanes_scroll_under_a_fixed_axis(qtbot: QtBot, timeline: Timeline, picture: type) -> None:
    lanes = [TimelineLane(id=str(number), title=f"Workflow {number}") for number in range(300)]
    bars = [bar(f"{n}.{hour}", str(n), hour, 5, RunState.DONE) for n in range(300) for hour in range(12)]
    timeline.set_day(lanes, bars, zone=BERLIN, now=NOW)
    axis = QRect(0, 0, timeline.viewport().width(), AXIS_HEIGHT)
    before = picture(timeline.viewport()).image.copy(axis)
    timeline.verticalScrollBar().setValue(timeline.verticalScrollBar().maximum())
    assert picture(timeline.viewport()).image.copy(axis) == before
    assert timeline.viewport().rect().contains(bar_rect(timeline, "299.3"))
    with qtbot.waitSignal(timeline.opened) as opened:
        click(qtbot, timeline, bar_rect(timeline, "299.3").center())
    assert opened.args == ["299.3"]


def test_only_visible_marks_are_painted(timeline: Timeline, monkeypatch: pytest.MonkeyPatch) -> None:
    """Thousands of runs cost no more than those on screen."""
    lanes = [TimelineLane(id=str(number), title=str(number)) for number in range(100)]
    bars = [bar(f"{n}.{i}", str(n), i / 4, 1, RunState.DONE) for n in range(100) for i in range(96)]
    timeline.set_day(lanes, bars, zone=BERLIN, now=NOW)
    painted = []
    monkeypatch.setattr("app.widgets.timeline_paint.paint_mark", lambda _brush, mark, *_, **__: painted.append(mark))
    timeline.show_span(MIDNIGHT, MIDNIGHT + timedelta(hours=4))
    timeline.grab()
    assert 0 < len(painted) < 200


def test_an_empty_day_is_painted(shown: Callable[..., None], colours: Colours, picture: type) -> None:
    timeline = Timeline()
    timeline.set_day([], [], zone=BERLIN, now=NOW)
    shown(timeline, 500, 120)
    assert picture(timeline.viewport()).colour(400, 100) == QColor(colours.surface)


def test_larger_text_enlarges_the_whole_timeline(qtbot: QtBot, timeline: Timeline) -> None:
    normal, hint = bar_rect(timeline, "a"), timeline.sizeHint()
    font = timeline.font()
    font.setPointSizeF(3 * font.pointSizeF())
    timeline.setFont(font)
    larger = bar_rect(timeline, "a")
    assert larger.height() > 2 * normal.height()
    assert larger.width() > 2 * normal.width()
    assert timeline.sizeHint().height() > 2 * hint.height()
    with qtbot.waitSignal(timeline.opened) as opened:
        click(qtbot, timeline, bar_rect(timeline, "broken").center())
    assert opened.args == ["broken"]


def test_enlarged_marks_are_painted_where_they_are_clicked(timeline: Timeline, colours: Colours, picture: type) -> None:
    font = timeline.font()
    font.setPointSizeF(2.5 * font.pointSizeF())
    timeline.setFont(font)
    broken = bar_rect(timeline, "broken")
    drawn = picture(timeline.viewport())
    assert drawn.colour(broken.right() - 8, broken.center().y()).name() == colours.tones[Tone.BAD].text
    assert drawn.colour(broken.center().x(), broken.bottom() + 6).name() == colours.surface


def test_the_last_run_of_the_day_is_fully_visible(shown: Callable[..., None]) -> None:
    timeline = Timeline()
    late = [bar(f"late {place}", "receipts", 23.9, None, RunState.COMING) for place in range(3)]
    timeline.set_day(LANES, late, zone=BERLIN, now=NOW)
    shown(timeline, 1000, 300)
    assert bar_rect(timeline, "late 0").right() <= timeline.viewport().width()


@pytest.mark.parametrize("points", [8, 9, 10, 13, 20])
def test_a_title_that_fits_is_not_cut(shown: Callable[..., None], points: int) -> None:
    timeline = Timeline()
    timeline.setFont(QFont("DejaVu Sans", points))
    timeline.set_day(LANES, BARS, zone=BERLIN, now=NOW)
    shown(timeline, 1000, 300)
    metrics = QFontMetrics(timeline._normal_font())
    room = timeline._scene.gutter - 2 * Space.MEDIUM
    for lane in LANES:
        assert metrics.elidedText(lane.title, Qt.TextElideMode.ElideRight, room) == lane.title
