"""Says how a request was answered, by whom and when."""

from datetime import datetime

from scheduler.engine.context import EngineContext
from scheduler.rules.requests import RequestKind
from scheduler.store.requests import RequestAnswer, RequestRow
from scheduler.timing.date_words import describe_moment
from scheduler.timing.zones import find_zone
from scheduler.user_text import UserText, join_texts

_MAX_ANSWER_CHARS = 80
_SENTENCES: dict[RequestAnswer, UserText] = {
    RequestAnswer.YES: UserText("You approved this {at}."),
    RequestAnswer.NO: UserText("You rejected this {at}."),
    RequestAnswer.EXPIRED: UserText("This expired {at} without an answer."),
    RequestAnswer.HAPPENED: UserText("You answered {at} that it happened."),
    RequestAnswer.NOT_HAPPENED: UserText("You answered {at} that it did not happen."),
    RequestAnswer.SKIP: UserText("You skipped this {at}."),
    RequestAnswer.SOLVED: UserText("This was resolved {at}."),
    RequestAnswer.DISMISSED: UserText("You dismissed this {at}."),
    RequestAnswer.WITHDRAWN: UserText("This was withdrawn {at}; it needs no answer any more."),
}
_OF_PERMISSIONS: dict[RequestAnswer, UserText] = {
    RequestAnswer.YES: UserText("You allowed this {at}."),
    RequestAnswer.NO: UserText("You refused this {at}."),
}


def describe_answer(row: RequestRow, context: EngineContext, now: datetime) -> str:
    """A sentence, or two if the answer came from elsewhere; empty while it is open."""
    if row.answer is None or row.answered is None:
        return ""
    said = _describe(row, RequestAnswer(row.answer), row.answered, context, now)
    if not row.answered_from:
        return said
    return UserText("{said} The answer came through {channel}.", said=said, channel=row.answered_from)


def _describe(row: RequestRow, given: RequestAnswer, answered: datetime, context: EngineContext, now: datetime) -> str:
    at = describe_moment(answered, now, find_zone(context.machine_zone))
    match given:
        case RequestAnswer.ANSWERED:
            return UserText("You answered this {at}: {answers}", at=at, answers=_write_answers(row))
        case RequestAnswer.YES if row.edited is not None:
            return UserText("You approved this with your changes {at}.", at=at)
        case RequestAnswer.NO if row.reason:
            return UserText("You rejected this {at}: {reason}", at=at, reason=_shorten(row.reason))
    of_kind = _OF_PERMISSIONS if row.kind is RequestKind.PERMISSION else {}
    return UserText((of_kind.get(given) or _SENTENCES[given]).template, at=at)


def _write_answers(row: RequestRow) -> str:
    """`Invoices`, or `folder: Invoices, when: 2026-11-20` of several questions."""
    given = {name: _shorten(value) for name, value in (row.answers or {}).items()}
    if len(given) == 1:
        return join_texts(list(given.values()), "")
    return join_texts([UserText("{name}: {value}", name=name, value=value) for name, value in given.items()], ", ")


def _shorten(value: object) -> str:
    if isinstance(value, bool):
        return UserText("yes") if value else UserText("no")
    text = " ".join(str(value)[: 2 * _MAX_ANSWER_CHARS].split())
    return text if len(text) <= _MAX_ANSWER_CHARS else f"{text[:_MAX_ANSWER_CHARS]}…"
