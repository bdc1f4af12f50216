"""What a workflow may use, and what it reaches it through: allowed, connected, and gone on with what waited for it."""

import sqlite3
from datetime import datetime
from typing import Any

from scheduler.connections.registry import Registry, parse_name
from scheduler.engine.context import Context
from scheduler.engine.once import carry_out
from scheduler.engine.plans import Plans
from scheduler.engine.refusal import RefusedError
from scheduler.engine.runs import asking
from scheduler.engine.workflows.names import find_workflow
from scheduler.rules.failures import FailureClass
from scheduler.store import connections, grants, mutations, requests, runs
from scheduler.store.grants import Grant, GrantKind
from scheduler.store.requests import RequestKind
from scheduler.workers.discovery import find_tools


def allow(db: sqlite3.Connection, workflow: str, connection: str, tool: str, now: datetime) -> None:
    """From now on, and for whatever has been waiting for it."""
    grants.give(db, Grant(workflow, "", connection, tool, GrantKind.PERMISSION, now))
    asking.go_on_with(db, RequestKind.PERMISSION, f"{workflow} {connection} {tool}", now)


class Allowing:
    """Belongs to the engine's thread."""

    def __init__(self, context: Context, plans: Plans, registry: Registry) -> None:
        self._context = context
        self._plans = plans
        self._registry = registry

    def grant(
        self, workflow: str, connection: str | None = None, tool: str | None = None, *, request_id: str | None = None
    ) -> dict[str, Any]:
        """Allow a workflow to use a tool, all tools of a connection, or all that its script uses."""

        def act(db: sqlite3.Connection, now: datetime) -> dict[str, Any]:
            row = find_workflow(db, workflow)
            plan = self._plans.current(db, row.slug)
            used = {(use.connection, use.tool) for use in find_tools(plan.source) if use.connection and use.tool}
            wanted = {one for one in used if connection in (None, one[0]) and tool in (None, one[1])}
            if connection is not None and tool is not None:
                wanted.add((connection, tool))
            if not wanted:
                raise RefusedError("unknown", f"{row.name} uses nothing like that.")
            given = sorted((str(name), str(what)) for name, what in wanted)
            for name, what in given:
                allow(db, row.slug, name, what, now)
            return {"workflow": row.slug, "grants": [{"connection": name, "tool": what} for name, what in given]}

        return carry_out(self._context, "grant", workflow, request_id, act)

    def revoke(
        self, workflow: str, connection: str | None = None, tool: str | None = None, *, request_id: str | None = None
    ) -> dict[str, Any]:
        """Forbid it again, also what was to be done without asking."""

        def act(db: sqlite3.Connection, _: datetime) -> dict[str, Any]:
            row = find_workflow(db, workflow)
            number = grants.take_back(db, row.slug, connection=connection, tool=tool)
            if not number:
                raise RefusedError("unknown", f"{row.name} was not allowed anything like that.")
            return {"workflow": row.slug, "revoked": number}

        return carry_out(self._context, "revoke", workflow, request_id, act)

    def connected(self, name: str, settings: dict[str, Any], *, request_id: str | None = None) -> dict[str, Any]:
        """Keep the settings of a connection that were checked, and go on with all that waited for it."""

        def act(db: sqlite3.Connection, now: datetime) -> dict[str, Any]:
            moved = self._leads_elsewhere(db, name, settings)
            connections.save(db, name, settings, now)
            asked_again = grants.take_back_approvals(db, name) if moved else 0
            asking.go_on_with(db, RequestKind.RECONNECT, name, now)
            for mutation in mutations.out_of_reach(db, name):
                mutations.check_again(db, mutation.run, now, counts=False)
            sentence = f"{name} is connected."
            if asked_again:
                sentence = f"{name} is connected to something else now, so actions you had always allowed ask again."
            return {"connection": name, "sentence": sentence}

        return carry_out(self._context, "connect", name, request_id, act)

    def _leads_elsewhere(self, db: sqlite3.Connection, name: str, settings: dict[str, Any]) -> bool:
        """Whether these settings mean another account or folder than those before, if there were any."""
        before = connections.find(db, name)
        endpoint = self._registry.connector(parse_name(name)[0]).endpoint
        return endpoint({} if before is None else before.settings) != endpoint(settings)

    def disconnected(self, name: str, *, request_id: str | None = None) -> dict[str, Any]:
        def act(db: sqlite3.Connection, _: datetime) -> dict[str, Any]:
            if not connections.remove(db, name):
                raise RefusedError("unknown", f"There is no connection {name}.")
            grants.take_back_approvals(db, name)  # the next one of that name may be another account
            return {"connection": name, "sentence": f"{name} is disconnected."}

        return carry_out(self._context, "disconnect", name, request_id, act)

    def keyring_is_back(self) -> None:
        """The keyring answers again: everything that waited for it goes on."""
        db = self._context.database.read()
        if not runs.waiting_for(db, FailureClass.TRANSIENT, asking.KEYRING) and not any(
            one.kind is RequestKind.KEYRING for one in requests.list_open(db)
        ):
            return

        def act(db: sqlite3.Connection, now: datetime) -> dict[str, Any]:
            asking.go_on_with(db, RequestKind.KEYRING, asking.KEYRING, now)
            return {}

        carry_out(self._context, "keyring", asking.KEYRING, None, act)
