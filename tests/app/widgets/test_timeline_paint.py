"""Painted marks are distinguishable without colour, and their counts fit."""

from datetime import UTC, datetime, timedelta
from itertools import combinations

import pytest
from PySide6.QtCore import QRect, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QImage, QPainter
from PySide6.QtWidgets import QApplication

from app.i18n.state_labels import RunState
from app.theme.tokens import DARK, LIGHT, Colours, Tone
from app.widgets.status_signs import run_glyph_and_tone
from app.widgets.timeline_layout import CLUSTER_WIDTH, MIN_MARK_WIDTH, AxisTick, TimelineBar, TimelineMark
from app.widgets.timeline_paint import (
    PaintContext,
    format_count,
    paint_axis,
    paint_mark,
    paint_now,
    paint_title,
)
from app.widgets.timeline_scene import AXIS_HEIGHT, BAR_HEIGHT, lane_height, mark_rect

NOW = datetime(2026, 11, 16, 12, 0, tzinfo=UTC)
WIDTH, HEIGHT = 200, 60


class Canvas:
    """An image to paint on and to inspect."""

    def __init__(self, colours: Colours = LIGHT, ratio: float = 1.0, font: QFont | None = None) -> None:
        self.image = QImage(round(WIDTH * ratio), round(HEIGHT * ratio), QImage.Format.Format_RGB32)
        self.image.setDevicePixelRatio(ratio)
        self.image.fill(QColor(colours.surface))
        self.painter = QPainter(self.image)
        self.painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self.brush = PaintContext(self.painter, colours, font or QFont("DejaVu Sans", 10), ratio)

    def done(self) -> QImage:
        self.painter.end()
        return self.image


@pytest.fixture(autouse=True)
def _screen(qapp: QApplication) -> None:
    """Fonts and pixmaps need an application."""


def make_mark(state: RunState, width: float = MIN_MARK_WIDTH, count: int = 1, words: str = "") -> TimelineMark:
    bars = [TimelineBar(id=str(n), lane="w", start=NOW, end=NOW, state=state, text=words) for n in range(count)]
    return TimelineMark(left=0, right=width, bars=bars, state=state)


def paint(mark: TimelineMark, colours: Colours = LIGHT, *, hovered: bool = False, focused: bool = False) -> QImage:
    canvas = Canvas(colours)
    rect = QRectF(10, 10, mark.right - mark.left, BAR_HEIGHT)
    paint_mark(canvas.brush, mark, rect, hovered=hovered, focused=focused)
    return canvas.done()


def count_differences(one: QImage, other: QImage) -> int:
    """How many pixels differ clearly in brightness, ignoring colour."""
    greys = [image.convertToFormat(QImage.Format.Format_Grayscale8) for image in (one, other)]  # keeps the bits alive
    return sum(abs(a - b) > 24 for a, b in zip(*(bytes(grey.constBits()) for grey in greys), strict=True))


@pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])
def test_any_two_states_differ_without_colour(colours: Colours) -> None:
    pictures = {state: paint(make_mark(state), colours) for state in RunState}
    for one, other in combinations(RunState, 2):
        assert count_differences(pictures[one], pictures[other]) >= 12, (one, other)


@pytest.mark.parametrize("state", [RunState.WAITING, RunState.FAILED, RunState.RUNNING])
def test_urgent_states_are_filled(state: RunState) -> None:
    tone = run_glyph_and_tone(state)[1]
    assert paint(make_mark(state, 60)).pixelColor(60, 20).name() == LIGHT.tones[tone].text


@pytest.mark.parametrize("state", [RunState.COMING, RunState.MISSED, RunState.SKIPPED, RunState.CANCELLED])
def test_runs_that_did_not_happen_are_hollow(state: RunState) -> None:
    picture = paint(make_mark(state, 60))
    assert picture.pixelColor(60, 20).name() == LIGHT.surface
    assert any(picture.pixelColor(x, 10).name() != LIGHT.surface for x in range(12, 66)), "but it has an outline"


def test_done_runs_are_soft() -> None:
    assert paint(make_mark(RunState.DONE, 60)).pixelColor(60, 20).name() == LIGHT.tones[Tone.GOOD].soft


@pytest.mark.parametrize("count", [2, 16, 288, 999, 5000, 123_456])
@pytest.mark.parametrize("points", [8, 9, 10])
def test_the_count_of_a_cluster_fits_beside_its_glyph(count: int, points: int) -> None:
    """Larger text enlarges the whole timeline."""
    canvas = Canvas(font=QFont("DejaVu Sans", points))
    canvas.done()
    assert QFontMetrics(canvas.brush.small).horizontalAdvance(format_count(count)) <= CLUSTER_WIDTH - 12 - 4


def test_a_cluster_shows_its_count() -> None:
    assert count_differences(paint(make_mark(RunState.DONE, 38, 2)), paint(make_mark(RunState.DONE, 38, 3))) >= 5
    assert count_differences(paint(make_mark(RunState.DONE, 38, 12)), paint(make_mark(RunState.DONE, 38, 1))) >= 20


def test_text_is_painted_only_where_it_fits() -> None:
    wide, narrow = (paint(make_mark(RunState.DONE, width, words="Saved 1.2 GB")) for width in (150, 60))
    assert count_differences(wide, paint(make_mark(RunState.DONE, 150))) > 60
    assert count_differences(narrow, paint(make_mark(RunState.DONE, 60))) == 0


def test_text_stays_inside_its_bar() -> None:
    long = paint(make_mark(RunState.DONE, 100, words="Saved everything there was to save and more"))
    assert all(long.pixelColor(x, y).name() == LIGHT.surface for x in range(112, WIDTH) for y in range(HEIGHT))


