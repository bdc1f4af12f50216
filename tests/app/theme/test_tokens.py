"""The colours can be read, in light and in dark, and the application follows the desktop between them."""

from collections.abc import Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QFont, QPalette
from PySide6.QtWidgets import QApplication, QLabel, QListWidget, QPushButton
from pytestqt.qtbot import QtBot

from app.look.dressing import Look, choose_colours, lay_on_card, mark
from app.look.theme import DARK, LIGHT, Appearance, Colours, Tone, Type, blend, colours_of, make_font, make_palette

AA_TEXT, AA_SHAPE = 4.5, 3.0
BOTH = pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])


def contrast(one: str | QColor, other: str | QColor) -> float:
    """As the Web Content Accessibility Guidelines define it."""

    def luminance(colour: str | QColor) -> float:
        red, green, blue = (
            part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
            for part in QColor(colour).getRgbF()[:3]  # type: ignore[index]
        )
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def test_the_measure_of_contrast_is_the_known_one() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#767676", "#ffffff") == pytest.approx(4.54, abs=0.01)


@BOTH
def test_text_can_be_read_on_every_ground_it_lies_on(colours: Colours) -> None:
    for ground in (colours.window, colours.surface):
        for text in (colours.text, colours.muted, colours.accent):
            assert contrast(text, ground) >= AA_TEXT, (text, ground)
    assert contrast(colours.on_accent, colours.accent) >= AA_TEXT


@BOTH
@pytest.mark.parametrize("tone", Tone)
def test_every_tone_can_be_read_on_its_own_soft_ground_and_on_the_others(colours: Colours, tone: Tone) -> None:
    ink = colours.tones[tone]
    for ground in (ink.soft, colours.surface, colours.window):
        assert contrast(ink.text, ground) >= AA_TEXT, (tone, ground)


@BOTH
def test_the_edge_of_what_can_be_used_is_seen(colours: Colours) -> None:
    for ground in (colours.window, colours.surface):
        assert contrast(colours.edge, ground) >= AA_SHAPE


@BOTH
def test_where_the_focus_is_can_be_seen(colours: Colours) -> None:
    """A ring in the accent; on a button that has that colour itself, a line in the colour of its words."""
    for ground in (colours.window, colours.surface, colours.tones[Tone.BUSY].soft):
        assert contrast(colours.accent, ground) >= AA_SHAPE, ground
    assert contrast(colours.on_accent, colours.accent) >= AA_SHAPE


@BOTH
def test_a_chosen_row_can_be_read_with_all_that_is_drawn_on_it(colours: Colours) -> None:
    chosen = colours.tones[Tone.BUSY].soft
    for text in (colours.text, colours.muted, colours.accent, *(ink.text for ink in colours.tones.values())):
        assert contrast(text, chosen) >= AA_TEXT, text


@BOTH
@pytest.mark.parametrize("share", [0.04, 0.06, 0.14], ids=["row", "hover", "pressed"])
def test_what_the_pointer_is_on_can_still_be_read(colours: Colours, share: float) -> None:
    for text in (colours.text, colours.accent, colours.tones[Tone.BAD].text):
        assert contrast(text, blend(colours.text, colours.surface, share)) >= AA_TEXT, text


@BOTH
@pytest.mark.parametrize("tone", [Tone.GOOD, Tone.BAD, Tone.ATTENTION])
def test_text_on_the_ground_of_a_change_or_of_words_that_were_found_can_be_read(colours: Colours, tone: Tone) -> None:
    ink = colours.tones[tone]
    for ground in (ink.soft, blend(ink.text, ink.soft, 0.25)):
        assert contrast(colours.text, ground) >= AA_TEXT


@BOTH
def test_the_hovered_primary_button_can_still_be_read(colours: Colours) -> None:
    assert contrast(colours.on_accent, blend(colours.accent, colours.text, 0.88)) >= AA_TEXT


@BOTH
def test_busy_is_the_accent(colours: Colours) -> None:
    """There is one accent colour, not two that nearly match."""
    assert colours.tones[Tone.BUSY].text == colours.accent


@BOTH
def test_a_palette_is_recognised_as_what_it_was_made_from(colours: Colours) -> None:
    palette = make_palette(colours)
    assert colours_of(palette) is colours
    text, ground = palette.color(QPalette.ColorRole.Text), palette.color(QPalette.ColorRole.Base)
    assert contrast(text, ground) >= AA_TEXT
    highlighted = palette.color(QPalette.ColorRole.HighlightedText)
    assert contrast(highlighted, palette.color(QPalette.ColorRole.Highlight)) >= AA_TEXT


