"""What a worker runs: a version of a script, and one phase of it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Script:
    """What a worker runs."""

    workflow: str
    version: int
    path: str
    source: str
    python: str | None = None
    """The Python that runs it; None is the app's own."""
    is_fenced: bool = True
    """Whether it is kept from what `dayhand._fence` names; who runs the person's commands cannot be."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Phase:
    """One phase of one handler, with what it is given."""

    handler: str
    name: str
    """producer, prepare, mutate, next or job."""
    inputs: Mapping[str, Any]
    """state, prepared (with its events), result, outcome: what the phase takes."""
    facts: Mapping[str, Any]
    """now, planned (ISO 8601), key, origin, attempt, last."""
    seconds: float
    """Its time limit."""
    goes_on: bool = False
    """For prepare: mutate follows by itself, unless there is nothing to do; `Worker.follow` waits for it."""
