"""App-wide engine settings with their defaults."""

from dataclasses import dataclass, field
from datetime import timedelta

from scheduler.engine.fixer_config import FixerConfig
from scheduler.rules.report_periods import ReportInterval
from scheduler.timing.errors import BadScheduleError
from scheduler.timing.jitter import Jitter
from scheduler.timing.policies import Catchup, Overlap, Policies
from scheduler.user_text import UserText


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    concurrency: int = 4
    lookahead: timedelta = timedelta(seconds=60)
    """`spread` distributes missed runs over this span."""
    catchup_per_tick: int = 100
    backfill_per_tick: int = 10
    waiting_at_most: int = 1_000
    """A catch-up or backfill adds no rows while this many of its schedule are waiting."""
    catchup: Catchup = Catchup.ONE
    kept: timedelta | None = timedelta(days=365)
    """How long history is kept; None for forever."""
    jitter: Jitter | None = None
    """For schedules without their own."""
    buffer_limit: int = 1_000
    """How many times of a schedule may wait under `buffer_all`."""
    ping: str = ""
    """The connection through which a monitoring service learns that Dayhand runs; empty for none."""
    ping_every: timedelta = timedelta(minutes=5)
    report: ReportInterval = ReportInterval.OFF
    report_connection: str = ""
    """Through which reports are mailed; empty for none."""
    report_to: str = ""
    """To whom; empty for the sender of the connection."""
    fixer: FixerConfig = field(default_factory=FixerConfig)
    overlap: dict[str, Overlap] = field(default_factory=lambda: {"job": Overlap.SKIP, "producer": Overlap.BUFFER_ONE})

    def policies(self, kind: str) -> Policies:
        """The default policies for a handler of that kind."""
        if kind not in self.overlap:
            raise BadScheduleError(
                "kind",
                UserText(
                    "kind: {kind} is not known; choose one of {overlap}.",
                    kind=repr(kind),
                    overlap=", ".join(self.overlap),
                ),
            )
        return Policies(overlap=self.overlap[kind], catchup=self.catchup)
