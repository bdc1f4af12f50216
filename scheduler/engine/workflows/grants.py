"""Commands on permissions and connections; each resumes the runs that waited for it."""

import sqlite3
from datetime import datetime
from typing import Any

from scheduler.connections.registry import Registry
from scheduler.engine.channels import stored_rules
from scheduler.engine.context import EngineContext
from scheduler.engine.errors import RefusedError
from scheduler.engine.idempotency import run_once
from scheduler.engine.lookup import find_workflow
from scheduler.engine.runs import user_requests
from scheduler.engine.script_plan import ScriptPlans
from scheduler.rules.failures import FailureClass
from scheduler.rules.requests import RequestKind
from scheduler.store import connections, grants, mutations, requests, runs
from scheduler.store.grants import Grant, GrantKind
from scheduler.user_text import UserText
from scheduler.workers.tool_scan import find_tool_uses


def allow(db: sqlite3.Connection, workflow: str, connection: str, tool: str, now: datetime) -> None:
    """Grant a tool and resume the runs that waited for it."""
    grants.add(db, Grant(workflow, "", connection, tool, GrantKind.PERMISSION, now))
    user_requests.resume_waiting(db, RequestKind.PERMISSION, f"{workflow} {connection} {tool}", now)


class GrantCommands:
    """For the engine's thread only."""

    def __init__(self, context: EngineContext, plans: ScriptPlans, registry: Registry) -> None:
        self._context = context
        self._plans = plans
        self._registry = registry

    def grant(
        self,
        workflow: str,
        connection: str | None = None,
        tool: str | None = None,
        *,
        idempotency_key: str | None = None,
    ) -> dict[str, Any]:
        """Allow a workflow to use a tool, all tools of a connection, or all that its script uses."""

        def act(db: sqlite3.Connection, now: datetime) -> dict[str, Any]:
            row = find_workflow(db, workflow)
            plan = self._plans.current(db, row.slug)
            used = {(use.connection, use.tool) for use in find_tool_uses(plan.source) if use.connection and use.tool}
            chosen = {one for one in used if connection in (None, one[0]) and tool in (None, one[1])}
            if connection is not None and tool is not None:
                chosen.add((connection, tool))
            if not chosen:
                raise RefusedError("unknown", UserText("{name} does not use that.", name=row.name))
            granted = sorted((str(name), str(what)) for name, what in chosen)
            for name, what in granted:
                allow(db, row.slug, name, what, now)
            return {"workflow": row.slug, "grants": [{"connection": name, "tool": what} for name, what in granted]}

        return run_once(self._context, "grant", workflow, idempotency_key, act)

    def revoke(
        self,
        workflow: str,
        connection: str | None = None,
        tool: str | None = None,
        *,
        idempotency_key: str | None = None,
    ) -> dict[str, Any]:
        """Revoke permissions and standing approvals."""

        def act(db: sqlite3.Connection, _: datetime) -> dict[str, Any]:
            row = find_workflow(db, workflow)
            number = grants.revoke(db, row.slug, connection=connection, tool=tool)
            if not number:
                raise RefusedError("unknown", UserText("{name} has no such permission.", name=row.name))
            return {"workflow": row.slug, "revoked": number}

        return run_once(self._context, "revoke", workflow, idempotency_key, act)

    def save_connection(
        self, name: str, settings: dict[str, Any], *, idempotency_key: str | None = None
    ) -> dict[str, Any]:
        """Store tested settings of a connection and resume the runs that waited for it."""

        def act(db: sqlite3.Connection, now: datetime) -> dict[str, Any]:
            moved = self._points_elsewhere(db, name, settings)
            connections.save(db, name, settings, now)
            revoked = grants.revoke_approvals(db, name) if moved else 0
            stored_rules.turn_on_new(db, self._registry, name)
            if moved:
                stored_rules.start_over(db, name)
            user_requests.resume_waiting(db, RequestKind.RECONNECT, name, now)
            for mutation in mutations.list_uncheckable(db, name):
                mutations.schedule_check(db, mutation.run, now, counts=False)
            sentence = UserText("{name} is connected.", name=name)
            if revoked:
                sentence = UserText(
                    "{name} is now connected to something else, so actions you had always allowed will ask again.",
                    name=name,
                )
            return {"connection": name, "sentence": sentence}

        return run_once(self._context, "connect", name, idempotency_key, act)

    def _points_elsewhere(self, db: sqlite3.Connection, name: str, settings: dict[str, Any]) -> bool:
        """Whether the new settings mean another account or folder than the old ones."""
        before = connections.find(db, name)
        endpoint = self._registry.connector_of(name).endpoint
        return endpoint({} if before is None else before.settings) != endpoint(settings)

    def remove_connection(self, name: str, *, idempotency_key: str | None = None) -> dict[str, Any]:
        def act(db: sqlite3.Connection, _: datetime) -> dict[str, Any]:
            if not connections.remove(db, name):
                raise RefusedError("unknown", UserText("There is no connection {name}.", name=name))
            grants.revoke_approvals(db, name)  # a new connection of that name may be another account
            stored_rules.forget(db, name)
            return {"connection": name, "sentence": UserText("{name} is disconnected.", name=name)}

        return run_once(self._context, "disconnect", name, idempotency_key, act)

    def resume_keyring_waits(self) -> None:
        """Resume the runs that waited for the keyring."""
        db = self._context.database.read()
        if not runs.list_waiting_for(db, FailureClass.TRANSIENT, user_requests.KEYRING_SUBJECT) and not any(
            one.kind is RequestKind.KEYRING for one in requests.list_open(db)
        ):
            return

        def act(db: sqlite3.Connection, now: datetime) -> dict[str, Any]:
            user_requests.resume_waiting(db, RequestKind.KEYRING, user_requests.KEYRING_SUBJECT, now)
            return {}

        run_once(self._context, "keyring", user_requests.KEYRING_SUBJECT, None, act)
