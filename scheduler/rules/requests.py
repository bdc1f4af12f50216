"""Requests to the user: for every kind what it blocks, which answers it takes, and the command for each. Pure.

A new kind of request starts here; `app/requests/labels.py` has its words.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from scheduler.rules.failures import FailureClass
from scheduler.user_text import UserText


class RequestKind(StrEnum):
    APPROVAL = "approval"
    QUESTION = "question"
    """The script asks something that it needs to know before it acts."""
    PERMISSION = "permission"
    RECONNECT = "reconnect"
    KEYRING = "keyring"
    """The keyring is locked or missing; whatever waits for it resumes when it is back."""
    UNSURE = "unsure"
    """The outside action may or may not have happened."""
    INTERRUPTED = "interrupted"
    """Dayhand ended in the middle of a job."""
    SCRIPT_ERROR = "script error"
    RUN_FAILED = "run failed"
    """A scheduled run failed. Nothing waits for it: the job goes on, or its schedule was paused."""
    RUN_INTERRUPTED = "run interrupted"
    """Dayhand ended in the middle of a job, which goes on at its next time."""
    PROBLEM = "problem"
    """A script reports something that the user should look at. Nothing waits for it."""
    PING_FAILED = "ping failed"
    """A monitoring service could not be told about runs."""
    OVERDUE = "overdue"
    """A schedule has not succeeded for longer than its script expects."""
    UNUSUAL_DURATION = "unusual duration"
    """A run takes, or took, longer or shorter than its script expects."""
    FIX = "fix"
    """A repair of a failed script waits for approval."""
    REPAIRED = "repaired"
    """A repair was applied without asking, as the user chose; it can be kept or rolled back."""
    TOO_MANY_FAILURES = "too many failures"
    INTERNAL = "internal"
    """A bug in Dayhand."""

    @property
    def slug(self) -> str:
        """As the command line and JSON write it."""
        return self.value.replace(" ", "-")

    @classmethod
    def from_slug(cls, slug: str) -> "RequestKind":
        return cls(slug.replace("-", " "))


class Block(StrEnum):
    """Why nothing of a lane may start. All but the first two need the user."""

    RETRYING = "retrying"
    """A transient failure that is retried without the user."""
    BACKING_OFF = "backing off"
    """A job failed; its next run waits a while, then starts without the user."""
    RECONNECT = "reconnect"
    PERMISSION = "permission"
    UNSURE = "unsure"
    """It is unknown whether the outside action happened."""
    INTERRUPTED = "interrupted"
    """Dayhand ended in the middle of a job."""
    SCRIPT_ERROR = "script error"
    TOO_MANY_FAILURES = "too many failures"
    INTERNAL = "internal"


class RequestAction(StrEnum):
    """What the user can do about a request."""

    APPROVE = "approve"
    EDIT_CALL = "edit-call"
    """Change the call, and approve it as it is then."""
    ANSWER = "answer"
    """Answer the questions of a script."""
    REJECT = "reject"
    ALWAYS = "always"
    """Approve, and do not ask about the same thing again."""
    RECONNECT = "reconnect"
    HAPPENED = "happened"
    NOT_HAPPENED = "not-happened"
    SKIP = "skip"
    RETRY = "retry"
    RESUME = "resume"
    """Let it run at its next time."""
    REPAIR = "send"
    """Have the script repaired, after looking at what the fixer is sent."""
    EDIT = "edit"
    ROLLBACK = "rollback"
    SHOW_SENT = "sent"
    """Show what the fixer was sent."""
    OPEN = "open"
    SHOW_LOG = "log"
    """Show the run with its output."""
    DISMISS = "dismiss"
    """Stop showing it. What is stopped stays stopped."""


_COMMANDS = {
    RequestAction.APPROVE: ("dayhand approve {id}",),
    RequestAction.ANSWER: ("dayhand answer {id} ANSWER",),
    RequestAction.REJECT: ("dayhand reject {id}",),
    RequestAction.RECONNECT: ("dayhand connect {subject}",),
    RequestAction.HAPPENED: ("dayhand resolve {run} happened",),
    RequestAction.NOT_HAPPENED: ("dayhand resolve {run} not-happened",),
    RequestAction.SKIP: ("dayhand resolve {run} skip",),
    RequestAction.RETRY: ("dayhand retry {run}",),
    RequestAction.RESUME: ("dayhand resume {target}",),
    RequestAction.ROLLBACK: ("dayhand rollback {workflow}",),
    RequestAction.REPAIR: ("dayhand fix {run} --show", "dayhand fix {run}"),
    RequestAction.SHOW_LOG: ("dayhand logs {run}",),
    RequestAction.DISMISS: ("dayhand dismiss {id}",),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestSpec:
    actions: tuple[RequestAction, ...]
    """In the order in which they are offered; the first is what most users choose."""
    blocks: Block | None = None
    """How the lane is blocked until it is resolved."""
    raised_by: FailureClass | None = None
    """The failure that asks it."""
    shared_by: FailureClass | None = None
    """Asked once for every run that waits with this failure, of whatever workflow."""
    hint: str = ""
    """How to resolve it, for users who try to approve or reject it."""
    unblock: str = ""
    """What to do before the workflow can run."""

    @property
    def takes_yes_or_no(self) -> bool:
        return RequestAction.APPROVE in self.actions

    @property
    def can_be_rejected(self) -> bool:
        return RequestAction.REJECT in self.actions

    @property
    def asks_what_happened(self) -> bool:
        return RequestAction.HAPPENED in self.actions

    @property
    def can_be_dismissed(self) -> bool:
        return RequestAction.DISMISS in self.actions

    @property
    def is_report(self) -> bool:
        """Nothing waits for an answer."""
        return self.can_be_dismissed and self.blocks is None

    @property
    def concerns_repair(self) -> bool:
        return RequestAction.SHOW_SENT in self.actions


_WHAT_HAPPENED = (RequestAction.HAPPENED, RequestAction.NOT_HAPPENED, RequestAction.SKIP)
_CHANGE_SCRIPT = (RequestAction.REPAIR, RequestAction.EDIT, RequestAction.ROLLBACK)
_RUN_ENDED = (RequestAction.RETRY, RequestAction.SHOW_LOG, RequestAction.DISMISS)
_SHOWN = RequestSpec(
    actions=(RequestAction.DISMISS, RequestAction.OPEN), hint=UserText("Dismiss it: dayhand dismiss {id}")
)
"""Something to look at, until it is over."""

REQUESTS: dict[RequestKind, RequestSpec] = {
    RequestKind.APPROVAL: RequestSpec(
        actions=(RequestAction.APPROVE, RequestAction.EDIT_CALL, RequestAction.REJECT, RequestAction.ALWAYS)
    ),
    RequestKind.QUESTION: RequestSpec(
        actions=(RequestAction.ANSWER, RequestAction.REJECT),
        hint=UserText("Answer it: dayhand answer {id}"),
    ),
    RequestKind.PERMISSION: RequestSpec(
        actions=(RequestAction.APPROVE, RequestAction.REJECT),
        blocks=Block.PERMISSION,
        raised_by=FailureClass.PERMISSION,
        shared_by=FailureClass.PERMISSION,
        unblock=UserText("Answer first: dayhand attention"),
    ),
    RequestKind.RECONNECT: RequestSpec(
        actions=(RequestAction.RECONNECT,),
        blocks=Block.RECONNECT,
        raised_by=FailureClass.AUTH,
        shared_by=FailureClass.AUTH,
        hint=UserText("Reconnect the account: dayhand connect {subject}"),
        unblock=UserText("Reconnect the account first: dayhand attention"),
    ),
    RequestKind.KEYRING: RequestSpec(
        actions=(RequestAction.RETRY, RequestAction.OPEN),
        blocks=Block.RETRYING,
        shared_by=FailureClass.TRANSIENT,
        hint=UserText("Unlock the keyring and the run resumes, or try again: dayhand retry {run}"),
    ),
    RequestKind.UNSURE: RequestSpec(
        actions=_WHAT_HAPPENED,
        blocks=Block.UNSURE,
        raised_by=FailureClass.UNSURE,
        hint=UserText("Say whether it happened: dayhand resolve {run} happened, not-happened or skip"),
        unblock=UserText("First answer whether it happened: dayhand attention"),
    ),
    RequestKind.INTERRUPTED: RequestSpec(
        actions=_WHAT_HAPPENED,
        blocks=Block.INTERRUPTED,
        hint=UserText("Say whether it finished: dayhand resolve {run} happened, not-happened or skip"),
        unblock=UserText("First answer whether it finished: dayhand attention"),
    ),
    RequestKind.SCRIPT_ERROR: RequestSpec(
        actions=(RequestAction.RETRY, *_CHANGE_SCRIPT, RequestAction.OPEN, RequestAction.DISMISS),
        blocks=Block.SCRIPT_ERROR,
        raised_by=FailureClass.LOGIC,
        hint=UserText("Fix the script and deploy it, or try again: dayhand retry {run}"),
        unblock=UserText("Fix the script and deploy it again, or try again: dayhand retry {slug}"),
    ),
    RequestKind.RUN_FAILED: RequestSpec(
        actions=(*_RUN_ENDED, *_CHANGE_SCRIPT),
        hint=UserText("Run it again: dayhand retry {run}, or dismiss it: dayhand dismiss {id}"),
    ),
    RequestKind.RUN_INTERRUPTED: RequestSpec(
        actions=_RUN_ENDED,
        hint=UserText("Run it again: dayhand retry {run}, or dismiss it: dayhand dismiss {id}"),
    ),
    RequestKind.PROBLEM: _SHOWN,
    RequestKind.PING_FAILED: _SHOWN,
    RequestKind.OVERDUE: _SHOWN,
    RequestKind.UNUSUAL_DURATION: _SHOWN,
    RequestKind.FIX: RequestSpec(actions=(RequestAction.APPROVE, RequestAction.REJECT, RequestAction.SHOW_SENT)),
    RequestKind.REPAIRED: RequestSpec(actions=(RequestAction.APPROVE, RequestAction.REJECT, RequestAction.SHOW_SENT)),
    RequestKind.TOO_MANY_FAILURES: RequestSpec(
        actions=(RequestAction.RETRY, RequestAction.RESUME, RequestAction.SHOW_LOG, RequestAction.DISMISS),
        blocks=Block.TOO_MANY_FAILURES,
        hint=UserText("Run it again: dayhand retry {run}, or at its next time: dayhand resume {target}"),
        unblock=UserText("Try again: dayhand retry {slug}, or wait for its next time: dayhand resume {slug}"),
    ),
    RequestKind.INTERNAL: RequestSpec(
        actions=(RequestAction.RETRY, RequestAction.OPEN, RequestAction.DISMISS),
        blocks=Block.INTERNAL,
        raised_by=FailureClass.INTERNAL,
        hint=UserText("Try again: dayhand retry {run}"),
        unblock=UserText("Try again: dayhand retry {slug}"),
    ),
}


ENDED_BY_DEPLOY = (
    RequestKind.PROBLEM,
    RequestKind.PING_FAILED,
    RequestKind.OVERDUE,
    RequestKind.UNUSUAL_DURATION,
)
"""What a new script may have solved; if not, it is asked again."""
WAITS_FOR_TIME = frozenset({Block.RETRYING, Block.BACKING_OFF})
"""Blocks that end without the user."""


def request_for_failure(failure: FailureClass) -> RequestKind | None:
    """What the user is asked after such a failure; None if it is retried without them."""
    return next((kind for kind, spec in REQUESTS.items() if spec.raised_by is failure), None)


def unblock_hint(block: Block) -> str:
    """What to do before a blocked workflow can run; with `{slug}` for the workflow."""
    if block in WAITS_FOR_TIME:
        return UserText("It will be retried automatically; to retry now: dayhand retry {slug}")
    return next(spec.unblock for spec in REQUESTS.values() if spec.blocks is block)


def list_commands(actions: Iterable[RequestAction]) -> tuple[str, ...]:
    """What to type for each, with `{id}`, `{run}`, `{subject}`, `{workflow}` and `{target}` to fill in."""
    return tuple(command for action in actions for command in _COMMANDS.get(action, ()))
