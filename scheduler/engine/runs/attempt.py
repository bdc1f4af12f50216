"""One attempt in memory: its progress, what its script gets, and what it will publish. Knows no threads or workers."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, NamedTuple

from dayhand import _protocol as protocol

from scheduler.engine.scheduling.launcher import Work
from scheduler.engine.script_plan import HandlerPlan, ScriptPlan
from scheduler.rules.failures import Failure, FailureClass
from scheduler.rules.handler_ids import handler_id
from scheduler.rules.mutations import MutationStatus
from scheduler.rules.phases import Refusal, RunPhase
from scheduler.store.events import EventRow
from scheduler.store.mutations import MutationRow
from scheduler.store.runs import RunRow
from scheduler.timing.occurrences import OccurrenceOrigin
from scheduler.user_text import UserText

_SCHEDULED_ORIGINS = frozenset({OccurrenceOrigin.AUTOMATIC, OccurrenceOrigin.BACKFILL})
"""Triggers with a planned time; all others mean now."""
MAX_TITLES = 3
"""Named in the summary of what a producer found."""


class PublishedEvent(NamedTuple):
    topic: str
    id: str
    title: str
    written: str
    """Its data as stored JSON, which takes a tenth of the memory of the objects."""


@dataclass(slots=True, kw_only=True)
class Attempt:
    row: RunRow
    """As stored when the attempt started or resumed."""
    plan: ScriptPlan
    handler: HandlerPlan
    work: Work
    state: dict[str, Any]
    last: Any = None
    """The result of the handler's last committed run."""
    sequence: int = 0
    """The workflow's event sequence at the start."""
    phase: RunPhase
    prepared: dict[str, Any] | None = None
    outcome: Any = None
    action_status: str = "none"
    """The outside action as `next` sees it: applied, skipped or none."""
    call_made: dict[str, Any] | None = None
    """The call as it was made, which the user may have changed; for `next`."""
    reason: str | None = None
    """Why it was rejected, for `next`."""
    refusal: Refusal | None = None
    first_events: dict[str, Any] = field(default_factory=dict)
    """By topic: the first pending events, sent along with prepare."""
    published: list[PublishedEvent] = field(default_factory=list)
    found: list[str] = field(default_factory=list)
    """The titles of the first events it published that were new or changed."""
    found_count: int = 0
    """How many of those there were."""
    summary: str | None = None
    problem: str | None = None
    """What the script reports to the user; empty if it reports that all is well, None if it says nothing."""
    default_summary: str | None = None
    """What the user sees of a run that commits if the script says nothing itself."""
    failure_subject: str | None = None
    """What the failure is about, such as a connection."""

    def add_found(self, title: str) -> None:
        self.found_count += 1
        if title and len(self.found) < MAX_TITLES:
            self.found.append(title)

    def release(self) -> None:
        """Drop everything that may be large without waiting for garbage collection."""
        self.row = self.row._replace(prepared=None, outcome=None)
        self.prepared = self.outcome = self.last = self.call_made = None
        self.state, self.first_events, self.published = {}, {}, []

    @property
    def id(self) -> str:
        return self.row.id

    @property
    def workflow(self) -> str:
        return self.row.workflow

    @property
    def subject(self) -> str:
        return handler_id(self.row.workflow, self.row.handler)

    def prepare_inputs(self) -> dict[str, Any]:
        return {"state": self.state, "waiting": self.first_events}

    def next_inputs(self) -> dict[str, Any]:
        return {
            "prepared": self.prepared,
            "result": self.outcome,
            "outcome": self.action_status,
            "call_made": self.call_made,
            "reason": self.reason,
            "state": self.state,
        }

    def facts(self, now: datetime) -> dict[str, Any]:
        """The facts that every phase gets."""
        planned = self.work.planned if self.row.trigger in _SCHEDULED_ORIGINS else None
        return {
            "now": now.isoformat(),
            "planned": None if planned is None else planned.isoformat(),
            "key": self.row.chain,
            "origin": self.row.trigger,
            "attempt": self.row.attempt,
            "last": self.last,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class OutsideCall:
    """The one outside call of a run."""

    connection: str
    tool: str
    parameters: Mapping[str, Any]
    target: Any = None
    """The object it would change, as identified by the tool on the host; never given by the script."""
    endpoint: Mapping[str, str] | None = None
    """What the connection points to, as determined by the host; None if not connected or without settings."""
    _hash: list[str] = field(default_factory=list, init=False, repr=False, compare=False)
    """Cached: computing it serializes all parameters."""

    @classmethod
    def from_message(cls, message: Mapping[str, Any]) -> "OutsideCall":
        """From a script's message."""
        return cls(
            connection=message["connection"],
            tool=message["tool"],
            parameters=message["parameters"],
        )

    @classmethod
    def from_stored(cls, stored: Mapping[str, Any]) -> "OutsideCall":
        """From a stored request or mutation."""
        return replace(cls.from_message(stored), target=stored.get("target"), endpoint=stored.get("endpoint"))

    def to_json(self) -> dict[str, Any]:
        """As stored and as shown to the user."""
        pinned = {"target": self.target, "endpoint": None if self.endpoint is None else dict(self.endpoint)}
        return {**self.to_script(), **{name: value for name, value in pinned.items() if value is not None}}

    def to_script(self) -> dict[str, Any]:
        """As `next` sees it: without what only the host knows."""
        return {"connection": self.connection, "tool": self.tool, "parameters": dict(self.parameters)}

    @property
    def hash(self) -> str:
        """What an approval covers: exactly this call on this object in this account or folder."""
        if not self._hash:
            self._hash.append(hashlib.sha256(json.dumps(self.to_json(), sort_keys=True).encode()).hexdigest())
        return self._hash[0]

    def make_idempotency_key(self, chain: str) -> str:
        """The idempotency key: the same for every attempt of the chain at this call."""
        return hashlib.sha256(f"{chain}:{self.hash}".encode()).hexdigest()[:32]

    def to_mutation_row(
        self,
        run: RunRow,
        key: str,
        status: MutationStatus,
        now: datetime,
        *,
        asked: "OutsideCall | None" = None,
        reason: str | None = None,
    ) -> MutationRow:
        """The mutation row, written before the call is made or instead of it. `asked`: what the script wanted."""
        is_edited = asked is not None and asked.parameters != self.parameters
        return MutationRow(
            run=run.id,
            workflow=run.workflow,
            connection=self.connection,
            tool=self.tool,
            parameters=self.parameters,
            key=key,
            status=status,
            begun=now,
            target=self.target,
            endpoint=self.endpoint,
            settled=None if status is MutationStatus.IN_FLIGHT else now,
            asked=asked.parameters if asked is not None and is_edited else None,
            reason=reason,
        )


def event_for_script(event: EventRow) -> dict[str, Any]:
    """An event as scripts get it; its data stays JSON text until a script reads it."""
    return {
        "id": event.id,
        "title": event.title,
        "data": event.data_json,
        "topic": event.topic,
        "published_at": event.published.isoformat(),
    }


class AttemptFailedError(Exception):
    """An attempt cannot continue. `subject` names what the failure is about, such as a connection."""

    def __init__(self, failure: Failure, subject: str | None = None) -> None:
        super().__init__(failure.sentence)
        self.failure = failure
        self.subject = subject

    @classmethod
    def because(cls, kind: FailureClass, sentence: str, subject: str | None = None) -> "AttemptFailedError":
        return cls(Failure(kind=kind, sentence=sentence), subject)


class StoppedError(Exception):
    """A stop was requested and the script has ended."""


class EventsSkippedError(Exception):
    """Events that prepare wanted to reserve were skipped while it ran."""


def no_pending_event(attempt: Attempt, topic: str, identity: str) -> AttemptFailedError:
    """The script wants to reserve an event that is not there."""
    sentence = UserText(
        "There is no pending event {identity} in {topic} to reserve. Reserve only what ctx.peek returned.",
        identity=repr(identity),
        topic=topic,
    )
    failure = Failure(kind=FailureClass.LOGIC, sentence=sentence)
    return AttemptFailedError(failure.with_location(attempt.plan.path, attempt.handler.line_of(protocol.PREPARE)))
