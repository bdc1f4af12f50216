"""The target of the kill campaign: `dayhand --headless` with counting tools and a simulated user who answers.

The product knows nothing of this: it is watched and killed around its transactions.
"""

import json
import os
import sqlite3
import sys
import traceback
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from datetime import timedelta
from pathlib import Path
from typing import Any

from PySide6.QtCore import QTimer

from app import headless
from app.cli import command_line
from app.session import Session
from scheduler.connections.connector import Call, Checked, Connector, Parameter, ParameterKind, Tool
from scheduler.connections.registry import Registry
from scheduler.engine import runtime
from scheduler.engine.errors import RefusedError
from scheduler.engine.workflows.deployment import DeployOptions
from scheduler.rules.requests import RequestKind
from scheduler.store import mutations, requests, workflows
from scheduler.store.database import Database
from scheduler.store.requests import RequestRow
from tests.killing import KILL
from tests.runs.change_log import record_changes

FIRST = """
import dayhand
flow = dayhand.Workflow("First", connections=["counter:x"])
inbox, letters = flow.topic("inbox"), flow.topic("letters")

@flow.producer(every="1h", publishes=[inbox])
def poll(ctx, state):
    found = ctx.call("counter:x", "read", since=state.get("read", 0))
    for one in found:
        ctx.publish(inbox, id=one)
    return {"read": state.get("read", 0) + len(found)}

@flow.consumer(subscribe=[inbox], publishes=[letters], approve="never")
class Count:
    def prepare(self, ctx, state):
        batch = ctx.peek(inbox, limit=1000)
        return dayhand.prepared(reserve=batch, data=[e.id for e in batch]) if batch else dayhand.nothing()

    def mutate(self, ctx, prepared):
        ctx.call("counter:x", "checked", ids=prepared.data, into="checked")

    def next(self, ctx, prepared, result, state):
        for one in prepared.data:
            ctx.publish(letters, id=one)
        return {"done": state.get("done", 0) + len(prepared.data)}

@flow.consumer(subscribe=[letters], approve="always")
class Post:
    def prepare(self, ctx, state):
        batch = ctx.peek(letters, limit=1000)
        return dayhand.prepared(reserve=batch, data=[e.id for e in batch]) if batch else dayhand.nothing()

    def mutate(self, ctx, prepared):
        ctx.call("counter:x", "send", ids=prepared.data, into="sent", text="asked")

    def next(self, ctx, prepared, result, state):
        return {"done": state.get("done", 0) + len(prepared.data)}
"""
SECOND = """
import dayhand
flow = dayhand.Workflow("Second", connections=["counter:x", "table:rows"])
news, rows = flow.topic("news"), flow.topic("rows")

@flow.consumer(subscribe=[news], publishes=[rows], approve="never")
class Blind:
    def prepare(self, ctx, state):
        batch = ctx.peek(news, limit=1000)
        return dayhand.prepared(reserve=batch, data=[e.id for e in batch]) if batch else dayhand.nothing()

    def mutate(self, ctx, prepared):
        ctx.call("counter:x", "blind", ids=prepared.data, into="blind")

    def next(self, ctx, prepared, result, state):
        for one in prepared.data:
            ctx.publish(rows, id=one)
        return {"done": state.get("done", 0) + len(prepared.data)}

@flow.consumer(subscribe=[rows], approve="never")
class Write:
    def prepare(self, ctx, state):
        batch = ctx.peek(rows, limit=1000)
        return dayhand.prepared(reserve=batch, data=[e.id for e in batch]) if batch else dayhand.nothing()

    def mutate(self, ctx, prepared):
        ctx.call("table:rows", "append", rows=[{"id": one} for one in prepared.data])

    def next(self, ctx, prepared, result, state):
        return {"done": state.get("done", 0) + len(prepared.data)}

@flow.job(every="1h", after_crash="again")
def tidy(ctx):
    return ctx.attempt
"""
COUNTED = ("checked", "sent", "blind")
EDITED = "edited"
LAST_TOPICS = ("letters", "rows")


