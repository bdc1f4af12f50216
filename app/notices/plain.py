"""The words of a notice as every screen can show them. Pure."""

import unicodedata
from dataclasses import replace

from app.notices.notice import Notice

_LONGEST = 1000
_TURNING = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
"""Signs that reverse the text after them, with which a sender could make one read something else."""


def tidy(notice: Notice) -> Notice:
    """The same with clean words, and its title in one line."""
    return replace(
        notice,
        title=" ".join(_clean(notice.title).split()),
        text=_clean(notice.text),
        actions=tuple((_clean(action), _clean(label)) for action, label in notice.actions),
    )


def _clean(text: str) -> str:
    """Only what every system can take, nothing that turns the text around, and not a whole log."""
    sound = text.encode("utf-8", "replace").decode()
    whole = "".join(
        " " if unicodedata.category(character) == "Cc" and character != "\n" else character
        for character in sound
        if character not in _TURNING
    )
    return whole if len(whole) <= _LONGEST else f"{whole[: _LONGEST - 1]}…"
