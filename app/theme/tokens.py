"""How Dayhand looks: colours for light and dark, one accent, spacing and type. Knows no widget of ours."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum, StrEnum

from PySide6.QtGui import QColor, QFont, QPalette
from PySide6.QtWidgets import QWidget


class Appearance(StrEnum):
    """What the person chose."""

    SYSTEM = "system"
    """As the rest of the desktop, and changing with it."""
    LIGHT = "light"
    DARK = "dark"


class Tone(StrEnum):
    """What a colour says. It never says it alone: a shape and a word stand beside it."""

    GOOD = "good"
    """Went well."""
    BUSY = "busy"
    """Is happening; this is the accent."""
    ATTENTION = "attention"
    """A person has to look."""
    BAD = "bad"
    """Went wrong."""
    QUIET = "quiet"
    """Nothing to do or see."""


class Space(IntEnum):
    """Distances in device-independent pixels."""

    HAIR = 2
    TIGHT = 4
    SMALL = 8
    MEDIUM = 12
    LARGE = 16
    WIDE = 24
    HUGE = 40


class Type(StrEnum):
    """Sizes of text, relative to the desktop's own font."""

    CAPTION = "caption"
    BODY = "body"
    STRONG = "strong"
    TITLE = "title"
    DISPLAY = "display"


RADIUS = 8
_SIZES = {Type.CAPTION: 0.9, Type.BODY: 1.0, Type.STRONG: 1.0, Type.TITLE: 1.25, Type.DISPLAY: 1.6}
_HEAVY = {Type.STRONG, Type.TITLE, Type.DISPLAY}


@dataclass(frozen=True, slots=True, kw_only=True)
class Ink:
    """A tone: its text or shape, and the soft ground it may lie on."""

    text: str
    soft: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Colours:
    is_dark: bool
    window: str
    surface: str
    """Cards, lists and fields, on the window."""
    text: str
    muted: str
    line: str
    """Between things; decoration only."""
    edge: str
    """Around what can be used."""
    accent: str
    on_accent: str
    tones: Mapping[Tone, Ink]


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
        Tone.GOOD: Ink(text="#1b7039", soft="#e4f3e8"),
        Tone.BUSY: Ink(text="#3454c4", soft="#e7ebfb"),
        Tone.ATTENTION: Ink(text="#875300", soft="#fff0d3"),
        Tone.BAD: Ink(text="#b3261e", soft="#fce8e6"),
        Tone.QUIET: Ink(text="#58616d", soft="#eceef1"),
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
        Tone.GOOD: Ink(text="#82d196", soft="#21382a"),
        Tone.BUSY: Ink(text="#9fb3ff", soft="#2a3357"),
        Tone.ATTENTION: Ink(text="#f3c067", soft="#41341b"),
        Tone.BAD: Ink(text="#ffa097", soft="#4a2826"),
        Tone.QUIET: Ink(text="#a8b0ba", soft="#343940"),
    },
)


def colours_of(look: QWidget | QPalette) -> Colours:
    """Ours for what the widget lies on: a palette with a dark ground is a dark one."""
    palette = look.palette() if isinstance(look, QWidget) else look
    return DARK if palette.color(QPalette.ColorRole.Window).lightness() < 128 else LIGHT


def make_font(kind: Type, like: QFont) -> QFont:
    """The font in the size and weight of `kind`; pixel-sized fonts stay pixel-sized."""
    font = QFont(like)
    if like.pointSizeF() > 0:
        font.setPointSizeF(like.pointSizeF() * _SIZES[kind])
    else:
        font.setPixelSize(round(like.pixelSize() * _SIZES[kind]))
    font.setWeight(QFont.Weight.DemiBold if kind in _HEAVY else like.weight())
    return font


def blend(over: str, under: str, share: float) -> QColor:
    """`share` of the one colour over the other."""
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
