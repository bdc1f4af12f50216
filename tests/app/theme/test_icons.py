"""Icons tell states apart by shape alone, are sharp in every size, and can be seen on their panel."""

from itertools import combinations
from pathlib import Path

import pytest
from PySide6.QtGui import QColor, QPixmap
from PySide6.QtWidgets import QApplication

from app.look.icons import ON_DARK, ON_LIGHT, TRAY_SIZES, app_icon, draw, glyph, glyph_icon, tray_icon
from app.resources import find_resource
from app.words.states import TrayState

GLYPHS = sorted(path.stem for path in (find_resource("icons/app.svg").parent / "glyphs").glob("*.svg"))


@pytest.fixture(autouse=True)
def _screen(qapp: QApplication) -> None:
    """Pixmaps need one."""


def opaque(pixmap: QPixmap) -> list[list[bool]]:
    image = pixmap.toImage()
    return [[image.pixelColor(x, y).alpha() > 127 for x in range(image.width())] for y in range(image.height())]


def shared(one: list[list[bool]], other: list[list[bool]]) -> float:
    """How much of what either covers both cover."""
    pairs = [pair for rows in zip(one, other, strict=True) for pair in zip(*rows, strict=True)]
    return sum(a and b for a, b in pairs) / sum(a or b for a, b in pairs)


@pytest.mark.parametrize("size", TRAY_SIZES)
def test_every_tray_state_has_a_shape_of_its_own(size: int) -> None:
    shapes = {state: opaque(draw(f"tray/{state.value}", size, ON_LIGHT)) for state in TrayState}
    for one, other in combinations(TrayState, 2):
        assert shared(shapes[one], shapes[other]) < 0.75, (one, other)


@pytest.mark.parametrize("state", TrayState)
@pytest.mark.parametrize("dark_panel", [False, True], ids=["light panel", "dark panel"])
def test_a_tray_icon_has_every_size_in_the_colour_of_its_panel(state: TrayState, dark_panel: bool) -> None:  # noqa: FBT001
    icon = tray_icon(state, dark_panel=dark_panel)
    assert {size.width() for size in icon.availableSizes()} == set(TRAY_SIZES)
    image = icon.pixmap(32, 32).toImage()
    solid = [image.pixelColor(x, y) for x in range(32) for y in range(32) if image.pixelColor(x, y).alpha() == 255]
    assert solid
    expected = QColor(ON_DARK if dark_panel else ON_LIGHT)
    assert all(abs(colour.lightness() - expected.lightness()) < 4 for colour in solid)


@pytest.mark.parametrize("state", TrayState)
def test_at_sixteen_pixels_lines_are_not_smeared(state: TrayState) -> None:
    """Most of what is covered is covered fully: the shapes lie on the grid of pixels."""
    image = draw(f"tray/{state.value}", 16, ON_LIGHT).toImage()
    alphas = [image.pixelColor(x, y).alpha() for x in range(16) for y in range(16)]
    assert sum(alpha > 200 for alpha in alphas) > sum(40 < alpha <= 200 for alpha in alphas)


def test_icons_stay_inside_their_square() -> None:
    """Nothing is cut off: what touches the border of the square would look clipped beside others."""
    for path in Path(find_resource("icons/app.svg").parent).rglob("*.svg"):
        name = str(path.relative_to(find_resource("icons/app.svg").parent).with_suffix(""))
        shape = opaque(draw(name, 64, ON_LIGHT))
        rim = [*shape[0], *shape[-1], *(row[0] for row in shape), *(row[-1] for row in shape)]
        assert not any(rim), name


@pytest.mark.parametrize("name", GLYPHS)
def test_a_glyph_takes_the_colour_and_ratio_that_are_asked_for(name: str) -> None:
    drawn = glyph(name, 16, "#b3261e", 2)
    assert drawn.width() == 32
    assert drawn.deviceIndependentSize().width() == 16
    image = drawn.toImage()
    solid = {
        image.pixelColor(x, y).name() for x in range(32) for y in range(32) if image.pixelColor(x, y).alpha() == 255
    }
    assert solid == {"#b3261e"}


def test_glyphs_are_told_apart_by_shape() -> None:
    shapes = {name: opaque(glyph(name, 32, ON_LIGHT)) for name in GLYPHS if name != "close"}
    for one, other in combinations(shapes, 2):
        assert shared(shapes[one], shapes[other]) < 0.85, (one, other)


def test_a_glyph_for_buttons_is_sharp_on_fine_screens() -> None:
    assert not glyph_icon("search", "#000000").pixmap(16, 16).isNull()
    assert (
        glyph_icon("search", "#000000").pixmap(glyph_icon("search", "#000000").availableSizes()[0], 2.0).width() >= 32
    )


def test_the_app_icon_is_drawn_in_any_size() -> None:
    image = app_icon().pixmap(256, 256).toImage()
    assert image.width() == 256
    assert image.pixelColor(128, 30).name() == "#3454c4"
    assert image.pixelColor(0, 0).alpha() == 0


@pytest.mark.parametrize("size", TRAY_SIZES)
def test_attention_says_how_many_need_it(size: int) -> None:
    shapes = {
        count: opaque(tray_icon(TrayState.ATTENTION, dark_panel=False, count=count).pixmap(size, size))
        for count in range(1, 10)
    }
    for one, other in combinations(shapes, 2):
        assert shapes[one] != shapes[other], (one, other)
    assert shapes[1] == opaque(draw("tray/attention", size, ON_LIGHT)), "one is said by the shape alone"


def test_more_than_nine_are_nine_and_more() -> None:
    """Two figures cannot be read at sixteen pixels; the tooltip has the number."""
    shown = [tray_icon(TrayState.ATTENTION, dark_panel=True, count=count).pixmap(32, 32) for count in (9, 10, 25)]
    nine, ten, many = (one.toImage() for one in shown)
    assert many == ten != nine


@pytest.mark.parametrize("state", [state for state in TrayState if state is not TrayState.ATTENTION])
def test_other_states_have_no_number(state: TrayState) -> None:
    plain, counted = (tray_icon(state, dark_panel=True, count=count).pixmap(32, 32) for count in (0, 5))
    assert plain.toImage() == counted.toImage()


@pytest.mark.parametrize("count", [2, 5, 8, 25])
def test_a_number_stays_inside_its_shape(count: int) -> None:
    """It is cut out: all around it the shape is closed."""
    shape = opaque(tray_icon(TrayState.ATTENTION, dark_panel=False, count=count).pixmap(64, 64))
    whole = opaque(draw("tray/count", 64, ON_LIGHT))
    holes = [(x, y) for y in range(64) for x in range(64) if whole[y][x] and not shape[y][x]]
    assert holes
    assert min(x for x, _ in holes) > 8 and max(x for x, _ in holes) < 56
    assert min(y for _, y in holes) > 6 and max(y for _, y in holes) < 48
