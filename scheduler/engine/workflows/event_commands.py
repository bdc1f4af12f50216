"""Events as people and other programs handle them: one handed to a workflow, one left out."""

import sqlite3
from datetime import datetime
from typing import Any

from dayhand import Misuse
from dayhand._values import check

from scheduler.engine.context import Context
from scheduler.engine.once import carry_out
from scheduler.engine.refusal import RefusedError
from scheduler.engine.workflows.names import find_workflow
from scheduler.store import events, handlers

_LARGEST = 1_000_000


class EventCommands:
    """As with all commands: the same request id again gets the first answer, and they belong to the engine's thread."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def publish(
        self, workflow: str, topic: str, identity: str, *, title: str = "", data: Any = None, request: str | None = None
    ) -> dict[str, Any]:
        """An event from another program."""

        def act(db: sqlite3.Connection, now: datetime) -> dict[str, Any]:
            row = find_workflow(db, workflow)
            known = handlers.topics(db, row.slug)
            if topic not in known:
                raise RefusedError("unknown", f"{row.name} has no topic {topic}. It has: {', '.join(sorted(known))}.")
            return {"news": events.publish(db, row.slug, topic, identity, title, data, now)}

        if not identity:
            raise RefusedError("id", "An event needs an id that makes it unique.")
        try:
            check({"id": identity, "title": title, "data": data}, "event")
        except Misuse as misuse:
            raise RefusedError("data", misuse.sentence) from misuse
        if len(str(data)) > _LARGEST:
            raise RefusedError("too large", "An event holds at most 1 MB; publish the path of a file instead.")
        return carry_out(self._context, "publish", workflow, request, act)

    def skip(self, workflow: str, topic: str, identity: str, *, request: str | None = None) -> dict[str, Any]:
        """Leave out one event that waits; what is being dealt with is no longer to be left out."""

        def act(db: sqlite3.Connection, _: datetime) -> dict[str, Any]:
            row = find_workflow(db, workflow)
            if not events.skip_pending(db, row.slug, topic, identity):
                raise RefusedError("not waiting", "It is being dealt with now, or was already; nothing was skipped.")
            return {"workflow": row.slug, "topic": topic, "id": identity}

        return carry_out(self._context, "skip event", workflow, request, act)
