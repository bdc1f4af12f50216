"""Translates systemd user timers, with the services they start, into jobs."""

import re
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from heapq import merge
from itertools import groupby
from typing import Any
from zoneinfo import ZoneInfo

from scheduler.job_import.on_calendar import NotCalendarError, OnCalendar, parse_span, to_schedule
from scheduler.job_import.result import (
    MAX_DELAY,
    MAX_RUN_TIME,
    RUN_IN_FOLDER,
    Job,
    OldTimes,
    TranslationResult,
    Untranslated,
    format_seconds,
    is_secret_name,
    with_environment,
)
from scheduler.job_import.unit_file import Setting, find_value, read_unit
from scheduler.timing.errors import BadScheduleError
from scheduler.timing.every import parse_interval
from scheduler.timing.zones import LOCAL
from scheduler.user_text import UserText

_REPEATED_HOUR = UserText(
    "When the clocks go back, it runs in both of the repeated hours; systemd runs it in one of them."
)
_HANDLED_SETTINGS = frozenset({"Description", "Documentation", "WantedBy", "Type", "Unit", "OnCalendar", "Persistent"})
_ESCAPED_SEMICOLON = re.compile(r"(?<!\S)\\;(?!\S)")
_LITERAL_SEMICOLON = "\0"
"""Stands for `\\;`, a semicolon that is an argument and does not separate commands."""
_COMMANDS = ("ExecStartPre", "ExecStart", "ExecStartPost")
_START_LIMITS = ("TimeoutStartSec", "TimeoutSec")
_RUN_LIMIT = "RuntimeMaxSec"
_INTERVALS = ("OnUnitActiveSec", "OnUnitInactiveSec")
_AFTER_START = ("OnActiveSec", "OnBootSec", "OnStartupSec")
_TRUE = ("yes", "true", "on", "1")
_NEEDS = {
    "network": tuple(f"{name}=network-online.target" for name in ("After", "Wants", "Requires", "BindsTo")),
    "power": tuple(f"ConditionACPower={word}" for word in _TRUE),
}
"""Machine conditions of a job, by the lines that ask for them."""
_REASONS = {
    "WakeSystem": UserText("Dayhand does not wake the computer; a Persistent timer catches up afterwards."),
    "AccuracySec": UserText("Dayhand starts to the second and has no such setting."),
    "EnvironmentFile": UserText("Variables are not read from a file; have the command read it."),
    "User": UserText("Dayhand runs as you."),
    "TimeoutStartSec": UserText("It limits the start, not how long the command runs."),
    "TimeoutSec": UserText("It limits the start, not how long the command runs."),
    _RUN_LIMIT: UserText("systemd ignores it for a oneshot service."),
    **dict.fromkeys(_INTERVALS, UserText("A job can have only one interval; this is a second one.")),
}
_NO_SUCH_SETTING = UserText("Jobs have no such setting; it was left out.")
_IGNORE_FAILURE = '"$@" || :'
_OK_CODES = "SuccessExitStatus"
_ACCEPT_CODES = '"$@"; code=$?; case $code in {codes}) ;; *) exit $code ;; esac'
_VARIABLE = re.compile(r"\$(?:\$|\{(\w+)\})")
_VARIABLE_WORD = re.compile(r"\$(\w+)")
_UNFINISHED = re.compile(r"\$(?:\{|$)")


class _UntranslatableSettingError(Exception):
    """A setting prevents the translation; the message says why."""

    def __init__(self, setting: Setting, reason: str) -> None:
        super().__init__(reason)
        self.setting = setting
        self.reason = reason


def read_systemd(files: Mapping[str, str], *, home: str = "~", user: str = "") -> TranslationResult:
    """The jobs of the timers among the files (name → text), with their services.

    A drop-in is named with its folder: b.timer.d/override.conf.
    """
    timers = [_Timer(name, files, home, user) for name in sorted(files) if name.endswith(".timer")]
    used = {name for timer in timers for name in timer.files}
    others = (
        Untranslated(
            place=name, line=1, text=name, reason=UserText("It is not a timer, and none of the timers starts it.")
        )
        for name in sorted(files)
        if name not in used
    )
    return TranslationResult.collect([*(one for timer in timers for one in timer.read()), *others])


