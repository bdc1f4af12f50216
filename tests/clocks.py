"""Clocks that stand still until a test moves them."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta


@dataclass
class ManualClock:
    """The clock of the engine."""

    wall: datetime = datetime(2026, 11, 16, 10, 0, tzinfo=UTC)
    elapsed: float = 0.0

    def now(self) -> datetime:
        return self.wall

    def monotonic(self) -> float:
        return self.elapsed

    def move(self, step: timedelta) -> None:
        self.wall += step
        self.elapsed += max(step.total_seconds(), 0)


@dataclass
class MonotonicClock:
    """In place of `time.monotonic`."""

    now: float = 0.0

    def __call__(self) -> float:
        return self.now
