"""The same answer to several requests. Each is answered in a transaction of its own, or refused with its own reason."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from scheduler.engine.errors import RefusedError
from scheduler.engine.workflows.request_commands import RequestCommands


class GroupAnswer(StrEnum):
    """The answers that can be given to several requests at once."""

    APPROVE = "approve"
    REJECT = "reject"
    RETRY = "retry"
    DISMISS = "dismiss"


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenRequest:
    """A request as the user saw it."""

    id: str
    call_hash: str | None = None
    """Of the call that was shown."""
    run: str | None = None
    """The run that was shown, which is what is retried."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupResult:
    request: str
    answer: dict[str, Any] | None = None
    """What the command returned; None if it was refused."""
    refusal: RefusedError | None = None
    before: str = ""
    """How it had been answered before, so that nothing was changed; else empty."""


def answer_each(
    commands: RequestCommands,
    answer: GroupAnswer,
    seen: Sequence[SeenRequest],
    *,
    reason: str | None = None,
    idempotency_key: str | None = None,
) -> list[GroupResult]:
    """Answer these and no others, in this order. One that is refused does not keep the rest from being answered."""
    results = []
    for one in seen:
        before = commands.describe_answer(one.id)
        key = None if idempotency_key is None else f"{idempotency_key} {one.id}"
        try:
            given = _answer(commands, answer, one, reason, key)
        except RefusedError as error:
            results.append(GroupResult(request=one.id, refusal=error))
        else:
            results.append(GroupResult(request=one.id, answer=given, before=before))
    return results


def _answer(
    commands: RequestCommands, answer: GroupAnswer, one: SeenRequest, reason: str | None, key: str | None
) -> dict[str, Any]:
    match answer:
        case GroupAnswer.APPROVE:
            return commands.approve(one.id, call_hash=one.call_hash, idempotency_key=key)
        case GroupAnswer.REJECT:
            return commands.reject(one.id, reason=reason, call_hash=one.call_hash, idempotency_key=key)
        case GroupAnswer.RETRY:
            return commands.retry(one.run or "", idempotency_key=key)
        case GroupAnswer.DISMISS:
            return commands.dismiss(one.id, idempotency_key=key)
