"""Icons differ by shape alone, are sharp at every size, and visible on their panel."""

from itertools import combinations
from pathlib import Path

import pytest
from PySide6.QtGui import QColor, QPainter, QPixmap
from PySide6.QtWidgets import QApplication

from app.i18n.state_labels import TrayState
from app.resources import find_resource
from app.theme.icons import (
    ON_DARK,
    ON_LIGHT,
    TRAY_SIZES,
    draw_glyph,
    draw_svg,
    load_app_icon,
    make_glyph_icon,
    make_tray_icon,
)

GLYPHS = sorted(path.stem for path in (find_resource("icons/app.svg").parent / "glyphs").glob("*.svg"))


@pytest.fixture(autouse=True)
def _screen(qapp: QApplication) -> None:
    """Pixmaps need an application."""


def opaque_pixels(pixmap: QPixmap) -> list[list[bool]]:
    image = pixmap.toImage()
    return [[image.pixelColor(x, y).alpha() > 127 for x in range(image.width())] for y in range(image.height())]


def overlap(one: list[list[bool]], other: list[list[bool]]) -> float:
    """The share of covered pixels that both cover."""
    pairs = [pair for rows in zip(one, other, strict=True) for pair in zip(*rows, strict=True)]
    return sum(a and b for a, b in pairs) / sum(a or b for a, b in pairs)


@pytest.mark.parametrize("size", TRAY_SIZES)
def test_every_tray_state_has_its_own_shape(size: int) -> None:
    shapes = {state: opaque_pixels(draw_svg(f"tray/{state.value}", size, ON_LIGHT)) for state in TrayState}
    for one, other in combinations(TrayState, 2):
        assert overlap(shapes[one], shapes[other]) < 0.75, (one, other)


@pytest.mark.parametrize("state", TrayState)
@pytest.mark.parametrize("dark_panel", [False, True], ids=["light panel", "dark panel"])
def test_a_tray_icon_has_every_size_in_the_colour_of_its_panel(state: TrayState, dark_panel: bool) -> None:  # noqa: FBT001
    icon = make_tray_icon(state, dark_panel=dark_panel)
    assert {size.width() for size in icon.availableSizes()} == set(TRAY_SIZES)
    image = icon.pixmap(32, 32).toImage()
    solid = [image.pixelColor(x, y) for x in range(32) for y in range(32) if image.pixelColor(x, y).alpha() == 255]
    assert solid
    expected = QColor(ON_DARK if dark_panel else ON_LIGHT)
    assert all(abs(colour.lightness() - expected.lightness()) < 4 for colour in solid)


@pytest.mark.parametrize("size", TRAY_SIZES)
@pytest.mark.parametrize(("dark_panel", "panel"), [(False, "#333333"), (True, "#f6f5f4")], ids=["dark", "light"])
def test_an_icon_is_visible_even_on_a_panel_of_the_other_colour(size: int, dark_panel: bool, panel: str) -> None:  # noqa: FBT001
    """The app cannot always know the colour of the panel."""
    for state in TrayState:
        icon = make_tray_icon(state, dark_panel=dark_panel)
        drawn = QPixmap(size, size)
        drawn.fill(QColor(panel))
        painter = QPainter(drawn)
        painter.drawPixmap(0, 0, icon.pixmap(size, size))
        painter.end()
        image, background = drawn.toImage(), QColor(panel).lightness()
        seen = [abs(image.pixelColor(x, y).lightness() - background) > 60 for x in range(size) for y in range(size)]
        assert sum(seen) > size, state


@pytest.mark.parametrize("state", TrayState)
def test_icons_are_sharp_at_sixteen_pixels(state: TrayState) -> None:
    """Most covered pixels are fully covered: the shapes are aligned to the pixel grid."""
    image = draw_svg(f"tray/{state.value}", 16, ON_LIGHT).toImage()
    alphas = [image.pixelColor(x, y).alpha() for x in range(16) for y in range(16)]
    assert sum(alpha > 200 for alpha in alphas) > sum(40 < alpha <= 200 for alpha in alphas)


