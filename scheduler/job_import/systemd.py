"""systemd's timers of a person, with the services that they start, as jobs."""

import shlex
from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from heapq import merge
from itertools import groupby
from typing import Any
from zoneinfo import ZoneInfo

from scheduler.importing.found import (
    IN_FOLDER,
    LONGEST_RUN,
    MOST_DELAY,
    Found,
    Job,
    Left,
    OldTimes,
    is_secret,
    with_environment,
    write_length,
)
from scheduler.importing.on_calendar import NotCalendarError, OnCalendar
from scheduler.importing.units import Setting, read_span, read_unit
from scheduler.timing.calendar import parse_calendars
from scheduler.timing.errors import BadScheduleError
from scheduler.timing.every import parse_interval
from scheduler.timing.zones import LOCAL

_SAID_ELSEWHERE = frozenset({"Description", "Documentation", "WantedBy", "Type", "Unit", "OnCalendar", "Persistent"})
_COMMANDS = ("ExecStartPre", "ExecStart", "ExecStartPost")
_START_LIMITS = ("TimeoutStartSec", "TimeoutSec")
_RUN_LIMIT = "RuntimeMaxSec"
_REPEATS = ("OnUnitActiveSec", "OnUnitInactiveSec")
_FIRST = ("OnActiveSec", "OnBootSec", "OnStartupSec")
_TRUE = ("yes", "true", "on", "1")
_NEEDS = {
    "network": tuple(f"{name}=network-online.target" for name in ("After", "Wants", "Requires", "BindsTo")),
    "power": tuple(f"ConditionACPower={word}" for word in _TRUE),
}
"""What a job needs, by the lines that say so."""
_REASONS = {
    "WakeSystem": "Dayhand does not wake the computer; a missed time runs afterwards if it is Persistent.",
    "AccuracySec": "Dayhand starts at the second and has no such setting.",
    "EnvironmentFile": "Variables are not read from a file; let the command read it.",
    "User": "Dayhand runs as you.",
    "TimeoutStartSec": "It limits how long the start takes, not how long the command runs.",
    "TimeoutSec": "It limits how long the start takes, not how long the command runs.",
    _RUN_LIMIT: "systemd does not heed it for a oneshot service.",
    **dict.fromkeys(_REPEATS, "A job has one length between runs; this is another."),
}
_FORGIVEN = '"$@" || :'


class _LeftError(Exception):
    def __init__(self, setting: Setting, reason: str) -> None:
        super().__init__(reason)
        self.setting = setting


def read_systemd(files: Mapping[str, str], *, home: str = "~", user: str = "") -> Found:
    """The jobs of the timers among the files (name → text), with the services that are there too.

    A drop-in is named with its folder: b.timer.d/override.conf.
    """
    timers = [_Timer(name, files, home, user) for name in sorted(files) if name.endswith(".timer")]
    looked_at = {name for timer in timers for name in timer.files}
    others = (
        Left(place=name, line=1, text=name, reason="It is not a timer, and no timer among the files starts it.")
        for name in sorted(files)
        if name not in looked_at
    )
    return Found.gather([*(one for timer in timers for one in timer.read()), *others])


