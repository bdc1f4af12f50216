"""Verbs that run, pause, deploy, archive and backfill: each is one command of the engine."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any

from scheduler.engine.api.backend import Backend
from scheduler.engine.api.json_values import to_json
from scheduler.engine.clock import SystemClock
from scheduler.engine.errors import RefusedError
from scheduler.engine.queries.runs import RunStatusView
from scheduler.engine.workflows.deployment import DeployOptions
from scheduler.rules.handler_ids import split_target
from scheduler.timing.occurrences import OccurrenceState
from scheduler.timing.policies import Overlap
from scheduler.timing.time_expressions import Direction, parse_time
from scheduler.timing.zones import find_zone
from scheduler.user_text import add_full_stop

_STARTING_S = 2.0
"""How long a run may be queued before its wait is reported."""


class CommandApi:
    def __init__(self, backend: Backend) -> None:
        self._backend = backend

    def deploy(  # noqa: PLR0913  one per option of the command
        self,
        path: str,
        source: str,
        *,
        check: bool = False,
        grant: bool = False,
        replace: bool = False,
        paused: bool = False,
        watch: bool | None = None,
        idempotency_key: str | None = None,
    ) -> dict[str, Any]:
        validated = self._backend.validate(path, source)
        if check:
            return {
                "workflow": validated.slug,
                "version": None,
                "schedules": to_json(validated.schedules),
                "warnings": list(validated.warnings),
                "permissions": to_json(self._backend.queries.permissions_of_script(validated)),
                "checked": True,
            }
        options = DeployOptions(replace=replace, paused=paused, grant=grant, watch=watch)
        answer: dict[str, Any] = to_json(
            self._backend.execute(
                lambda runtime: runtime.workflow_commands.deploy(validated, options, idempotency_key=idempotency_key)
            )
        )
        return answer

    def run(
        self,
        target: str,
        *,
        when_finished: bool = False,
        overlap: str | None = None,
        idempotency_key: str | None = None,
    ) -> dict[str, Any]:
        workflow, handler = split_target(target)
        chosen = _parse_overlap(overlap)
        return self._backend.execute(
            lambda runtime: runtime.workflow_commands.run(
                workflow, handler, when_finished=when_finished, overlap=chosen, idempotency_key=idempotency_key
            )
        )

    def run_and_wait(
        self,
        target: str,
        *,
        when_finished: bool = False,
        overlap: str | None = None,
        idempotency_key: str | None = None,
    ) -> Iterator[dict[str, Any] | None]:
        """Waits for the runs it starts, not for consumers that follow; stops waiting when the user is needed."""
        started = self.run(target, when_finished=when_finished, overlap=overlap, idempotency_key=idempotency_key)
        yield {"piece": started}
        said: dict[str, Any] = {}
        clock = SystemClock()
        began = clock.monotonic()
        while True:
            found = self._backend.queries.run_statuses(started["runs"])
            for run, one in zip(started["runs"], found, strict=True):
                if one.status == OccurrenceState.QUEUED and clock.monotonic() - began < _STARTING_S:
                    continue  # most start at once
                progress = self._view_progress(split_target(target)[0], one)
                if said.get(run) != progress:
                    said[run] = progress
                    yield {"piece": {"progress": progress}}
            if all(one.is_over or one.needs_person for one in found):
                break
            yield None
        answer: dict[str, Any] = {**started, "results": to_json(found)}
        unfinished = [one for one in found if one.status != "committed"]
        if unfinished:
            one = unfinished[0]
            code = "needs a person" if one.needs_person else "failed"
            text = one.error or one.asked or one.summary or "It did not finish."
            answers = f" Answer: {' | '.join(one.how)}" if one.how else ""
            details = f"{answers} Details: dayhand runs show {one.id}"
            answer["error"] = {"code": code, "message": f"{add_full_stop(text)}{details}"}
        yield {"answer": answer}

    def _view_progress(self, workflow: str, one: RunStatusView) -> dict[str, Any]:
        """What a run does or waits for now; a queued one waits for what its workflow waits for."""
        is_queued = one.status == OccurrenceState.QUEUED
        progress: dict[str, Any] = to_json(
            {
                "id": one.id,
                "status": one.status,
                "attempt": one.attempt,
                "error": one.error,
                "resume_at": one.resume_at,
                "waits_for": self._backend.queries.workflow(workflow).words if is_queued else None,
            }
        )
        return progress

    def stop(self, target: str, *, kill: bool = False, idempotency_key: str | None = None) -> dict[str, Any]:
        return self._backend.execute(
            lambda runtime: runtime.workflow_commands.stop(target, kill=kill, idempotency_key=idempotency_key)
        )

    def pause(
        self,
        target: str | None = None,
        *,
        everything: bool = False,
        note: str | None = None,
        until: str | None = None,
        idempotency_key: str | None = None,
    ) -> dict[str, Any]:
        end = self._parse_end(until)
        if everything or target is None:
            return self._backend.execute(
                lambda runtime: runtime.workflow_commands.pause_all(end, note=note, idempotency_key=idempotency_key)
            )
        workflow, handler = split_target(target)
        return self._backend.execute(
            lambda runtime: runtime.workflow_commands.pause(
                workflow, handler, note=note, until=end, idempotency_key=idempotency_key
            )
        )

    def resume(
        self, target: str | None = None, *, everything: bool = False, idempotency_key: str | None = None
    ) -> dict[str, Any]:
        if everything or target is None:
            return self._backend.execute(
                lambda runtime: runtime.workflow_commands.resume_all(idempotency_key=idempotency_key)
            )
        workflow, handler = split_target(target)
        return self._backend.execute(
            lambda runtime: runtime.workflow_commands.resume(workflow, handler, idempotency_key=idempotency_key)
        )

    def skip_next(self, target: str, *, idempotency_key: str | None = None) -> dict[str, Any]:
        workflow, handler = split_target(target)
        return self._backend.execute(
            lambda runtime: runtime.workflow_commands.skip_next(workflow, handler, idempotency_key=idempotency_key)
        )

    def backfill(
        self,
        target: str,
        start: str | None = None,
        end: str | None = None,
        *,
        ranges: list[Any] | None = None,
        overlap: str | None = None,
        missing: bool = False,
        idempotency_key: str | None = None,
    ) -> dict[str, Any]:
        """One range, from `start` to `end`, or several as pairs."""
        workflow, handler = split_target(target)
        spans = self._parse_ranges([(start, end)] if ranges is None else ranges)
        chosen = _parse_overlap(overlap)
        return self._backend.execute(
            lambda runtime: runtime.workflow_commands.backfill(
                workflow, handler, spans, overlap=chosen, missing=missing, idempotency_key=idempotency_key
            )
        )

    def cancel_backfill(self, target: str, *, idempotency_key: str | None = None) -> dict[str, Any]:
        workflow, handler = split_target(target)
        return self._backend.execute(
            lambda runtime: runtime.workflow_commands.cancel_backfill(
                workflow, handler, idempotency_key=idempotency_key
            )
        )

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
        return self._backend.execute(
            lambda runtime: runtime.event_commands.publish(
                workflow, topic, identity, title=title, data=data, idempotency_key=idempotency_key
            )
        )

    def skip_event(
        self, workflow: str, topic: str, identity: str, *, idempotency_key: str | None = None
    ) -> dict[str, Any]:
        return self._backend.execute(
            lambda runtime: runtime.event_commands.skip(workflow, topic, identity, idempotency_key=idempotency_key)
        )

    def rollback(
        self,
        workflow: str,
        version: int | None = None,
        *,
        current: int | None = None,
        idempotency_key: str | None = None,
    ) -> dict[str, Any]:
        return self._backend.execute(
            lambda runtime: runtime.workflow_commands.rollback(
                workflow, version, current=current, idempotency_key=idempotency_key
            )
        )

    def archive(self, workflow: str, *, idempotency_key: str | None = None) -> dict[str, Any]:
        return self._backend.execute(
            lambda runtime: runtime.workflow_commands.archive(workflow, idempotency_key=idempotency_key)
        )

    def remove(self, workflow: str, *, idempotency_key: str | None = None) -> dict[str, Any]:
        return self._backend.execute(
            lambda runtime: runtime.workflow_commands.remove(workflow, idempotency_key=idempotency_key)
        )

    def watch(self, workflow: str, *, on: bool, idempotency_key: str | None = None) -> dict[str, Any]:
        return self._backend.execute(
            lambda runtime: runtime.workflow_commands.watch(workflow, on=on, idempotency_key=idempotency_key)
        )

    def _parse_ranges(self, ranges: Sequence[Any]) -> list[tuple[datetime, datetime]]:
        zone, now = find_zone(self._backend.zone), self._backend.now()
        found = []
        for one in ranges:
            match one:
                case [str(start), str(end)]:
                    first = parse_time(start, "from", zone, now, Direction.PAST)
                    found.append((first, parse_time(end, "until", zone, now, Direction.PAST, end_of_day=True)))
                case _:
                    raise RefusedError("arguments", "A range is a start and an end.")
        return found

    def _parse_end(self, until: str | None) -> datetime | None:
        if until is None:
            return None
        return parse_time(until, "until", find_zone(self._backend.zone), self._backend.now(), Direction.FUTURE)


def _parse_overlap(overlap: str | None) -> Overlap | None:
    if overlap is not None and overlap not in list(Overlap):
        raise RefusedError("overlap", f"There is no overlap policy {overlap}. Choose one of: {', '.join(Overlap)}.")
    return None if overlap is None else Overlap(overlap)