@dataclass
class KillPoint:
    """Where this process kills itself: before or after a place. None: it is killed from outside."""

    place: str | None = None
    side: str = "after"
    times: int = 1
    """At the first, second, … time it gets there."""
    seen: set[str] = field(default_factory=set)
    places_file: Path | None = None
    """The file that lists all places reached."""

    def reach(self, place: str, side: str) -> None:
        if (place, side) == (self.place, self.side):
            self.times -= 1
            if self.times <= 0:
                os.kill(os.getpid(), KILL)
        if place not in self.seen and self.places_file is not None:
            self.seen.add(place)
            with self.places_file.open("a") as book:
                book.write(f"{place}\n")


def wrap_transactions(doom: KillPoint) -> None:
    """Wrap every transaction of this process."""
    write = Database.write

    @contextmanager
    def write_or_die(database: Database, *, durable: bool = False) -> Iterator[sqlite3.Connection]:
        place = _writing_function()
        with write(database, durable=durable) as db:
            yield db
            doom.reach(place, "before")
        doom.reach(place, "after")

    Database.write = write_or_die  # type: ignore[method-assign]


def _writing_function() -> str:
    """The name of the product's function that writes."""
    frame = sys._getframe(2)
    while frame.f_back is not None:
        module = frame.f_globals["__name__"]
        if module.startswith("scheduler.") and module != "scheduler.engine.runs.write_retry":
            return f"{module.rpartition('.')[2]}.{frame.f_code.co_name}"
        frame = frame.f_back
    return "?"


def counter(folder: Path, doom: KillPoint) -> Connector:
    """Tools whose outside action appends a line to a file, so that it can be counted."""

    def append(call: Call) -> Any:
        doom.reach("the call", "before")
        with (folder / f"{call.parameters['into']}.txt").open("a") as file:
            line = {"key": call.key, "ids": call.parameters["ids"], "text": call.parameters.get("text")}
            file.write(json.dumps(line) + "\n")
        doom.reach("the call", "after")
        return len(call.parameters["ids"])

    def find(call: Call) -> Checked:
        return Checked(happened(folder, call.parameters["into"], call.key))

    def read(call: Call) -> Any:
        return (folder / "ids.txt").read_text().split()[call.parameters["since"] :]

    given = {
        "ids": Parameter(ParameterKind.LIST),
        "into": Parameter(ParameterKind.TEXT),
        "text": Parameter(ParameterKind.TEXT, required=False, editable=True),
    }
    # Nothing is appended after the process is gone, so its checker counts at once.
    blind = Tool(name="blind", help="", parameters=given, run=append, mutating=True)
    tools = (
        replace(blind, name="checked", check=find, apply_window=timedelta(0)),
        replace(blind, name="send", acts_on_others=True, check=find, apply_window=timedelta(0)),
        blind,
        Tool(name="read", help="", parameters={"since": Parameter(ParameterKind.WHOLE)}, run=read),
    )
    return Connector(kind="counter", title="Counter", help="", fields=(), tools=tools, test=lambda _: "It counts.")


def lines(folder: Path, name: str) -> list[dict[str, Any]]:
    path = folder / f"{name}.txt"
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def is_edited(ids: list[str]) -> bool:
    """Whether the simulated user changes the call about these before approving it; the same for the same ids."""
    return len(ids[0]) % 2 == 0 or ids[0][-1] in "02468"


def happened(folder: Path, name: str, key: str) -> bool:
    return any(line["key"] == key for line in lines(folder, name))


