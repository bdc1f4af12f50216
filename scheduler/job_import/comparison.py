"""The next times of a job, as its old scheduler and as Dayhand would start it."""

from dataclasses import dataclass
from datetime import datetime
from itertools import islice

from scheduler.job_import.result import Job, TranslationResult, Untranslated
from scheduler.timing.description import describe_schedule
from scheduler.timing.spec import ScheduleSpec
from scheduler.timing.zones import find_zone
from scheduler.user_text import UserText

TIMES_SHOWN = 10
_TIME_SETTINGS = ("every", "cron", "calendar", "once", "timezone", "start_at", "end_at")


@dataclass(frozen=True, slots=True, kw_only=True)
class TimesComparison:
    words: str
    """Our schedule in words."""
    old: tuple[datetime, ...] | None
    """None if the old scheduler has no times of its own to compare, such as an interval."""
    new: tuple[datetime, ...]

    @property
    def is_same(self) -> bool | None:
        return None if self.old is None else self.old == self.new


def compare_times(job: Job, machine_zone: str, after: datetime) -> TimesComparison:
    """The times after that instant, which is a whole second."""
    given = {name: job.settings[name] for name in _TIME_SETTINGS if name in job.settings}
    spec = ScheduleSpec.read(given, machine_zone=machine_zone, now=after)
    return TimesComparison(
        words=describe_schedule(spec, viewer_zone=machine_zone),
        old=None if job.old is None else tuple(islice(job.old(after, find_zone(machine_zone)), TIMES_SHOWN)),
        new=tuple(spec.compile(machine_zone).upcoming(after, TIMES_SHOWN)),
    )


def drop_expired(found: TranslationResult, machine_zone: str, after: datetime) -> TranslationResult:
    """Move jobs without a future time to those that are not imported: they cannot be deployed."""
    expired = [job for job in found.jobs if not compare_times(job, machine_zone, after).new]
    reason = UserText("Its last time is over.")
    left = [Untranslated(place=job.place, line=job.line, text=job.text, reason=reason) for job in expired]
    return TranslationResult(tuple(job for job in found.jobs if job not in expired), (*found.left, *left))
