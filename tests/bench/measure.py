"""Ratios, not times: each measurement alternates between ours and the peers and takes medians."""

import gc
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass, field

REPEATS = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """One line of the table. `ratio` is how many times better we are, unless there is an absolute limit."""

    name: str
    unit: str
    ours: float
    peers: dict[str, float] = field(default_factory=dict)
    against: str = ""
    target: float | None = None
    """The ratio to reach against the peer in `against`; without a peer, the limit to stay under."""

    @property
    def ratio(self) -> float | None:
        return self.peers[self.against] / self.ours if self.against else None

    @property
    def met(self) -> bool | None:
        if self.target is None:
            return None
        return self.ours <= self.target if self.ratio is None else self.ratio >= self.target


def alternate(work: dict[str, Callable[[], float]], repeats: int = REPEATS) -> dict[str, float]:
    """Run each once per round; returns the median of each."""
    results: dict[str, list[float]] = {name: [] for name in work}
    for _ in range(repeats):
        for name, measure in work.items():
            gc.collect()
            results[name].append(measure())
    return {name: statistics.median(values) for name, values in results.items()}


def measure_seconds(act: Callable[[], object]) -> float:
    """Run it; returns the seconds it took."""
    start = time.perf_counter()
    act()
    return time.perf_counter() - start


def percentile(values: list[float], share: float) -> float:
    ordered = sorted(values)
    return ordered[min(int(len(ordered) * share), len(ordered) - 1)]
