"""What the campaign kills: the app without a face over a data folder, with tools that count, and a person who answers.

Nothing here is part of the product, and the product knows nothing of it: it is watched and killed from around the
transactions that it writes.
"""

import json
import os
import signal
import sqlite3
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from PySide6.QtCore import QCoreApplication, QTimer

from app.host import Host
from scheduler.connections.connector import Call, Checked, Connector, Parameter, ParameterKind, Tool
from scheduler.connections.registry import Registry, builtin_registry
from scheduler.engine.clock import SystemClock
from scheduler.engine.engine import Engine
from scheduler.engine.house import House
from scheduler.engine.launcher import Announce
from scheduler.engine.refusal import RefusedError
from scheduler.engine.workflows.deploying import Wish
from scheduler.store import mutations, requests, workflows
from scheduler.store.database import Database
from scheduler.store.health import close_store, open_store
from scheduler.store.requests import RequestKind, RequestRow
from tests.runs.witness import watch

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
        ctx.call("counter:x", "send", ids=prepared.data, into="sent")

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
LAST_TOPICS = ("letters", "rows")


@dataclass
class Doom:
    """Where this process is to die: at a place, before or after what happens there. None: somebody else sees to it."""

    place: str | None = None
    side: str = "after"
    times: int = 1
    """At the first, second, … time that it comes there."""
    seen: set[str] = field(default_factory=set)
    book: Path | None = None
    """Where places are written down as they are met for the first time."""

    def meet(self, place: str, side: str) -> None:
        if (place, side) == (self.place, self.side):
            self.times -= 1
            if self.times <= 0:
                os.kill(os.getpid(), signal.SIGKILL)
        if place not in self.seen and self.book is not None:
            self.seen.add(place)
            with self.book.open("a") as book:
                book.write(f"{place}\n")


def surround(doom: Doom) -> None:
    """Stand around every transaction of this process."""
    write = Database.write

    @contextmanager
    def write_or_die(database: Database, *, durable: bool = False) -> Iterator[sqlite3.Connection]:
        place = _who_writes()
        with write(database, durable=durable) as db:
            yield db
            doom.meet(place, "before")
        doom.meet(place, "after")

    Database.write = write_or_die  # type: ignore[method-assign]


def _who_writes() -> str:
    """The function of the product that writes, by its name."""
    frame = sys._getframe(2)
    while frame.f_back is not None:
        module = frame.f_globals["__name__"]
        if module.startswith("scheduler.") and module != "scheduler.engine.runs.insisting":
            return f"{module.rpartition('.')[2]}.{frame.f_code.co_name}"
        frame = frame.f_back
    return "?"


def counter(folder: Path, doom: Doom) -> Connector:
    """Tools whose outside action is a line at the end of a file, so that it can be counted."""

    def append(call: Call) -> Any:
        doom.meet("the call", "before")
        with (folder / f"{call.parameters['into']}.txt").open("a") as file:
            file.write(json.dumps({"key": call.key, "ids": call.parameters["ids"]}) + "\n")
        doom.meet("the call", "after")
        return len(call.parameters["ids"])

    def find(call: Call) -> Checked:
        return Checked(happened(folder, call.parameters["into"], call.key))

    def read(call: Call) -> Any:
        return (folder / "ids.txt").read_text().split()[call.parameters["since"] :]

    given = {"ids": Parameter(ParameterKind.LIST), "into": Parameter(ParameterKind.TEXT)}
    tools = (
        Tool(name="checked", help="", parameters=given, run=append, mutating=True, check=find),
        Tool(name="send", help="", parameters=given, run=append, mutating=True, acts_on_others=True, check=find),
        Tool(name="blind", help="", parameters=given, run=append, mutating=True),
        Tool(name="read", help="", parameters={"since": Parameter(ParameterKind.WHOLE)}, run=read),
    )
    return Connector(kind="counter", title="Counter", help="", fields=(), tools=tools, test=lambda _: "It counts.")


