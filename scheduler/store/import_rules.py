"""What each column of an imported store may contain. One invalid value makes the whole file invalid."""

import hashlib
import json
import re
from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import Any

from scheduler.rules.mutations import MutationStatus
from scheduler.rules.phases import HandlerKind, Refusal, RunPhase, RunStatus
from scheduler.rules.requests import Block, RequestKind
from scheduler.store.events import EventState
from scheduler.store.requests import RequestAnswer
from scheduler.store.workflows import ScriptOrigin, WorkflowStatus
from scheduler.timing.occurrences import OccurrenceOrigin, OccurrenceReason, OccurrenceState
from scheduler.timing.policies import Overlap
from scheduler.user_text import UserText

Rule = Callable[[Any], bool]

_MAX_CHARS = 64 * 1024 * 1024
_MAX_NAME_CHARS = 500
_MAX_PATH_CHARS = 4_000
_FIRST_MS, _LAST_MS = -2_208_988_800_000, 253_402_300_799_999
"""From 1900 to the end of 9999."""
_MAX_NUMBER = 2**53
_CONTROL_CHARS = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff]")


def _number(value: Any) -> bool:
    return type(value) is int and 0 <= value <= _MAX_NUMBER


def _positive(value: Any) -> bool:
    return _number(value) and value > 0


def _flag(value: Any) -> bool:
    return type(value) is int and value in (0, 1)


def _instant(value: Any) -> bool:
    return type(value) is int and _FIRST_MS <= value <= _LAST_MS


def _text(value: Any) -> bool:
    return isinstance(value, str) and len(value) <= _MAX_CHARS and "\0" not in value


def _name(value: Any) -> bool:
    """Shown in lists, typed in commands and compared: short, without control characters."""
    return isinstance(value, str) and 0 < len(value) <= _MAX_NAME_CHARS and not _CONTROL_CHARS.search(value)


def _path(value: Any) -> bool:
    return _text(value) and 0 < len(value) <= _MAX_PATH_CHARS


def _name_or_nothing(value: Any) -> bool:
    return value == "" or _name(value)


def _identity(value: Any) -> bool:
    """A message id, in any form a service uses."""
    return _text(value) and 0 < len(value) <= _MAX_CHARS


def _word(words: type[StrEnum]) -> Rule:
    known = {one.value for one in words}
    return lambda value: isinstance(value, str) and value in known


def _or_none(rule: Rule) -> Rule:
    return lambda value: value is None or rule(value)


def read_json(value: Any) -> Any:
    """Parse JSON text; ValueError if it is invalid or nested too deeply."""
    if not _text(value):
        raise ValueError(UserText("not text"))
    try:
        return json.loads(value)
    except RecursionError as error:
        raise ValueError(UserText("nested too deeply")) from error


def _json(fits: Rule = lambda _: True) -> Rule:
    def rule(value: Any) -> bool:
        try:
            return fits(read_json(value))
        except ValueError:
            return False

    return rule


def _object(**fields: Rule) -> Rule:
    """An object whose fields, if present, match these rules."""

    def rule(value: Any) -> bool:
        return isinstance(value, dict) and all(fits(value[name]) for name, fits in fields.items() if name in value)

    return rule


def _needs(*names: str) -> Rule:
    return lambda value: isinstance(value, dict) and set(names) <= set(value)


def _list_of(fits: Rule) -> Rule:
    return lambda value: isinstance(value, list) and all(fits(one) for one in value)


def _both(*rules: Rule) -> Rule:
    return lambda value: all(rule(value) for rule in rules)


def _scalars(value: Any) -> bool:
    return isinstance(value, dict) and all(isinstance(one, str | int | float | None) for one in value.values())


def _texts(value: Any) -> bool:
    return isinstance(value, dict) and all(isinstance(one, str) for one in value.values())


