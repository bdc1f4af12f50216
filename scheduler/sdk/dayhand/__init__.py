"""The package that workflow scripts import: define a workflow, its topics, producers, consumers and jobs.

A script is a file with one `Workflow`, which Dayhand runs on schedule; see the guide. This package has no dependencies
and runs on Python 3.9 and later.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._context import Context, JobContext, MutateContext, NextContext, PrepareContext, ProducerContext
from ._description import describe
from ._errors import BadReturn, CommandFailed, Misuse
from ._events import Event, Nothing, Prepared, Topic, nothing, prepared
from ._questions import Question, ask
from ._workflow import Workflow

__all__ = [
    "BadReturn",
    "CommandFailed",
    "Context",
    "Event",
    "JobContext",
    "Misuse",
    "MutateContext",
    "NextContext",
    "Nothing",
    "PrepareContext",
    "Prepared",
    "ProducerContext",
    "Question",
    "Topic",
    "Workflow",
    "ask",
    "describe",
    "nothing",
    "prepared",
]

if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        if name.startswith("_"):  # asked for by Python and tools, and by `from dayhand import _module`
            raise AttributeError(name)
        from ._package_names import explain_missing_attribute  # noqa: PLC0415  only needed for mistakes

        raise AttributeError(explain_missing_attribute(name))
