"""The geometry of the timeline: instants and pixels agree, lanes stack, only visible lanes are laid out."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QPointF

from app.i18n.state_labels import RunState
from app.widgets import timeline_scene
from app.widgets.timeline_layout import TimelineBar, TimelineLane
from app.widgets.timeline_scene import AXIS_HEIGHT, MAX_SPAN, MIN_SPAN, TimelineScene, lane_height

NOW = datetime(2026, 11, 16, 12, 0, tzinfo=UTC)
SPANS = st.tuples(st.integers(-(10**6), 10**6), st.integers(1, 10**6))


def make_scene(lanes: int = 3, bars: int = 4) -> TimelineScene:
    scene = TimelineScene()
    scene.zone, scene.now = ZoneInfo("UTC"), NOW
    scene.gutter, scene.width = 100, 1100
    scene.start, scene.end = NOW - timedelta(hours=12), NOW + timedelta(hours=12)
    scene.set_bars(
        [TimelineLane(id=str(lane), title=f"Lane {lane}") for lane in range(lanes)],
        [
            TimelineBar(
                id=f"{lane}.{bar}",
                lane=str(lane),
                start=NOW - timedelta(hours=10 - 2 * bar),
                end=NOW - timedelta(hours=9 - 2 * bar),
                state=RunState.DONE,
            )
            for lane in range(lanes)
            for bar in range(bars)
        ],
    )
    scene.arrange(400)
    return scene


@given(st.floats(0, 1100), SPANS)
def test_a_pixel_and_its_instant_agree(x: float, span: tuple[int, int]) -> None:
    scene = make_scene()
    start = NOW + timedelta(seconds=span[0])
    scene.set_span(start, start + timedelta(seconds=span[1]))
    assert scene.x_of(scene.instant_at(x)) == pytest.approx(x, abs=0.2)
    assert scene.x_of(scene.start) == pytest.approx(scene.gutter, abs=0.01)


@given(SPANS)
def test_the_visible_span_is_limited(span: tuple[int, int]) -> None:
    scene = make_scene()
    start = NOW + timedelta(seconds=span[0])
    end = start + timedelta(seconds=span[1])
    scene.set_span(start, end)
    assert MIN_SPAN <= scene.end - scene.start <= MAX_SPAN
    middle = start + (end - start) / 2
    assert abs(scene.start + (scene.end - scene.start) / 2 - middle) < timedelta(milliseconds=1)


def test_setting_the_same_span_is_no_change() -> None:
    scene = make_scene()
    assert not scene.set_span(scene.start, scene.end)
    assert scene.set_span(scene.start + timedelta(hours=1), scene.end + timedelta(hours=1))


def test_lanes_are_stacked_below_the_axis() -> None:
    scene = make_scene()
    assert [scene.lane_top(lane) for lane in range(3)] == [AXIS_HEIGHT + lane * lane_height(1) for lane in range(3)]
    assert [scene.lane_at(y) for y in (0, AXIS_HEIGHT - 1)] == [None, None]
    assert scene.lane_at(AXIS_HEIGHT) == 0
    assert scene.lane_at(AXIS_HEIGHT + lane_height(1)) == 1
    assert scene.lane_at(AXIS_HEIGHT + 3 * lane_height(1)) is None


def test_scrolling_moves_the_lanes_up() -> None:
    scene = make_scene()
    scene.scrolled = lane_height(1)
    assert scene.lane_at(AXIS_HEIGHT) == 1
    assert scene.lane_top(0) == AXIS_HEIGHT - lane_height(1)


def test_a_lane_with_overlapping_runs_is_taller() -> None:
    scene = make_scene(2, 0)
    twins = [
        TimelineBar(id=name, lane="0", start=NOW - timedelta(hours=5), end=NOW, state=RunState.DONE)
        for name in ("a", "b")
    ]
    scene.set_bars(scene.lanes, twins)
    scene.arrange(400)
    assert scene.lane_tops == [0, lane_height(2), lane_height(2) + lane_height(1)]


@pytest.mark.parametrize("height", [60, 200, 1000])
def test_only_visible_lanes_are_laid_out(height: int, monkeypatch: pytest.MonkeyPatch) -> None:
    laid_out = []
    real = timeline_scene.lay_out

    def counting(*args: object, **kwargs: object) -> object:
        laid_out.append(args)
        return real(*args, **kwargs)  # type: ignore[arg-type]

    scene = make_scene(500, 1)
    monkeypatch.setattr(timeline_scene, "lay_out", counting)
    scene.set_span(scene.start, scene.end - timedelta(hours=3))
    scene.arrange(height)
    assert len(laid_out) == len(scene.visible_lanes(height)) <= height // lane_height(1) + 2
    scene.arrange(height)
    assert len(laid_out) == len(scene.visible_lanes(height)), "the layout is reused"


def test_in_sight_covers_every_lane_in_the_viewport() -> None:
    scene = make_scene(500, 1)
    for scrolled in (0, 1, 39, 40, 41, 777, scene.lane_tops[-1] - 300):
        scene.scrolled = scrolled
        scene.arrange(300)
        seen = scene.visible_lanes(300)
        inside = {scene.lane_at(y) for y in range(AXIS_HEIGHT, 300)} - {None}
        assert inside <= set(seen)
        assert len(seen) <= len(inside) + 1


def test_a_lane_above_the_viewport_keeps_its_height_on_zoom() -> None:
    """The visible lanes must not jump."""
    scene = make_scene(50, 0)
    twins = [
        TimelineBar(id=name, lane="0", start=NOW - timedelta(hours=5), end=NOW, state=RunState.DONE) for name in "ab"
    ]
    scene.set_bars(scene.lanes, twins)
    scene.arrange(300)
    tops = scene.lane_tops
    scene.scrolled = 1000
    scene.set_span(scene.start, scene.end - timedelta(hours=2))
    scene.arrange(300)
    assert scene.lane_tops == tops


def test_a_run_is_found_by_its_id_in_any_lane() -> None:
    scene = make_scene(500, 2)
    mark = scene.find_mark("400.1")
    assert mark is not None
    assert (mark[0], mark[1].bars[0].id) == (400, "400.1")
    assert scene.find_mark("nobody") is None
    assert scene.find_mark(None) is None


def test_a_point_finds_only_the_mark_under_it() -> None:
    scene = make_scene()
    for lane in range(3):
        for mark in scene.layout(lane).marks:
            rect = scene.rect_of(lane, mark)
            assert scene.mark_at(rect.center()) == (lane, mark)
            assert scene.mark_at(QPointF(rect.left() - 5, rect.center().y())) is None
            assert scene.mark_at(QPointF(rect.center().x(), rect.bottom() + 5)) is None


def test_marks_behind_titles_are_not_found() -> None:
    scene = make_scene()
    scene.set_span(NOW - timedelta(hours=9.5), NOW)
    hidden = scene.rect_of(0, scene.layout(0).marks[0])
    assert hidden.left() < scene.gutter
    assert scene.mark_at(QPointF(scene.gutter - 2, hidden.center().y())) is None


def test_stepping_stops_at_the_edges() -> None:
    scene = make_scene()
    steps = [("0.0", 0, -1), ("0.3", 0, 1), ("0.0", -1, 0), ("2.1", 1, 0)]
    for start, lanes, marks in steps:
        mark = scene.neighbour(start, lanes, marks)
        assert mark is not None
        assert mark[1].bars[0].id == start


def test_empty_lanes_are_skipped() -> None:
    scene = make_scene(3, 2)
    bars = [
        TimelineBar(id=name, lane=lane, start=NOW, end=NOW, state=RunState.DONE)
        for name, lane in (("top", "0"), ("foot", "2"))
    ]
    scene.set_bars(scene.lanes, bars)
    scene.arrange(400)
    mark = scene.neighbour("top", 1, 0)
    assert mark is not None and mark[1].bars[0].id == "foot"


def test_without_a_start_the_first_visible_mark_is_next() -> None:
    scene = make_scene()
    scene.set_span(NOW - timedelta(hours=6.5), NOW)
    mark = scene.neighbour(None, 0, 1)
    assert mark is not None and mark[1].bars[0].id == "0.2"
    empty = make_scene(2, 0)
    assert empty.neighbour(None, 0, 1) is None


def test_new_lanes_do_not_keep_old_heights() -> None:
    scene = make_scene(1, 0)
    twins = [
        TimelineBar(id=name, lane="0", start=NOW - timedelta(hours=5), end=NOW, state=RunState.DONE) for name in "ab"
    ]
    scene.set_bars(scene.lanes, twins)
    scene.arrange(400)
    scene.set_bars([TimelineLane(id="other", title="Other")], [])
    scene.arrange(400)
    assert scene.lane_tops == [0, lane_height(1)]
