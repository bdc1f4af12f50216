"""The picture of a day can be read, moved, zoomed, pointed at and walked over with keys."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, QRect, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QHelpEvent, QWheelEvent
from PySide6.QtWidgets import QApplication, QToolTip
from pytestqt.qtbot import QtBot

from app.look.theme import Colours, Space, Tone
from app.widgets.timeline import Timeline
from app.widgets.timeline_layout import Bar, Lane
from app.widgets.timeline_paint import AXIS_HEIGHT
from app.widgets.timeline_scene import LONGEST, SHORTEST
from app.words.states import RunState

BERLIN = ZoneInfo("Europe/Berlin")
NOW = datetime(2026, 11, 16, 12, 0, tzinfo=UTC)
MIDNIGHT = datetime(2026, 11, 15, 23, 0, tzinfo=UTC)
LANES = [Lane(id="receipts", title="Receipts"), Lane(id="backup", title="Backup"), Lane(id="quiet", title="Quiet")]
LEFT, NO_KEY, CTRL = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ControlModifier


def bar(name: str, lane: str, hour: float, minutes: float | None, state: RunState, words: str = "") -> Bar:
    start = MIDNIGHT + timedelta(hours=hour)
    end = None if minutes is None else start + timedelta(minutes=minutes)
    return Bar(id=name, lane=lane, start=start, end=end, state=state, words=words)


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


def test_at_first_the_whole_local_day_is_in_sight(timeline: Timeline) -> None:
    assert timeline.span == (MIDNIGHT, MIDNIGHT + timedelta(days=1))


def test_bars_lie_at_their_time_in_the_lane_of_their_workflow(timeline: Timeline) -> None:
    night, running, broken = map(timeline.position_of, ("night", "now", "broken"))
    pixels_per_hour = (running.left() - night.left()) / 9
    assert night.width() == pytest.approx(2 * pixels_per_hour, abs=2)
    assert broken.left() - night.left() == pytest.approx(3 * pixels_per_hour, abs=2)
    assert broken.bottom() < night.top()
    assert timeline.position_of("elsewhere") == QRect()


def test_a_click_on_a_run_opens_it(qtbot: QtBot, timeline: Timeline) -> None:
    with qtbot.waitSignal(timeline.opened) as opened:
        click(qtbot, timeline, timeline.position_of("night").center())
    assert opened.args == ["night"]


def test_a_click_beside_opens_nothing(qtbot: QtBot, timeline: Timeline) -> None:
    with qtbot.assertNotEmitted(timeline.opened), qtbot.assertNotEmitted(timeline.lane_opened):
        click(qtbot, timeline, timeline.position_of("night").center() + QPoint(0, 90))
        click(qtbot, timeline, QPoint(600, AXIS_HEIGHT // 2))


def test_a_click_on_a_name_opens_the_workflow(qtbot: QtBot, timeline: Timeline) -> None:
    with qtbot.waitSignal(timeline.lane_opened) as opened:
        click(qtbot, timeline, QPoint(20, timeline.position_of("night").center().y()))
    assert opened.args == ["backup"]


def test_a_click_on_several_zooms_in_until_they_are_apart(qtbot: QtBot, timeline: Timeline) -> None:
    assert timeline.position_of("a") == timeline.position_of("b")
    with qtbot.assertNotEmitted(timeline.opened):
        click(qtbot, timeline, timeline.position_of("a").center())
    assert not timeline.position_of("a").intersects(timeline.position_of("b"))
    for name in "ab":
        assert timeline.viewport().rect().contains(timeline.position_of(name))


def test_several_at_one_instant_are_opened_together(qtbot: QtBot, timeline: Timeline) -> None:
    twins = [bar("one", "quiet", 9, 0, RunState.DONE), bar("two", "quiet", 9, 0, RunState.DONE)]
    timeline.set_day(LANES, twins, zone=BERLIN, now=NOW)
    with qtbot.waitSignal(timeline.several_opened) as opened:
        click(qtbot, timeline, timeline.position_of("one").center())
    assert opened.args == [["one", "two"]]


def test_dragging_moves_the_day_and_opens_nothing(qtbot: QtBot, timeline: Timeline) -> None:
    view, start = timeline.viewport(), timeline.position_of("night").center()
    before = timeline.position_of("night").left()
    with qtbot.assertNotEmitted(timeline.opened), qtbot.waitSignal(timeline.span_changed):
        qtbot.mousePress(view, LEFT, NO_KEY, start)
        qtbot.mouseMove(view, start + QPoint(60, 0))
        qtbot.mouseMove(view, start + QPoint(120, 0))
        qtbot.mouseRelease(view, LEFT, NO_KEY, start + QPoint(120, 0))
    assert timeline.position_of("night").left() == pytest.approx(before + 120, abs=2)


def test_the_wheel_with_ctrl_zooms_around_the_pointer(qtbot: QtBot, timeline: Timeline) -> None:
    x = timeline.position_of("night").left()
    turn_wheel(timeline, x, QPoint(0, 240), CTRL)
    start, end = timeline.span
    assert (end - start) / timedelta(hours=1) == pytest.approx(24 / 1.25**2, rel=0.01)
    assert timeline.position_of("night").left() == pytest.approx(x, abs=2)


def test_the_wheel_sideways_or_with_shift_pans(timeline: Timeline) -> None:
    turn_wheel(timeline, 500, QPoint(-120, 0), NO_KEY)
    assert timeline.span[0] == MIDNIGHT + timedelta(hours=3)
    turn_wheel(timeline, 500, QPoint(0, 120), Qt.KeyboardModifier.ShiftModifier)
    assert timeline.span[0] == MIDNIGHT


def test_the_plain_wheel_is_left_to_the_page_while_all_lanes_are_in_sight(timeline: Timeline) -> None:
    assert timeline.verticalScrollBar().maximum() == 0
    assert not turn_wheel(timeline, 500, QPoint(0, -120), NO_KEY).isAccepted()
    assert timeline.span == (MIDNIGHT, MIDNIGHT + timedelta(days=1))


def test_zooming_ends_where_nothing_more_is_to_be_seen(timeline: Timeline) -> None:
    for _ in range(60):
        timeline.zoom(1.25)
    assert timeline.span[1] - timeline.span[0] == SHORTEST
    for _ in range(60):
        timeline.zoom(0.8)
    assert timeline.span[1] - timeline.span[0] == LONGEST


def test_keys_zoom_pan_and_come_back_to_the_day(qtbot: QtBot, timeline: Timeline) -> None:
    timeline.setFocus()
    qtbot.keyClick(timeline, Qt.Key.Key_Plus)
    assert timeline.span[1] - timeline.span[0] == timedelta(days=1) / 1.25
    qtbot.keyClick(timeline, Qt.Key.Key_Right, CTRL)
    assert timeline.span[1] > MIDNIGHT + timedelta(days=1)
    qtbot.keyClick(timeline, Qt.Key.Key_0)
    assert timeline.span == (MIDNIGHT, MIDNIGHT + timedelta(days=1))


def test_arrows_walk_over_the_runs_and_return_opens(qtbot: QtBot, timeline: Timeline) -> None:
    timeline.setFocus()
    walked = []
    right, down, up = Qt.Key.Key_Right, Qt.Key.Key_Down, Qt.Key.Key_Up
    for key in (right, right, down, right, down, up, right):
        qtbot.keyClick(timeline, key)
        walked.append(timeline.focused)
    assert walked == ["broken", "a", "now", "now", "now", "a", "later"]
    with qtbot.waitSignal(timeline.opened) as opened:
        qtbot.keyClick(timeline, Qt.Key.Key_Return)
    assert opened.args == ["later"]


def test_what_the_keys_stand_on_is_read_aloud_and_brought_into_sight(qtbot: QtBot, timeline: Timeline) -> None:
    timeline.show_span(MIDNIGHT + timedelta(hours=5), MIDNIGHT + timedelta(hours=8))
    timeline.setFocus()
    for _ in range(3):
        qtbot.keyClick(timeline, Qt.Key.Key_Right)
    qtbot.keyClick(timeline, Qt.Key.Key_Right)
    assert timeline.focused == "later"
    assert timeline.accessibleDescription() == "Receipts\nComing · today 18:00"
    assert timeline.viewport().rect().contains(timeline.position_of("later"))


def test_pointing_at_a_run_says_what_it_was(timeline: Timeline) -> None:
    at = timeline.position_of("night").center()
    QApplication.sendEvent(
        timeline.viewport(), QHelpEvent(QEvent.Type.ToolTip, at, timeline.viewport().mapToGlobal(at))
    )
    assert QToolTip.text() == "Backup\nDone · today 03:00 to 05:00\nTook 2 h\nSaved 1.2 GB"


def test_what_a_script_says_is_not_taken_for_markup(timeline: Timeline) -> None:
    tricky = [bar("x", "quiet", 9, 60, RunState.DONE, "<b>Paid</b> <img src='/etc/passwd'>")]
    timeline.set_day(LANES, tricky, zone=BERLIN, now=NOW)
    at = timeline.position_of("x").center()
    QApplication.sendEvent(
        timeline.viewport(), QHelpEvent(QEvent.Type.ToolTip, at, timeline.viewport().mapToGlobal(at))
    )
    assert "&lt;b&gt;Paid&lt;/b&gt;" in QToolTip.text()
    assert "<img" not in QToolTip.text()


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("now", "Backup\nRunning · since today 12:00"),
        ("a", "Receipts\n2 times: 2 done\ntoday 09:00 to 09:06"),
        ("broken", "Receipts\nFailed · today 06:00 to 07:30\nTook 1 h 30 min"),
    ],
)
def test_each_kind_of_mark_says_what_it_is(timeline: Timeline, name: str, said: str) -> None:
    found = timeline._scene.mark_at(QPointF(timeline.position_of(name).center()))
    assert found is not None
    assert timeline._describe(*found) == said


def test_new_values_keep_what_is_in_sight(timeline: Timeline) -> None:
    timeline.zoom(4)
    before = timeline.span
    timeline.set_day(LANES, BARS, zone=BERLIN, now=NOW + timedelta(minutes=5))
    assert timeline.span == before


def test_when_another_day_begins_that_day_is_in_sight(timeline: Timeline) -> None:
    timeline.zoom(4)
    timeline.set_day(LANES, BARS, zone=BERLIN, now=MIDNIGHT + timedelta(days=1, minutes=1))
    assert timeline.span == (MIDNIGHT + timedelta(days=1), MIDNIGHT + timedelta(days=2))


def test_what_is_not_shown_does_not_look_as_if_nothing_had_been(timeline: Timeline) -> None:
    place = QRect(timeline.position_of("night").right() + 60, AXIS_HEIGHT + 2, 20, 20)
    before = timeline.grab(place).toImage()
    timeline.set_day(LANES, BARS, zone=BERLIN, now=NOW, known=NOW)
    assert timeline.grab(place).toImage() != before


def test_a_running_bar_grows_with_the_time(timeline: Timeline) -> None:
    before = timeline.position_of("now").width()
    timeline.set_now(NOW + timedelta(hours=4))
    assert timeline.position_of("now").width() > before + 50


def test_panning_does_not_lay_everything_out_anew(timeline: Timeline) -> None:
    layout = timeline._scene.layout(0)
    timeline.pan(0.3)
    assert timeline._scene.layout(0) is layout
    timeline.zoom(2)
    assert timeline._scene.layout(0) is not layout


def test_the_colours_of_the_states_are_on_the_picture(timeline: Timeline, colours: Colours, picture: type) -> None:
    drawn = picture(timeline.viewport())
    broken, night, later = map(timeline.position_of, ("broken", "night", "later"))
    assert drawn.colour(broken.right() - 6, broken.center().y()).name() == colours.tones[Tone.BAD].text
    assert drawn.colour(night.right() - 3, night.center().y()).name() == colours.tones[Tone.GOOD].soft
    assert drawn.colour(later.left() + 2, later.top() + 4).name() == colours.surface, "what comes is only an outline"


def test_now_is_a_line_in_the_accent_colour(timeline: Timeline, colours: Colours, picture: type) -> None:
    drawn = picture(timeline.viewport())
    x = timeline.position_of("now").right()
    column = [drawn.colour(x + shift, 120).name() for shift in (-1, 0, 1)]
    assert colours.accent in column
    timeline.show_span(MIDNIGHT, MIDNIGHT + timedelta(hours=6))
    assert picture(timeline.viewport()).count(colours.accent) == 0


def test_hundreds_of_lanes_scroll_under_an_axis_that_stays(qtbot: QtBot, timeline: Timeline, picture: type) -> None:
    lanes = [Lane(id=str(number), title=f"Workflow {number}") for number in range(300)]
    bars = [bar(f"{n}.{hour}", str(n), hour, 5, RunState.DONE) for n in range(300) for hour in range(12)]
    timeline.set_day(lanes, bars, zone=BERLIN, now=NOW)
    axis = QRect(0, 0, timeline.viewport().width(), AXIS_HEIGHT)
    before = picture(timeline.viewport()).image.copy(axis)
    timeline.verticalScrollBar().setValue(timeline.verticalScrollBar().maximum())
    assert picture(timeline.viewport()).image.copy(axis) == before
    assert timeline.viewport().rect().contains(timeline.position_of("299.3"))
    with qtbot.waitSignal(timeline.opened) as opened:
        click(qtbot, timeline, timeline.position_of("299.3").center())
    assert opened.args == ["299.3"]


def test_only_what_is_in_sight_is_painted(timeline: Timeline, monkeypatch: pytest.MonkeyPatch) -> None:
    """Thousands of runs cost no more than those that fit on the screen."""
    lanes = [Lane(id=str(number), title=str(number)) for number in range(100)]
    bars = [bar(f"{n}.{i}", str(n), i / 4, 1, RunState.DONE) for n in range(100) for i in range(96)]
    timeline.set_day(lanes, bars, zone=BERLIN, now=NOW)
    painted = []
    monkeypatch.setattr("app.widgets.timeline_picture.paint_mark", lambda _brush, mark, *_, **__: painted.append(mark))
    timeline.show_span(MIDNIGHT, MIDNIGHT + timedelta(hours=4))
    timeline.grab()
    assert 0 < len(painted) < 200


def test_an_empty_day_is_drawn_too(shown: Callable[..., None], colours: Colours, picture: type) -> None:
    timeline = Timeline()
    timeline.set_day([], [], zone=BERLIN, now=NOW)
    shown(timeline, 500, 120)
    assert picture(timeline.viewport()).colour(400, 100) == QColor(colours.surface)


def test_with_larger_text_the_whole_picture_is_larger(qtbot: QtBot, timeline: Timeline) -> None:
    usual, hint = timeline.position_of("a"), timeline.sizeHint()
    font = timeline.font()
    font.setPointSizeF(3 * font.pointSizeF())
    timeline.setFont(font)
    larger = timeline.position_of("a")
    assert larger.height() > 2 * usual.height()
    assert larger.width() > 2 * usual.width()
    assert timeline.sizeHint().height() > 2 * hint.height()
    with qtbot.waitSignal(timeline.opened) as opened:
        click(qtbot, timeline, timeline.position_of("broken").center())
    assert opened.args == ["broken"]


def test_large_marks_are_drawn_where_they_are_clicked(timeline: Timeline, colours: Colours, picture: type) -> None:
    font = timeline.font()
    font.setPointSizeF(2.5 * font.pointSizeF())
    timeline.setFont(font)
    broken = timeline.position_of("broken")
    drawn = picture(timeline.viewport())
    assert drawn.colour(broken.right() - 8, broken.center().y()).name() == colours.tones[Tone.BAD].text
    assert drawn.colour(broken.center().x(), broken.bottom() + 6).name() == colours.surface


def test_the_last_run_of_the_day_is_whole(shown: Callable[..., None]) -> None:
    timeline = Timeline()
    late = [bar(f"late {place}", "receipts", 23.9, None, RunState.COMING) for place in range(3)]
    timeline.set_day(LANES, late, zone=BERLIN, now=NOW)
    shown(timeline, 1000, 300)
    assert timeline.position_of("late 0").right() <= timeline.viewport().width()


@pytest.mark.parametrize("points", [8, 9, 10, 13, 20])
def test_a_title_that_fits_is_not_cut(shown: Callable[..., None], points: int) -> None:
    timeline = Timeline()
    timeline.setFont(QFont("DejaVu Sans", points))
    timeline.set_day(LANES, BARS, zone=BERLIN, now=NOW)
    shown(timeline, 1000, 300)
    metrics = QFontMetrics(timeline._usual_font())
    room = timeline._scene.gutter - 2 * Space.MEDIUM
    for lane in LANES:
        assert metrics.elidedText(lane.title, Qt.TextElideMode.ElideRight, room) == lane.title
