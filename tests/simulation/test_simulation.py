"""Months on a simulated desktop: whatever happens, the invariants hold and everything finishes.

`python -m tests.simulation` runs more and longer ones, and shortens a story that fails.
"""

import logging
from collections.abc import Iterator

import pytest

from tests.simulation.simulation import live_through, shorten
from tests.simulation.story import Step, tell_story

_DAYS = 30


@pytest.fixture(autouse=True)
def _without_log() -> Iterator[None]:
    """The stories are full of failures, each with its traceback in the log."""
    logging.disable(logging.CRITICAL)
    yield
    logging.disable(logging.NOTSET)


@pytest.mark.parametrize("seed", range(20))
def test_the_invariants_hold_over_a_month(seed: int) -> None:
    story = tell_story(seed, _DAYS)
    ending = live_through(story)
    assert ending.failure is None, f"python -m tests.simulation --seed {seed} --days {_DAYS} tells: {ending.failure}"


def test_a_story_happens_the_same_way_again() -> None:
    """A seed that fails can be looked at again."""
    story = tell_story(1, 8)
    assert str(tell_story(1, 8)) == str(story)
    assert live_through(story).digest == live_through(story).digest != ""


def test_a_failing_story_is_shortened_to_what_it_needs() -> None:
    story = tell_story(3, 4)
    broken = Step("no_such_step", {})
    failing = [*story, broken]
    ending = live_through(failing)
    assert ending.failure is not None
    assert shorten(failing, ending.failure) == [broken]
