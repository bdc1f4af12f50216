"""A query for the history, the same from the search field to the SQL, and what it finds besides runs."""

import re
import unicodedata
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from scheduler.rules.handler_ids import handler_id
from scheduler.rules.phases import Refusal, RunStatus
from scheduler.timing.occurrences import OccurrenceState

_NO_LIMIT = 2**62
FOLLOWED = "followed"
"""The shown status of a waiting attempt that another one replaced; its stored status still says that it waits."""
STATUS_WORDS: dict[str, tuple[str, ...]] = {
    "done": (RunStatus.COMMITTED,),
    "committed": (RunStatus.COMMITTED, *Refusal),
    "succeeded": (RunStatus.COMMITTED, OccurrenceState.SUCCEEDED),
    "failed": (RunStatus.LOGIC, RunStatus.INTERNAL, RunStatus.CRASHED, FOLLOWED, OccurrenceState.FAILED),
    "waiting": (RunStatus.APPROVAL, RunStatus.RECONCILIATION),
    "waiting for you": (RunStatus.APPROVAL,),
    "checking": (RunStatus.RECONCILIATION,),
    "interrupted": (RunStatus.CRASHED,),
    "stopped": (RunStatus.CANCELLED, OccurrenceState.CANCELLED),
    "retrying": (RunStatus.TRANSIENT,),
    "running": (RunStatus.ACTIVE,),
    "started": (RunStatus.ACTIVE, OccurrenceState.STARTED),
    "replaced": (OccurrenceState.COALESCED,),
}
"""Words for statuses, in addition to the stored ones."""
_WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryQuery:
    """What runs and planned times must match; empty fields match anything."""

    workflow: str | None = None
    handler: str | None = None
    statuses: tuple[str, ...] = ()
    """Any of these: stored statuses, or words such as "waiting"."""
    since: datetime | None = None
    until: datetime | None = None
    text: str = ""
    trigger: str | None = None
    """What started it: an occurrence's origin, or "event"."""
    reason_texts: tuple[tuple[str, str], ...] = ()
    """Reasons and their texts in the user's language, so that the search finds them."""

    @property
    def words(self) -> tuple[str, ...]:
        """All must be found: in a run, as the beginning of a word."""
        return split_words(self.text)

    @property
    def stored_statuses(self) -> tuple[str, ...]:
        return tuple(str(stored) for status in self.statuses for stored in STATUS_WORDS.get(status, (status,)))

    @property
    def matches_nothing(self) -> bool:
        """Whether there is a text without any word."""
        return bool(self.text) and not self.words


class HistoryCursor(NamedTuple):
    """The start of a page: before that run, and before that planned time that did not run."""

    number: int = _NO_LIMIT
    planned: int = _NO_LIMIT
    schedule: str = ""
    """Of several planned for the same instant, before this one."""


class RunRange(NamedTuple):
    """Run numbers, both ends included."""

    low: int
    high: int


@dataclass(frozen=True, slots=True, kw_only=True)
class QuietRuns:
    """Consecutive runs of one day with nothing to report."""

    first: datetime
    last: datetime
    number: int
    runs: RunRange
    workflows: tuple[str, ...]
    is_unfolded: bool = False
    """Each of them follows as a row of its own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NotRunTime:
    """A planned time that did not run, or several in a row with the same reason."""

    workflow: str
    handler: str
    planned: datetime
    until: datetime | None = None
    """The last of several."""
    number: int = 1
    more: bool = False
    """There were more than were counted."""
    state: str
    reason: str | None
    sentence: str
    job: str = ""
    """The name of the job, if its workflow has more than that."""

    @property
    def schedule(self) -> str:
        return handler_id(self.workflow, self.handler)


def split_words(text: str) -> tuple[str, ...]:
    """The words of a text, without case and accents."""
    plain = text.casefold()
    if not plain.isascii():
        decomposed = unicodedata.normalize("NFKD", plain)
        plain = "".join(letter for letter in decomposed if not unicodedata.combining(letter))
    return tuple(_WORD.findall(plain))
