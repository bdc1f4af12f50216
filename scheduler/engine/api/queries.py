"""Verbs that only read."""

import json
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, time, timedelta
from typing import Any

from scheduler.engine.api.backend import Backend
from scheduler.engine.api.json_values import to_json
from scheduler.engine.errors import RefusedError
from scheduler.rules.history_query import HistoryQuery
from scheduler.rules.workflow_state import WorkflowState
from scheduler.timing.time_expressions import Direction, parse_time
from scheduler.timing.zones import find_zone

_MAX_LISTED_CHARS = 100_000
"""Of each part of a request in a list."""
_PIECE_CHARS = 500_000


class QueryApi:
    def __init__(self, backend: Backend) -> None:
        self._backend = backend

    def list(self, state: str | None = None, tag: str | None = None) -> dict[str, Any]:
        if state is not None and state not in list(WorkflowState):
            raise RefusedError("state", f"There is no state {state}. Choose one of: {', '.join(WorkflowState)}.")
        wanted = None if state is None else WorkflowState(state)
        return {"workflows": to_json(self._backend.queries.workflows(state=wanted, tag=tag))}

    def imported_jobs(self) -> dict[str, Any]:
        """Jobs of other schedulers that were imported before, and the slugs of all workflows."""
        queries = self._backend.queries
        return {"jobs": to_json(queries.imported_jobs()), "taken": list(queries.names())}

    def show(self, workflow: str) -> dict[str, Any]:
        shown: dict[str, Any] = to_json(self._backend.queries.workflow(workflow))
        return shown

    def next(self, workflow: str | None = None, count: int = 10, after: str | None = None) -> dict[str, Any]:
        """Of all workflows, or of WORKFLOW or WORKFLOW/HANDLER."""
        later_than = self._parse_time(after, "after", Direction.FUTURE)
        return {"next": to_json(self._backend.queries.next_times(workflow, count, later_than))}

    def schedules(self, workflow: str | None = None) -> dict[str, Any]:
        return {"schedules": to_json(self._backend.queries.schedule_entries(workflow))}

    def schedule_show(self, schedule: str) -> dict[str, Any]:
        shown: dict[str, Any] = to_json(self._backend.queries.schedule_report(schedule))
        return shown

    def history(  # noqa: PLR0913  one per filter
        self,
        *,
        workflow: str | None = None,
        handler: str | None = None,
        status: str | None = None,
        since: str | None = None,
        until: str | None = None,
        on: str | None = None,
        text: str = "",
        cursor: str | None = None,
        count: int = 50,
    ) -> dict[str, Any]:
        """`on` is one day, instead of `since` and `until`."""
        if on is not None and (since, until) != (None, None):
            raise RefusedError("on", "Give either a day with --on, or --since and --until.")
        if on is not None and self._parse_time(on, "on") == self._parse_time(on, "on", end_of_day=True):
            raise RefusedError("on", f"on: {on!r} is not a day; write for example yesterday, tuesday or 2026-11-20.")
        query = HistoryQuery(
            workflow=workflow,
            handler=handler,
            statuses=() if status is None else (status,),
            since=self._parse_time(on or since, "on" if on else "since"),
            until=self._parse_time(on or until, "on" if on else "until", end_of_day=True),
            text=text,
        )
        page: dict[str, Any] = to_json(self._backend.queries.history(query, cursor, count))
        return page

    def run_show(self, run: str) -> dict[str, Any]:
        shown: dict[str, Any] = to_json(self._backend.queries.run(run))
        return shown

    def logs(self, run: str, since: int = 0) -> dict[str, Any]:
        part: dict[str, Any] = to_json(self._backend.queries.log(run, since))
        return part

    def follow_logs(self, run: str) -> Iterator[dict[str, Any] | None]:
        """The log as it grows, until the run ends or is waiting."""
        since, text = 0, []
        while True:
            part = self._backend.queries.log(run, since)
            since = part.part
            if part.text:
                text.append(part.text)
                yield {"piece": {"text": part.text}}
            if part.is_over:
                whole = {"run": part.run, "text": "".join(text), "part": since, "is_over": True}
                yield {"answer": {**whole, "traceback": part.traceback}}
                return
            yield None

    def stats(self, workflow: str | None = None, since: str | None = None) -> dict[str, Any]:
        counted: dict[str, Any] = to_json(self._backend.queries.statistics(workflow, self._parse_time(since, "since")))
        return counted

    def report(self, since: str | None = None, until: str | None = None) -> dict[str, Any]:
        """Of the last seven days, unless it says otherwise."""
        zone, now = find_zone(self._backend.zone), self._backend.now()
        end = self._parse_time(until, "until", end_of_day=True) or now
        first = datetime.combine(end.astimezone(zone).date() - timedelta(days=6), time(), zone)
        start = self._parse_time(since, "since") or first.astimezone(UTC)
        if start >= end:
            raise RefusedError("since", "The report ends before it begins: give --since a time before --until.")
        made: dict[str, Any] = to_json(self._backend.queries.report(start, end))
        return made

    def metrics(self) -> dict[str, Any]:
        return {"families": to_json(self._backend.queries.metrics(is_running=self._backend.is_running))}

    def attention(self) -> dict[str, Any]:
        """The open requests, and the workflows that need the user without one.

        Parts too large for a list are omitted, with their size; `request_show` returns them in full.
        """
        queries = self._backend.queries
        return {
            "requests": [_limit_size(to_json(one)) for one in queries.attention()],
            "workflows": to_json(queries.unasked()),
        }

    def request_show(self, request: str) -> Iterator[dict[str, Any] | None]:
        """One request in full, as pieces of JSON: it may exceed the size of a message."""
        text = json.dumps(to_json(self._backend.queries.request(request)))
        for start in range(0, len(text), _PIECE_CHARS):
            yield {"piece": {"text": text[start : start + _PIECE_CHARS]}}
        yield {"answer": {"characters": len(text)}}

    def versions(self, workflow: str) -> dict[str, Any]:
        return {"versions": to_json(self._backend.queries.versions(workflow))}

    def diff(self, workflow: str, old: int | None = None, new: int | None = None) -> dict[str, Any]:
        difference: dict[str, Any] = to_json(self._backend.queries.difference(workflow, old, new))
        return difference

    def connections(self) -> dict[str, Any]:
        return {"connections": to_json(self._backend.queries.connections())}

    def channels(self) -> dict[str, Any]:
        """What can carry questions and news to the user, with its rules."""
        return {"channels": to_json(self._backend.queries.channels())}

    def fields(self, name: str, settings: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """The fields of a connection, its settings, and which secrets are stored.

        With settings, only the fields that apply to them.
        """
        connector = self._backend.registry.connector_of(name)
        row = next((one for one in self._backend.queries.connections() if one.connection == name), None)
        known = {} if row is None else row.settings
        is_connected = row is not None and row.is_connected
        kept = [one.name for one in connector.fields if is_connected and one.secret and one.name not in known]
        defaults = {one.name: one.default for one in connector.fields if one.default is not None}
        given = {**defaults, **known, **(settings or {})}
        shown = connector.fields if settings is None else [one for one in connector.fields if one.is_used_with(given)]
        return {
            "connection": name,
            "title": connector.title,
            "signs_in": connector.oauth is not None and connector.oauth.is_needed(given),
            "fields": to_json(shown),
            "settings": known,
            "kept": kept,
        }

    def _parse_time(
        self, text: str | None, field: str, direction: Direction = Direction.PAST, *, end_of_day: bool = False
    ) -> datetime | None:
        if text is None:
            return None
        zone, now = find_zone(self._backend.zone), self._backend.now()
        return parse_time(text, field, zone, now, direction, end_of_day=end_of_day)


def _limit_size(request: dict[str, Any]) -> dict[str, Any]:
    """Omit parts that are too large, and add their sizes."""
    omitted = {}
    for key in ("sentence", "ui", "call"):
        size = len(json.dumps(request[key]))
        if size > _MAX_LISTED_CHARS:
            omitted[key] = size
    if not omitted:
        return request
    short = {"sentence": (request["sentence"] or "")[:_MAX_LISTED_CHARS], "ui": None}
    if "call" in omitted:
        short["call"] = {**request["call"], "parameters": None}
    return {**request, **{key: short[key] for key in omitted}, "omitted": omitted}
