"""What went wrong between us and a server, in the classes of failures. Sentences name the host, never an address."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from http import HTTPStatus

from scheduler.connections.connector import ToolFailedError
from scheduler.connections.mistakes import wrong
from scheduler.rules.failures import Failure, FailureClass, Trouble, classify_status, classify_trouble

_LONGEST_WAIT = timedelta(days=1)
NOT_DONE = (307, 308)
"""Redirects that say by definition that nothing was done yet: the same is to be asked elsewhere."""
_LOOK = "It may have done what was asked: look whether it did."


class BrokenError(ToolFailedError):
    """The connection broke, or took too long, after something was sent."""


def not_reached(sentence: str, *, offline: bool = False) -> ToolFailedError:
    """Nothing was sent. Being offline brings nobody nearer to being blocked."""
    kind = classify_trouble(Trouble.NOT_REACHED, mutating=False)
    return ToolFailedError(Failure(kind=kind, sentence=sentence, counts=not offline))


def not_trusted(host: str, reason: str) -> ToolFailedError:
    """A certificate that does not hold.

    Nothing was sent, and the script is not to blame: captive portals go away and expired certificates are renewed,
    so waiting helps most often. If it does not, the handler is blocked after a few tries, with this sentence.
    """
    return not_reached(
        f"{host} could not prove that it is {host} ({reason}), so nothing was sent. If this network asks for a login, "
        "log in; else let whoever runs the server renew its certificate."
    )


def broken(sentence: str, *, acts: bool) -> ToolFailedError:
    """The request was sent, at least in part, and no whole answer came."""
    kind = classify_trouble(Trouble.BROKEN, mutating=acts)
    return BrokenError.because(kind, f"{sentence} {_LOOK}" if acts else sentence)


def unusable(sentence: str, *, acts: bool) -> ToolFailedError:
    """An answer came that cannot be used; asking again would bring the same."""
    return ToolFailedError.because(FailureClass.UNSURE, f"{sentence} {_LOOK}") if acts else wrong(sentence)


def refusal(
    status: int, headers: Mapping[str, str], host: str, *, acts: bool, now: datetime, said: str = ""
) -> ToolFailedError:
    """The failure behind a status other than success; `said` is what the server said about it, fit to be shown."""
    if status < 300:
        return unusable(f"{host} answered with {status}, which does not confirm that it was done.", acts=acts)
    if status < 400:
        sentence = f"{host} sent us on to another address ({status}), which is not followed here."
        return unusable(sentence, acts=acts and status not in NOT_DONE)
    kind = classify_status(status, mutating=acts)
    wait = retry_after(headers, now) if kind is FailureClass.TRANSIENT else None
    reason = f"{status} {_phrase(status)}".rstrip()
    told = f"{reason}: {said}" if said else reason
    sentence = {
        FailureClass.TRANSIENT: f"{host} cannot answer at the moment ({told}).",
        FailureClass.AUTH: f"{host} did not accept the login ({told}). Connect again.",
        FailureClass.PERMISSION: f"{host} does not allow this ({told}). Allow it there, or connect another account.",
        FailureClass.UNSURE: f"{host} failed while it worked on this ({told}). {_LOOK}",
    }.get(kind, f"{host} refused what was asked ({told}).")
    return ToolFailedError(Failure(kind=kind, sentence=sentence, retry_after=wait))


def retry_after(headers: Mapping[str, str], now: datetime) -> timedelta | None:
    """How long the server asks us to wait, at most a day; it may say seconds, or a date by its own clock."""
    given = headers.get("Retry-After", "").strip()
    if given.isascii() and given.isdigit():
        return min(timedelta(seconds=int(given[:9])), _LONGEST_WAIT)
    until = _date(given)
    if until is None:
        return None
    wait = until - (_date(headers.get("Date", "")) or now)
    return min(max(wait, timedelta(0)), _LONGEST_WAIT)


def _date(text: str) -> datetime | None:
    from email.utils import parsedate_to_datetime  # noqa: PLC0415  costs the start of the app

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
