"""The general-purpose scheduler for Python programs: schedules in a file of their own, handlers in the program.

It knows nothing of workflows, and needs neither Qt nor a network. `resources/library.md` is its guide.
"""

from scheduler.engine.queries.counters import Counters, DriftCount
from scheduler.engine.queries.schedules import ScheduleState
from scheduler.library.errors import (
    CommandRefusedError,
    InvalidScheduleError,
    SchedulerError,
    SchedulerStateError,
    StaleVersionError,
    StopRequestedError,
    StoreFileError,
    StoreInUseError,
    UnknownScheduleError,
)
from scheduler.library.scheduler import Scheduler
from scheduler.library.values import BackfillProgress, DueRun, RunRecord, ScheduleInfo, ScheduleSummary
from scheduler.timing.occurrences import OccurrenceOrigin, OccurrenceState
from scheduler.timing.policies import Catchup, Overlap

__all__ = [
    "BackfillProgress",
    "Catchup",
    "CommandRefusedError",
    "Counters",
    "DriftCount",
    "DueRun",
    "InvalidScheduleError",
    "OccurrenceOrigin",
    "OccurrenceState",
    "Overlap",
    "RunRecord",
    "ScheduleInfo",
    "ScheduleState",
    "ScheduleSummary",
    "Scheduler",
    "SchedulerError",
    "SchedulerStateError",
    "StaleVersionError",
    "StopRequestedError",
    "StoreFileError",
    "StoreInUseError",
    "UnknownScheduleError",
]
