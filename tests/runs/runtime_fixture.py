"""A whole runtime on a real store file with real workers, a clock that tests move, and a fake service to act on."""

import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from queue import SimpleQueue
from typing import Any

from scheduler.connections.connector import Call, Checked, Connector, Parameter, ParameterKind, Tool, ToolFailedError
from scheduler.connections.registry import Registry
from scheduler.connections.secrets import Secrets
from scheduler.engine.dry_run.dry_run import find_dry_run_error
from scheduler.engine.monitoring.report_mail import WriteReport
from scheduler.engine.runtime import Runtime
from scheduler.engine.scheduling.launcher import Announcement
from scheduler.engine.settings import Settings
from scheduler.engine.workflows.deployment import DeployOptions
from scheduler.rules.failures import Failure, FailureClass
from scheduler.rules.handler_ids import handler_id
from scheduler.rules.history_query import HistoryCursor, HistoryQuery
from scheduler.store import (
    events,
    handlers,
    history,
    lanes,
    logs,
    mutations,
    occurrences,
    requests,
    runs,
    schedules,
    workflows,
)
from scheduler.store.events import EventRow
from scheduler.store.handlers import HandlerRow
from scheduler.store.lanes import LaneRow
from scheduler.store.mutations import MutationRow
from scheduler.store.occurrences import OccurrenceRow
from scheduler.store.opening import close_store, open_store
from scheduler.store.requests import RequestRow
from scheduler.store.runs import RunRow
from scheduler.store.schedules import ScheduleRow
from scheduler.store.workflows import WorkflowRow
from tests.clocks import ManualClock
from tests.engine.engine_fixture import FakeConditions

TIMEOUT_S = 60
"""How many seconds a real process may take on a busy machine."""


@dataclass
class FakeService:
    """The service that scripts act on: records every call and behaves as the test says. Survives crashes of the app."""

    calls: list[Call] = field(default_factory=list)
    reads: list[Call] = field(default_factory=list)
    checks: list[Call] = field(default_factory=list)
    answer: Any = "done"
    inbox: list[Any] = field(default_factory=list)
    read_answer: Any = None
    """What reads return instead of the inbox."""
    fails: list[Failure] = field(default_factory=list)
    """What the next acting calls raise, in turn; the action did not happen unless `happens` says so."""
    read_fails: list[Failure] = field(default_factory=list)
    check_fails: list[Failure] = field(default_factory=list)
    happened: set[str] = field(default_factory=set)
    """The keys of actions that the checker finds."""
    happens: bool = True
    """Whether an action that raises has happened anyway."""
    gate: threading.Event | None = None
    """Acting calls wait for it."""
    entered: threading.Event = field(default_factory=threading.Event)

    def act(self, call: Call) -> Any:
        self.calls.append(call)
        self.entered.set()
        if self.gate is not None:
            assert self.gate.wait(TIMEOUT_S)
        if self.fails:
            failure = self.fails.pop(0)
            if self.happens and failure.kind is FailureClass.UNSURE:
                self.happened.add(call.key)
            raise ToolFailedError(failure)
        self.happened.add(call.key)
        return self.answer

    def look(self, call: Call) -> Any:
        self.reads.append(call)
        if self.read_fails:
            raise ToolFailedError(self.read_fails.pop(0))
        return list(self.inbox) if self.read_answer is None else self.read_answer

    def check(self, call: Call) -> Checked:
        self.checks.append(call)
        if self.check_fails:
            raise ToolFailedError(self.check_fails.pop(0))
        return Checked(call.key in self.happened, "found")

    def registry(self) -> Registry:
        """Tools: act (with a checker), blind (without), send (acts on others), look (reads)."""
        anything = {
            "n": Parameter(ParameterKind.ANY, required=False),
            "text": Parameter(ParameterKind.TEXT, required=False, editable=True),
            "rows": Parameter(ParameterKind.LIST, required=False, editable=True),
        }
        tools = (
            Tool(
                name="act",
                help="",
                parameters=anything,
                run=self.act,
                mutating=True,
                check=self.check,
                validate=_refuse_shouting,
            ),
            Tool(name="blind", help="", parameters=anything, run=self.act, mutating=True),
            Tool(name="send", help="", parameters=anything, run=self.act, mutating=True, acts_on_others=True),
            Tool(name="look", help="", parameters=anything, run=self.look),
        )
        return Registry(
            [Connector(kind="world", title="World", help="", fields=(), tools=tools, test=lambda _: "It is there.")]
        )


def _refuse_shouting(parameters: Mapping[str, Any]) -> None:
    """What a tool itself refuses, besides wrong types."""
    if (parameters.get("text") or "").endswith("!!!"):
        raise ToolFailedError.because(FailureClass.LOGIC, '"text" must not shout.')


def fail(kind: FailureClass, sentence: str = "It failed.", **facts: Any) -> Failure:
    return Failure(kind=kind, sentence=sentence, **facts)


