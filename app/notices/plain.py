"""The words of a notice as every screen can show them. Pure."""

from dataclasses import replace

from app.notices.notice import Notice
from app.widgets.plain import reveal

_LONGEST = 1000


def tidy(notice: Notice) -> Notice:
    """The same with clean words, and its title in one line."""
    return replace(
        notice,
        title=" ".join(_clean(notice.title).split()),
        text=_clean(notice.text),
        actions=tuple((_clean(action), _clean(label)) for action, label in notice.actions),
    )


def _clean(text: str) -> str:
    """Nothing hidden in it, only what every system can take, and not a whole log."""
    cut = text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
    return reveal(cut.replace("\t", " "))
