"""Translates tasks that the Windows Task Scheduler exported as XML into jobs, one for each trigger."""

import re
from collections.abc import Iterator
from typing import Any
from xml.etree.ElementTree import Element, ParseError, fromstring

from scheduler.job_import.result import MAX_DELAY, MAX_RUN_TIME, Job, TranslationResult, Untranslated, format_seconds
from scheduler.job_import.windows_triggers import Trigger, UntranslatableTriggerError, parse_iso_duration, read_trigger
from scheduler.timing.calendar import parse_calendars
from scheduler.timing.errors import BadScheduleError

_OVERLAPS = {"IgnoreNew": "skip", "Queue": "buffer_all", "Parallel": "allow_all", "StopExisting": "terminate_other"}
_KNOWN_SETTINGS = frozenset(
    {
        "MultipleInstancesPolicy", "StartWhenAvailable", "DisallowStartIfOnBatteries", "RunOnlyIfNetworkAvailable",
        "ExecutionTimeLimit", "Enabled", "AllowStartOnDemand", "AllowHardTerminate", "Hidden", "Priority",
        "UseUnifiedSchedulingEngine", "DisallowStartOnRemoteAppSession", "IdleSettings", "NetworkSettings",
    }
)  # fmt: skip
"""Translated, or without meaning here."""
_REASONS = {
    "WakeToRun": "Dayhand does not wake the computer; a missed run can be caught up afterwards.",
    "RunOnlyIfIdle": "Dayhand does not wait until the computer is idle.",
    "StopIfGoingOnBatteries": "A run continues when the computer is unplugged.",
    "RestartOnFailure": "Failed runs are reported; temporary failures are retried automatically.",
    "DeleteExpiredTaskAfter": "A workflow without further runs stays in the list as finished.",
}
_TRIGGER_LIMITS = ("ExecutionTimeLimit", "StopAtDurationEnd")
_OTHER_PRINCIPALS = {
    **{("UserId", name): "Dayhand runs as you." for name in ("s-1-5-18", "s-1-5-19", "s-1-5-20", "system")},
    ("RunLevel", "highestavailable"): "Dayhand runs with your normal rights.",
    **{("LogonType", kind): "Dayhand runs only while you are logged on." for kind in ("password", "s4u")},
}
"""Settings that make a task run as someone other than the plain user."""
_DEFAULT_LIMIT = "P3D"


def read_task(text: str, *, place: str = "task.xml") -> TranslationResult:
    try:
        root = _parse(text)
    except (ParseError, _NotTaskError) as error:
        return TranslationResult(
            (),
            (
                Untranslated(
                    place=place, line=1, text=text[:60], reason=f"It is not the XML of a Windows task ({error})."
                ),
            ),
        )
    return TranslationResult.collect(_read(root, place, text))


class _NotTaskError(Exception):
    """XML that no task contains."""


def _parse(text: str) -> Element:
    """Refuses entity definitions, which a task never has and which can exhaust memory."""
    if "<!" in text.replace("<!--", ""):
        raise _NotTaskError("it defines entities")
    # The declared encoding is that of the file, which is already decoded.
    body = text.partition("?>")[2] if text.lstrip("\ufeff \n").startswith("<?xml") else text.lstrip("\ufeff")
    root = fromstring(body)  # noqa: S314  the dangerous parts of XML were refused above
    if _name(root) != "Task":
        raise _NotTaskError("its root element is not Task")
    return root


def _read(root: Element, place: str, text: str) -> Iterator[Job | Untranslated]:
    def left(element: Element, reason: str) -> Untranslated:
        return Untranslated(place=place, line=_line(root, element, text), text=_show(element), reason=reason)

    yield from (left(element, reason) for element, reason in _unused(root))
    actions = [one for one in _children(root, "Actions") if _name(one) == "Exec" and _show(one) != "Exec"]
    commands = tuple(_command(one) for one in actions)
    settings = {_name(one): one for one in _children(root, "Settings")}
    for element in _children(root, "Triggers") if commands else ():
        try:
            yield _job(root, element, commands, settings, place, _line(root, element, text))
        except UntranslatableTriggerError as error:
            yield left(element, str(error))
        except BadScheduleError as error:
            yield left(element, error.sentence)


def _unused(root: Element) -> Iterator[tuple[Element, str]]:
    """What cannot be translated, and why."""
    for action in _children(root, "Actions"):
        if _name(action) != "Exec":
            yield action, "Only commands can be run; this action is of another kind."
        elif _show(action) == "Exec":
            yield action, "It has no command."
    if not _children(root, "Actions"):
        yield root, "It has no action."
    if not _children(root, "Triggers"):
        yield root, "It has no trigger; it only ran when started by hand."
    for one in (one for trigger in _children(root, "Triggers") for one in trigger.iter()):
        if _name(one) in _TRIGGER_LIMITS and not _is(one, "false"):
            yield one, "A time limit per trigger is not supported; the limit of the task applies."
    for one in (one for principal in _children(root, "Principals") for one in principal):
        if reason := _OTHER_PRINCIPALS.get((_name(one), (one.text or "").strip().lower())):
            yield one, reason
    for one in _children(root, "Settings"):
        if _name(one) not in _KNOWN_SETTINGS and not _is(one, "false"):
            yield one, _REASONS.get(_name(one), "Jobs have no such setting; it was left out.")


def _line(root: Element, element: Element, text: str) -> int:
    """Its line number; elements are in the order of the text."""
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
        raise UntranslatableTriggerError("It is turned off.")
    trigger = read_trigger(element)
    given: dict[str, Any] = {**_times(trigger), "timezone": trigger.zone}
    if trigger.delay > MAX_DELAY:
        raise UntranslatableTriggerError("A run can be delayed by at most one day.")
    if trigger.delay:
        given["jitter"] = f"+{format_seconds(trigger.delay)}"
    policy = (settings["MultipleInstancesPolicy"].text or "") if "MultipleInstancesPolicy" in settings else ""
    given["overlap"] = _OVERLAPS.get(policy.strip(), "skip")
    given["catchup"] = "one" if _is(settings.get("StartWhenAvailable"), "true") else "none"
    needs = []
    if not _is(settings.get("DisallowStartIfOnBatteries"), "false"):  # yes by default in Windows
        needs.append("power")
    if _is(settings.get("RunOnlyIfNetworkAvailable"), "true"):
        needs.append("network")
    if needs:
        given["needs"] = needs
    limit = settings.get("ExecutionTimeLimit")
    span = parse_iso_duration((limit.text if limit is not None else None) or _DEFAULT_LIMIT)
    given |= {"max_failures": 0, "after_crash": "never", "timeout": format_seconds(span) if span else MAX_RUN_TIME}
    info = {_name(one): (one.text or "").strip() for one in _children(root, "RegistrationInfo")}
    label = info.get("Description") or info.get("URI", "").rpartition("\\")[2]
    notes = ["The task is turned off in Windows."] if _is(settings.get("Enabled"), "false") else []
    return Job(
        title=label or " ".join(commands[0]),
        label=label,
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
    """Windows passes arguments as one string, so it is left to cmd.exe to split it."""
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
    """Its name and the text in it."""
    return " ".join([_name(element), *" ".join(element.itertext()).split()])


def _is(element: Element | None, word: str) -> bool:
    return element is not None and (element.text or "").strip().lower() == word


def _name(element: Element) -> str:
    return element.tag.rpartition("}")[2]
