"""Dayhand without a face: schedules, runs and their memory. Nothing below here knows Qt.

`from scheduler import Scheduler` is the library for programmers, loaded only then.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from scheduler.library import Scheduler

__all__ = ["Scheduler", "__version__"]

__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    if name == "Scheduler":
        return import_module("scheduler.library").Scheduler
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
