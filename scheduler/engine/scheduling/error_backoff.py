"""Delays retries after unexpected failures, longer each time, so that no failure becomes a loop."""

from dataclasses import dataclass, field

_FIRST_DELAY_S, _MAX_DELAY_S = 5.0, 300.0


def delay_after(failures: int, longest: float = _MAX_DELAY_S, first: float = _FIRST_DELAY_S) -> float:
    """Seconds to wait after that many failures in a row: 5, 10, 20 … up to the longest."""
    return float(min(first * 2 ** min(failures - 1, 20), longest))


@dataclass(slots=True)
class _Held:
    failures: int
    until: float


@dataclass(slots=True)
class ErrorBackoff:
    """Failures and the end of the delay, by cause. Times are seconds of a monotonic clock."""

    longest: float = _MAX_DELAY_S
    _held: dict[str, _Held] = field(default_factory=dict)

    def fail(self, cause: str, now: float) -> float:
        """Count a failure; returns when the delay ends. After a long time without one, counting starts again."""
        known = self._held.get(cause)
        failures = 1
        if known is not None and now < known.until + delay_after(known.failures, self.longest):
            failures = known.failures + 1
        self._drop_expired(now)
        until = now + delay_after(failures, self.longest)
        self._held[cause] = _Held(failures, until)
        return until

    def delayed(self, now: float) -> set[str]:
        """The causes that are delayed now."""
        return {cause for cause, one in self._held.items() if now < one.until}

    def seconds_to_next_end(self, now: float) -> float | None:
        """Seconds until the first delay ends; None if there is none."""
        return min((one.until - now for one in self._held.values() if now < one.until), default=None)

    def _drop_expired(self, now: float) -> None:
        self._held = {cause: one for cause, one in self._held.items() if now < one.until + self.longest}
