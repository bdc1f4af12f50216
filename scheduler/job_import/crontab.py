"""Translates user and system crontabs into jobs that start when cron would start them."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from scheduler.job_import.cron_reference import CronLine, NotCronError
from scheduler.job_import.result import (
    MAX_RUN_TIME,
    RUN_IN_FOLDER,
    Job,
    OldTimes,
    TranslationResult,
    Untranslated,
    is_secret_name,
    with_environment,
)
from scheduler.timing.cron import MACROS, parse_cron
from scheduler.timing.errors import BadScheduleError
from scheduler.timing.zones import LOCAL, find_zone
from scheduler.user_text import UserText

_ASSIGNMENT = re.compile(r"""(?:"([^"]*)"|'([^']*)'|([A-Za-z_]\w*))\s*=\s*(.*)""")
_LINE = re.compile(r"((?:\S+\s+){4}\S+)(?:\s+(.*))?")
_MACRO = re.compile(r"(@\S+)(?:\s+(.*))?")
_USER = re.compile(r"(\S+)(?:\s+(.*))?")
_PERCENT = re.compile(r"\\%|%")
_BSD_MACROS = {"@every_minute": "* * * * *"}
_UNTRANSLATABLE_MACROS = {
    "@reboot": UserText("It runs when the computer starts, not at a set time. Use your desktop's autostart instead."),
}
_PIPE_INPUT = 'printf "%s\\n" "$1" | "$2" -c "$0"'
"""Pipes input ($1) to the command ($0), as cron does with the text after a percent sign."""


class CronProgram(StrEnum):
    """The cron that ran a crontab."""

    DEBIAN = "debian"
    """Runs every line at local time, whatever CRON_TZ says."""
    CRONIE = "cronie"
    """Of Fedora, Red Hat, Arch and others: runs the lines below CRON_TZ in that zone."""


@dataclass(slots=True)
class _Settings:
    """Assignments so far, which apply to the lines below."""

    environment: dict[str, str] = field(default_factory=dict)
    shell: str = "/bin/sh"
    timezone: str = LOCAL
    unknown_zone: str = ""
    delay: str = ""
    cron: CronProgram | None = None


def read_crontab(
    text: str, *, place: str = "crontab", system: bool = False, user: str = "", cron: CronProgram | None = None
) -> TranslationResult:
    """The jobs of a crontab. With `system`, a sixth field names the user; only lines of `user` are translated.

    `cron` is the program that ran it; if it is not known, the jobs say where that matters.
    """
    return TranslationResult.collect(_read(text, place, user if system else None, cron))


def _read(text: str, place: str, user: str | None, cron: CronProgram | None) -> Iterator[Job | Untranslated]:
    settings, comment = _Settings(cron=cron), ""
    for number, whole in enumerate(text.splitlines(), 1):
        line = whole.strip()
        if not line:
            comment = ""
        elif line.startswith("#"):
            comment = _read_comment(line)
        elif (match := _ASSIGNMENT.fullmatch(line)) is not None:
            comment, name = "", match[1] or match[2] or match[3] or ""
            reason = _assign(settings, name, _unquote(match[4]))
            if reason:
                shown = f"{name}=…" if is_secret_name(name) else line
                yield Untranslated(place=place, line=number, text=shown, reason=reason, is_setting=True)
        else:
            try:
                yield _translate(line, settings, comment, user, place, number)
            except (BadScheduleError, NotCronError, _UntranslatableLineError) as error:
                reason = str(error) if isinstance(error, NotCronError) else error.sentence
                yield Untranslated(place=place, line=number, text=line, reason=reason)
            comment = ""


def _read_comment(line: str) -> str:
    """The text of a comment that can name the job below it; empty for rulers, column heads and disabled lines."""
    text = line.strip("#-=*~+ \t")
    is_line = _MACRO.fullmatch(text) or (_LINE.fullmatch(text) and set(text.split()[0]) <= set("0123456789*/,-"))
    is_head = text.lower().split()[:2] in (["m", "h"], ["min", "hour"], ["minute", "hour"])
    return "" if is_line or is_head or not any(map(str.isalnum, text)) else text


class _UntranslatableLineError(Exception):
    """A line cannot be translated; the sentence says why."""

    def __init__(self, sentence: str) -> None:
        super().__init__(sentence)
        self.sentence = sentence


