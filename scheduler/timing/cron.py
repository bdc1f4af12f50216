"""Cron expressions: five fields, six with leading seconds, seven with a trailing year, and macros."""

from scheduler.timing.cron_fields import expand_fields
from scheduler.timing.errors import BadScheduleError
from scheduler.timing.wall_times import WallPattern, WallTimeRule, refuse_times_too_close
from scheduler.user_text import UserText

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
        raise BadScheduleError(
            "cron", UserText("cron: the expression is empty; write five fields, for example 0 9 * * 1-5.")
        )
    patterns = tuple(_parse(text) for text in texts)
    refuse_times_too_close(patterns, "cron")
    return WallTimeRule(patterns)


def split_cron(text: str) -> dict[str, str]:
    """The seven fields of an expression, with defaults for those a shorter form omits."""
    macro = text.strip().lower()
    if macro.startswith("@"):
        if macro not in MACROS:
            raise BadScheduleError(
                "cron",
                UserText(
                    "cron: {text} is not known; use one of {macros}.", text=repr(text.strip()), macros=", ".join(MACROS)
                ),
            )
        text = MACROS[macro]
    parts = text.split()
    names = _FIELD_NAMES.get(len(parts))
    if names is None:
        count = UserText("{count} fields", count=len(parts)) if len(parts) != 1 else UserText("1 field")
        raise BadScheduleError(
            "cron",
            UserText(
                "cron: {text} has {count}; write five (minute hour day month weekday), six (a second in "
                "front) or seven (a year at the end).",
                text=repr(text),
                count=count,
            ),
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
        raise BadScheduleError(
            "day", UserText("day: {text} names a date that does not exist, such as 30 February.", text=repr(text))
        )
    return pattern
