"""What a person may set for the whole app, with its defaults."""

from dataclasses import dataclass, field
from datetime import timedelta

from scheduler.engine.fixing.choice import FixerChoice
from scheduler.timing.errors import BadScheduleError
from scheduler.timing.policies import Catchup, Overlap, Policies


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    concurrency: int = 4
    lookahead: timedelta = timedelta(seconds=60)
    """Over this span `spread` lays out what was missed."""
    catchup_per_tick: int = 100
    backfill_per_tick: int = 10
    waiting_at_most: int = 1_000
    """A catch-up or backfill stops making rows while so many of its schedule wait."""
    catchup: Catchup = Catchup.ONE
    kept: timedelta | None = timedelta(days=365)
    """How long history is kept; None is for ever."""
    jitter: str | None = None
    fixer: FixerChoice = field(default_factory=FixerChoice)
    overlap: dict[str, Overlap] = field(default_factory=lambda: {"job": Overlap.SKIP, "producer": Overlap.BUFFER_ONE})

    def policies(self, kind: str) -> Policies:
        """The defaults for a schedule of a handler of that kind."""
        if kind not in self.overlap:
            raise BadScheduleError("kind", f"kind: {kind!r} is not known; choose one of {', '.join(self.overlap)}.")
        return Policies(overlap=self.overlap[kind], catchup=self.catchup)