class RuntimeFixture:
    """One runtime that can crash and be started again."""

    def __init__(self, folder: Path, **settings: Any) -> None:
        self.folder = folder
        self.clock = ManualClock()
        self.service = FakeService()
        self.conditions = FakeConditions()
        self.secrets: Secrets | None = None
        self.write_report: WriteReport | None = None
        self.settings = Settings(**settings)
        self.announcements: list[Announcement] = []
        self.notified: list[str] = []
        """What the user was told outside attention."""
        self._announced = threading.Event()
        self.open()

    def open(self) -> None:
        self.database = open_store(self.folder, self.clock.wall).database
        self.engine_calls: SimpleQueue[Callable[[], None]] = SimpleQueue()
        """What other threads want to be done on the engine's."""
        self.services = Runtime(
            self.database,
            self.folder,
            machine_zone="UTC",
            clock=self.clock,
            conditions=self.conditions,
            settings=self.settings,
            registry=self.service.registry(),
            announce=self._on_announcement,
            secrets=self.secrets,
            dry_run=find_dry_run_error,
            run_on_engine_thread=self.engine_calls.put,
            write_report=self.write_report,
            notify=lambda _, text: self.notified.append(text),
        )
        self.engine, self.commands, self.request_commands = (
            self.services.engine,
            self.services.workflow_commands,
            self.services.request_commands,
        )
        self.services.recover()

    def close(self) -> None:
        self.services.close()
        close_store(self.database)

    def crash(self, off: timedelta = timedelta()) -> None:
        """Simulate a kill (store closed, workers killed) and start again."""
        self.database.close()
        self.services.runner.close()
        self.services.monitoring.close()
        self.clock.move(off)
        self.open()

    def deploy(self, source: str, *, path: str = "w.py", grant: bool = True, **wish: Any) -> dict[str, Any]:
        validated = self.services.validation.validate(path, source)
        return self.commands.deploy(validated, DeployOptions(grant=grant, **wish))

    def tick(self) -> None:
        """Tick until nothing more is to be done at this instant, waiting for active runs."""
        self.wait(self._is_idle)

    def tick_until_active(self) -> None:
        """Tick until a run is active, without waiting for its end."""
        self.wait(lambda: self._tick_once() is not None and bool(self.active()))

    def wait(self, is_done: Callable[[], bool]) -> None:
        """Tick until the condition holds."""
        end = time.monotonic() + TIMEOUT_S
        while not is_done():
            assert time.monotonic() < end, f"timed out: {self.runs()}"
            self._tick_once()
            self._announced.wait(0.02)
            self._announced.clear()

    def pass_time(self, span: timedelta) -> None:
        """Let time pass as in the app: wake when the engine asks for it, and wait for active runs."""
        end = self.clock.wall + span
        self.tick()
        while (wake := self._tick_once()) <= end:
            self.clock.move(max(wake - self.clock.wall, timedelta()))
            self.tick()
        self.clock.move(end - self.clock.wall)
        self.tick()

    def publish(self, identity: str, data: Any = None, *, workflow: str = "w", topic: str = "t") -> None:
        self.services.event_commands.publish(workflow, topic, identity, title=identity, data=data)

    def runs(self, handler: str | None = None, workflow: str = "w") -> list[RunRow]:
        """All attempts, oldest first."""
        db = self.database.read()
        found = history.find_runs(db, HistoryQuery(workflow=workflow), HistoryCursor(), 1000)[::-1]
        rows = [runs.find(db, one.id) for one in found if handler in (None, one.handler)]
        return [row for row in rows if row is not None]

    def active(self) -> list[RunRow]:
        return runs.list_active(self.database.read())

    def requests(self) -> list[RequestRow]:
        return requests.read_open(self.database.read())

    def mutation(self, run: str) -> MutationRow | None:
        return mutations.find(self.database.read(), run)

    def pending(self, topic: str = "t", workflow: str = "w") -> list[str]:
        return [event.id for event in events.peek(self.database.read(), workflow, topic, 1000)]

    def reserved(self, run: str) -> list[EventRow]:
        return events.reserved_by(self.database.read(), run)

    def events(self, topic: str = "t", workflow: str = "w") -> dict[str, str]:
        """Each event's state by id."""
        query = "SELECT id, state FROM events WHERE workflow = ? AND topic = ? ORDER BY born"
        return {row[0]: row[1] for row in self.database.read().execute(query, (workflow, topic))}

    def state(self, handler: str, workflow: str = "w") -> dict[str, Any]:
        row = handlers.find(self.database.read(), workflow, handler)
        assert row is not None
        return row.state

    def lane(self, name: str = "", workflow: str = "w") -> LaneRow:
        row = lanes.find(self.database.read(), workflow, name)
        assert row is not None
        return row

    def log(self, run: str) -> str:
        return logs.read(self.database.read(), run)

    def handler(self, name: str, workflow: str = "w") -> HandlerRow:
        row = handlers.find(self.database.read(), workflow, name)
        assert row is not None
        return row

    def occurrences(self, handler: str, workflow: str = "w") -> list[OccurrenceRow]:
        """The planned times, manual and deploy runs of a handler, oldest first."""
        return occurrences.recent(self.database.read(), handler_id(workflow, handler), 10_000)[::-1]

    def states(self, handler: str, workflow: str = "w") -> list[str]:
        return [row.state.value for row in self.occurrences(handler, workflow)]

    def schedule(self, handler: str, workflow: str = "w") -> ScheduleRow:
        row = schedules.find(self.database.read(), handler_id(workflow, handler))
        assert row is not None
        return row

    def workflow(self, slug: str = "w") -> WorkflowRow:
        row = workflows.find(self.database.read(), slug)
        assert row is not None
        return row

    def _tick_once(self) -> Any:
        return self.engine.tick(self.clock.wall)

    def _is_idle(self) -> bool:
        return (
            self._tick_once() > self.clock.wall
            and self.engine.dispatch.in_flight == 0
            and self._tick_once() > self.clock.wall
        )

    def _on_announcement(self, announcement: Announcement) -> None:
        self.announcements.append(announcement)
        self._announced.set()
