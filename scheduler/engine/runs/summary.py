"""The sentence that the user reads about a run that commits: what the script says, and what only Dayhand knows."""

import re

from scheduler.engine.runs.attempt import Attempt
from scheduler.rules.phases import HandlerKind, Refusal
from scheduler.user_text import UserText, add_full_stop, join_texts

_LOOKS_AT_OUTCOME = re.compile(r"\.(outcome|reason)\b")
"""In a script whose `next` says something else when nothing was done."""
_MAX_TITLE_CHARS = 60


def summarize(attempt: Attempt) -> str | None:
    """None if there is nothing to report."""
    if attempt.refusal is not None:
        return _summarize_refusal(attempt)
    return attempt.summary or attempt.problem or attempt.default_summary or _summarize_found(attempt)


def _summarize_found(attempt: Attempt) -> str | None:
    """What a producer published, by the titles of the first events."""
    if attempt.handler.kind is not HandlerKind.PRODUCER or not attempt.found_count:
        return None
    count, titles = attempt.found_count, join_texts([_shorten(title) for title in attempt.found], ", ")
    rest = count - len(attempt.found)
    if not attempt.found:
        return UserText("Found 1 new item") if count == 1 else UserText("Found {count} new items", count=count)
    if count == 1:
        return UserText("Found 1 new item: {titles}", titles=titles)
    if rest:
        return UserText("Found {count} new items: {titles} and {rest} more", count=count, titles=titles, rest=rest)
    return UserText("Found {count} new items: {titles}", count=count, titles=titles)


def _shorten(title: str) -> str:
    title = " ".join(title.split())
    return title if len(title) <= _MAX_TITLE_CHARS else f"{title[: _MAX_TITLE_CHARS - 1]}…"


def _summarize_refusal(attempt: Attempt) -> str:
    """That nothing was done, and why; then what the script says. Alone, if it knows as much."""
    said, is_aware = attempt.summary or "", _LOOKS_AT_OUTCOME.search(attempt.plan.source) is not None
    if said and is_aware and (attempt.reason or "") in said:
        return said
    if attempt.refusal is Refusal.EXPIRED:
        sentence: str = UserText("Nobody answered in time, so it was not done.")
    elif attempt.reason is None:
        sentence = UserText("You rejected it.")
    else:
        sentence = UserText("You rejected it: {reason}", reason=attempt.reason)
    return join_texts([add_full_stop(sentence), said], " ") if said else sentence