def test_icons_stay_inside_their_square() -> None:
    """An icon that touches its border would look clipped."""
    for path in Path(find_resource("icons/app.svg").parent).rglob("*.svg"):
        name = str(path.relative_to(find_resource("icons/app.svg").parent).with_suffix(""))
        shape = opaque_pixels(draw_svg(name, 64, ON_LIGHT))
        rim = [*shape[0], *shape[-1], *(row[0] for row in shape), *(row[-1] for row in shape)]
        assert not any(rim), name


@pytest.mark.parametrize("name", GLYPHS)
def test_a_glyph_has_the_requested_colour_and_scale(name: str) -> None:
    drawn = draw_glyph(name, 16, "#b3261e", 2)
    assert drawn.width() == 32
    assert drawn.deviceIndependentSize().width() == 16
    image = drawn.toImage()
    solid = {
        image.pixelColor(x, y).name() for x in range(32) for y in range(32) if image.pixelColor(x, y).alpha() == 255
    }
    assert solid == {"#b3261e"}


def test_glyphs_differ_by_shape() -> None:
    shapes = {name: opaque_pixels(draw_glyph(name, 32, ON_LIGHT)) for name in GLYPHS if name != "close"}
    for one, other in combinations(shapes, 2):
        assert overlap(shapes[one], shapes[other]) < 0.85, (one, other)


def test_a_glyph_icon_is_sharp_at_high_scale() -> None:
    assert not make_glyph_icon("search", "#000000").pixmap(16, 16).isNull()
    assert (
        make_glyph_icon("search", "#000000")
        .pixmap(make_glyph_icon("search", "#000000").availableSizes()[0], 2.0)
        .width()
        >= 32
    )


def test_the_app_icon_renders_at_any_size() -> None:
    image = load_app_icon().pixmap(256, 256).toImage()
    assert image.width() == 256
    assert image.pixelColor(128, 30).name() == "#3454c4"
    assert image.pixelColor(0, 0).alpha() == 0


@pytest.mark.parametrize("size", TRAY_SIZES)
def test_the_attention_icon_shows_a_count(size: int) -> None:
    shapes = {
        count: opaque_pixels(make_tray_icon(TrayState.ATTENTION, dark_panel=False, count=count).pixmap(size, size))
        for count in range(1, 10)
    }
    for one, other in combinations(shapes, 2):
        assert shapes[one] != shapes[other], (one, other)
    single = opaque_pixels(make_tray_icon(TrayState.ATTENTION, dark_panel=False).pixmap(size, size))
    assert shapes[1] == single, "no number for a single one"


def test_counts_above_nine_look_the_same() -> None:
    """Two digits are not readable at sixteen pixels; the tooltip has the number."""
    shown = [make_tray_icon(TrayState.ATTENTION, dark_panel=True, count=count).pixmap(32, 32) for count in (9, 10, 25)]
    nine, ten, many = (one.toImage() for one in shown)
    assert many == ten != nine


@pytest.mark.parametrize("state", [state for state in TrayState if state is not TrayState.ATTENTION])
def test_other_states_show_no_count(state: TrayState) -> None:
    plain, counted = (make_tray_icon(state, dark_panel=True, count=count).pixmap(32, 32) for count in (0, 5))
    assert plain.toImage() == counted.toImage()


@pytest.mark.parametrize("count", [2, 5, 8, 25])
def test_the_count_stays_inside_its_shape(count: int) -> None:
    """It is cut out of a closed shape."""
    shape = opaque_pixels(make_tray_icon(TrayState.ATTENTION, dark_panel=False, count=count).pixmap(64, 64))
    whole = opaque_pixels(draw_svg("tray/count", 64, ON_LIGHT))
    holes = [(x, y) for y in range(64) for x in range(64) if whole[y][x] and not shape[y][x]]
    assert holes
    assert min(x for x, _ in holes) > 8 and max(x for x, _ in holes) < 56
    assert min(y for _, y in holes) > 6 and max(y for _, y in holes) < 48
