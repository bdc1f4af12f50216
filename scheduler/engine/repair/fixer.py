"""What a fixer is, and how its answer is read."""

import re
from typing import Protocol

from scheduler.engine.fixing.problem import Problem

LARGEST = 1_000_000
_FENCED = re.compile(r"```(?:python|py)?[ \t]*\n(.*?)```", re.DOTALL)


class FixerFailedError(Exception):
    """No answer that could be a script; the sentence says why."""


class NotAskedError(FixerFailedError):
    """Nobody heard the question, so it does not count; asking again at once would not help."""


class SpentError(FixerFailedError):
    """What the repair may cost is used up: asking again would not help."""


class GivenUpError(Exception):
    """The app is closing, or the repair is not wanted any longer."""


class Fixer(Protocol):
    """For one repair, with all its attempts."""

    def mend(self, problem: Problem, seconds: float) -> str:
        """A new script, within so many seconds; FixerFailedError if none came, GivenUpError if nobody waits for it."""

    def give_up(self) -> None:
        """From any thread: whoever waits for an answer does so no longer."""


def read_script(answer: str) -> str:
    """The script in an answer: the longest fenced block, or all of it if there is none."""
    if len(answer) > LARGEST:
        raise FixerFailedError("The fixer answered with more than a script can have.")
    blocks = _FENCED.findall(answer)
    script: str = max(blocks, key=len) if blocks else answer
    if "dayhand" not in script:
        raise FixerFailedError("The fixer did not answer with a script.")
    return script.strip() + "\n"
