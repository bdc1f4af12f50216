"""One attempt while it is told: where it stands, what its script knows, and what it will leave behind."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, NamedTuple

from scheduler.engine.launcher import Work
from scheduler.engine.plans import Handler, Plan
from scheduler.rules.mutations import Mutation
from scheduler.rules.phases import Phase
from scheduler.store.events import EventRow
from scheduler.store.mutations import MutationRow
from scheduler.store.runs import RunRow
from scheduler.timing.occurrences import Origin

_PLANNED = frozenset({Origin.AUTOMATIC, Origin.BACKFILL})
"""Who asks for a time of the schedule; everyone else asks for now."""


class Published(NamedTuple):
    topic: str
    id: str
    title: str
    written: str
    """Its data, as the JSON that will be stored: a tenth of what it takes as objects."""


@dataclass(slots=True, kw_only=True)
class Attempt:
    row: RunRow
    """As it was stored when it began or went on."""
    plan: Plan
    handler: Handler
    work: Work
    state: dict[str, Any]
    last: Any = None
    """What the handler's last committed run gave."""
    sequence: int = 0
    """The workflow's sequence when it began."""
    phase: Phase
    prepared: dict[str, Any] | None = None
    outcome: Any = None
    outcome_word: str = "none"
    """What `next` is told of the outside action: applied, skipped or none."""
    waiting: dict[str, Any] = field(default_factory=dict)
    """By topic: the first events that waited when it began, handed over with prepare."""
    published: list[Published] = field(default_factory=list)
    summary: str | None = None
    blames: str | None = None
    """What its failure is about, such as a connection."""

    def release(self) -> None:
        """It is over: let go of all that may be large, without waiting for a collection of garbage."""
        self.row = self.row._replace(prepared=None, outcome=None)
        self.prepared = self.outcome = self.last = None
        self.state, self.waiting, self.published = {}, {}, []

    @property
    def id(self) -> str:
        return self.row.id

    @property
    def workflow(self) -> str:
        return self.row.workflow

    @property
    def subject(self) -> str:
        return f"{self.row.workflow}/{self.row.handler}"

    def facts(self, now: datetime) -> dict[str, Any]:
        """What every phase may know."""
        planned = self.work.planned if self.row.trigger in _PLANNED else None
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
    """The one call that a run makes outside."""

    connection: str
    tool: str
    parameters: Mapping[str, Any]
    line: int | None = None
    target: Any = None
    """The object that it would change, as its tool identified it: the host says this, never the script."""
    endpoint: Mapping[str, str] | None = None
    """What the connection leads to, as the host says; None if it is not connected, or has nothing to choose."""
    _hash: list[str] = field(default_factory=list, init=False, repr=False, compare=False)
    """Kept once it is known: it takes a copy of all parameters as text."""

    @classmethod
    def read(cls, told: Mapping[str, Any]) -> "OutsideCall":
        """As a script asks for it."""
        return cls(
            connection=told["connection"], tool=told["tool"], parameters=told["parameters"], line=told.get("line")
        )

    @classmethod
    def load(cls, stored: Mapping[str, Any]) -> "OutsideCall":
        """As it was shown."""
        return replace(cls.read(stored), target=stored.get("target"), endpoint=stored.get("endpoint"))

    def write(self) -> dict[str, Any]:
        """As the person is shown it."""
        shown = {"connection": self.connection, "tool": self.tool, "parameters": dict(self.parameters)}
        pinned = {"target": self.target, "endpoint": None if self.endpoint is None else dict(self.endpoint)}
        return {**shown, **{name: value for name, value in pinned.items() if value is not None}}

    @property
    def hash(self) -> str:
        """What a yes holds for: exactly this call, on exactly this object, of exactly this account or folder."""
        if not self._hash:
            self._hash.append(hashlib.sha256(json.dumps(self.write(), sort_keys=True).encode()).hexdigest())
        return self._hash[0]

    def key_for(self, chain: str) -> str:
        """The same for every attempt of the chain at this very call."""
        return hashlib.sha256(f"{chain}:{self.hash}".encode()).hexdigest()[:32]

    def note(self, run: RunRow, key: str, status: Mutation, now: datetime) -> MutationRow:
        """As it is written down: before it is made, or in its place."""
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
            settled=None if status is Mutation.IN_FLIGHT else now,
        )


def tell_event(event: EventRow) -> dict[str, Any]:
    """An event as scripts get it; its data stays the text that it is until a script reads it."""
    return {
        "id": event.id,
        "title": event.title,
        "data": event.written,
        "topic": event.topic,
        "published_at": event.published.isoformat(),
    }
