"""Tasks of Windows, as its Task Scheduler exports them in XML, as jobs: one for each trigger."""

import re
from collections.abc import Iterator
from typing import Any
from xml.etree.ElementTree import Element, ParseError, fromstring

from scheduler.importing.found import LONGEST_RUN, MOST_DELAY, Found, Job, Left, write_length
from scheduler.importing.task_times import NotTranslatedError, Trigger, read_period, read_trigger
from scheduler.timing.calendar import parse_calendars
from scheduler.timing.errors import BadScheduleError

_OVERLAPS = {"IgnoreNew": "skip", "Queue": "buffer_all", "Parallel": "allow_all", "StopExisting": "terminate_other"}
_KNOWN = frozenset(
    {
        "MultipleInstancesPolicy", "StartWhenAvailable", "DisallowStartIfOnBatteries", "RunOnlyIfNetworkAvailable",
        "ExecutionTimeLimit", "Enabled", "AllowStartOnDemand", "AllowHardTerminate", "Hidden", "Priority",
        "UseUnifiedSchedulingEngine", "DisallowStartOnRemoteAppSession", "IdleSettings", "NetworkSettings",
    }
)  # fmt: skip
"""Taken over, or without a meaning here."""
_REASONS = {
    "WakeToRun": "Dayhand does not wake the computer; a missed time can run afterwards.",
    "RunOnlyIfIdle": "Dayhand does not wait until the computer is idle.",
    "StopIfGoingOnBatteries": "A run goes on when the computer is unplugged.",
    "RestartOnFailure": "A failed run is shown; passing failures are tried again by themselves.",
    "DeleteExpiredTaskAfter": "A workflow without further times stays, as finished.",
}
_OF_A_TRIGGER = ("ExecutionTimeLimit", "StopAtDurationEnd")
_AS_ANOTHER = {
    **{("UserId", name): "Dayhand runs as you." for name in ("s-1-5-18", "s-1-5-19", "s-1-5-20", "system")},
    ("RunLevel", "highestavailable"): "Dayhand runs with your usual rights.",
    **{("LogonType", kind): "Dayhand runs only while you are logged on." for kind in ("password", "s4u")},
}
"""What a task says about who runs it, where that is not simply the person."""
_DEFAULT_LIMIT = "P3D"


def read_task(text: str, *, place: str = "task.xml") -> Found:
    try:
        root = _parse(text)
    except (ParseError, _HostileError) as error:
        return Found((), (Left(place=place, line=1, text=text[:60], reason=f"It is not the XML of a task ({error})."),))
    return Found.gather(_read(root, place, text))


class _HostileError(Exception):
    """More than a task would ever need."""


def _parse(text: str) -> Element:
    """Without definitions of entities, which a task never has and which can fill all memory."""
    if "<!" in text.replace("<!--", ""):
        raise _HostileError("it has definitions of its own")
    # The encoding in the first line is that of the file, which is a text already.
    body = text.partition("?>")[2] if text.lstrip("\ufeff \n").startswith("<?xml") else text.lstrip("\ufeff")
    root = fromstring(body)  # noqa: S314  what makes XML dangerous was refused above
    if _name(root) != "Task":
        raise _HostileError("it begins with another word")
    return root


def _read(root: Element, place: str, text: str) -> Iterator[Job | Left]:
    def left(element: Element, reason: str) -> Left:
        return Left(place=place, line=_line(root, element, text), text=_show(element), reason=reason)

    yield from (left(element, reason) for element, reason in _unused(root))
    actions = [one for one in _children(root, "Actions") if _name(one) == "Exec" and _show(one) != "Exec"]
    commands = tuple(_command(one) for one in actions)
    settings = {_name(one): one for one in _children(root, "Settings")}
    for element in _children(root, "Triggers") if commands else ():
        try:
            yield _job(root, element, commands, settings, place, _line(root, element, text))
        except NotTranslatedError as error:
            yield left(element, str(error))
        except BadScheduleError as error:
            yield left(element, error.sentence)