def test_disabled_text_is_fainter_than_text() -> None:
    palette = make_palette(LIGHT)
    role = QPalette.ColorRole.ButtonText
    ground = palette.color(QPalette.ColorRole.Button)
    faint = contrast(palette.color(QPalette.ColorGroup.Disabled, role), ground)
    assert 2 < faint < contrast(palette.color(QPalette.ColorGroup.Active, role), ground)


def test_sizes_of_text_grow_from_caption_to_display() -> None:
    body = QFont("Sans", 10)
    sizes = [make_font(kind, body).pointSizeF() for kind in (Type.CAPTION, Type.BODY, Type.TITLE, Type.DISPLAY)]
    assert sizes == sorted(sizes)
    assert len(set(sizes)) == 4
    assert make_font(Type.BODY, body).pointSizeF() == 10


def test_a_font_in_pixels_is_scaled_in_pixels() -> None:
    body = QFont("Sans")
    body.setPixelSize(20)
    assert make_font(Type.TITLE, body).pixelSize() == 25


@pytest.fixture
def bare(qapp: QApplication) -> Iterator[QApplication]:
    """The application as it was before and is again afterwards."""
    palette = QPalette(qapp.palette())
    yield qapp
    qapp.styleHints().setColorScheme(Qt.ColorScheme.Unknown)
    qapp.setStyleSheet("")
    qapp.setPalette(palette)


def test_a_chosen_appearance_dresses_every_widget(qtbot: QtBot, bare: QApplication) -> None:
    look = Look(bare, Appearance.DARK)
    label = QLabel("x")
    qtbot.addWidget(label)
    assert colours_of(label) is DARK
    with qtbot.waitSignal(look.changed):
        look.choose(Appearance.LIGHT)
    assert colours_of(label) is LIGHT
    look.deleteLater()


def test_with_the_system_the_look_follows_the_desktop(qtbot: QtBot, bare: QApplication) -> None:
    """Qt's own signal is emitted here: there is no desktop that could change."""
    look = Look(bare, Appearance.SYSTEM)
    bare.styleHints().colorSchemeChanged.emit(Qt.ColorScheme.Dark)
    assert look.colours is DARK
    assert colours_of(bare.palette()) is DARK
    bare.styleHints().colorSchemeChanged.emit(Qt.ColorScheme.Light)
    assert colours_of(bare.palette()) is LIGHT
    look.deleteLater()


@pytest.mark.parametrize("scheme", Qt.ColorScheme)
def test_what_the_person_chose_counts_whatever_the_desktop_says(scheme: Qt.ColorScheme) -> None:
    assert choose_colours(Appearance.DARK, scheme, make_palette(LIGHT)) is DARK
    assert choose_colours(Appearance.LIGHT, scheme, make_palette(DARK)) is LIGHT


def test_a_desktop_that_does_not_say_is_known_by_its_palette() -> None:
    unknown = Qt.ColorScheme.Unknown
    assert choose_colours(Appearance.SYSTEM, unknown, make_palette(DARK)) is DARK
    assert choose_colours(Appearance.SYSTEM, unknown, make_palette(LIGHT)) is LIGHT
    assert choose_colours(Appearance.SYSTEM, Qt.ColorScheme.Dark, make_palette(LIGHT)) is DARK


def test_marked_text_takes_the_ink_of_the_theme(qtbot: QtBot, bare: QApplication) -> None:
    look = Look(bare, Appearance.LIGHT)
    label, button = QLabel("x"), QPushButton("y")
    qtbot.addWidget(label)
    qtbot.addWidget(button)
    mark(label, "ink", "bad")
    mark(button, "importance", "primary")
    for widget in (label, button):
        widget.ensurePolished()
    assert label.palette().color(QPalette.ColorRole.WindowText) == QColor(LIGHT.tones[Tone.BAD].text)
    assert button.palette().color(QPalette.ColorRole.ButtonText) == QColor(LIGHT.on_accent)
    look.choose(Appearance.DARK)
    assert label.palette().color(QPalette.ColorRole.WindowText) == QColor(DARK.tones[Tone.BAD].text)
    look.deleteLater()


def test_a_list_on_a_card_is_moved_when_it_scrolls_and_not_painted_anew(qtbot: QtBot, bare: QApplication) -> None:
    """In light, in dark, and after the change from one to the other."""
    look = Look(bare, Appearance.LIGHT)
    rows = QListWidget()
    lay_on_card(rows)
    qtbot.addWidget(rows)
    rows.show()
    qtbot.waitUntil(rows.viewport().autoFillBackground)
    look.choose(Appearance.DARK)
    qtbot.waitUntil(rows.viewport().autoFillBackground)
    assert rows.viewport().palette().color(rows.viewport().backgroundRole()) == QColor(DARK.surface)
    look.deleteLater()