def _is_figure(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= _MAX_NUMBER


def _pair(value: Any) -> bool:
    return isinstance(value, list) and len(value) == 2 and all(_instant(one) for one in value)


_ERROR = _object(
    kind=_text, sentence=_text, file=_or_none(_text), line=_or_none(_number), traceback=_or_none(_text)
)  # fmt: skip
_PREPARED = _object(reserve=_or_none(_list_of(lambda one: isinstance(one, dict | list))), say=_or_none(_text))
_PROGRESS = _both(
    _needs("done", "total"),
    _object(done=_is_figure, total=_or_none(_is_figure), text=_or_none(_text)),
)


def _target(value: Any) -> bool:
    """What an outside action would change, as its connector describes it; a file has size and date."""
    if not isinstance(value, dict) or value.get("kind") != "file":
        return True
    modified = value.get("modified_ns")
    return _number(value.get("size")) and type(modified) is int and _instant(modified // 1_000_000)


_CALL = _both(
    _needs("connection", "tool", "parameters"),
    _object(connection=_text, tool=_text, parameters=_object(), target=_target, endpoint=_or_none(_texts)),
)
_WORKFLOW_HANDLER = {"workflow": _name, "handler": _name}

RULES: Mapping[str, Mapping[str, Rule]] = {
    "workflows": {
        "slug": _name, "name": _name, "path": _path, "tags": _json(_list_of(_name)), "status": _word(WorkflowStatus),
        "fixing": _flag, "watching": _flag, "script": _positive, "sequence": _number, "version": _positive,
        "created": _instant, "paused_until": _or_none(_instant), "pause_note": _or_none(_text),
    },
    "scripts": {
        "workflow": _name, "number": _positive, "sha256": _name, "source": _text, "origin": _word(ScriptOrigin),
        "described": _json(_object()), "created": _instant,
    },
    "schedules": {
        "id": _name, **_WORKFLOW_HANDLER, "kind": _name, "spec": _json(), "policies": _json(), "version": _positive,
        "paused": _flag, "held": _flag, "paused_until": _or_none(_instant), "pause_note": _or_none(_text),
        "trouble": _or_none(_text), "skip_at": _or_none(_instant), "next_at": _or_none(_instant),
        "next_due": _or_none(_instant), "late_next": _or_none(_instant), "late_until": _or_none(_instant),
        "late_began": _or_none(_instant), "late_total": _or_none(_number), "late_made": _or_none(_number),
        "runs": _number, "last_run": _or_none(_instant), "computed": _instant, "created": _instant,
        "removed": _or_none(_instant),
    },
    "backfills": {
        "id": _name, "schedule": _name, "ranges": _json(_list_of(_pair)), "overlap": _word(Overlap), "missing": _flag,
        "cursor": _or_none(_instant), "total": _number, "made": _number, "created": _instant,
        "ended": _or_none(_instant), "cancelled": _flag,
    },
    "occurrences": {
        "key": _name, "schedule": _name, "planned": _instant, "due": _instant,
        "origin": _word(OccurrenceOrigin), "late": _flag,
        "state": _word(OccurrenceState), "reason": _or_none(_word(OccurrenceReason)), "detail": _or_none(_text),
        "overlap": _or_none(_word(Overlap)), "backfill": _or_none(_name), "unlaunched": _number,
        "retry_at": _or_none(_instant), "created": _instant, "began": _or_none(_instant), "ended": _or_none(_instant),
    },
    "gaps": {
        "schedule": _name, "first": _instant, "last": _instant, "number": _positive, "more": _flag,
        "state": _word(OccurrenceState), "reason": _word(OccurrenceReason), "created": _instant,
    },
    "lanes": {
        "workflow": _name, "name": _name_or_nothing, "blocked": _or_none(_word(Block)), "sentence": _or_none(_text),
        "run": _or_none(_name), "until": _or_none(_instant),
    },
    "handlers": {
        "workflow": _name, "name": _name, "kind": _word(HandlerKind), "state": _json(_object()),
        "result": _or_none(_json()), "seen": _number, "began": _number, "latest": _number, "look": _flag,
        "wake_at": _or_none(_instant), "failures": _number, "removed": _flag, "failing_since": _or_none(_instant),
    },
    "subscriptions": {"workflow": _name, "topic": _name, "handler": _name},
    "events": {
        "born": _positive, "workflow": _name, "topic": _name, "id": _identity, "sequence": _number, "title": _text,
        "data": _json(), "later": _or_none(_json(_both(_needs("title", "data"), _object(title=_text)))),
        "state": _word(EventState), "run": _or_none(_name), "attempt": _number, "published": _instant,
    },
    "runs": {
        "number": _positive, "id": _name, **_WORKFLOW_HANDLER, "kind": _word(HandlerKind), "trigger": _name,
        "occurrence": _or_none(_name), "script": _positive, "chain": _name, "attempt": _positive,
        "retry_of": _or_none(_name), "crashes": _number, "phase": _word(RunPhase), "status": _word(RunStatus),
        "prepared": _or_none(_json(_PREPARED)), "outcome": _or_none(_json()), "summary": _or_none(_text),
        "error": _or_none(_json(_ERROR)), "progress": _or_none(_json(_PROGRESS)), "resume_at": _or_none(_instant),
        "followed": _flag, "refusal": _or_none(_word(Refusal)), "created": _instant, "updated": _instant,
        "began": _or_none(_instant),
        "prepared_at": _or_none(_instant), "mutating_at": _or_none(_instant), "mutated_at": _or_none(_instant),
        "ended": _or_none(_instant),
    },
    "logs": {"run": _name, "part": _number, "text": _text},
    "mutations": {
        "run": _name, "workflow": _name, "connection": _name, "tool": _name, "parameters": _json(_object()),
        "key": _name, "status": _word(MutationStatus), "result": _or_none(_json()), "begun": _instant,
        "settled": _or_none(_instant), "checks": _number, "check_at": _or_none(_instant), "target": _or_none(_json()),
        "endpoint": _or_none(_json(_or_none(_texts))), "asked": _or_none(_json(_object())), "reason": _or_none(_text),
    },
    "requests": {
        "id": _name, "kind": _word(RequestKind), "workflow": _name, "run": _or_none(_name), "subject": _text,
        "sentence": _text, "call": _or_none(_json(_CALL)), "ui": _or_none(_json()), "hash": _or_none(_name),
        "created": _instant, "answer": _or_none(_word(RequestAnswer)), "answered": _or_none(_instant),
        "edited": _or_none(_json(_CALL)), "edited_hash": _or_none(_name), "reason": _or_none(_text),
        "questions": _or_none(_json(_list_of(_object(name=_name, text=_text, kind=_name)))),
        "answers": _or_none(_json(_object())), "expires": _or_none(_instant), "on_expiry": _or_none(_name),
        "reminded": _or_none(_instant), "wake_at": _or_none(_instant), "answered_from": _or_none(_name),
    },
    "connections": {"name": _name, "settings": _json(_scalars), "trouble": _or_none(_text), "created": _instant},
}  # fmt: skip
"""Ordered so that each table comes after those it refers to."""


def is_hash_valid(sha256: str, source: str) -> bool:
    return hashlib.sha256(source.encode("utf-8", "surrogatepass")).hexdigest() == sha256