class _Timer:
    def __init__(self, name: str, files: Mapping[str, str], home: str, user: str) -> None:
        self._name = name
        self._timer = _read_with_drop_ins(name, files)
        self._service_name = find_service(name, files[name], self._timer)
        self._service = _read_with_drop_ins(self._service_name, files) if self._service_name in files else None
        self._specifiers = {"%": "%", "h": home, "u": user}
        units = (self._name, self._service_name)
        self.files = (*units, *(one for unit in units for one in _list_drop_ins(unit, files)))

    def read(self) -> Iterator[Job | Untranslated]:
        if self._service is None:
            yield Untranslated(
                place=self._name,
                line=1,
                text=self._name,
                reason=UserText("It starts {service}, which is not among the files.", service=self._service_name),
            )
            return
        try:
            yield self._job(self._service)
        except _UntranslatableSettingError as error:
            yield _untranslated(error.setting, error.reason)
            return
        yield from self._unused(self._service)

    def _job(self, service: list[Setting]) -> Job:
        calendars = [one for one in self._timer if one.name == "OnCalendar"]
        given: dict[str, Any]
        old: OldTimes | None = None
        notes: tuple[str, ...] = ()
        if calendars:
            first = calendars[0]
            given, old = self._by_calendar(calendars)
            notes = (_REPEATED_HOUR,) if "cron" in given else ()
        else:
            given, first = self._by_interval()
            notes = (UserText("systemd counts from the last start; Dayhand counts from when this workflow was added."),)
        given["overlap"] = "skip"  # systemd does not start a running service again
        given["catchup"] = "one" if (self._last("Persistent") or "").lower() in _TRUE else "none"
        delays = [one for one in self._timer if one.name == "RandomizedDelaySec"]
        if delays and (delay := self._span(delays[-1])):
            if delay > MAX_DELAY:
                raise _UntranslatableSettingError(delays[-1], UserText("A run can be delayed by at most one day."))
            given["jitter"] = f"+{format_seconds(delay)}"
        if needs := [need for need, lines in _NEEDS.items() if any(one.text in lines for one in service)]:
            given["needs"] = needs
        limits = [one for one in service if one.name in _limits(service)]
        limit = self._span(limits[-1]) if limits and limits[-1].value != "infinity" else None
        given |= {"max_failures": 0, "after_crash": "never"}
        given["timeout"] = format_seconds(limit) if limit else MAX_RUN_TIME
        label = self._last("Description") or find_value(service, "Description") or self._name.removesuffix(".timer")
        return Job(
            title=label,
            label=label,
            commands=tuple(self._commands(service)),
            settings=given,
            place=first.place,
            line=first.line,
            text=first.text,
            notes=notes,
            old=old,
        )

    def _by_calendar(self, calendars: list[Setting]) -> tuple[dict[str, Any], OldTimes]:
        read = [self._calendar(one) for one in calendars]
        zones = {one.timezone or LOCAL for one in read}
        if len(zones) > 1:
            raise _UntranslatableSettingError(
                calendars[-1],
                UserText("Its times are in several time zones, but a job has one. Split it into several timers."),
            )
        if intervals := [one for one in self._timer if one.name in _INTERVALS]:
            raise _UntranslatableSettingError(
                intervals[0], UserText("A job has either a calendar or an interval, but this has both.")
            )
        try:
            return to_schedule(read) | {"timezone": zones.pop()}, _union(read)
        except BadScheduleError as error:
            raise _UntranslatableSettingError(calendars[0], error.sentence) from error

    def _calendar(self, setting: Setting) -> OnCalendar:
        try:
            return OnCalendar.read(setting.value)
        except NotCalendarError as error:
            raise _UntranslatableSettingError(setting, str(error)) from error

    def _by_interval(self) -> tuple[dict[str, Any], Setting]:
        intervals = [one for one in self._timer if one.name in _INTERVALS]
        if not intervals:
            first = next((one for one in self._timer if one.name in _AFTER_START), None)
            if first is None:
                raise _UntranslatableSettingError(
                    Setting(place=self._name, section="Timer", name="OnCalendar", value="", line=1), "It has no time."
                )
            raise _UntranslatableSettingError(
                first, UserText("It runs once after the computer or your session starts, not at a set time.")
            )
        length = self._span(intervals[0])
        every = format_seconds(length)
        try:
            parse_interval(every)
        except BadScheduleError as error:
            raise _UntranslatableSettingError(intervals[0], error.sentence) from error
        return {"every": every, "timezone": LOCAL}, intervals[0]

    def _commands(self, service: list[Setting]) -> Iterator[tuple[str, ...]]:
        environment = self._environment(service)
        folder = find_value(service, "WorkingDirectory")
        settings = [one for name in _COMMANDS for one in service if one.name == name]
        if not any(one.name == "ExecStart" for one in settings):
            raise _UntranslatableSettingError(
                Setting(place=self._service_name, section="Service", name="ExecStart", value="", line=1),
                "It has no command.",
            )
        for setting in settings:
            words = self._words(setting, environment)
            if setting.name == "ExecStart" and (codes := _list_ok_codes(service)):
                words = ("/bin/sh", "-c", _ACCEPT_CODES.format(codes="|".join(codes)), "sh", *words)
            if folder:
                place = self._expand(folder.removeprefix("-"), setting)
                place = self._specifiers["h"] if place == "~" else place
                words = ("/bin/sh", "-c", RUN_IN_FOLDER, place, *words)
            yield with_environment(words, environment)

    def _words(self, setting: Setting, environment: Mapping[str, str]) -> tuple[str, ...]:
        text = setting.value
        prefix = text[: len(text) - len(text.lstrip("-@:+!|"))]
        if set(prefix) - set("-:"):
            raise _UntranslatableSettingError(setting, f"The prefix {prefix!r} of the command is not supported.")
        escaped = _ESCAPED_SEMICOLON.sub(_LITERAL_SEMICOLON, text)
        words = _split(replace(setting, value=escaped), len(prefix))
        if ";" in words:
            raise _UntranslatableSettingError(
                setting, UserText("It has several commands in one line. Write one ExecStart line for each.")
            )
        words = [";" if word == _LITERAL_SEMICOLON else word for word in words]
        if not words:
            raise _UntranslatableSettingError(setting, UserText("It has no command."))
        if ":" not in prefix:
            try:
                filled = tuple(filled for word in words for filled in self._fill_in(word, setting, environment))
            except KeyError as error:
                raise _UntranslatableSettingError(
                    setting, UserText("It uses variables that systemd fills in. Write their values, or use a shell.")
                ) from error
        else:
            filled = tuple(self._expand(word, setting) for word in words)
        return ("/bin/sh", "-c", _IGNORE_FAILURE, "sh", *filled) if "-" in prefix else filled

    def _fill_in(self, word: str, setting: Setting, environment: Mapping[str, str]) -> list[str]:
        """A word with the values of its variables; one that is nothing but $NAME may become several words.

        Anywhere else systemd leaves $NAME as it is, so that a shell can fill it in.
        """
        values = {"HOME": self._specifiers["h"], "USER": self._specifiers["u"], **environment}
        if alone := _VARIABLE_WORD.fullmatch(word):
            return values[alone[1]].split()
        if _UNFINISHED.search(_VARIABLE.sub("", word)):
            raise KeyError(word)
        expanded = self._expand(word, setting)
        return [_VARIABLE.sub(lambda found: values[found[1]] if found[1] else "$", expanded)]

    def _expand(self, word: str, setting: Setting) -> str:
        """Replace systemd's specifiers (%h is the home folder)."""
        written, rest = "", word
        while "%" in rest:
            before, _, rest = rest.partition("%")
            if rest[:1] not in self._specifiers or not rest:
                raise _UntranslatableSettingError(setting, f"The specifier %{rest[:1]} is not supported.")
            written += before + self._specifiers[rest[0]]
            rest = rest[1:]
        return written + rest

    def _environment(self, service: list[Setting]) -> dict[str, str]:
        found = {}
        for setting in (one for one in service if one.name == "Environment"):
            for word in _split(setting):
                name, _, value = word.partition("=")
                if not is_secret_name(name):
                    found[name] = self._expand(value, setting)
        return found

    def _unused(self, service: list[Setting]) -> Iterator[Untranslated]:
        """Settings that the translated job does not have."""
        known = _HANDLED_SETTINGS | {*_COMMANDS, *_limits(service), "RandomizedDelaySec", "WorkingDirectory"}
        known |= {_OK_CODES} if _list_ok_codes(service) else set()
        intervals = [one for one in self._timer if one.name in _INTERVALS]
        taken = {one.text for one in intervals[:1]}.union(*_NEEDS.values())
        for one in (*self._timer, *service):
            if one.name == "Environment":
                for word in _split(one):
                    name = word.partition("=")[0]
                    if is_secret_name(name):
                        reason = UserText(
                            "It looks like a secret, which does not belong in a script. "
                            "Have the command read it from a file."
                        )
                        yield _untranslated(replace(one, value=f"{name}=…"), reason, is_setting=True)
            elif one.name not in known and one.text not in taken:
                yield _untranslated(one, _REASONS.get(one.name, _NO_SUCH_SETTING), is_setting=True)

    def _span(self, setting: Setting) -> timedelta:
        span = parse_span(setting.value)
        if span is None:
            raise _UntranslatableSettingError(setting, f"{setting.value!r} is not a valid time span.")
        return span

    def _last(self, name: str) -> str | None:
        return find_value(self._timer, name)


