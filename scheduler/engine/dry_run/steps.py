"""The result of a dry run: its steps, with similar ones grouped. Pure."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from scheduler.rules.phases import RunStatus

MAX_SIMILAR = 20
"""Runs of one kind that are listed one by one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DryRunAction:
    """An outside action that was not carried out."""

    connection: str
    tool: str
    parameters: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class DryRunStep:
    """One run of the dry run, or several similar ones."""

    at: datetime
    handler: str
    status: str
    summary: str | None
    error: str | None
    asked: str | None
    """What the user would have been asked first."""
    questions: tuple[tuple[str, Any], ...] = ()
    """What the script would have asked the user, with the answers that were assumed."""
    action: DryRunAction | None
    commands: tuple[tuple[str, ...], ...]
    log: str
    traceback: str = ""
    """Where the script failed."""
    times: int = 1
    """How many similar runs; `until` is the time of the last."""
    until: datetime

    @property
    def is_quiet(self) -> bool:
        """Whether there is nothing to report."""
        contents = (self.summary, self.error, self.asked, self.questions, self.action, self.commands, self.log.strip())
        return self.status == RunStatus.COMMITTED.value and not any(contents)

    @property
    def kind(self) -> tuple[Any, ...]:
        """Equal for steps that differ only in their texts."""
        tool = None if self.action is None else (self.action.connection, self.action.tool)
        asks = bool(self.asked), bool(self.questions)
        return self.handler, self.status, self.is_quiet, *asks, tool, bool(self.commands)


@dataclass(frozen=True, slots=True, kw_only=True)
class DryRunResult:
    workflow: str
    steps: tuple[DryRunStep, ...]
    waits: tuple[str, ...]
    """Why runs were waiting at the end, one sentence each."""
    warnings: tuple[str, ...]
    began: datetime
    ended: datetime
    """In simulated time."""
    is_cut: bool
    """Whether it ended at the maximum number of runs."""
    goes_on: datetime | None
    """The next time it would have run."""
    pending: Mapping[str, int]
    """By topic: the events that no consumer has taken."""


def group_similar(steps: Iterable[DryRunStep]) -> Iterator[DryRunStep]:
    """List the first similar steps one by one, and the rest as one step with a count."""
    counts: Counter[tuple[Any, ...]] = Counter()
    rest: dict[tuple[Any, ...], DryRunStep] = {}
    for step in _group_quiet(steps):
        kind = step.kind
        counts[kind] += 1
        if counts[kind] <= MAX_SIMILAR:
            yield step
        else:
            rest[kind] = _add(rest.get(kind), step)
    yield from rest.values()


def _group_quiet(steps: Iterable[DryRunStep]) -> Iterator[DryRunStep]:
    """Group the quiet runs of each handler until something happens."""
    quiet: dict[str, DryRunStep] = {}
    for step in steps:
        if step.is_quiet:
            quiet[step.handler] = _add(quiet.get(step.handler), step)
        else:
            yield from quiet.values()
            quiet.clear()
            yield step
    yield from quiet.values()


def _add(first: DryRunStep | None, step: DryRunStep) -> DryRunStep:
    return step if first is None else replace(first, times=first.times + step.times, until=step.until)