def lines(folder: Path, name: str) -> list[dict[str, Any]]:
    path = folder / f"{name}.txt"
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def happened(folder: Path, name: str, key: str) -> bool:
    return any(line["key"] == key for line in lines(folder, name))


class Victim:
    """One life of the app. It ends by itself when all the work is done."""

    def __init__(self, folder: Path, doom: Doom) -> None:
        self._folder = folder
        self._doom = doom
        self._house: House | None = None
        self._database = open_store(folder, SystemClock().now()).database
        watch(self._database.read())

    def live(self) -> None:
        app = QCoreApplication([])
        host = Host(self._make)
        host.start()
        host.ask(lambda _: self._begin())
        look = QTimer(interval=15)
        look.timeout.connect(lambda: host.ask(lambda _: self._look(app.quit)))
        look.start()
        app.exec()
        look.stop()
        host.stop()
        assert self._house is not None
        self._house.close()
        close_store(self._database)

    def _make(self, announce: Announce) -> Engine:
        builtin = builtin_registry(lambda *_: None)
        registry = Registry([builtin.connector("table"), counter(self._folder, self._doom)])
        self._house = House(
            self._database, self._folder, machine_zone="UTC", registry=registry, announce=announce, clock=SystemClock()
        )
        self._house.workshop.end_orphans()
        return self._house.engine

    def _begin(self) -> None:
        """Deploy what is not deployed yet, and hand in all that there is to do; most of it was handed in before."""
        house = self._house
        assert house is not None
        house.connect("table:rows", {"path": str(self._folder / "rows.csv")})
        for name, source in (("first", FIRST), ("second", SECOND)):
            if workflows.find(self._database.read(), name) is None:
                validated = house.validation.validate(f"{name}.py", source)
                house.commands.deploy(validated, Wish(grant=True))
        for one in (self._folder / "ids.txt").read_text().split():
            house.commands.publish("second", "news", one)
        for name in ("first", "second"):
            try:
                house.commands.run(name, when_finished=True)
            except RefusedError:
                continue  # held up; the person answers, and it is wanted again in the next life

    def _look(self, end: Callable[[], None]) -> None:
        """What a person would do now, who knows what has happened."""
        open_requests = requests.still_open(self._database.read())
        for one in open_requests:
            self._answer(one)
        if not open_requests and is_done(self._folder, self._database.read()):
            end()

    def _answer(self, one: RequestRow) -> None:
        assert self._house is not None and one.run is not None
        answering = self._house.answering
        match one.kind:
            case RequestKind.APPROVAL | RequestKind.PERMISSION:
                answering.approve(one.id)
            case RequestKind.UNSURE:
                mutation = mutations.find(self._database.read(), one.run)
                assert mutation is not None
                truth = happened(self._folder, mutation.parameters["into"], mutation.key)
                answering.resolve(one.run, "happened" if truth else "not-happened")
            case RequestKind.INTERRUPTED:
                answering.resolve(one.run, "not-happened")
            case _:
                answering.retry(one.run)


def is_done(folder: Path, db: sqlite3.Connection) -> bool:
    """Whether every id went all its ways, and nothing is under way any more."""
    wanted = len((folder / "ids.txt").read_text().split())
    query = "SELECT topic, count(*) FROM events WHERE state = 'consumed' GROUP BY topic"
    consumed = dict(db.execute(query).fetchall())
    if any(consumed.get(topic, 0) < wanted for topic in LAST_TOPICS):
        return False
    going_on = "SELECT count(*) FROM runs WHERE status = 'active' OR resume_at IS NOT NULL"
    queued = "SELECT count(*) FROM occurrences WHERE state IN ('queued', 'started')"
    return not db.execute(going_on).fetchone()[0] and not db.execute(queued).fetchone()[0]


def live(folder: Path, doom: Doom) -> None:
    surround(doom)
    Victim(folder, doom).live()
