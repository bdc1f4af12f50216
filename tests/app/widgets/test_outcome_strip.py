"""A row of small bars says how the last runs went, the latest on the right, readable without colour."""

from collections.abc import Callable

import pytest
from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QImage, QPainter
from PySide6.QtWidgets import QApplication

from app.look.theme import LIGHT, Colours, Tone
from app.widgets.signs import shape_run
from app.widgets.strip import MOST, Strip, describe_strip, measure_strip, paint_strip
from app.words.states import RunState

DONE, FAILED, SKIPPED = RunState.DONE, RunState.FAILED, RunState.SKIPPED


def test_the_latest_is_on_the_right(shown: Callable[..., None], colours: Colours, picture: type) -> None:
    strip = Strip([*[DONE] * 29, FAILED])
    shown(strip)
    drawn = picture(strip)
    bad, good = colours.tones[Tone.BAD].text, colours.tones[Tone.GOOD].text
    assert drawn.colour(strip.width() - 3, strip.height() - 4).name() == bad
    assert drawn.colour(strip.width() - 10, strip.height() - 4).name() == good
    assert drawn.colour(4, strip.height() - 4).name() == good


def test_a_short_history_leaves_the_left_empty(shown: Callable[..., None], colours: Colours, picture: type) -> None:
    strip = Strip([DONE, DONE])
    shown(strip)
    drawn = picture(strip)
    ground = drawn.colour(1, 1)
    assert all(drawn.colour(x, strip.height() - 4) == ground for x in range(strip.width() - 20))
    assert drawn.colour(strip.width() - 3, strip.height() - 4) != ground


def test_only_the_last_thirty_are_shown() -> None:
    assert Strip([FAILED, *[DONE] * MOST]).states == (DONE,) * MOST


def covered(state: RunState) -> int:
    """How much of its place a bar covers, whatever its colour."""
    size = measure_strip()
    image = QImage(size, QImage.Format.Format_RGB32)
    image.fill(QColor(LIGHT.surface))
    painter = QPainter(image)
    paint_strip(painter, QRectF(0, 0, size.width(), size.height()), [state], LIGHT)
    painter.end()
    ground = QColor(LIGHT.surface).rgb()
    return sum(image.pixel(x, y) != ground for x in range(size.width()) for y in range(size.height()))


def test_what_went_wrong_is_tall_and_what_did_not_run_is_low(qapp: QApplication) -> None:
    for low in (SKIPPED, RunState.MISSED, RunState.DROPPED, RunState.CANCELLED):
        for tall in (FAILED, RunState.WAITING):
            assert covered(low) < covered(DONE) < covered(tall)


@pytest.mark.parametrize("state", RunState)
def test_every_state_is_drawn_in_its_tone(state: RunState, qapp: QApplication) -> None:
    assert covered(state) > 8
    assert shape_run(state)[1] in LIGHT.tones


@pytest.mark.parametrize(
    ("states", "said"),
    [
        ([], "Never ran"),
        ([DONE], "Last 1: 1 done"),
        ([*[DONE] * 40, FAILED, SKIPPED], "Last 30: 1 failed, 1 skipped, 28 done"),
    ],
)
def test_it_can_be_said_in_words(states: list[RunState], said: str, shown: Callable[..., None]) -> None:
    assert describe_strip(states) == said
    strip = Strip(states)
    shown(strip)
    assert strip.toolTip() == strip.accessibleDescription() == said
    assert strip.size() == measure_strip()


def test_a_narrow_place_shows_the_latest_that_fit(qapp: QApplication) -> None:
    image = QImage(measure_strip(), QImage.Format.Format_RGB32)
    image.fill(QColor(LIGHT.surface))
    painter = QPainter(image)
    paint_strip(painter, QRectF(100, 0, 50, 18), [FAILED] * MOST, LIGHT)
    painter.end()
    ground = QColor(LIGHT.surface).rgb()
    columns = [x for x in range(image.width()) if image.pixel(x, 12) != ground]
    assert min(columns) >= 100
    assert max(columns) < 150
