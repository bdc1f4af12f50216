"""Crontabs, of a person or of the system, as jobs that start when cron would start them."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from scheduler.importing.found import IN_FOLDER, LONGEST_RUN, Found, Job, Left, OldTimes, is_secret, with_environment
from scheduler.importing.vixie import CronLine, NotCronError
from scheduler.timing.cron import MACROS, parse_cron
from scheduler.timing.errors import BadScheduleError
from scheduler.timing.zones import LOCAL, find_zone

_ASSIGNMENT = re.compile(r"""(?:"([^"]*)"|'([^']*)'|([A-Za-z_]\w*))\s*=\s*(.*)""")
_LINE = re.compile(r"((?:\S+\s+){4}\S+)(?:\s+(.*))?")
_MACRO = re.compile(r"(@\S+)(?:\s+(.*))?")
_USER = re.compile(r"(\S+)(?:\s+(.*))?")
_PERCENT = re.compile(r"\\%|%")
_OF_BSD = {"@every_minute": "* * * * *"}
_NEVER_TRANSLATED = {
    "@reboot": "It runs when the computer starts, which is not a time; use your desktop's autostart for it.",
}
_FEED = 'printf "%s\\n" "$1" | "$2" -c "$0"'
"""Gives the command ($0) its input ($1) through a pipe, as cron does with what follows a percent sign."""


@dataclass(slots=True)
class _Settings:
    """What assignments further up say for the lines below."""

    environment: dict[str, str] = field(default_factory=dict)
    shell: str = "/bin/sh"
    timezone: str = LOCAL
    unknown_zone: str = ""
    delay: str = ""


def read_crontab(text: str, *, place: str = "crontab", system: bool = False, user: str = "") -> Found:
    """The jobs of a crontab. With `system`, a sixth field names the user; only lines of `user` can be translated."""
    return Found.gather(_read(text, place, user if system else None))


def _read(text: str, place: str, user: str | None) -> Iterator[Job | Left]:
    settings, comment = _Settings(), ""
    for number, whole in enumerate(text.splitlines(), 1):
        line = whole.strip()
        if not line:
            comment = ""
        elif line.startswith("#"):
            comment = line.lstrip("# ").strip()
        elif (match := _ASSIGNMENT.fullmatch(line)) is not None:
            comment, name = "", match[1] or match[2] or match[3] or ""
            reason = _assign(settings, name, _unquote(match[4]))
            if reason:
                shown = f"{name}=…" if is_secret(name) else line
                yield Left(place=place, line=number, text=shown, reason=reason)
        else:
            try:
                yield _translate(line, settings, comment, user, place, number)
            except (BadScheduleError, NotCronError, _LeftError) as error:
                reason = error.sentence if isinstance(error, BadScheduleError) else str(error)
                yield Left(place=place, line=number, text=line, reason=reason)
            comment = ""


class _LeftError(Exception):
    """Why a line is not translated."""


def _assign(settings: _Settings, name: str, value: str) -> str:
    """Take the assignment over; why not, if it cannot be."""
    match name:
        case "MAILTO":
            if value:
                return "Output is not mailed; it is in the log of each run, and a failure is shown as a notice."
        case "MAILFROM" | "CONTENT_TYPE" | "CONTENT_TRANSFER_ENCODING":
            return "It concerns mails with output, which are not sent; the log of each run has the output."
        case "CRON_TZ" if not value:
            settings.timezone, settings.unknown_zone = LOCAL, ""
        case "CRON_TZ":
            settings.timezone, settings.unknown_zone = value, ""
            try:
                find_zone(value)
            except BadScheduleError as error:
                settings.unknown_zone = error.sentence
                return error.sentence
        case "RANDOM_DELAY":
            if not (value.isascii() and value.isdigit() and int(value) <= 1440):
                return f"{value!r} is not a number of minutes up to a day."
            settings.delay = f"+{int(value)}m" if int(value) else ""
        case "SHELL":
            settings.shell = value
        case _ if is_secret(name):
            return (
                "It looks like a secret, and a script is no place for one; "
                "let the command read it from a file that only you can read."
            )
        case _:
            settings.environment[name] = value
    return ""


def _unquote(value: str) -> str:
    value = value.strip()
    is_quoted = len(value) >= 2 and value[0] == value[-1] and value[0] in "\"'"
    return value[1:-1] if is_quoted else value


def _translate(line: str, settings: _Settings, comment: str, user: str | None, place: str, number: int) -> Job:
    times, rest = _split(line.removeprefix("-"))
    notes = ["cron was told not to log this line; Dayhand always does."] if line.startswith("-") else []
    if user is not None:
        match = _USER.fullmatch(rest)
        if match is None:
            raise _LeftError("The line names no user and no command.")
        if match[1] != user:
            raise _LeftError(f"It runs as {match[1]}; Dayhand runs as you. Leave it where it is.")
        rest = match[2] or ""
    if not rest:
        raise _LeftError("The line has no command.")
    if settings.unknown_zone:
        raise _LeftError(settings.unknown_zone)
    if "~" in times:
        raise _LeftError(f"{times!r} lets cron choose a random time; write a time, or use jitter.")
    old = CronLine.read(times)
    parse_cron((times,))
    given: dict[str, Any] = {"cron": times, "timezone": settings.timezone}
    if settings.delay:
        given["jitter"] = settings.delay
        notes.append("cron draws its random delay once at its start; here each run draws its own.")
    # cron starts a line whether or not the last one still runs, and forgets what it missed.
    given |= {"overlap": "allow_all", "catchup": "none", "after_crash": "never", "timeout": LONGEST_RUN}
    command, fed = _cut(rest)
    words = (settings.shell, "-c", command) if fed is None else ("/bin/sh", "-c", _FEED, command, fed, settings.shell)
    if home := settings.environment.get("HOME"):  # cron starts commands there
        words = ("/bin/sh", "-c", IN_FOLDER, home, *words)
    return Job(
        title=comment or command,
        commands=(with_environment(words, settings.environment),),
        settings=given,
        place=place,
        line=number,
        text=line,
        notes=tuple(notes),
        old=_in_zone(old, settings.timezone),
    )


def _in_zone(line: CronLine, zone: str) -> OldTimes:
    """A line below CRON_TZ keeps to that zone, wherever the machine is."""
    return lambda after, machine: line.times(after, machine if zone == LOCAL else find_zone(zone))


def _split(line: str) -> tuple[str, str]:
    """The five fields, and what follows."""
    match = _MACRO.fullmatch(line)
    if match is not None:
        macro = match[1].lower()
        if macro in _NEVER_TRANSLATED:
            raise _LeftError(_NEVER_TRANSLATED[macro])
        times = (MACROS | _OF_BSD).get(macro)
        if times is None:
            raise _LeftError(f"{match[1]} is not known; write five fields instead.")
        return times, match[2] or ""
    match = _LINE.fullmatch(line)
    if match is None:
        raise _LeftError("It is neither a comment, an assignment nor five fields and a command.")
    return " ".join(match[1].split()), match[2] or ""


def _cut(text: str) -> tuple[str, str | None]:
    """The command and, behind its first bare percent sign, what it reads; further ones are ends of lines."""
    parts, last = [""], 0
    for match in _PERCENT.finditer(text):
        parts[-1] += text[last : match.start()]
        if match[0] == "%":
            parts.append("")
        else:
            parts[-1] += "%"
        last = match.end()
    parts[-1] += text[last:]
    return parts[0].rstrip(), "\n".join(parts[1:]) if len(parts) > 1 else None
