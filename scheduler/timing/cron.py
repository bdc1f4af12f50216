"""Cron expressions: five fields, six with leading seconds, seven with a trailing year, and macros."""

from scheduler.timing.cron_fields import expand_fields
from scheduler.timing.errors import BadScheduleError
from scheduler.timing.wall_times import WallPattern, WallTimeRule, refuse_times_too_close

MACROS = {
    "@yearly": "0 0 1 1 *",
    "@annually": "0 0 1 1 *",
    "@monthly": "0 0 1 * *",
    "@weekly": "0 0 * * 0",
    "@daily": "0 0 * * *",
    "@midnight": "0 0 * * *",
    "@hourly": "0 * * * *",
}
_FIVE_FIELDS = ("minute", "hour", "day", "month", "weekday")
_FIELD_NAMES = {5: _FIVE_FIELDS, 6: ("second", *_FIVE_FIELDS), 7: ("second", *_FIVE_FIELDS, "year")}
_DEFAULTS = {"second": "0", "year": "*"}


def parse_cron(texts: tuple[str, ...]) -> WallTimeRule:
    """The union of the expressions; refuses those that are invalid, never match, or match too often."""
    if not texts:
        raise BadScheduleError("cron", "cron: the expression is empty; write five fields, for example 0 9 * * 1-5.")
    patterns = tuple(_parse(text) for text in texts)
    refuse_times_too_close(patterns, "cron")
    return WallTimeRule(patterns)


def split_cron(text: str) -> dict[str, str]:
    """The seven fields of an expression, with defaults for those a shorter form omits."""
    macro = text.strip().lower()
    if macro.startswith("@"):
        if macro not in MACROS:
            raise BadScheduleError("cron", f"cron: {text.strip()!r} is not known; use one of {', '.join(MACROS)}.")
        text = MACROS[macro]
    parts = text.split()
    names = _FIELD_NAMES.get(len(parts))
    if names is None:
        count = f"{len(parts)} fields" if len(parts) != 1 else "1 field"
        raise BadScheduleError(
            "cron",
            f"cron: {text!r} has {count}; write five (minute hour day month weekday), "
            "six (a second in front) or seven (a year at the end).",
        )
    return _DEFAULTS | dict(zip(names, parts, strict=True))


def _parse(text: str) -> WallPattern:
    fields = split_cron(text)
    starred = {name for name, field in fields.items() if field[0] in "*?"}
    pattern = WallPattern.from_values(
        expand_fields(fields),
        either=not starred & {"day", "weekday"},
        follows_clock=bool(starred & {"minute", "hour"}),
    )
    if not pattern.days.has_any_date():
        raise BadScheduleError("day", f"day: {text!r} names a date that does not exist, such as 30 February.")
    return pattern
