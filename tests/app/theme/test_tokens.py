"""Colours are readable in light and dark, and the application follows the desktop."""

from collections.abc import Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QFont, QPalette
from PySide6.QtWidgets import QApplication, QLabel, QListWidget, QPushButton
from pytestqt.qtbot import QtBot

from app.theme.stylesheet import Theme, choose_colours, set_style, style_as_card
from app.theme.tokens import (
    DARK,
    LIGHT,
    Appearance,
    Colours,
    TextStyle,
    Tone,
    blend,
    colours_of,
    make_font,
    make_palette,
)

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


def test_contrast_matches_known_values() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#767676", "#ffffff") == pytest.approx(4.54, abs=0.01)


@BOTH
def test_text_is_readable_on_every_background(colours: Colours) -> None:
    for background in (colours.window, colours.surface):
        for text in (colours.text, colours.muted, colours.accent):
            assert contrast(text, background) >= AA_TEXT, (text, background)
    assert contrast(colours.on_accent, colours.accent) >= AA_TEXT


@BOTH
@pytest.mark.parametrize("tone", Tone)
def test_every_tone_is_readable_on_every_background(colours: Colours, tone: Tone) -> None:
    ink = colours.tones[tone]
    for background in (ink.soft, colours.surface, colours.window):
        assert contrast(ink.text, background) >= AA_TEXT, (tone, background)


@BOTH
def test_borders_of_controls_are_visible(colours: Colours) -> None:
    for background in (colours.window, colours.surface):
        assert contrast(colours.edge, background) >= AA_SHAPE


@BOTH
def test_the_focus_ring_is_visible(colours: Colours) -> None:
    """A ring in the accent colour; on a primary button in the colour of its text."""
    for background in (colours.window, colours.surface, colours.tones[Tone.BUSY].soft):
        assert contrast(colours.accent, background) >= AA_SHAPE, background
    assert contrast(colours.on_accent, colours.accent) >= AA_SHAPE


@BOTH
def test_text_on_a_selected_row_is_readable(colours: Colours) -> None:
    chosen = colours.tones[Tone.BUSY].soft
    for text in (colours.text, colours.muted, colours.accent, *(ink.text for ink in colours.tones.values())):
        assert contrast(text, chosen) >= AA_TEXT, text


@BOTH
@pytest.mark.parametrize("share", [0.04, 0.06, 0.14], ids=["row", "hover", "pressed"])
def test_hovered_text_is_readable(colours: Colours, share: float) -> None:
    for text in (colours.text, colours.accent, colours.tones[Tone.BAD].text):
        assert contrast(text, blend(colours.text, colours.surface, share)) >= AA_TEXT, text


@BOTH
@pytest.mark.parametrize("tone", [Tone.GOOD, Tone.BAD, Tone.ATTENTION])
def test_text_on_diff_and_search_highlights_is_readable(colours: Colours, tone: Tone) -> None:
    ink = colours.tones[tone]
    for background in (ink.soft, blend(ink.text, ink.soft, 0.25)):
        assert contrast(colours.text, background) >= AA_TEXT


@BOTH
def test_the_hovered_primary_button_is_readable(colours: Colours) -> None:
    assert contrast(colours.on_accent, blend(colours.accent, colours.text, 0.88)) >= AA_TEXT


@BOTH
def test_busy_is_the_accent(colours: Colours) -> None:
    """There is only one accent colour."""
    assert colours.tones[Tone.BUSY].text == colours.accent


@BOTH
def test_the_colours_of_a_palette_are_recognised(colours: Colours) -> None:
    palette = make_palette(colours)
    assert colours_of(palette) is colours
    text, background = palette.color(QPalette.ColorRole.Text), palette.color(QPalette.ColorRole.Base)
    assert contrast(text, background) >= AA_TEXT
    highlighted = palette.color(QPalette.ColorRole.HighlightedText)
    assert contrast(highlighted, palette.color(QPalette.ColorRole.Highlight)) >= AA_TEXT


def test_disabled_text_is_fainter_than_text() -> None:
    palette = make_palette(LIGHT)
    role = QPalette.ColorRole.ButtonText
    background = palette.color(QPalette.ColorRole.Button)
    faint = contrast(palette.color(QPalette.ColorGroup.Disabled, role), background)
    assert 2 < faint < contrast(palette.color(QPalette.ColorGroup.Active, role), background)


