"""The settings of a handler: their types are checked here, their meaning by the host."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Any

from ._errors import Misuse
from ._user_text import UserText
from ._values import check

KINDS = ("every", "cron", "calendar", "once")
_TIMES = (*KINDS, "anchor", "timezone", "start_at", "end_at", "exclude", "limit", "jitter")
_POLICIES = ("overlap", "catchup", "catchup_window", "pause_on_failure", "needs")

_MAX_FAILURES = 1000
_MAX_RETRIES = 100

_EXAMPLES = {
    "every": "'5m'",
    "cron": "'0 9 * * 1-5'",
    "calendar": "{'hour': 9, 'weekday': 'mon-fri'}",
    "once": "'2026-11-20T09:00'",
    "anchor": "'2026-11-01T08:00'",
    "timezone": "'Europe/Berlin'",
    "start_at": "'2026-11-20'",
    "end_at": "'2026-11-20'",
    "exclude": "['2026-12-25']",
    "limit": "10",
    "jitter": "'30s'",
    "overlap": "'skip'",
    "catchup": "'one'",
    "catchup_window": "'2h'",
    "pause_on_failure": "True",
    "needs": "'network'",
    "run_on_deploy": "False",
    "timeout": "'5m'",
    "max_failures": "5",
    "retries": "2",
    "after_crash": "'next'",
    "ping": "'ping:backup'",
    "overdue_after": "'2h'",
    "expected": "'1m..20m'",
    "approve": "'always'",
    "expires": "'2d'",
    "on_expiry": "'reject'",
    "publishes": "[mails]",
    "subscribe": "[mails]",
}


def reject_unknown(kind: str, known: tuple[str, ...], positional: tuple[Any, ...], unknown: Mapping[str, Any]) -> None:
    """Raise Misuse for a decorator without parentheses, positional values, and unknown names."""
    reject_unknown_names(kind, known, unknown)
    if len(positional) == 1 and callable(positional[0]):
        raise Misuse(
            UserText(
                "{kind} is used without parentheses; write @flow.{kind}({known}={examples}).",
                kind=kind,
                known=known[0],
                examples=_EXAMPLES[known[0]],
            )
        )
    if positional:
        raise Misuse(
            UserText(
                "{positional} has no name; write for example @flow.{kind}({known}={positional}).",
                positional=repr(positional[0]),
                kind=kind,
                known=known[0],
            )
        )


def reject_unknown_names(kind: str, known: tuple[str, ...], unknown: Mapping[str, Any]) -> None:
    """Raise Misuse for settings that do not exist."""
    for name in unknown:
        import difflib  # noqa: PLC0415  only needed here

        near = difflib.get_close_matches(name, known, 1)
        fix = (
            UserText("did you mean {near}?", near=near[0])
            if near
            else UserText("it has {known}.", known=", ".join(known))
        )
        raise Misuse(UserText("{kind} has no setting {name}; {fix}", kind=kind, name=name, fix=fix))


def read_schedule(kind: str, written: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The given settings of the schedule and of its policies, as JSON."""
    given = {name: value for name, value in written.items() if value is not None}
    kinds = [name for name in KINDS if name in given]
    if not kinds:
        raise Misuse(
            UserText(
                "this {kind} has no schedule; set one of every, cron, calendar or once, for example every='1h'.",
                kind=kind,
            )
        )
    if len(kinds) > 1:
        raise Misuse(UserText("this {kind} has {kinds}; keep one of them.", kind=kind, kinds=" and ".join(kinds)))
    for name, value in given.items():
        _CHECKS[name](name, value)
    if "anchor" in given and "every" not in given:
        raise Misuse(UserText("anchor is the time from which every counts; write it with every='2h', or remove it."))
    if kind != "job" and given.get("overlap") == "allow_all":
        raise Misuse(
            UserText(
                "overlap='allow_all' is for jobs: a producer's runs share one state. Choose another, or write a job."
            )
        )
    given = {name: format_dates(value) for name, value in given.items()}
    for name, value in given.items():
        check(value, name)
    return _only(given, _TIMES), _only(given, _POLICIES)


def read_timeout(value: Any) -> Any:
    """A duration such as '5m', or a number of seconds; None if not given."""
    if value is None or (isinstance(value, str) and value.strip()):
        return value
    if isinstance(value, (int, float)) and not isinstance(value, bool) and 0 < value < float("inf"):
        return value
    raise _wrong("timeout", value, UserText("a duration"))


def read_expires(value: Any) -> Any:
    """A duration such as '2d'; None if not given."""
    if value is None or (isinstance(value, str) and value.strip()):
        return value
    raise _wrong("expires", value, UserText("a duration"))


def read_text(name: str, value: Any) -> Any:
    """A string whose meaning the host checks; None if not given."""
    if value is None or (isinstance(value, str) and value.strip()):
        return value
    raise _wrong(name, value, UserText("a string"))


