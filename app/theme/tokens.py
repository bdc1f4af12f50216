"""Design tokens: colours for light and dark, spacing and type. Knows no widget of ours."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum, StrEnum

from PySide6.QtGui import QColor, QFont, QFontMetrics, QPalette
from PySide6.QtWidgets import QWidget


class Appearance(StrEnum):
    """The user's choice."""

    SYSTEM = "system"
    """Follow the desktop."""
    LIGHT = "light"
    DARK = "dark"


class Tone(StrEnum):
    """The meaning of a colour. Always shown together with a glyph and a word."""

    GOOD = "good"
    """Succeeded."""
    BUSY = "busy"
    """In progress; the accent colour."""
    ATTENTION = "attention"
    """The user has to act."""
    BAD = "bad"
    """Failed."""
    QUIET = "quiet"
    """Nothing to do."""


class Space(IntEnum):
    """Distances in device-independent pixels."""

    HAIR = 2
    TIGHT = 4
    SMALL = 8
    MEDIUM = 12
    LARGE = 16
    WIDE = 24


class TextStyle(StrEnum):
    """Sizes of text, relative to the desktop's own font."""

    CAPTION = "caption"
    BODY = "body"
    STRONG = "strong"
    TITLE = "title"
    DISPLAY = "display"


RADIUS = 8
_RELATIVE_SIZES = {
    TextStyle.CAPTION: 0.9,
    TextStyle.BODY: 1.0,
    TextStyle.STRONG: 1.0,
    TextStyle.TITLE: 1.25,
    TextStyle.DISPLAY: 1.6,
}
_USUAL_LINE_PX = 18
"""The height of a line where nobody enlarged the text."""
_BOLD_TYPES = {TextStyle.STRONG, TextStyle.TITLE, TextStyle.DISPLAY}


@dataclass(frozen=True, slots=True, kw_only=True)
class ToneColours:
    """The colours of a tone: text or glyph, and a soft background for it."""

    text: str
    soft: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Colours:
    is_dark: bool
    window: str
    surface: str
    """Background of cards, lists and fields."""
    text: str
    muted: str
    line: str
    """Separators; decoration only."""
    edge: str
    """Borders of controls."""
    accent: str
    on_accent: str
    tones: Mapping[Tone, ToneColours]


LIGHT = Colours(
    is_dark=False,
    window="#f5f6f8",
    surface="#ffffff",
    text="#1c2025",
    muted="#58616d",
    line="#dde0e5",
    edge="#868e99",
    accent="#3454c4",
    on_accent="#ffffff",
    tones={
        Tone.GOOD: ToneColours(text="#1b7039", soft="#e4f3e8"),
        Tone.BUSY: ToneColours(text="#3454c4", soft="#e7ebfb"),
        Tone.ATTENTION: ToneColours(text="#875300", soft="#fff0d3"),
        Tone.BAD: ToneColours(text="#b3261e", soft="#fce8e6"),
        Tone.QUIET: ToneColours(text="#58616d", soft="#eceef1"),
    },
)
DARK = Colours(
    is_dark=True,
    window="#1b1d21",
    surface="#25282d",
    text="#e8eaed",
    muted="#a8b0ba",
    line="#3a3f46",
    edge="#7d8590",
    accent="#9fb3ff",
    on_accent="#111a3f",
    tones={
        Tone.GOOD: ToneColours(text="#82d196", soft="#21382a"),
        Tone.BUSY: ToneColours(text="#9fb3ff", soft="#2a3357"),
        Tone.ATTENTION: ToneColours(text="#f3c067", soft="#41341b"),
        Tone.BAD: ToneColours(text="#ffa097", soft="#4a2826"),
        Tone.QUIET: ToneColours(text="#a8b0ba", soft="#343940"),
    },
)


def colours_of(source: QWidget | QPalette) -> Colours:
    """The colour set that matches the background of a widget or palette."""
    palette = source.palette() if isinstance(source, QWidget) else source
    return DARK if palette.color(QPalette.ColorRole.Window).lightness() < 128 else LIGHT


def make_font(style: TextStyle, base: QFont) -> QFont:
    """The base font in the size and weight of the style; pixel-sized fonts stay pixel-sized."""
    font = QFont(base)
    if base.pointSizeF() > 0:
        font.setPointSizeF(base.pointSizeF() * _RELATIVE_SIZES[style])
    else:
        font.setPixelSize(round(base.pixelSize() * _RELATIVE_SIZES[style]))
    font.setWeight(QFont.Weight.DemiBold if style in _BOLD_TYPES else base.weight())
    return font


def scale_to_text(width: int, font: QFont) -> int:
    """A width that is right for text of the usual size, for text of this size; never less."""
    return max(width, round(width * QFontMetrics(font).height() / _USUAL_LINE_PX))


def blend(over: str, under: str, share: float) -> QColor:
    """Mix `share` of the colour `over` with `under`."""
    one, other = QColor(over), QColor(under)
    parts = zip(one.getRgbF()[:3], other.getRgbF()[:3], strict=True)  # type: ignore[index]
    return QColor.fromRgbF(*(a * share + b * (1 - share) for a, b in parts))


def make_palette(colours: Colours) -> QPalette:
    role = QPalette.ColorRole
    palette = QPalette(QColor(colours.surface), QColor(colours.window))
    for target, colour in {
        role.Window: colours.window,
        role.WindowText: colours.text,
        role.Base: colours.surface,
        role.AlternateBase: colours.window,
        role.Text: colours.text,
        role.Button: colours.surface,
        role.ButtonText: colours.text,
        role.BrightText: colours.tones[Tone.BAD].text,
        role.ToolTipBase: colours.surface,
        role.ToolTipText: colours.text,
        role.PlaceholderText: colours.muted,
        role.Highlight: colours.accent,
        role.HighlightedText: colours.on_accent,
        role.Accent: colours.accent,
        role.Link: colours.accent,
        role.LinkVisited: colours.accent,
        role.Mid: colours.line,
    }.items():
        palette.setColor(target, QColor(colour))
    faint = blend(colours.text, colours.surface, 0.45)
    for target in (role.WindowText, role.Text, role.ButtonText):
        palette.setColor(QPalette.ColorGroup.Disabled, target, faint)
    palette.setColor(QPalette.ColorGroup.Disabled, role.Highlight, QColor(colours.line))
    return palette
