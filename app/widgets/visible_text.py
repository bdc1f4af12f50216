"""Text from scripts and accounts is shown as it is: nothing hidden in it, and no markup made of it."""

import re
import unicodedata
from collections.abc import Callable
from html import escape

from app.widgets.invisible_characters import is_invisible

MORE = "\N{HORIZONTAL ELLIPSIS}"
_KEPT = {"\n", "\t"}
_MAX_REMEMBERED = 10_000
_MAX_MARKS = 4
"""Accents on one letter; more would be drawn over the lines above and below."""
_LONG_WORD = 40
_WORD = re.compile(r"[^ \t\n]+")
"""What Qt does not break: more than \\S, since it keeps a no-break space."""
_PLACE = "\u200b"


class _Shapes(dict[str, str]):
    """What each character is shown as, remembered when it is first met."""

    def __missing__(self, character: str) -> str:
        is_written_out = character not in _KEPT and is_invisible(character)
        shown = f"⟨{ord(character):04X}⟩" if is_written_out else character
        if len(self) < _MAX_REMEMBERED:
            self[character] = shown
        return shown


_SHAPES = _Shapes()


def reveal(text: str) -> str:
    """The text with what would hide or turn around in it written out, such as `⟨202E⟩`."""
    if text.isascii() and text.isprintable():
        return text
    shown = "".join(map(_SHAPES.__getitem__, text.replace("\r\n", "\n")))
    return shown if shown.isascii() else _spread_marks(shown)


def _spread_marks(text: str) -> str:
    """Accents beyond a few on one letter are written out."""
    if not any(map(unicodedata.combining, text)):
        return text
    shown, marks = [], 0
    for character in text:
        marks = marks + 1 if unicodedata.category(character) in ("Mn", "Me") else 0
        shown.append(f"⟨{ord(character):04X}⟩" if marks > _MAX_MARKS else character)
    return "".join(shown)


def cut(text: str, limit: int | None) -> str:
    """The text with a sign that there is more after so many characters."""
    return text if limit is None or len(text) <= limit else f"{text[:limit]}{MORE}"


def fold(text: str, measure: Callable[[str], int] = len, longest: int = _LONG_WORD) -> str:
    """The text with places where a word may continue on the next line that is too long for one, such as a link.

    A word is too long if it measures `longest` or more; letters of some scripts are many times as wide as others.
    """

    def split(found: re.Match[str]) -> str:
        word = found[0]
        if (len(word) < longest and word.isascii()) or measure(word) < longest:
            return word
        return _PLACE.join(_cut(word, measure, longest // 2))

    return _WORD.sub(split, text)


def _cut(word: str, measure: Callable[[str], int], width: int) -> list[str]:
    pieces, used, sizes = [""], 0, dict[str, int]()
    for character in word:
        if character not in sizes:
            sizes[character] = measure(character)
        if pieces[-1] and used + sizes[character] > width:
            pieces.append("")
            used = 0
        pieces[-1] += character
        used += sizes[character]
    return pieces


def unfold(text: str) -> str:
    return text.replace(_PLACE, "")


def as_tooltip(text: str) -> str:
    """For tooltips, which take anything that looks like markup for markup."""
    shown = reveal(text)
    if "<" not in shown:
        return shown
    lines = "<br>".join(escape(line) for line in shown.split("\n"))
    return f"<qt>{lines}</qt>"
