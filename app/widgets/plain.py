"""Text from scripts and accounts is shown as it is: nothing hidden in it, and no markup made of it."""

import re
import unicodedata
from html import escape

_KEPT = {"\n", "\t"}
_HIDING = {"Cc", "Cf", "Co", "Cn", "Cs", "Zl", "Zp"}
"""Characters that are not seen, or that change how others are: a text must not look like another one."""

_LONG, _PIECE = re.compile(r"\S{40,}"), re.compile(r".{20}")
_PLACE = "\u200b"


def reveal(text: str) -> str:
    """The text with what would hide or turn around in it written out, such as `⟨202E⟩`."""
    if text.isprintable():
        return text
    return "".join(
        f"⟨{ord(character):04X}⟩"
        if character not in _KEPT and unicodedata.category(character) in _HIDING
        else character
        for character in text.replace("\r\n", "\n")
    )


def fold(text: str) -> str:
    """The text with places where a word may go on in the next line that would be too long for one, such as a link."""
    return _LONG.sub(lambda word: _PIECE.sub(rf"\g<0>{_PLACE}", word[0]), text)


def unfold(text: str) -> str:
    return text.replace(_PLACE, "")


def as_tooltip(text: str) -> str:
    """For tooltips, which take anything that looks like markup for markup."""
    shown = reveal(text)
    if "<" not in shown:
        return shown
    lines = "<br>".join(escape(line) for line in shown.split("\n"))
    return f"<qt>{lines}</qt>"