def _unused(root: Element) -> Iterator[tuple[Element, str]]:
    """What no job has, and why."""
    for action in _children(root, "Actions"):
        if _name(action) != "Exec":
            yield action, "Only commands can be run; this is another kind of action."
        elif _show(action) == "Exec":
            yield action, "It names no command."
    if not _children(root, "Actions"):
        yield root, "It has no action."
    if not _children(root, "Triggers"):
        yield root, "It has no trigger: it ran only when it was started by hand."
    for one in (one for trigger in _children(root, "Triggers") for one in trigger.iter()):
        if _name(one) in _OF_A_TRIGGER and not _is(one, "false"):
            yield one, "A limit of one trigger has no counterpart; the limit of the task is kept."
    for one in (one for principal in _children(root, "Principals") for one in principal):
        if reason := _AS_ANOTHER.get((_name(one), (one.text or "").strip().lower())):
            yield one, reason
    for one in _children(root, "Settings"):
        if _name(one) not in _KNOWN and not _is(one, "false"):
            yield one, _REASONS.get(_name(one), "Jobs have no such setting; the job was imported without it.")


def _line(root: Element, element: Element, text: str) -> int:
    """Where it stands: elements come in the order of the text."""
    alike = [one for one in root.iter() if _name(one) == _name(element)]
    starts = [match.start() for match in re.finditer(rf"<(?:\w+:)?{_name(element)}[\s/>]", text)]
    number = alike.index(element)
    return text.count("\n", 0, starts[number]) + 1 if number < len(starts) else 1


def _job(
    root: Element,
    element: Element,
    commands: tuple[tuple[str, ...], ...],
    settings: dict[str, Element],
    place: str,
    line: int,
) -> Job:
    if _is(_find(element, "Enabled"), "false"):
        raise NotTranslatedError("It was turned off.")
    trigger = read_trigger(element)
    given: dict[str, Any] = {**_times(trigger), "timezone": trigger.zone}
    if trigger.delay > MOST_DELAY:
        raise NotTranslatedError("A run can be moved by a day at most.")
    if trigger.delay:
        given["jitter"] = f"+{write_length(trigger.delay)}"
    policy = (settings["MultipleInstancesPolicy"].text or "") if "MultipleInstancesPolicy" in settings else ""
    given["overlap"] = _OVERLAPS.get(policy.strip(), "skip")
    given["catchup"] = "one" if _is(settings.get("StartWhenAvailable"), "true") else "none"
    needs = []
    if not _is(settings.get("DisallowStartIfOnBatteries"), "false"):  # Windows says yes unless told otherwise
        needs.append("power")
    if _is(settings.get("RunOnlyIfNetworkAvailable"), "true"):
        needs.append("network")
    if needs:
        given["needs"] = needs
    limit = settings.get("ExecutionTimeLimit")
    span = read_period((limit.text if limit is not None else None) or _DEFAULT_LIMIT)
    given |= {"after_crash": "never", "timeout": write_length(span) if span else LONGEST_RUN}
    info = {_name(one): (one.text or "").strip() for one in _children(root, "RegistrationInfo")}
    title = info.get("Description") or info.get("URI", "").rpartition("\\")[2] or " ".join(commands[0])
    notes = ["The task was turned off."] if _is(settings.get("Enabled"), "false") else []
    return Job(
        title=title,
        commands=commands,
        settings=given,
        place=place,
        line=line,
        text=_show(element),
        notes=tuple(notes),
        old=trigger.times,
    )


def _times(trigger: Trigger) -> dict[str, Any]:
    if trigger.is_once:
        return {"once": trigger.start.isoformat()}
    calendars = trigger.calendars()
    parse_calendars(tuple(calendars))
    given: dict[str, Any] = {"calendar": calendars if len(calendars) > 1 else calendars[0]}
    given["start_at"] = trigger.start.isoformat()
    if trigger.end is not None:
        given["end_at"] = trigger.end.isoformat()
    return given


def _command(action: Element) -> tuple[str, ...]:
    """Windows hands arguments on as one text, so they stay one for its own shell to part."""
    given = {_name(one): (one.text or "").strip() for one in action}
    line = " ".join(part for part in (_quoted(given.get("Command", "")), given.get("Arguments", "")) if part)
    folder = given.get("WorkingDirectory")
    return ("cmd.exe", "/d", "/s", "/c", f"cd /d {_quoted(folder)} && {line}" if folder else line)


def _quoted(command: str) -> str:
    bare = command.strip('"')
    return f'"{bare}"' if " " in bare else bare


def _children(root: Element, name: str) -> list[Element]:
    found = _find(root, name)
    return [] if found is None else list(found)


def _find(element: Element, name: str) -> Element | None:
    return next((one for one in element if _name(one) == name), None)


def _show(element: Element) -> str:
    """Its name, and the words in it."""
    return " ".join([_name(element), *" ".join(element.itertext()).split()])


def _is(element: Element | None, word: str) -> bool:
    return element is not None and (element.text or "").strip().lower() == word


def _name(element: Element) -> str:
    return element.tag.rpartition("}")[2]
