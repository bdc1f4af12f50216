"""The verbs that only look."""

import json
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from app.desk.floor import Floor
from app.desk.plain import plain
from scheduler.connections.registry import parse_name
from scheduler.engine.refusal import RefusedError
from scheduler.engine.workflows.views.history import Found
from scheduler.rules.states import WorkflowState
from scheduler.timing.instants import parse_instant
from scheduler.timing.zones import find_zone

_MAX_LISTED = 100_000
"""Characters of one request in a list."""
_PIECE = 500_000


class Reading:
    def __init__(self, floor: Floor) -> None:
        self._floor = floor

    def list(self, state: str | None = None, tag: str | None = None) -> dict[str, Any]:
        if state is not None and state not in list(WorkflowState):
            raise RefusedError("state", f"There is no state {state}. Choose one of: {', '.join(WorkflowState)}.")
        wanted = None if state is None else WorkflowState(state)
        return {"workflows": plain(self._floor.views.workflows(state=wanted, tag=tag))}

    def show(self, workflow: str) -> dict[str, Any]:
        shown: dict[str, Any] = plain(self._floor.views.workflow(workflow))
        return shown

    def next(self, workflow: str | None = None, count: int = 10) -> dict[str, Any]:
        return {"next": plain(self._floor.views.next_times(workflow, count))}

    def history(  # noqa: PLR0913  as many as the person may narrow by
        self,
        *,
        workflow: str | None = None,
        handler: str | None = None,
        status: str | None = None,
        since: str | None = None,
        until: str | None = None,
        text: str = "",
        cursor: str | None = None,
        count: int = 50,
    ) -> dict[str, Any]:
        wanted = Found(
            workflow=workflow,
            handler=handler,
            status=status,
            since=self._time(since, "since"),
            until=self._time(until, "until", end_of_day=True),
            text=text,
        )
        page: dict[str, Any] = plain(self._floor.views.history(wanted, cursor, count))
        return page

    def run_show(self, run: str) -> dict[str, Any]:
        shown: dict[str, Any] = plain(self._floor.views.run(run))
        return shown

    def logs(self, run: str, since: int = 0) -> dict[str, Any]:
        part: dict[str, Any] = plain(self._floor.views.log(run, since))
        return part

    def follow_logs(self, run: str) -> Iterator[dict[str, Any] | None]:
        """The log as it grows, until the run ends or waits."""
        since, text = 0, []
        while True:
            part = self._floor.views.log(run, since)
            since = part.part
            if part.text:
                text.append(part.text)
                yield {"piece": {"text": part.text}}
            if part.is_over:
                yield {"answer": {"run": part.run, "text": "".join(text), "part": since, "is_over": True}}
                return
            yield None

    def stats(self, workflow: str | None = None, since: str | None = None) -> dict[str, Any]:
        counted: dict[str, Any] = plain(self._floor.views.statistics(workflow, self._time(since, "since")))
        return counted

    def attention(self) -> dict[str, Any]:
        """A call that is too large for a list is left out there, and its size said; `request_show` has all of it."""
        return {"requests": [_fit(plain(one)) for one in self._floor.views.attention()]}

    def request_show(self, request: str) -> Iterator[dict[str, Any] | None]:
        """One request in full, as pieces of its JSON: it may be larger than one message."""
        text = json.dumps(plain(self._floor.views.request(request)))
        for start in range(0, len(text), _PIECE):
            yield {"piece": {"text": text[start : start + _PIECE]}}
        yield {"answer": {"characters": len(text)}}

    def versions(self, workflow: str) -> dict[str, Any]:
        return {"versions": plain(self._floor.views.versions(workflow))}

    def diff(self, workflow: str, old: int | None = None, new: int | None = None) -> dict[str, Any]:
        difference: dict[str, Any] = plain(self._floor.views.difference(workflow, old, new))
        return difference

    def connections(self) -> dict[str, Any]:
        return {"connections": plain(self._floor.views.connections())}

    def fields(self, name: str, settings: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """What a connection of that name is made of: its fields, what is set, and which secrets are kept.

        With settings, only the fields that count beside them.
        """
        connector = self._floor.registry.connector(parse_name(name)[0])
        row = next((one for one in self._floor.views.connections() if one.connection == name), None)
        known = {} if row is None else row.settings
        is_connected = row is not None and row.is_connected
        kept = [one.name for one in connector.fields if is_connected and one.secret and one.name not in known]
        defaults = {one.name: one.default for one in connector.fields if one.default is not None}
        given = {**defaults, **known, **(settings or {})}
        counting = connector.fields if settings is None else [one for one in connector.fields if one.counts(given)]
        return {
            "connection": name,
            "title": connector.title,
            "signs_in": connector.oauth is not None and connector.oauth.wanted(given),
            "fields": plain(counting),
            "settings": known,
            "kept": kept,
        }

    def _time(self, text: str | None, field: str, *, end_of_day: bool = False) -> datetime | None:
        if text is None:
            return None
        return parse_instant(text, field, find_zone(self._floor.zone), end_of_day=end_of_day)


def _fit(request: dict[str, Any]) -> dict[str, Any]:
    """Without what makes it too large, and with how much that is."""
    omitted = {}
    for key in ("sentence", "ui", "call"):
        size = len(json.dumps(request[key]))
        if size > _MAX_LISTED:
            omitted[key] = size
    if not omitted:
        return request
    short = {"sentence": (request["sentence"] or "")[:_MAX_LISTED], "ui": None}
    if "call" in omitted:
        short["call"] = {**request["call"], "parameters": None}
    return {**request, **{key: short[key] for key in omitted}, "omitted": omitted}
