"""What is told of a trial: its steps, those that are alike together. Pure."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from scheduler.rules.phases import Status

MOST_ALIKE = 20
"""So many runs of one kind are told one by one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Action:
    """What would have been done."""

    connection: str
    tool: str
    parameters: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One run of the trial."""

    at: datetime
    handler: str
    status: str
    summary: str | None
    error: str | None
    asked: str | None
    """What the person would have been asked first."""
    action: Action | None
    commands: tuple[tuple[str, ...], ...]
    log: str
    times: int = 1
    """How often it was so, or about so; `until` is the last."""
    until: datetime

    @property
    def is_quiet(self) -> bool:
        """Whether there is nothing to tell of it."""
        told = (self.summary, self.error, self.asked, self.action, self.commands, self.log.strip())
        return self.status == Status.COMMITTED.value and not any(told)

    @property
    def kind(self) -> tuple[Any, ...]:
        """The same for all that differ only in what they say."""
        tool = None if self.action is None else (self.action.connection, self.action.tool)
        return self.handler, self.status, self.is_quiet, bool(self.asked), tool, bool(self.commands)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tried:
    workflow: str
    steps: tuple[Step, ...]
    waits: tuple[str, ...]
    """What stood still at the end, and why, in sentences."""
    warnings: tuple[str, ...]
    began: datetime
    ended: datetime
    """In the time of the trial."""
    is_cut: bool
    """It would have gone on, with more runs than are tried."""
    goes_on: datetime | None
    """When it would have run next."""


def gather(steps: Iterable[Step]) -> Iterator[Step]:
    """Of many that are alike the first are told, and of the rest one, with how often it was so."""
    told: Counter[tuple[Any, ...]] = Counter()
    rest: dict[tuple[Any, ...], Step] = {}
    for step in _gather_quiet(steps):
        kind = step.kind
        told[kind] += 1
        if told[kind] <= MOST_ALIKE:
            yield step
        else:
            rest[kind] = _add(rest.get(kind), step)
    yield from rest.values()


def _gather_quiet(steps: Iterable[Step]) -> Iterator[Step]:
    """Quiet runs of one handler are told together, until something happens."""
    quiet: dict[str, Step] = {}
    for step in steps:
        if step.is_quiet:
            quiet[step.handler] = _add(quiet.get(step.handler), step)
        else:
            yield from quiet.values()
            quiet.clear()
            yield step
    yield from quiet.values()


def _add(first: Step | None, step: Step) -> Step:
    return step if first is None else replace(first, times=first.times + step.times, until=step.until)