def _assign(settings: _Settings, name: str, value: str) -> str:
    """Apply the assignment; returns why if it cannot be."""
    match name:
        case "MAILTO":
            if value:
                return UserText(
                    "Output is not mailed. It is in the log of each run, and you get a notification on failure."
                )
        case "MAILFROM" | "CONTENT_TYPE" | "CONTENT_TRANSFER_ENCODING":
            return UserText("It is about mailed output. Output is not mailed; it is in the log of each run.")
        case "CRON_TZ" if settings.cron is CronProgram.DEBIAN:
            settings.environment[name] = value  # like any other variable
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
                return UserText("{value} is not a number of minutes up to one day.", value=repr(value))
            settings.delay = f"+{int(value)}m" if int(value) else ""
        case "SHELL":
            settings.shell = value
        case _ if is_secret_name(name):
            return UserText(
                "It looks like a secret, which does not belong in a script. "
                "Have the command read it from a file that only you can read."
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
    notes = [UserText("In cron this line was not logged; Dayhand always logs.")] if line.startswith("-") else []
    if user is not None:
        match = _USER.fullmatch(rest)
        if match is None:
            raise _UntranslatableLineError(UserText("The line has no user and no command."))
        if match[1] != user:
            sentence = UserText("It runs as {user}, but Dayhand runs as you. Leave it in cron.", user=match[1])
            raise _UntranslatableLineError(sentence)
        rest = match[2] or ""
    if not rest:
        raise _UntranslatableLineError(UserText("The line has no command."))
    if settings.unknown_zone:
        raise _UntranslatableLineError(settings.unknown_zone)
    if "~" in times:
        raise _UntranslatableLineError(
            UserText("{times} lets cron choose a random time. Write a fixed time, or use jitter.", times=repr(times))
        )
    old = CronLine.read(times)
    parse_cron((times,))
    given: dict[str, Any] = {"cron": times, "timezone": settings.timezone}
    if settings.timezone != LOCAL and settings.cron is None:
        notes.append(
            UserText(
                "Debian's cron does not know CRON_TZ and ran this at local time; these times are in {zone}, "
                "as cronie ran them. If it ran in Debian's cron, import it with --cron debian.",
                zone=settings.timezone,
            )
        )
    if settings.delay:
        given["jitter"] = settings.delay
        notes.append(UserText("cron picks its random delay once, when it starts; here each run gets its own."))
    # cron does not catch up missed times and never gives up. It also starts a line while the last one still runs;
    # here that time is skipped, since one that hangs would soon take every place of the others.
    given |= {"overlap": "skip", "catchup": "none", "max_failures": 0}
    given |= {"after_crash": "never", "timeout": MAX_RUN_TIME}
    command, stdin = _split_input(rest)
    words = (
        (settings.shell, "-c", command)
        if stdin is None
        else ("/bin/sh", "-c", _PIPE_INPUT, command, stdin, settings.shell)
    )
    if home := settings.environment.get("HOME"):  # cron starts commands there
        words = ("/bin/sh", "-c", RUN_IN_FOLDER, home, *words)
    return Job(
        title=comment or command,
        label=comment,
        commands=(with_environment(words, settings.environment),),
        settings=given,
        place=place,
        line=number,
        text=line,
        notes=tuple(notes),
        old=_in_zone(old, settings.timezone),
    )


def _in_zone(line: CronLine, zone: str) -> OldTimes:
    """A line below CRON_TZ stays in that zone, wherever the machine is."""
    return lambda after, machine: line.times(after, machine if zone == LOCAL else find_zone(zone))


def _split(line: str) -> tuple[str, str]:
    """The five fields and the rest of the line."""
    match = _MACRO.fullmatch(line)
    if match is not None:
        macro = match[1].lower()
        if macro in _UNTRANSLATABLE_MACROS:
            raise _UntranslatableLineError(_UNTRANSLATABLE_MACROS[macro])
        times = (MACROS | _BSD_MACROS).get(macro)
        if times is None:
            raise _UntranslatableLineError(UserText("{macro} is unknown. Write five fields instead.", macro=match[1]))
        return times, match[2] or ""
    match = _LINE.fullmatch(line)
    if match is None:
        raise _UntranslatableLineError(
            UserText("It is not a comment, not an assignment, and not five fields and a command.")
        )
    return " ".join(match[1].split()), match[2] or ""


def _split_input(text: str) -> tuple[str, str | None]:
    """The command and, after the first unescaped percent sign, its input; further percent signs are line ends."""
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
