"""Makes third-party text safe to show: hidden characters escaped, markup not interpreted, long words breakable."""

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Callable
from html import escape

# Unicode's Default_Ignorable_Code_Point, which unicodedata does not have.
DEFAULT_IGNORABLE = (
    (0x00AD, 0x00AD),  # soft hyphen
    (0x034F, 0x034F),  # combining grapheme joiner
    (0x061C, 0x061C),  # Arabic letter mark
    (0x115F, 0x1160),  # Hangul fillers
    (0x17B4, 0x17B5),  # Khmer inherent vowels
    (0x180B, 0x180F),  # Mongolian variation selectors and vowel separator
    (0x200B, 0x200F),  # zero-width characters, direction marks
    (0x202A, 0x202E),  # direction overrides
    (0x2060, 0x206F),  # word joiner, invisible operators, direction isolates
    (0x3164, 0x3164),  # Hangul filler
    (0xFE00, 0xFE0F),  # variation selectors
    (0xFEFF, 0xFEFF),  # byte order mark
    (0xFFA0, 0xFFA0),  # half-width Hangul filler
    (0xFFF0, 0xFFF8),
    (0x1BCA0, 0x1BCA3),  # shorthand format controls
    (0x1D173, 0x1D17A),  # musical format controls
    (0xE0000, 0xE0FFF),  # tags, variation selectors supplement
)
# Drawn blank although Unicode counts them as letters, signs or spaces. Not the spaces of ordinary writing: plain,
# those of French and German figures (U+00A0, U+202F) and that of Chinese and Japanese text (U+3000).
BLANK = (
    (0x1680, 0x1680),  # ogham space
    (0x2000, 0x200A),  # spaces from an em down to a hair
    (0x205F, 0x205F),  # mathematical space
    (0x2800, 0x2800),  # braille without dots
    (0x303F, 0x303F),  # half fill space
    (0xFFFC, 0xFFFC),  # object replacement character
    (0x16FE4, 0x16FE4),  # Khitan filler
    (0x1D159, 0x1D159),  # musical note without a head
)
_INVISIBLE_CATEGORIES = frozenset({"Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp"})
_INVISIBLE_RANGES = sorted(DEFAULT_IGNORABLE + BLANK)
_RANGE_STARTS = [first for first, _ in _INVISIBLE_RANGES]
ELLIPSIS = "\N{HORIZONTAL ELLIPSIS}"
_VISIBLE_WHITESPACE = {"\n", "\t"}
_MAX_CACHED = 10_000
_MAX_ACCENTS = 4
"""Accents on one letter; more would overlap the lines above and below."""
_MAX_WORD_CHARS = 40
_WORD = re.compile(r"[^ \t\n]+")
"""What Qt does not break: more than \\S, since Qt keeps no-break spaces together."""
BREAK_POINT = "\u200b"
_WIDEST_LETTER = 16
"""Of ASCII, in pixels; shorter words need not be measured."""
_SLASHES = ("/", "\\")


def is_invisible(character: str) -> bool:
    """Whether a reader cannot see the character. True for tabs and line breaks."""
    if unicodedata.category(character) in _INVISIBLE_CATEGORIES:
        return True
    code = ord(character)
    place = bisect_right(_RANGE_STARTS, code) - 1
    return place >= 0 and code <= _INVISIBLE_RANGES[place][1]


class _ShownCharacters(dict[str, str]):
    """Caches what each character is shown as."""

    def __missing__(self, character: str) -> str:
        is_written_out = character not in _VISIBLE_WHITESPACE and is_invisible(character)
        shown = f"⟨{ord(character):04X}⟩" if is_written_out else character
        if len(self) < _MAX_CACHED:
            self[character] = shown
        return shown


_SHOWN = _ShownCharacters()


def escape_invisible(text: str) -> str:
    """The text with invisible and direction-changing characters escaped, such as `⟨202E⟩`."""
    if text.isascii() and text.isprintable():
        return text
    shown = "".join(map(_SHOWN.__getitem__, text.replace("\r\n", "\n")))
    return shown if shown.isascii() else _escape_extra_accents(shown)


def _escape_extra_accents(text: str) -> str:
    """Escape accents beyond the first few on one letter."""
    if not any(map(unicodedata.combining, text)):
        return text
    shown, marks = [], 0
    for character in text:
        marks = marks + 1 if unicodedata.category(character) in ("Mn", "Me") else 0
        shown.append(f"⟨{ord(character):04X}⟩" if marks > _MAX_ACCENTS else character)
    return "".join(shown)


def truncate(text: str, limit: int | None) -> str:
    """The text, truncated with an ellipsis after `limit` characters."""
    return text if limit is None or len(text) <= limit else f"{text[:limit]}{ELLIPSIS}"


def add_break_points(
    text: str, measure: Callable[[str], int] = len, longest: int = _MAX_WORD_CHARS, widest_piece: int | None = None
) -> str:
    """The text with break points (zero-width spaces) in words that are too long for a line, such as links.

    A word is too long if it measures `longest` or more; letters of some scripts are many times as wide as others.
    Without `widest_piece`, a piece of it measures up to half of that.
    """

    def split(found: re.Match[str]) -> str:
        word = found[0]
        if (len(word) * _WIDEST_LETTER < longest and word.isascii()) or measure(word) < longest:
            return word
        return BREAK_POINT.join(_split_word(word, measure, widest_piece or longest // 2))

    return _WORD.sub(split, text)


def _split_word(word: str, measure: Callable[[str], int], width: int) -> list[str]:
    """After each slash of a path or link, and wherever a piece would be too wide."""
    pieces, used, sizes = [""], 0, dict[str, int]()
    for character in word:
        if character not in sizes:
            sizes[character] = measure(character)
        is_after_slash = pieces[-1][-1:] in _SLASHES and character not in _SLASHES
        if pieces[-1] and (is_after_slash or used + sizes[character] > width):
            pieces.append("")
            used = 0
        pieces[-1] += character
        used += sizes[character]
    return pieces


def remove_break_points(text: str) -> str:
    return text.replace(BREAK_POINT, "")


def tooltip_text(text: str) -> str:
    """Escaped for tooltips, which translate_text anything that looks like markup."""
    shown = escape_invisible(text)
    if "<" not in shown:
        return shown
    lines = "<br>".join(escape(line) for line in shown.split("\n"))
    return f"<qt>{lines}</qt>"
