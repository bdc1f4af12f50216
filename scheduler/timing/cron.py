"""Cron texts: five fields, six with leading seconds, seven with a trailing year, and macros."""

from scheduler.timing.errors import BadScheduleError
from scheduler.timing.fields import expand_fields
from scheduler.timing.walls import WallPattern, Walls, refuse_close_times

MACROS = {
    "@yearly": "0 0 1 1 *",
    "@annually": "0 0 1 1 *",
    "@monthly": "0 0 1 * *",
    "@weekly": "0 0 * * 0",
    "@daily": "0 0 * * *",
    "@midnight": "0 0 * * *",
    "@hourly": "0 * * * *",
}
_FIVE = ("minute", "hour", "day", "month", "weekday")
_NAMES = {5: _FIVE, 6: ("second", *_FIVE), 7: ("second", *_FIVE, "year")}
_REST = {"second": "0", "year": "*"}


def parse_cron(texts: tuple[str, ...]) -> Walls:
    """The union of the cron texts; refuses what cannot be read, never comes, or comes too often."""
    if not texts:
        raise BadScheduleError("cron", "cron: the text is empty; write five fields, for example 0 9 * * 1-5.")
    patterns = tuple(_parse(text) for text in texts)
    refuse_close_times(patterns, "cron")
    return Walls(patterns)


def split_cron(text: str) -> dict[str, str]:
    """The text of each of the seven fields, with what a shorter form leaves out filled in."""
    macro = text.strip().lower()
    if macro.startswith("@"):
        if macro not in MACROS:
            raise BadScheduleError("cron", f"cron: {text.strip()!r} is not known; use one of {', '.join(MACROS)}.")
        text = MACROS[macro]
    parts = text.split()
    names = _NAMES.get(len(parts))
    if names is None:
        count = f"{len(parts)} fields" if len(parts) != 1 else "1 field"
        raise BadScheduleError(
            "cron",
            f"cron: {text!r} has {count}; write five (minute hour day month weekday), "
            "six (a second in front) or seven (a year at the end).",
        )
    return _REST | dict(zip(names, parts, strict=True))


def _parse(text: str) -> WallPattern:
    fields = split_cron(text)
    starred = {name for name, field in fields.items() if field[0] in "*?"}
    pattern = WallPattern.of(
        expand_fields(fields),
        either=not starred & {"day", "weekday"},
        follows_clock=bool(starred & {"minute", "hour"}),
    )
    if not pattern.days.ever():
        raise BadScheduleError("day", f"day: {text!r} names a date that never comes, such as 30 February.")
    return pattern
