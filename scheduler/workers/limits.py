"""How much a script may take."""

from dataclasses import dataclass

MEGABYTE = 1 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    memory: int = 2048 * MEGABYTE
    """Address space of a worker, in bytes. Commands that a job runs are not counted."""
    message: int = 16 * MEGABYTE
    """The largest message from a script to the host, in bytes."""
    inputs: int = 96 * MEGABYTE
    """The largest message from the host to a script: all that a phase may get, each part of which has its limit."""
    output: int = MEGABYTE
    """How much of one phase's output is kept, in bytes."""
    grace: float = 3.0
    """Seconds between asking a script to end and ending it."""
    start: float = 60.0
    """Seconds that loading a script may take."""
