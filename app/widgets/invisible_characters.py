"""Characters that a screen shows as nothing, as a gap, or by changing their neighbours. Pure.

The first table is Unicode's Default_Ignorable_Code_Point, which Python's unicodedata does not have; the second is what
is drawn blank although Unicode counts it as a letter, a sign or a space of unusual width. Ordinary writing stays: a
space, and those of French and German figures (U+00A0, U+202F) and of Chinese and Japanese text (U+3000).
"""

import unicodedata
from bisect import bisect_right

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
BLANK = (
    (0x1680, 0x1680),  # ogham space
    (0x2000, 0x200A),  # spaces from an em down to a hair
    (0x205F, 0x205F),  # mathematical space
    (0x2800, 0x2800),  # braille without dots
    (0x303F, 0x303F),  # half fill space
    (0xFFFC, 0xFFFC),  # stands for an object that is not there
    (0x16FE4, 0x16FE4),  # Khitan filler
    (0x1D159, 0x1D159),  # musical note without a head
)
_CATEGORIES = frozenset({"Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp"})
_RANGES = sorted(DEFAULT_IGNORABLE + BLANK)
_STARTS = [first for first, _ in _RANGES]


def is_invisible(character: str) -> bool:
    """Whether somebody who reads the text could not see that it is there. Tabs and line breaks count."""
    if unicodedata.category(character) in _CATEGORIES:
        return True
    code = ord(character)
    place = bisect_right(_STARTS, code) - 1
    return place >= 0 and code <= _RANGES[place][1]
