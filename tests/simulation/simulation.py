"""Lets stories happen, checks after every step, and shortens those that fail."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.simulation.checks import StoryChecker
from tests.simulation.desktop import Desktop
from tests.simulation.story import Step

_MAX_TRIES = 400


@dataclass(frozen=True, slots=True, kw_only=True)
class Ending:
    """How a story ended."""

    failure: str | None
    after: int
    """How many steps were taken."""
    digest: str = ""
    """Of everything that was stored: the same for the same story."""


def live_through(story: Sequence[Step]) -> Ending:
    """Let the story happen on a new desktop, up to the first thing that is wrong."""
    with TemporaryDirectory() as folder:
        desktop = Desktop(Path(folder) / "data")
        checker = StoryChecker(desktop)
        taken = 0
        try:
            for step in story:
                taken += 1
                getattr(desktop, step.name)(**step.values)
                checker.check()
            checker.finish()
        except Exception as error:  # noqa: BLE001  a broken invariant, or a bug
            return Ending(failure=f"{type(error).__name__}: {error}", after=taken)
        finally:
            desktop.close()
        return Ending(failure=None, after=taken, digest=checker.digest)


def shorten(story: Sequence[Step], failure: str) -> list[Step]:
    """The story without the steps that its failure does not need; any failure of the same type counts."""
    kind, left, tries = failure.partition(":")[0], list(story), 0
    size = max(1, len(left) // 2)
    while size and tries < _MAX_TRIES:
        start, has_shrunk = 0, False
        while start < len(left) and tries < _MAX_TRIES:
            tries += 1
            without = left[:start] + left[start + size :]
            ending = live_through(without)
            if ending.failure is not None and ending.failure.partition(":")[0] == kind:
                left, has_shrunk = without[: ending.after], True
            else:
                start += size
        size = size if has_shrunk and size == 1 else size // 2
    return left
