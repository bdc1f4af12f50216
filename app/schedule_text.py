"""A schedule as typed in a shell: `every 5m`, `0 9 * * 1-5`, `once 2026-11-20T09:00`, `calendar {"hour": 18}`."""

import json
from collections.abc import Sequence
from typing import Any

from scheduler.timing.errors import BadScheduleError

_EXAMPLES = "for example every 5m, 0 9 * * 1-5, once 2026-11-20T09:00 or calendar '{\"hour\": 18}'"

_DEEPEST = 6


def read_schedule_words(words: Sequence[str]) -> dict[str, Any]:
    """What `Spec.read` takes; the shell may have split the text into words or not."""
    kind, _, rest = _one_spaced(words).partition(" ")
    match kind.lower():
        case "":
            raise BadScheduleError("schedule", f"schedule: it is empty; write {_EXAMPLES}.")
        case "every":
            interval, anchor, instant = rest.partition(" anchor ")
            return {"every": interval, "anchor": instant} if anchor else {"every": interval}
        case "once":
            return {"once": rest}
        case "calendar":
            return {"calendar": read_json(rest, "calendar")}
        case _:
            return {"cron": _cron_texts(words)}


def read_exclusion(text: str) -> list[Any]:
    """A date or span as it is, or the calendars in a JSON text."""
    if not text.strip().startswith(("{", "[")):
        return [text]
    value = read_json(text, "exclude")
    return value if isinstance(value, list) else [value]


def read_json(text: str, field: str) -> Any:
    try:
        value = json.loads(text, object_pairs_hook=_each_once)
    except (ValueError, RecursionError) as error:
        raise _not_json(text, field) from error
    if _is_deep(value, _DEEPEST):
        raise _not_json(text, field)
    return value


def _not_json(text: str, field: str) -> BadScheduleError:
    return BadScheduleError(
        field, f'{field}: {text!r} is not a calendar in JSON; write for example \'{{"hour": 18, "day": "last"}}\'.'
    )


def _each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A part given twice would silently count once."""
    if len(dict(pairs)) < len(pairs):
        raise ValueError(pairs)
    return dict(pairs)


def _is_deep(value: Any, room: int) -> bool:
    """Whether lists and objects lie in each other further than any calendar needs."""
    inside = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return room == 0 or any(_is_deep(item, room - 1) for item in inside)


def _cron_texts(words: Sequence[str]) -> list[str]:
    """Texts are parted by `;`, or are arguments of their own; a text may also come as one argument per field."""
    words = words[1:] if words[0].strip().lower() == "cron" else words
    texts = [_without_prefix(text) for word in words for text in word.split(";") if text.strip()]
    if all(_is_complete(text) for text in texts):
        return texts
    return [_without_prefix(text) for text in _one_spaced(words).split(";") if text.strip()]


def _without_prefix(text: str) -> str:
    first, _, rest = _one_spaced([text]).partition(" ")
    return rest if first.lower() == "cron" else _one_spaced([text])


def _is_complete(text: str) -> bool:
    return text.startswith("@") or len(text.split()) >= 5


def _one_spaced(words: Sequence[str]) -> str:
    return " ".join(" ".join(words).split())
