"""Failures of HTTP requests by failure class. Sentences name the host, never the full address."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from http import HTTPStatus

from scheduler.connections.connector import ToolFailedError
from scheduler.connections.errors import logic_failure
from scheduler.rules.failures import (
    Failure,
    FailureClass,
    TransportFailure,
    classify_http_status,
    classify_transport_failure,
)
from scheduler.user_text import UserText, join_texts

_MAX_WAIT = timedelta(days=1)
_NOTHING_THERE = (404, 410)
UNPROCESSED_REDIRECTS = (307, 308)
"""Redirects that by definition mean that nothing was done yet: repeat the request elsewhere."""
_MAYBE_DONE = UserText("It may still have worked; check before you try again.")


class ConnectionLostError(ToolFailedError):
    """The connection broke or timed out after something was sent."""


def unreachable(sentence: str, *, offline: bool = False) -> ToolFailedError:
    """Nothing was sent. Being offline does not count towards blocking the handler."""
    kind = classify_transport_failure(TransportFailure.NOT_REACHED, mutating=False)
    return ToolFailedError(Failure(kind=kind, sentence=sentence, counts=not offline))


def untrusted_certificate(host: str, reason: str) -> ToolFailedError:
    """The certificate is not valid; nothing was sent.

    Retried, because captive portals go away and expired certificates are renewed. If that does not help, the handler
    is blocked after a few attempts, with this sentence.
    """
    return unreachable(
        UserText(
            "The certificate of {host} is not trusted ({reason}), so nothing was sent. If this network "
            "has a sign-in page, sign in there; otherwise the server needs a new certificate.",
            host=host,
            reason=reason,
        )
    )


def connection_lost(sentence: str, *, acts: bool) -> ToolFailedError:
    """The request was sent, at least in part, and no complete answer came."""
    kind = classify_transport_failure(TransportFailure.BROKEN, mutating=acts)
    return ConnectionLostError.because(kind, join_texts([sentence, _MAYBE_DONE], " ") if acts else sentence)


def unusable_answer(sentence: str, *, acts: bool) -> ToolFailedError:
    """The answer cannot be used, and a retry would return the same."""
    if not acts:
        return logic_failure(sentence)
    return ToolFailedError.because(FailureClass.UNSURE, join_texts([sentence, _MAYBE_DONE], " "))


def status_failure(
    status: int, headers: Mapping[str, str], host: str, *, acts: bool, now: datetime, server_message: str = ""
) -> ToolFailedError:
    """The failure for a status other than success; `server_message` is safe to show."""
    if status < 300:
        return unusable_answer(
            UserText(
                "{host} answered with {status}, which does not confirm that it was done.", host=host, status=status
            ),
            acts=acts,
        )
    if status < 400:
        sentence = UserText(
            "{host} redirected to another address ({status}), which is not followed.", host=host, status=status
        )
        return unusable_answer(sentence, acts=acts and status not in UNPROCESSED_REDIRECTS)
    kind = classify_http_status(status, mutating=acts)
    wait = parse_retry_after(headers, now) if kind is FailureClass.TRANSIENT else None
    reason = f"{status} {_phrase(status)}".rstrip()
    details = f"{reason}: {server_message}" if server_message else reason
    if status in _NOTHING_THERE:
        sentence = UserText("There is nothing at this address of {host} ({details}).", host=host, details=details)
        return ToolFailedError(Failure(kind=kind, sentence=sentence))
    sentence = {
        FailureClass.TRANSIENT: UserText("{host} is not available right now ({details}).", host=host, details=details),
        FailureClass.AUTH: UserText(
            "{host} did not accept the login ({details}). Check user name and password, or reconnect.",
            host=host,
            details=details,
        ),
        FailureClass.PERMISSION: UserText(
            "{host} does not allow this ({details}). Allow it there, or use another account.",
            host=host,
            details=details,
        ),
        FailureClass.UNSURE: UserText(
            "{host} failed while processing this ({details}). {maybe_done}",
            host=host,
            details=details,
            maybe_done=_MAYBE_DONE,
        ),
    }.get(kind, UserText("{host} refused the request ({details}).", host=host, details=details))
    return ToolFailedError(Failure(kind=kind, sentence=sentence, retry_after=wait))


def parse_retry_after(headers: Mapping[str, str], now: datetime) -> timedelta | None:
    """The wait that the server asks for, at most a day; it gives seconds, or a date by its own clock."""
    given = headers.get("Retry-After", "").strip()
    if given.isascii() and given.isdigit():
        return min(timedelta(seconds=int(given[:9])), _MAX_WAIT)
    until = _parse_date(given)
    if until is None:
        return None
    wait = until - (_parse_date(headers.get("Date", "")) or now)
    return min(max(wait, timedelta(0)), _MAX_WAIT)


def _parse_date(text: str) -> datetime | None:
    from email.utils import parsedate_to_datetime  # noqa: PLC0415  slows the app's start

    try:
        date = parsedate_to_datetime(text)
        return (date if date.tzinfo else date.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def _phrase(status: int) -> str:
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return ""
