"""The settings that users change by name: what each of them accepts, and what it means to the engine."""

import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import partial
from typing import TypeAlias

from scheduler.engine.errors import RefusedError
from scheduler.engine.settings import Settings
from scheduler.rules.pings import PING_KIND
from scheduler.rules.report_periods import ReportInterval
from scheduler.timing.durations import format_duration, parse_duration
from scheduler.timing.errors import BadScheduleError
from scheduler.timing.jitter import MAX_JITTER, parse_jitter
from scheduler.timing.policies import Catchup, Overlap
from scheduler.user_text import UserText

SettingValue: TypeAlias = str | int
_NOTHING = "none"
_ON, _OFF = ("on", "yes", "true"), ("off", "no", "false")
MAX_CONCURRENCY = 16
MAX_KEEP_DAYS = 3_650
MAX_CATCHUP_PER_TICK = 1_000
MAX_BUFFER_LIMIT = 10_000
MAX_LOOKAHEAD = timedelta(days=1)
_MAX_ADDRESS_CHARS = 300
MIN_PING_INTERVAL, MAX_PING_INTERVAL = timedelta(minutes=1), timedelta(days=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class SettingRule:
    default: SettingValue
    meaning: str
    allowed: str
    """What may be written, for the error message."""
    parse: Callable[[str], SettingValue]
    """ValueError if the text is not allowed."""
    choices: tuple[str, ...] = ()


def _number(default: int, low: int, high: int, meaning: str) -> SettingRule:
    def parse(text: str) -> int:
        if not (text.isascii() and text.isdigit() and low <= int(text[:10]) <= high):
            raise ValueError(text)
        return int(text)

    allowed = UserText("a whole number from {low} to {high}", low=f"{low:,}", high=f"{high:,}")
    return SettingRule(default=default, meaning=meaning, allowed=allowed, parse=parse)


def _choice(default: str, choices: tuple[str, ...], meaning: str) -> SettingRule:
    def parse(text: str) -> str:
        if text.lower() not in choices:
            raise ValueError(text)
        return text.lower()

    allowed = UserText("one of {choices}", choices=", ".join(choices))
    return SettingRule(default=default, meaning=meaning, allowed=allowed, parse=parse, choices=choices)


def _parse_lookahead(text: str) -> str:
    span = parse_duration(text, "lookahead")
    if not timedelta() < span <= MAX_LOOKAHEAD:
        raise ValueError(text)
    return format_duration(span)


def _parse_default_jitter(text: str) -> str:
    jitter = parse_jitter("0s" if text.lower() == "none" else text)
    if jitter is None or jitter.max_shift > MAX_JITTER:
        raise ValueError(text)
    return jitter.write() if jitter.max_shift else "0s"


def _parse_switch(text: str) -> bool:
    if text.lower() not in (*_ON, *_OFF):
        raise ValueError(text)
    return text.lower() in _ON


def _parse_folder(text: str) -> str:
    if text.lower() == _NOTHING:
        return ""
    if text and not (os.path.isabs(text) or text.startswith("~")):  # noqa: PTH117  the text is kept as written
        raise ValueError(text)
    return text


def _parse_connection(text: str, kind: str) -> str:
    if text.lower() == _NOTHING:
        return ""
    if text and re.fullmatch(rf"{kind}:[A-Za-z0-9_-]+", text) is None:
        raise ValueError(text)
    return text


def _parse_address(text: str) -> str:
    if text.lower() == _NOTHING:
        return ""
    if text and (text.count("@") != 1 or not text.isprintable() or len(text) > _MAX_ADDRESS_CHARS):
        raise ValueError(text)
    return text


def _parse_ping_interval(text: str) -> str:
    span = parse_duration(text, "ping_every")
    if not MIN_PING_INTERVAL <= span <= MAX_PING_INTERVAL:
        raise ValueError(text)
    return format_duration(span)


SETTINGS: dict[str, SettingRule] = {
    "concurrency": _number(4, 1, MAX_CONCURRENCY, UserText("how many runs may be active at the same time")),
    "overlap_jobs": _choice(
        "skip", tuple(one.value for one in Overlap), UserText("what a job does when its previous run is still going")
    ),
    "overlap_producers": _choice(
        "buffer_one",
        tuple(one.value for one in Overlap if one is not Overlap.ALLOW_ALL),
        UserText("what a producer does when its previous run is still going"),
    ),
    "catchup": _choice("one", tuple(one.value for one in Catchup), UserText("which missed runs are caught up")),
    "jitter": SettingRule(
        default="0s",
        meaning=UserText("how far each start may shift"),
        allowed=UserText("a duration such as 30s, +30s for later only, or none; at most 1d"),
        parse=_parse_default_jitter,
    ),
    "lookahead": SettingRule(
        default="1m",
        meaning=UserText("the time over which spread distributes missed runs"),
        allowed=UserText("a duration such as 30s or 5m; at most 1d"),
        parse=_parse_lookahead,
    ),
    "catchup_per_tick": _number(
        100, 1, MAX_CATCHUP_PER_TICK, UserText("how many missed runs of a schedule are queued at a time")
    ),
    "buffer_limit": _number(
        1_000, 1, MAX_BUFFER_LIMIT, UserText("how many times of a schedule may wait under buffer_all")
    ),
    "keep_days": _number(365, 0, MAX_KEEP_DAYS, UserText("how many days history is kept; 0 is forever")),
    "writes_metrics": SettingRule(
        default=False,
        meaning=UserText("whether a file with metrics is written every minute"),
        allowed=UserText("on or off"),
        parse=_parse_switch,
        choices=("on", "off"),
    ),
    "ping": SettingRule(
        default="",
        meaning=UserText("the connection that is told that Dayhand runs"),
        allowed=UserText("the name of a ping connection, such as ping:dayhand, or none"),
        parse=partial(_parse_connection, kind=PING_KIND),
    ),
    "ping_every": SettingRule(
        default="5m",
        meaning=UserText("how often it is told"),
        allowed=UserText("a duration from 1m to 1d"),
        parse=_parse_ping_interval,
    ),
    "report": _choice(
        "off", tuple(one.value for one in ReportInterval), UserText("how often a report is mailed to you")
    ),
    "report_connection": SettingRule(
        default="",
        meaning=UserText("the connection that mails it"),
        allowed=UserText("the name of a mail connection, such as smtp:home, or none"),
        parse=partial(_parse_connection, kind="smtp"),
    ),
    "report_to": SettingRule(
        default="",
        meaning=UserText("to whom it is mailed"),
        allowed=UserText("a mail address, or none for the sender of the connection"),
        parse=_parse_address,
    ),
    "metrics_folder": SettingRule(
        default="",
        meaning=UserText("the folder of that file, which is called dayhand.prom"),
        allowed=UserText("the full path of a folder, or none"),
        parse=_parse_folder,
    ),
}
"""By key; the values are stored as JSON under the same key."""


def format_setting(value: object) -> str:
    """As the user writes it."""
    if isinstance(value, bool):
        return _ON[0] if value else _OFF[0]
    return str(value) or _NOTHING


def find_setting(key: str) -> tuple[str, SettingRule]:
    """The setting of that name; dashes count as underscores."""
    name = key.strip().lower().replace("-", "_")
    if name not in SETTINGS:
        raise RefusedError(
            "unknown",
            UserText("There is no setting {key}. There are: {known}.", key=key, known=", ".join(SETTINGS)),
        )
    return name, SETTINGS[name]


def parse_setting(key: str, text: str) -> SettingValue:
    """The value to store; RefusedError with what is allowed."""
    rule = SETTINGS[key]
    try:
        return rule.parse(text.strip())
    except (ValueError, BadScheduleError) as error:
        raise RefusedError(
            "value",
            UserText("{key}: {text} is not possible; write {allowed}.", key=key, text=repr(text), allowed=rule.allowed),
        ) from error


def check_stored(key: str, value: object) -> SettingValue:
    """A value as stored; ValueError if an editor or another version wrote something that is not allowed."""
    rule = SETTINGS[key]
    if type(value) is not type(rule.default):
        raise ValueError(key)
    try:
        return rule.parse(str(value))
    except BadScheduleError as error:
        raise ValueError(key) from error


def apply_settings(settings: Settings, values: Mapping[str, SettingValue]) -> Settings:
    """The engine's settings with these values, all of which are valid."""
    days = int(values["keep_days"])
    jitter = parse_jitter(values["jitter"])
    return replace(
        settings,
        concurrency=int(values["concurrency"]),
        overlap={"job": Overlap(str(values["overlap_jobs"])), "producer": Overlap(str(values["overlap_producers"]))},
        catchup=Catchup(str(values["catchup"])),
        jitter=jitter if jitter is not None and jitter.max_shift else None,
        lookahead=parse_duration(str(values["lookahead"]), "lookahead"),
        catchup_per_tick=int(values["catchup_per_tick"]),
        buffer_limit=int(values["buffer_limit"]),
        kept=timedelta(days=days) if days else None,
        ping=str(values["ping"]),
        report=ReportInterval(str(values["report"])),
        report_connection=str(values["report_connection"]),
        report_to=str(values["report_to"]),
        ping_every=parse_duration(str(values["ping_every"]), "ping_every"),
    )
