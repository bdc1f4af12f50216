"""Commands on events: publish one into a workflow, skip a pending one."""

import sqlite3
from datetime import datetime
from typing import Any

from dayhand import Misuse
from dayhand._values import check

from scheduler.engine.context import EngineContext
from scheduler.engine.errors import RefusedError
from scheduler.engine.idempotency import run_once
from scheduler.engine.lookup import find_workflow
from scheduler.store import events, handlers
from scheduler.user_text import UserText

_MAX_SIZE = 1_000_000


class EventCommands:
    """For the engine's thread only. The same idempotency key again returns the first answer."""

    def __init__(self, context: EngineContext) -> None:
        self._context = context

    def publish(
        self,
        workflow: str,
        topic: str,
        identity: str,
        *,
        title: str = "",
        data: Any = None,
        idempotency_key: str | None = None,
    ) -> dict[str, Any]:
        """Publish an event from another program."""

        def act(db: sqlite3.Connection, now: datetime) -> dict[str, Any]:
            row = find_workflow(db, workflow)
            known = handlers.subscribed_topics(db, row.slug)
            if topic not in known:
                raise RefusedError(
                    "unknown",
                    UserText(
                        "{name} has no topic {topic}. It has: {known}.",
                        name=row.name,
                        topic=topic,
                        known=", ".join(sorted(known)),
                    ),
                )
            return {"news": events.publish(db, row.slug, topic, identity, title, data, now)}

        if not identity:
            raise RefusedError("id", UserText("An event needs a unique id."))
        try:
            check({"id": identity, "title": title, "data": data}, "event")
        except Misuse as misuse:
            raise RefusedError("data", misuse.sentence) from misuse
        if len(str(data)) > _MAX_SIZE:
            raise RefusedError(
                "too large", UserText("An event holds at most 1 MB; publish the path of a file instead.")
            )
        return run_once(self._context, "publish", workflow, idempotency_key, act)

    def skip(self, workflow: str, topic: str, identity: str, *, idempotency_key: str | None = None) -> dict[str, Any]:
        """Skip a pending event; one that is reserved cannot be skipped."""

        def act(db: sqlite3.Connection, _: datetime) -> dict[str, Any]:
            row = find_workflow(db, workflow)
            if not events.skip_pending(db, row.slug, topic, identity):
                raise RefusedError(
                    "not waiting", UserText("It is being processed or already was; nothing was skipped.")
                )
            return {"workflow": row.slug, "topic": topic, "id": identity}

        return run_once(self._context, "skip event", workflow, idempotency_key, act)
