"""Delays before retries."""

from datetime import timedelta

RETRY_DELAYS = tuple(timedelta(seconds=s) for s in (30, 60, 300, 900, 3600))
LAUNCH_DELAYS = tuple(timedelta(seconds=s) for s in (1, 2, 4))
MAX_FAILURES = 5


def retry_delay(failures: int, key: str, retry_after: timedelta | None = None) -> timedelta:
    """The delay after that many failures in a row, plus up to a tenth derived from the key.

    A longer `retry_after` from the server wins.
    """
    delay = RETRY_DELAYS[min(failures, len(RETRY_DELAYS)) - 1]
    delay += delay * (int(key[:8], 16) / 0xFFFF_FFFF) / 10
    return max(delay, retry_after or timedelta())


def job_delay(failures: int) -> timedelta:
    """How long a job waits at least after that many failures in a row; an hourly one keeps its times."""
    return RETRY_DELAYS[min(failures, len(RETRY_DELAYS)) - 1]


def launch_delay(failures: int) -> timedelta | None:
    """The delay after that many failed launches; None to give up."""
    return LAUNCH_DELAYS[failures - 1] if failures <= len(LAUNCH_DELAYS) else None
