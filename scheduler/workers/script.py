"""A version of a script, one phase of it, and the limits a worker puts on it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

MEGABYTE = 1 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Script:
    """One version of a workflow's script."""

    workflow: str
    version: int
    path: str
    source: str
    python: str | None = None
    """The Python that runs it; None is the app's own."""
    is_sandboxed: bool = True
    """Whether it runs in `dayhand._sandbox`; scripts with jobs cannot, since they run the user's commands."""
    is_awaited: bool = False
    """Whether the user waits for it: it is not slowed down, even while the window is in use."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PhaseCall:
    """One phase of one handler with its inputs."""

    handler: str
    name: str
    """producer, prepare, mutate, next or job."""
    inputs: Mapping[str, Any]
    """state, prepared (with its events), result, outcome, call_made, reason: whichever the phase takes."""
    facts: Mapping[str, Any]
    """now, planned (ISO 8601), key, origin, attempt, last."""
    seconds: float
    """The time limit."""
    continues: bool = False
    """For prepare: the worker continues with mutate unless there is nothing to do.

    `Worker.expect_next_phase` waits for it.
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    memory: int = 2048 * MEGABYTE
    """Address space of a worker, in bytes. Commands run by jobs are not counted."""
    message: int = 16 * MEGABYTE
    """The largest message from a script to the host, in bytes."""
    inputs: int = 96 * MEGABYTE
    """The largest message from the host to a script: all inputs of a phase, each of which has its own limit."""
    output: int = MEGABYTE
    """How much of a phase's output is kept, in bytes."""
    grace: float = 3.0
    """Seconds between asking a script to end and killing it."""
    start: float = 30.0
    """Seconds that loading a script may take."""
