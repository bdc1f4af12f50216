"""The one place that reads the system's clocks."""

import time
from datetime import UTC, datetime
from typing import Protocol


class Clock(Protocol):
    def now(self) -> datetime:
        """The wall clock as an aware UTC time. It may jump."""

    def monotonic(self) -> float:
        """Seconds that never go back; they stop while the machine sleeps."""


class SystemClock:
    def now(self) -> datetime:
        return datetime.now(UTC)

    def monotonic(self) -> float:
        return time.monotonic()
