"""When the user is reminded of an open request, and when it expires. Pure: a function of stored times and now.

Nothing expires without a reminder some minutes before, nor at a time that comes late: after a sleep, a restart or a
jump of the clock the user has as long as after a reminder.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

MIN_EXPIRY, MAX_EXPIRY = timedelta(minutes=1), timedelta(days=366)
EXPIRED = "expired"
"""The reason that a script gets."""
_MAX_NOTICE = timedelta(minutes=10)
_LATE = timedelta(seconds=60)
"""Later than this, the computer was asleep or off, or its clock jumped."""


class OnExpiry(StrEnum):
    REJECT = "reject"
    """It counts as rejected."""
    LEAVE = "leave"
    """It stays open; the user is only reminded."""


class ExpiryStep(StrEnum):
    WAIT = "wait"
    REMIND = "remind"
    EXPIRE = "expire"


@dataclass(frozen=True, slots=True)
class ExpiryDecision:
    step: ExpiryStep
    wake_at: datetime | None
    """When to decide again; None if there is nothing more to decide."""


def find_reminder_time(created: datetime, expires: datetime) -> datetime:
    """After three quarters of the time."""
    return created + (expires - created) * 3 / 4


def decide_expiry(
    *,
    created: datetime,
    expires: datetime,
    reminded: datetime | None,
    wake_at: datetime | None,
    on_expiry: OnExpiry,
    now: datetime,
) -> ExpiryDecision:
    """What to do now. `wake_at` is what the last decision said."""
    notice = min(_MAX_NOTICE, (expires - created) / 4)
    if reminded is None:
        reminder = find_reminder_time(created, expires)
        if now < reminder:
            return ExpiryDecision(ExpiryStep.WAIT, reminder)
        later = max(expires, now + notice) if on_expiry is OnExpiry.REJECT else None
        return ExpiryDecision(ExpiryStep.REMIND, later)
    if on_expiry is OnExpiry.LEAVE:
        return ExpiryDecision(ExpiryStep.WAIT, None)
    due = wake_at or expires
    if now < due:
        return ExpiryDecision(ExpiryStep.WAIT, due)
    if now - due > _LATE:
        return ExpiryDecision(ExpiryStep.WAIT, now + notice)
    return ExpiryDecision(ExpiryStep.EXPIRE, None)
