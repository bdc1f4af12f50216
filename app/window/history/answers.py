"""What the user answered to a run: when, what they changed before approving it, and why they rejected it."""

from collections.abc import Iterable
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from PySide6.QtCore import QCoreApplication

from app.i18n.connector_labels import parameter_labels
from app.i18n.time_text import format_day_and_time
from app.widgets.details import DetailSection, TextDiff
from app.widgets.value_text import format_json
from scheduler.engine.queries.requests import RequestView
from scheduler.engine.queries.runs import CallView

translate = QCoreApplication.translate
_ANSWERED = ("yes", "no", "answered", "expired")
"""A request that was closed in another way needed no answer any more."""


def describe_changes(call: CallView) -> tuple[DetailSection, ...]:
    """For each changed parameter the difference between what the script asked for and what was approved."""
    if not isinstance(call.asked, dict):
        return ()
    labels, made = parameter_labels(), call.parameters
    names = [name for name in {**call.asked, **made} if call.asked.get(name) != made.get(name)]
    return tuple(
        DetailSection(
            title=labels.get(name, name),
            body=TextDiff(old=_write(call.asked.get(name)), new=_write(made.get(name))),
        )
        for name in names
    )


def describe_reason(reason: str) -> str:
    if reason == "expired":
        return translate("history", "Nobody answered in time, so it was not done.")
    return translate("history", "Your reason: {reason}").format(reason=reason)


def describe_answer(requests: Iterable[RequestView], zone: ZoneInfo, now: datetime) -> list[str]:
    """`asked today 09:00`, `approved today 14:02, through ntfy:me`: the last question that was answered."""
    answered = [(one.answered, one) for one in requests if one.answered is not None and one.answer in _ANSWERED]
    if not answered:
        return []
    at, last = max(answered, key=lambda one: one[0])
    said = _describe_answer(last.answer or "")
    if last.answered_from:
        words_from = translate("history", "{said}, through {channel}")
        said = words_from.replace("{said}", said).replace("{channel}", last.answered_from)
    words = (translate("history", "asked {time}"), said)
    times = (format_day_and_time(one.replace(second=0, microsecond=0), zone, now) for one in (last.created, at))
    return [word.format(time=time) for word, time in zip(words, times, strict=True)]


def _describe_answer(answer: str) -> str:
    match answer:
        case "yes":
            return translate("history", "approved {time}")
        case "no":
            return translate("history", "rejected {time}")
        case "expired":
            return translate("history", "expired {time}")
        case _:
            return translate("history", "answered {time}")


def _write(value: Any) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else format_json(value)