def read_ping(value: Any) -> Any:
    """The name of a connection; None if not given. An address is a secret, which belongs into the keyring."""
    if isinstance(value, str) and "://" in value:
        raise Misuse(
            UserText(
                "ping is an address, and everybody who knows it can send pings; connect it with "
                "dayhand connect ping:backup, and write ping='ping:backup'."
            )
        )
    if value is None or (isinstance(value, str) and value.startswith("ping:")):
        return value
    raise _wrong("ping", value, UserText("the name of a ping connection"))


def read_watched(given: Mapping[str, Any]) -> dict[str, Any]:
    """What others and the user learn about the runs of a producer or job."""
    return {
        "ping": read_ping(given["ping"]),
        "overdue_after": read_text("overdue_after", given["overdue_after"]),
        "expected": read_text("expected", given["expected"]),
    }


def read_max_failures(value: Any) -> Any:
    """A whole number, 0 for never; None if not given."""
    if value is None or (isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= _MAX_FAILURES):
        return value
    raise _wrong("max_failures", value, UserText("a number from 0 to {max_failures}", max_failures=_MAX_FAILURES))


def read_retries(value: Any) -> Any:
    """A whole number; None if not given."""
    if value is None or (isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= _MAX_RETRIES):
        return value
    raise _wrong("retries", value, UserText("a number from 0 to {max_retries}", max_retries=_MAX_RETRIES))


def read_choice(name: str, value: Any, choices: tuple[str, ...]) -> Any:
    """One of the choices, or None if not given."""
    if value is None or (isinstance(value, str) and value in choices):
        return value
    raise Misuse(
        UserText(
            "{name}={value} is not valid; choose one of {choices}.",
            name=name,
            value=repr(value),
            choices=", ".join(map(repr, choices)),
        )
    )


def read_texts(name: str, value: Any) -> list[str]:
    """A list of strings without duplicates."""
    if isinstance(value, str):
        raise Misuse(UserText("{name} is a single string; write {name}=[{value}].", name=name, value=repr(value)))
    if not isinstance(value, (list, tuple)):
        raise Misuse(UserText("{name} is not a list; write {name}=['…'].", name=name))
    for text in value:
        if not isinstance(text, str) or not text or text != text.strip() or not text.isprintable():
            raise Misuse(
                UserText(
                    "{name} contains {text}, which is not a name; write a string such as 'table:expenses'.",
                    name=name,
                    text=repr(text),
                )
            )
    return list(dict.fromkeys(map(str, value)))


def read_flag(name: str, value: Any) -> Any:
    """True, False, or None if not given."""
    if value is not None:
        _flag(name, value)
    return value


def format_dates(value: Any) -> Any:
    """The same value with dates and times as ISO 8601 text."""
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, dict):
        return {key: format_dates(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [format_dates(item) for item in value]
    return value


def _only(given: Mapping[str, Any], names: tuple[str, ...]) -> dict[str, Any]:
    return {name: given[name] for name in names if name in given}


def _wrong(name: str, value: Any, what: str) -> Misuse:
    return Misuse(
        UserText(
            "{name}={value} is not {what}; write for example {name}={examples}.",
            name=name,
            value=repr(value),
            what=what,
            examples=_EXAMPLES[name],
        )
    )


def _text(name: str, value: Any) -> None:
    if not isinstance(value, str):
        raise _wrong(name, value, UserText("a string"))


def _texts(name: str, value: Any) -> None:
    if not isinstance(value, str) and not (_is_list(value) and all(isinstance(text, str) for text in value)):
        raise _wrong(name, value, UserText("a string or a list of strings"))


def _dicts(name: str, value: Any) -> None:
    if not isinstance(value, dict) and not (_is_list(value) and all(isinstance(item, dict) for item in value)):
        raise _wrong(name, value, UserText("a dict or a list of dicts"))


def _instant(name: str, value: Any) -> None:
    if not isinstance(value, (str, date)):
        raise _wrong(name, value, UserText("a date and time"))


def _dates(name: str, value: Any) -> None:
    items = value if isinstance(value, (list, tuple)) else [value]
    if not all(isinstance(item, (str, date, dict)) for item in items):
        raise _wrong(name, value, UserText("a list of dates or calendars"))


def _number(name: str, value: Any) -> None:
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise _wrong(name, value, UserText("a number of runs"))


def _window(name: str, value: Any) -> None:
    if not isinstance(value, str) and (isinstance(value, bool) or value != 0):
        raise _wrong(name, value, UserText("a duration or 0"))


def _flag(name: str, value: Any) -> None:
    if not isinstance(value, bool):
        raise _wrong(name, value, UserText("True or False"))


def _is_list(value: Any) -> bool:
    return isinstance(value, (list, tuple)) and bool(value)


_CHECKS = {
    "every": _text,
    "cron": _texts,
    "calendar": _dicts,
    "once": _instant,
    "anchor": _instant,
    "timezone": _text,
    "start_at": _instant,
    "end_at": _instant,
    "exclude": _dates,
    "limit": _number,
    "jitter": _text,
    "overlap": _text,
    "catchup": _text,
    "catchup_window": _window,
    "pause_on_failure": _flag,
    "needs": _texts,
}