def test_hover_and_focus_are_visible() -> None:
    plain = paint(make_mark(RunState.DONE))
    assert count_differences(plain, paint(make_mark(RunState.DONE), hovered=True)) >= 20
    assert count_differences(plain, paint(make_mark(RunState.DONE), focused=True)) >= 60


def test_equal_marks_are_drawn_once_and_cached(monkeypatch: pytest.MonkeyPatch) -> None:
    """A day has hundreds of equal marks."""
    drawn = []
    from app.widgets import timeline_paint

    real = timeline_paint._draw_mark
    monkeypatch.setattr(timeline_paint, "_draw_mark", lambda *args, **kw: (drawn.append(args), real(*args, **kw)))
    timeline_paint._cached_mark.cache_clear()
    canvas = Canvas()
    for place in range(50):
        rect = QRectF(place, 0, MIN_MARK_WIDTH, BAR_HEIGHT)
        paint_mark(canvas.brush, make_mark(RunState.DONE), rect, hovered=False, focused=False)
    canvas.done()
    assert len(drawn) == 1


@pytest.mark.parametrize("ratio", [1.0, 1.5, 2.0])
def test_a_mark_has_the_same_size_at_any_scale(ratio: float) -> None:
    canvas = Canvas(ratio=ratio)
    rect = QRectF(10, 10, MIN_MARK_WIDTH, BAR_HEIGHT)
    paint_mark(canvas.brush, make_mark(RunState.FAILED), rect, hovered=False, focused=False)
    image = canvas.done()
    filled = [
        (x / ratio, y / ratio)
        for x in range(image.width())
        for y in range(image.height())
        if image.pixelColor(x, y).name() == LIGHT.tones[Tone.BAD].text
    ]
    assert min(x for x, _ in filled) == pytest.approx(10, abs=1.1)
    assert max(x for x, _ in filled) == pytest.approx(10 + MIN_MARK_WIDTH, abs=1.1)
    assert max(y for _, y in filled) == pytest.approx(10 + BAR_HEIGHT, abs=1.1)


def test_rows_of_a_lane_do_not_touch() -> None:
    marks = [make_mark(RunState.DONE) for _ in range(3)]
    for row, mark in enumerate(marks):
        mark.row = row
    rects = [mark_rect(mark, 0, 0) for mark in marks]
    assert all(one.bottom() + 2 <= other.top() for one, other in combinations(rects, 2))
    assert rects[0].top() >= 2
    assert rects[-1].bottom() <= lane_height(3) - 2


def test_labels_at_the_edges_are_kept_inside() -> None:
    canvas = Canvas()
    plot = QRect(40, AXIS_HEIGHT, WIDTH - 40, HEIGHT - AXIS_HEIGHT)
    ticks = [
        (float(x), AxisTick(at=NOW + timedelta(minutes=x), label="00:00", is_midnight=False)) for x in (40, WIDTH - 1)
    ]
    paint_axis(canvas.brush, plot, ticks, set(), HEIGHT)
    image = canvas.done()
    written = [
        x
        for x in range(WIDTH)
        for y in range(AXIS_HEIGHT - 4)
        if abs(image.pixelColor(x, y).lightness() - QColor(LIGHT.surface).lightness()) > 40
    ]
    assert min(written) >= 40
    assert max(written) < WIDTH - 1


def test_a_hidden_label_keeps_its_line() -> None:
    plot = QRect(0, AXIS_HEIGHT, WIDTH, HEIGHT - AXIS_HEIGHT)
    tick = AxisTick(at=NOW, label="12:00", is_midnight=False)
    with_label, without = Canvas(), Canvas()
    paint_axis(with_label.brush, plot, [(100.0, tick)], set(), HEIGHT)
    paint_axis(without.brush, plot, [(100.0, tick)], {tick}, HEIGHT)
    one, other = with_label.done(), without.done()
    assert one.pixelColor(100, HEIGHT - 4) == other.pixelColor(100, HEIGHT - 4) == QColor(LIGHT.line)
    assert count_differences(one, other) > 20


def test_midnight_is_stronger_than_other_hours() -> None:
    plot = QRect(0, AXIS_HEIGHT, WIDTH, HEIGHT - AXIS_HEIGHT)
    canvas = Canvas()
    for x, is_midnight in ((50.0, True), (100.0, False)):
        paint_axis(canvas.brush, plot, [(x, AxisTick(at=NOW, label="", is_midnight=is_midnight))], set(), HEIGHT)
    image = canvas.done()
    assert image.pixelColor(50, HEIGHT - 4).lightness() < image.pixelColor(100, HEIGHT - 4).lightness()


def test_now_shows_its_time_on_the_accent_colour() -> None:
    canvas = Canvas()
    paint_now(canvas.brush, 100, HEIGHT, "13:17")
    image = canvas.done()
    assert image.pixelColor(100, HEIGHT - 2).name() == LIGHT.accent
    pill = [image.pixelColor(x, y).name() for x in range(80, 120) for y in range(6, 26)]
    assert pill.count(LIGHT.accent) > 200
    assert any(QColor(name).lightness() > 220 for name in pill), "the time is light"


def test_a_long_title_is_elided() -> None:
    canvas = Canvas()
    paint_title(canvas.brush, QRect(0, 0, 80, 40), "Mirror the family photos to the attic disk")
    image = canvas.done()
    assert all(image.pixelColor(x, y).name() == LIGHT.surface for x in range(81, WIDTH) for y in range(HEIGHT))
    shown = QFontMetrics(canvas.brush.font).elidedText("Mirror the family", Qt.TextElideMode.ElideRight, 80)
    assert shown.endswith("…")