class _Timer:
    def __init__(self, name: str, files: Mapping[str, str], home: str, user: str) -> None:
        self._name = name
        self._timer = read_unit(files[name])
        self._service_name = self._last("Unit") or f"{name.removesuffix('.timer')}.service"
        text = files.get(self._service_name)
        self._service = None if text is None else read_unit(text)
        self._specifiers = {"%": "%", "h": home, "u": user}
        units = (self._name, self._service_name)
        self._drop_ins = [one for one in sorted(files) if one.startswith(tuple(f"{unit}.d/" for unit in units))]
        self.files = (*units, *self._drop_ins)

    def read(self) -> Iterator[Job | Left]:
        if self._drop_ins:
            reason = f"{', '.join(self._drop_ins)} changes it; write those lines into the unit itself first."
            yield self._left(self._name, 1, self._name, reason)
            return
        if self._service is None:
            yield self._left(
                self._name, 1, self._name, f"{self._service_name}, which it starts, is not among the files."
            )
            return
        try:
            yield self._job(self._service)
        except _LeftError as error:
            place = self._name if error.setting.section == "Timer" else self._service_name
            yield self._left(place, error.setting.line, error.setting.text, str(error))
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
        else:
            given, first = self._by_repeating()
            notes = ("systemd counts from the last start; Dayhand counts from when this was deployed.",)
        given["overlap"] = "skip"  # a service that runs is not started a second time
        given["catchup"] = "one" if (self._last("Persistent") or "").lower() in _TRUE else "none"
        delays = [one for one in self._timer if one.name == "RandomizedDelaySec"]
        if delays and (delay := self._span(delays[-1])):
            if delay > MOST_DELAY:
                raise _LeftError(delays[-1], "A run can be moved by a day at most.")
            given["jitter"] = f"+{write_length(delay)}"
        if needs := [need for need, lines in _NEEDS.items() if any(one.text in lines for one in service)]:
            given["needs"] = needs
        limits = [one for one in service if one.name in _limits(service)]
        limit = self._span(limits[-1]) if limits and limits[-1].value != "infinity" else None
        given |= {"after_crash": "never", "timeout": write_length(limit) if limit else LONGEST_RUN}
        return Job(
            title=self._last("Description") or _value(service, "Description") or self._name.removesuffix(".timer"),
            commands=tuple(self._commands(service)),
            settings=given,
            place=self._name,
            line=first.line,
            text=first.text,
            notes=notes,
            old=old,
        )

    def _by_calendar(self, calendars: list[Setting]) -> tuple[dict[str, Any], OldTimes]:
        read = [self._calendar(one) for one in calendars]
        zones = {one.timezone or LOCAL for one in read}
        if len(zones) > 1:
            raise _LeftError(calendars[-1], "Its times are in several zones, and a job has one; make two timers of it.")
        if repeats := [one for one in self._timer if one.name in _REPEATS]:
            raise _LeftError(repeats[0], "A job has either a calendar or a length between runs, and this has both.")
        written = [one.calendar() for one in read]
        try:
            parse_calendars(tuple(written))
        except BadScheduleError as error:
            raise _LeftError(calendars[0], error.sentence) from error
        given = {"calendar": written if len(written) > 1 else written[0], "timezone": zones.pop()}
        return given, _union(read)

    def _calendar(self, setting: Setting) -> OnCalendar:
        try:
            return OnCalendar.read(setting.value)
        except NotCalendarError as error:
            raise _LeftError(setting, str(error)) from error

    def _by_repeating(self) -> tuple[dict[str, Any], Setting]:
        repeats = [one for one in self._timer if one.name in _REPEATS]
        if not repeats:
            first = next((one for one in self._timer if one.name in _FIRST), None)
            if first is None:
                raise _LeftError(Setting(section="Timer", name="OnCalendar", value="", line=1), "It names no time.")
            raise _LeftError(first, "It starts once after the computer or your session did, which is not a time.")
        length = self._span(repeats[0])
        every = write_length(length)
        try:
            parse_interval(every)
        except BadScheduleError as error:
            raise _LeftError(repeats[0], error.sentence) from error
        return {"every": every, "timezone": LOCAL}, repeats[0]

    def _commands(self, service: list[Setting]) -> Iterator[tuple[str, ...]]:
        environment = self._environment(service)
        folder = _value(service, "WorkingDirectory")
        settings = [one for name in _COMMANDS for one in service if one.name == name]
        if not any(one.name == "ExecStart" for one in settings):
            raise _LeftError(Setting(section="Service", name="ExecStart", value="", line=1), "It starts no command.")
        for setting in settings:
            words = self._words(setting)
            if folder:
                place = self._fill_in(folder.removeprefix("-"), setting)
                place = self._specifiers["h"] if place == "~" else place
                words = ("/bin/sh", "-c", IN_FOLDER, place, *words)
            yield with_environment(words, environment)

    def _words(self, setting: Setting) -> tuple[str, ...]:
        text = setting.value
        prefix = text[: len(text) - len(text.lstrip("-@:+!|"))]
        if set(prefix) - set("-:"):
            raise _LeftError(setting, f"The sign {prefix!r} before the command has no counterpart.")
        words = _split(setting, len(prefix))
        if ";" in words:
            raise _LeftError(setting, "It has several commands in one line; write one ExecStart for each.")
        if not words:
            raise _LeftError(setting, "It has no command.")
        if ":" not in prefix:
            if any("$" in word.replace("$$", "") for word in words):
                raise _LeftError(setting, "systemd fills variables into it; write their values, or let a shell do it.")
            words = [word.replace("$$", "$") for word in words]
        filled = tuple(self._fill_in(word, setting) for word in words)
        return ("/bin/sh", "-c", _FORGIVEN, "sh", *filled) if "-" in prefix else filled

    def _fill_in(self, word: str, setting: Setting) -> str:
        """With systemd's specifiers (%h is the home folder) filled in."""
        written, rest = "", word
        while "%" in rest:
            before, _, rest = rest.partition("%")
            if rest[:1] not in self._specifiers or not rest:
                raise _LeftError(setting, f"What systemd fills in for %{rest[:1]} is not known here.")
            written += before + self._specifiers[rest[0]]
            rest = rest[1:]
        return written + rest

    def _environment(self, service: list[Setting]) -> dict[str, str]:
        found = {}
        for setting in (one for one in service if one.name == "Environment"):
            for word in _split(setting):
                name, _, value = word.partition("=")
                if not is_secret(name):
                    found[name] = self._fill_in(value, setting)
        return found

    def _unused(self, service: list[Setting]) -> Iterator[Left]:
        """What the job leaves out although it was translated."""
        known = _SAID_ELSEWHERE | {*_COMMANDS, *_limits(service), "RandomizedDelaySec", "WorkingDirectory"}
        repeats = [one for one in self._timer if one.name in _REPEATS]
        taken = {one.text for one in repeats[:1]}.union(*_NEEDS.values())
        for place, settings in ((self._name, self._timer), (self._service_name, service)):
            for one in settings:
                if one.name == "Environment":
                    for word in _split(one):
                        name = word.partition("=")[0]
                        if is_secret(name):
                            reason = (
                                "It looks like a secret, and a script is no place for one; let the command read a file."
                            )
                            yield self._left(place, one.line, f"Environment={name}=…", reason)
                elif one.name not in known and one.text not in taken:
                    reason = _REASONS.get(one.name, "Jobs have no such setting; the job was imported without it.")
                    yield self._left(place, one.line, one.text, reason)

    def _span(self, setting: Setting) -> timedelta:
        span = read_span(setting.value)
        if span is None:
            raise _LeftError(setting, f"{setting.value!r} is not a length of time.")
        return span

    def _last(self, name: str) -> str | None:
        return _value(self._timer, name)

    @staticmethod
    def _left(place: str, line: int, text: str, reason: str) -> Left:
        return Left(place=place, line=line, text=text, reason=reason)


def _split(setting: Setting, start: int = 0) -> list[str]:
    try:
        return shlex.split(setting.value[start:])
    except ValueError as error:
        raise _LeftError(setting, "Its quotes do not match.") from error


def _limits(service: list[Setting]) -> tuple[str, ...]:
    """The settings that bound how long its command runs: a oneshot is starting until it ends."""
    return _START_LIMITS if _value(service, "Type") == "oneshot" else (_RUN_LIMIT,)


def _value(settings: list[Setting], name: str) -> str | None:
    found = [one.value for one in settings if one.name == name]
    return found[-1] if found else None


def _union(read: list[OnCalendar]) -> OldTimes:
    def times(after: datetime, zone: ZoneInfo) -> Iterator[datetime]:
        return (at for at, _ in groupby(merge(*(one.times(after, zone) for one in read))))

    return times
