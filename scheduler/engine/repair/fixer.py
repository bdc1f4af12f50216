"""The interface of a fixer, its errors, and how its answer is read."""

import re
from typing import Protocol

from scheduler.engine.repair.failure_report import FailureReport
from scheduler.user_text import UserText

MAX_ANSWER_LETTERS = 1_000_000
_FENCED = re.compile(r"```(?:python|py)?[ \t]*\n(.*?)```", re.DOTALL)


class FixerFailedError(Exception):
    """The fixer gave no script; the sentence says why."""


class FixerUnreachableError(FixerFailedError):
    """The fixer was never reached, so the attempt does not count; retrying at once would not help."""


class BudgetSpentError(FixerFailedError):
    """The repair's budget is used up: retrying would not help."""


class RepairCancelledError(Exception):
    """The repair was cancelled, or the app is closing."""


class Fixer(Protocol):
    """Serves one repair with all its attempts."""

    def repair(self, problem: FailureReport, seconds: float) -> str:
        """A new script within that many seconds. Raises FixerFailedError, or RepairCancelledError after `cancel`."""

    def cancel(self) -> None:
        """Cancel a running `repair`, from any thread."""


def read_script(answer: str) -> str:
    """The script in an answer: the longest fenced block, or the whole answer if there is none."""
    if len(answer) > MAX_ANSWER_LETTERS:
        raise FixerFailedError(UserText("The fixer's answer is too long for a script."))
    blocks = _FENCED.findall(answer)
    script: str = max(blocks, key=len) if blocks else answer
    if "dayhand" not in script:
        raise FixerFailedError(UserText("The fixer did not answer with a script."))
    return script.strip() + "\n"
