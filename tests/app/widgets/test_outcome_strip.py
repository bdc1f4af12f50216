"""The outcome strip: newest run on the right, readable without colour."""

from collections.abc import Callable

import pytest
from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QImage, QPainter
from PySide6.QtWidgets import QApplication

from app.i18n.state_labels import RunState
from app.theme.tokens import LIGHT, Colours, Tone
from app.widgets.outcome_strip import MAX_OUTCOMES, OutcomeStrip, describe_strip, paint_strip, strip_size
from app.widgets.status_signs import run_glyph_and_tone

DONE, FAILED, SKIPPED = RunState.DONE, RunState.FAILED, RunState.SKIPPED


def test_the_newest_is_on_the_right(shown: Callable[..., None], colours: Colours, picture: type) -> None:
    strip = OutcomeStrip([*[DONE] * 29, FAILED])
    shown(strip)
    drawn = picture(strip)
    bad, good = colours.tones[Tone.BAD].text, colours.tones[Tone.GOOD].text
    assert drawn.colour(strip.width() - 3, strip.height() - 4).name() == bad
    assert drawn.colour(strip.width() - 10, strip.height() - 4).name() == good
    assert drawn.colour(4, strip.height() - 4).name() == good


def test_a_short_history_leaves_the_left_empty(shown: Callable[..., None], colours: Colours, picture: type) -> None:
    strip = OutcomeStrip([DONE, DONE])
    shown(strip)
    drawn = picture(strip)
    background = drawn.colour(1, 1)
    assert all(drawn.colour(x, strip.height() - 4) == background for x in range(strip.width() - 20))
    assert drawn.colour(strip.width() - 3, strip.height() - 4) != background


def test_only_the_last_thirty_are_shown() -> None:
    assert OutcomeStrip([FAILED, *[DONE] * MAX_OUTCOMES]).states == (DONE,) * MAX_OUTCOMES


def covered_pixels(state: RunState) -> int:
    """How many pixels a bar covers, in any colour."""
    size = strip_size()
    image = QImage(size, QImage.Format.Format_RGB32)
    image.fill(QColor(LIGHT.surface))
    painter = QPainter(image)
    paint_strip(painter, QRectF(0, 0, size.width(), size.height()), [state], LIGHT)
    painter.end()
    background = QColor(LIGHT.surface).rgb()
    return sum(image.pixel(x, y) != background for x in range(size.width()) for y in range(size.height()))


def test_failures_are_tall_and_skipped_runs_are_low(qapp: QApplication) -> None:
    for low in (SKIPPED, RunState.MISSED, RunState.DROPPED, RunState.CANCELLED):
        for tall in (FAILED, RunState.WAITING):
            assert covered_pixels(low) < covered_pixels(DONE) < covered_pixels(tall)


@pytest.mark.parametrize("state", RunState)
def test_every_state_is_drawn_in_its_tone(state: RunState, qapp: QApplication) -> None:
    assert covered_pixels(state) > 8
    assert run_glyph_and_tone(state)[1] in LIGHT.tones


@pytest.mark.parametrize(
    ("states", "description"),
    [
        ([], "No runs yet"),
        ([DONE], "Last 1: 1 done"),
        ([*[DONE] * 40, FAILED, SKIPPED], "Last 30: 1 failed, 1 skipped, 28 done"),
    ],
)
def test_it_has_a_description(states: list[RunState], description: str, shown: Callable[..., None]) -> None:
    assert describe_strip(states) == description
    strip = OutcomeStrip(states)
    shown(strip)
    assert strip.toolTip() == strip.accessibleDescription() == description
    assert strip.size() == strip_size()


def test_a_narrow_strip_shows_the_newest_that_fit(qapp: QApplication) -> None:
    image = QImage(strip_size(), QImage.Format.Format_RGB32)
    image.fill(QColor(LIGHT.surface))
    painter = QPainter(image)
    paint_strip(painter, QRectF(100, 0, 50, 18), [FAILED] * MAX_OUTCOMES, LIGHT)
    painter.end()
    background = QColor(LIGHT.surface).rgb()
    columns = [x for x in range(image.width()) if image.pixel(x, 12) != background]
    assert min(columns) >= 100
    assert max(columns) < 150