class SimulatedUserSession(Session):
    """The app's session with a simulated user who adds work, answers, and quits when all is done."""

    def __init__(self, folder: Path, **settings: Any) -> None:
        super().__init__(folder, **settings)
        record_changes(self._runtime.database.read())
        self._wanted: set[str] = set()
        """Workflows still to be started manually."""
        self._look = QTimer(interval=15)
        self._look.timeout.connect(self._ask_to_look)
        self._looking: Future[None] | None = None

    def start(self) -> None:
        super().start()
        self.engine_thread.submit(lambda _: self._begin()).add_done_callback(_exit_on_error)
        self._look.start()

    def stop(self) -> None:
        self._look.stop()
        super().stop()

    def _ask_to_look(self) -> None:
        """One at a time, so that a busy machine is not flooded."""
        if self._looking is None or self._looking.done():
            self._looking = self.engine_thread.submit(lambda _: self._look_around())

    def _begin(self) -> None:
        """Deploy what is not deployed yet, and publish the work, some of it again."""
        runtime = self._runtime
        runtime.connect("table:rows", {"path": str(self.folder / "rows.csv")})
        for name, source in (("first", FIRST), ("second", SECOND)):
            if workflows.find(self._runtime.database.read(), name) is None:
                validated = runtime.validation.validate(f"{name}.py", source)
                runtime.workflow_commands.deploy(validated, DeployOptions(grant=True))
        known = {row[0] for row in self._runtime.database.read().execute("SELECT id FROM events WHERE topic = 'news'")}
        ids = (self.folder / "ids.txt").read_text().split()
        for one in [*ids[-5:], *(one for one in ids if one not in known)]:
            runtime.event_commands.publish("second", "news", one)
        self._wanted = {"first", "second"}

    def _look_around(self) -> None:
        """Answer as a user would who knows what really happened."""
        open_requests = requests.read_open(self._runtime.database.read())
        for one in open_requests:
            self._answer(one)
        for name in sorted(self._wanted):
            with suppress(RefusedError):  # blocked by what a kill left open; tried again soon
                self._runtime.workflow_commands.run(name, when_finished=True)
                self._wanted.discard(name)
        if not open_requests and is_done(self.folder, self._runtime.database.read()):
            self.quit_requested.emit()

    def _answer(self, one: RequestRow) -> None:
        assert one.run is not None
        answering = self._runtime.request_commands
        match one.kind:
            case RequestKind.APPROVAL:  # as different users do: with and without a change
                edits = {"text": EDITED} if is_edited(one.call["parameters"]["ids"]) else {}
                answering.approve(one.id, edits=edits)
            case RequestKind.PERMISSION:
                answering.approve(one.id)
            case RequestKind.UNSURE:
                mutation = mutations.find(self._runtime.database.read(), one.run)
                assert mutation is not None
                truth = happened(self.folder, mutation.parameters["into"], mutation.key)
                answering.resolve(one.run, "happened" if truth else "not-happened")
            case RequestKind.INTERRUPTED:
                answering.resolve(one.run, "not-happened")
            case _:
                answering.retry(one.run)


def _exit_on_error(asked: Future[None]) -> None:
    """So that the campaign notices."""
    if asked.exception() is not None:
        traceback.print_exception(asked.exception())
        os._exit(1)


def is_done(folder: Path, db: sqlite3.Connection) -> bool:
    """Whether every id was processed everywhere and nothing is running."""
    wanted = len((folder / "ids.txt").read_text().split())
    query = "SELECT topic, count(*) FROM events WHERE state = 'consumed' GROUP BY topic"
    consumed = dict(db.execute(query).fetchall())
    if any(consumed.get(topic, 0) < wanted for topic in LAST_TOPICS):
        return False
    unfinished = "SELECT count(*) FROM runs WHERE status = 'active' OR resume_at IS NOT NULL"
    queued = "SELECT count(*) FROM occurrences WHERE state IN ('queued', 'started')"
    return not db.execute(unfinished).fetchone()[0] and not db.execute(queued).fetchone()[0]


def run_app(folder: Path, doom: KillPoint) -> None:
    """One start of the app: `dayhand --headless`, with an additional connector and a simulated user."""
    wrap_transactions(doom)
    builtin = runtime.builtin_registry

    def with_counter(*tell: Callable[..., None]) -> Registry:
        # As for the counter: a file on a local disk does not change late.
        table = builtin(*tell).connector("table")
        tools = tuple(replace(tool, apply_window=timedelta(0)) for tool in table.tools)
        return Registry([replace(table, tools=tools), counter(folder, doom)])

    runtime.builtin_registry = with_counter
    headless.Session = SimulatedUserSession  # type: ignore[misc]
    code = command_line.run(["--headless", "--data-dir", str(folder)])
    assert code == 0, f"it exited with {code}"
