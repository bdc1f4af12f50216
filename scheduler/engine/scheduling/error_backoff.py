"""What failed in an unexpected way is left alone for a while, longer each time, so that no failure becomes a loop."""

from dataclasses import dataclass, field

_FIRST_S, _LONGEST_S = 5.0, 300.0


def delay_after(failures: int, longest: float = _LONGEST_S, first: float = _FIRST_S) -> float:
    """Seconds to wait after so many failures in a row: 5, 10, 20 … and never more than the longest."""
    return float(min(first * 2 ** min(failures - 1, 20), longest))


@dataclass(slots=True)
class _Held:
    failures: int
    until: float


@dataclass(slots=True)
class Backoff:
    """By cause: how often it failed, and until when nobody tries again. Times are seconds of a monotonic clock."""

    longest: float = _LONGEST_S
    _held: dict[str, _Held] = field(default_factory=dict)

    def fail(self, cause: str, now: float) -> float:
        """It failed once more; until when it is held back. After a long time without a failure it begins anew."""
        known = self._held.get(cause)
        failures = 1
        if known is not None and now < known.until + delay_after(known.failures, self.longest):
            failures = known.failures + 1
        self._forget_old(now)
        until = now + delay_after(failures, self.longest)
        self._held[cause] = _Held(failures, until)
        return until

    def held(self, now: float) -> set[str]:
        """The causes that are held back now."""
        return {cause for cause, one in self._held.items() if now < one.until}

    def next_end(self, now: float) -> float | None:
        """Seconds until the first of them may be tried again; None where nothing is held back."""
        return min((one.until - now for one in self._held.values() if now < one.until), default=None)

    def _forget_old(self, now: float) -> None:
        self._held = {cause: one for cause, one in self._held.items() if now < one.until + self.longest}