def test_sizes_of_text_grow_from_caption_to_display() -> None:
    body = QFont("Sans", 10)
    sizes = [
        make_font(kind, body).pointSizeF()
        for kind in (TextStyle.CAPTION, TextStyle.BODY, TextStyle.TITLE, TextStyle.DISPLAY)
    ]
    assert sizes == sorted(sizes)
    assert len(set(sizes)) == 4
    assert make_font(TextStyle.BODY, body).pointSizeF() == 10


def test_a_font_in_pixels_is_scaled_in_pixels() -> None:
    body = QFont("Sans")
    body.setPixelSize(20)
    assert make_font(TextStyle.TITLE, body).pixelSize() == 25


@pytest.fixture
def plain_app(qapp: QApplication) -> Iterator[QApplication]:
    """The application, restored afterwards."""
    palette = QPalette(qapp.palette())
    yield qapp
    qapp.styleHints().setColorScheme(Qt.ColorScheme.Unknown)
    qapp.setStyleSheet("")
    qapp.setPalette(palette)


def test_a_chosen_appearance_applies_to_every_widget(qtbot: QtBot, plain_app: QApplication) -> None:
    look = Theme(plain_app, Appearance.DARK)
    label = QLabel("x")
    qtbot.addWidget(label)
    assert colours_of(label) is DARK
    with qtbot.waitSignal(look.changed):
        look.set_appearance(Appearance.LIGHT)
    assert colours_of(label) is LIGHT
    look.deleteLater()


def test_the_system_appearance_follows_the_desktop(qtbot: QtBot, plain_app: QApplication) -> None:
    """Emits Qt's signal: there is no desktop to change."""
    look = Theme(plain_app, Appearance.SYSTEM)
    plain_app.styleHints().colorSchemeChanged.emit(Qt.ColorScheme.Dark)
    assert look.colours is DARK
    assert colours_of(plain_app.palette()) is DARK
    plain_app.styleHints().colorSchemeChanged.emit(Qt.ColorScheme.Light)
    assert colours_of(plain_app.palette()) is LIGHT
    look.deleteLater()


@pytest.mark.parametrize("scheme", Qt.ColorScheme)
def test_the_choice_of_the_user_overrides_the_desktop(scheme: Qt.ColorScheme) -> None:
    assert choose_colours(Appearance.DARK, scheme, make_palette(LIGHT)) is DARK
    assert choose_colours(Appearance.LIGHT, scheme, make_palette(DARK)) is LIGHT


def test_an_unknown_scheme_is_guessed_from_the_palette() -> None:
    unknown = Qt.ColorScheme.Unknown
    assert choose_colours(Appearance.SYSTEM, unknown, make_palette(DARK)) is DARK
    assert choose_colours(Appearance.SYSTEM, unknown, make_palette(LIGHT)) is LIGHT
    assert choose_colours(Appearance.SYSTEM, Qt.ColorScheme.Dark, make_palette(LIGHT)) is DARK


def test_style_properties_use_the_colours_of_the_theme(qtbot: QtBot, plain_app: QApplication) -> None:
    look = Theme(plain_app, Appearance.LIGHT)
    label, button = QLabel("x"), QPushButton("y")
    qtbot.addWidget(label)
    qtbot.addWidget(button)
    set_style(label, "ink", "bad")
    set_style(button, "importance", "primary")
    for widget in (label, button):
        widget.ensurePolished()
    assert label.palette().color(QPalette.ColorRole.WindowText) == QColor(LIGHT.tones[Tone.BAD].text)
    assert button.palette().color(QPalette.ColorRole.ButtonText) == QColor(LIGHT.on_accent)
    look.set_appearance(Appearance.DARK)
    assert label.palette().color(QPalette.ColorRole.WindowText) == QColor(DARK.tones[Tone.BAD].text)
    look.deleteLater()


def test_a_list_on_a_card_keeps_an_opaque_viewport(qtbot: QtBot, plain_app: QApplication) -> None:
    """So that scrolling does not repaint everything; even after a theme change."""
    look = Theme(plain_app, Appearance.LIGHT)
    rows = QListWidget()
    style_as_card(rows)
    qtbot.addWidget(rows)
    rows.show()
    qtbot.waitUntil(rows.viewport().autoFillBackground)
    look.set_appearance(Appearance.DARK)
    qtbot.waitUntil(rows.viewport().autoFillBackground)
    assert rows.viewport().palette().color(rows.viewport().backgroundRole()) == QColor(DARK.surface)
    look.deleteLater()
