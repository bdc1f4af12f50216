"""The verbs that change something, each one command of the engine."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from app.desk.floor import Floor
from app.desk.plain import plain
from scheduler.engine.refusal import RefusedError
from scheduler.engine.workflows.deploying import Wish
from scheduler.engine.workflows.names import split_target
from scheduler.engine.workflows.permissions import list_permissions
from scheduler.rules.sentences import finish
from scheduler.timing.instants import parse_instant
from scheduler.timing.policies import Overlap
from scheduler.timing.zones import find_zone


class Acting:
    def __init__(self, floor: Floor) -> None:
        self._floor = floor

    def deploy(  # noqa: PLR0913  as many as the person may choose
        self,
        path: str,
        source: str,
        *,
        check: bool = False,
        grant: bool = False,
        replace: bool = False,
        paused: bool = False,
        watch: bool | None = None,
        request: str | None = None,
    ) -> dict[str, Any]:
        validated = self._floor.validate(path, source)
        if check:
            return {
                "workflow": validated.slug,
                "version": None,
                "schedules": plain(validated.schedules),
                "warnings": list(validated.warnings),
                "permissions": plain(list_permissions(self._floor.registry, validated.plan(0), validated.uses)),
                "checked": True,
            }
        wish = Wish(replace=replace, paused=paused, grant=grant, watch=watch)
        answer: dict[str, Any] = plain(
            self._floor.act(lambda house: house.commands.deploy(validated, wish, request=request))
        )
        return answer

    def run(self, target: str, *, when_finished: bool = False, request: str | None = None) -> dict[str, Any]:
        workflow, handler = split_target(target)
        return self._floor.act(
            lambda house: house.commands.run(workflow, handler, when_finished=when_finished, request=request)
        )

    def run_and_wait(
        self, target: str, *, when_finished: bool = False, request: str | None = None
    ) -> Iterator[dict[str, Any] | None]:
        """Waits for the runs that it starts, not for consumers that follow; ends when a person is needed."""
        started = self.run(target, when_finished=when_finished, request=request)
        yield {"piece": started}
        while True:
            found = self._floor.views.endings(started["runs"])
            if all(one.is_over or one.needs_person for one in found):
                break
            yield None
        answer: dict[str, Any] = {**started, "results": plain(found)}
        unfinished = [one for one in found if one.status != "committed"]
        if unfinished:
            one = unfinished[0]
            code = "needs a person" if one.needs_person else "failed"
            said = one.error or one.summary or "It did not finish."
            answer["error"] = {"code": code, "message": f"{finish(said)} Look at it: dayhand runs show {one.id}"}
        yield {"answer": answer}

    def stop(self, target: str, *, kill: bool = False, request: str | None = None) -> dict[str, Any]:
        return self._floor.act(lambda house: house.commands.stop(target, kill=kill, request=request))

    def pause(
        self,
        target: str | None = None,
        *,
        everything: bool = False,
        note: str | None = None,
        until: str | None = None,
        request: str | None = None,
    ) -> dict[str, Any]:
        end = self._time(until, "until")
        if everything or target is None:
            return self._floor.act(lambda house: house.commands.pause_all(end, request=request))
        workflow, handler = split_target(target)
        return self._floor.act(
            lambda house: house.commands.pause(workflow, handler, note=note, until=end, request=request)
        )

    def resume(
        self, target: str | None = None, *, everything: bool = False, request: str | None = None
    ) -> dict[str, Any]:
        if everything or target is None:
            return self._floor.act(lambda house: house.commands.resume_all(request=request))
        workflow, handler = split_target(target)
        return self._floor.act(lambda house: house.commands.resume(workflow, handler, request=request))

    def skip_next(self, target: str, *, request: str | None = None) -> dict[str, Any]:
        workflow, handler = split_target(target)
        return self._floor.act(lambda house: house.commands.skip_next(workflow, handler, request=request))

    def backfill(
        self,
        target: str,
        start: str,
        end: str,
        *,
        overlap: str | None = None,
        missing: bool = False,
        request: str | None = None,
    ) -> dict[str, Any]:
        workflow, handler = split_target(target)
        first, last = self._time(start, "from"), self._time(end, "until", end_of_day=True)
        assert first is not None and last is not None
        if overlap is not None and overlap not in list(Overlap):
            raise RefusedError("overlap", f"There is no overlap {overlap}. Choose one of: {', '.join(Overlap)}.")
        chosen = None if overlap is None else Overlap(overlap)
        return self._floor.act(
            lambda house: house.commands.backfill(
                workflow, handler, first, last, overlap=chosen, missing=missing, request=request
            )
        )

    def cancel_backfill(self, target: str, *, request: str | None = None) -> dict[str, Any]:
        workflow, handler = split_target(target)
        return self._floor.act(lambda house: house.commands.cancel_backfill(workflow, handler, request=request))

    def publish(
        self, workflow: str, topic: str, identity: str, *, title: str = "", data: Any = None, request: str | None = None
    ) -> dict[str, Any]:
        return self._floor.act(
            lambda house: house.events.publish(workflow, topic, identity, title=title, data=data, request=request)
        )

    def skip_event(self, workflow: str, topic: str, identity: str, *, request: str | None = None) -> dict[str, Any]:
        return self._floor.act(lambda house: house.events.skip(workflow, topic, identity, request=request))

    def rollback(
        self, workflow: str, version: int | None = None, *, current: int | None = None, request: str | None = None
    ) -> dict[str, Any]:
        return self._floor.act(
            lambda house: house.commands.rollback(workflow, version, current=current, request=request)
        )

    def archive(self, workflow: str, *, request: str | None = None) -> dict[str, Any]:
        return self._floor.act(lambda house: house.commands.archive(workflow, request=request))

    def remove(self, workflow: str, *, request: str | None = None) -> dict[str, Any]:
        return self._floor.act(lambda house: house.commands.remove(workflow, request=request))

    def watch(self, workflow: str, *, on: bool, request: str | None = None) -> dict[str, Any]:
        return self._floor.act(lambda house: house.commands.watch(workflow, on=on, request=request))

    def _time(self, text: str | None, field: str, *, end_of_day: bool = False) -> datetime | None:
        if text is None:
            return None
        return parse_instant(text, field, find_zone(self._floor.zone), end_of_day=end_of_day)
