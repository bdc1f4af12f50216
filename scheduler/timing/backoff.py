"""How long to wait before trying again."""

from datetime import timedelta

RETRIES = tuple(timedelta(seconds=s) for s in (30, 60, 300, 900, 3600))
LAUNCHES = tuple(timedelta(seconds=s) for s in (1, 2, 4))
TOO_MANY = 5


def retry_delay(failures: int, key: str, retry_after: timedelta | None = None) -> timedelta:
    """The wait after the given number of failures in a row, with up to a tenth more drawn from the key.

    A server that asks for a longer wait gets it.
    """
    wait = RETRIES[min(failures, len(RETRIES)) - 1]
    wait += wait * (int(key[:8], 16) / 0xFFFF_FFFF) / 10
    return max(wait, retry_after or timedelta())


def launch_delay(failures: int) -> timedelta | None:
    """The wait after that many failed attempts to start at all; None when it is time to give up."""
    return LAUNCHES[failures - 1] if failures <= len(LAUNCHES) else None
