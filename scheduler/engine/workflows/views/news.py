"""What happened since somebody last looked: runs that began or moved on."""

from collections.abc import Collection
from dataclasses import dataclass

from scheduler.engine.workflows.views.look import Look
from scheduler.engine.workflows.views.runs import RunView, view_run
from scheduler.store import history, runs, standings

_MOST = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class News:
    runs: tuple[RunView, ...]
    """The oldest first."""
    number: int
    """From where on to look the next time."""


def find(look: Look, after: int, watched: Collection[str]) -> News:
    """The runs made after that number, and those watched, as they are now."""
    fresh = history.find_runs_after(look.db, after, _MOST)
    known = [row for row in (runs.find(look.db, one) for one in watched) if row is not None]
    told = [*(view_run(row) for row in known), *(view_run(row) for row in fresh)]
    return News(runs=tuple(told), number=fresh[-1].number if fresh else after)


def last_number(look: Look) -> int:
    """Of the newest run there is."""
    return history.last_number(look.db)


def is_quiet(look: Look) -> bool:
    """Nothing runs, waits to run, or is due. A pause of everything lets nothing start."""
    paused = look.everything_paused_until
    if paused is not None and look.now < paused:
        return not runs.active(look.db)
    return not standings.is_anything_to_do(look.db, look.now)