def find_service(timer: str, text: str, settings: list[Setting] | None = None) -> str:
    """The name of the service that a timer starts."""
    known = read_unit([(timer, text)]) if settings is None else settings
    return find_value(known, "Unit") or f"{timer.removesuffix('.timer')}.service"


def _read_with_drop_ins(unit: str, files: Mapping[str, str]) -> list[Setting]:
    return read_unit([(name, files[name]) for name in (unit, *_list_drop_ins(unit, files))])


def _list_drop_ins(unit: str, files: Mapping[str, str]) -> list[str]:
    """In the order in which systemd applies them."""
    return sorted(name for name in files if name.startswith(f"{unit}.d/") and name.endswith(".conf"))


def _untranslated(setting: Setting, reason: str, *, is_setting: bool = False) -> Untranslated:
    place, line, text = setting.place, setting.line, setting.text
    return Untranslated(place=place, line=line, text=text, reason=reason, is_setting=is_setting)


def _split(setting: Setting, start: int = 0) -> list[str]:
    try:
        return shlex.split(setting.value[start:])
    except ValueError as error:
        raise _UntranslatableSettingError(setting, UserText("Its quotes do not match.")) from error


def _list_ok_codes(service: list[Setting]) -> list[str]:
    """The exit codes other than 0 that are no failure; empty if there are none, or names of signals among them."""
    codes = [word for one in service if one.name == _OK_CODES for word in one.value.split()]
    return codes if all(word.isascii() and word.isdigit() for word in codes) else []


def _limits(service: list[Setting]) -> tuple[str, ...]:
    """The settings that limit how long its command runs: a oneshot counts as starting until it ends."""
    return _START_LIMITS if find_value(service, "Type") == "oneshot" else (_RUN_LIMIT,)


def _union(read: list[OnCalendar]) -> OldTimes:
    def times(after: datetime, zone: ZoneInfo) -> Iterator[datetime]:
        return (at for at, _ in groupby(merge(*(one.times(after, zone) for one in read))))

    return times
