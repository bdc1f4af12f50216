"""What the campaign kills: `dayhand --headless` with tools that count, and a person in it who answers.

Nothing here is part of the product, and the product knows nothing of it: it is watched and killed from around the
transactions that it writes.
"""

import json
import os
import signal
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

from app import cli, headless
from app.life.installation import Installation
from scheduler.connections.connector import Call, Checked, Connector, Parameter, ParameterKind, Tool
from scheduler.connections.registry import Registry
from scheduler.engine import house
from scheduler.engine.refusal import RefusedError
from scheduler.engine.workflows.deploying import Wish
from scheduler.store import mutations, requests, workflows
from scheduler.store.database import Database
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
    # Nothing is appended after the process that would is gone, so its checker is believed at once.
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


def happened(folder: Path, name: str, key: str) -> bool:
    return any(line["key"] == key for line in lines(folder, name))


class Inhabited(Installation):
    """The app's own installation, with a person in it who hands in work, answers, and leaves when all is done."""

    def __init__(self, folder: Path, **settings: Any) -> None:
        super().__init__(folder, **settings)
        watch(self.database.read())
        self._wanted: set[str] = set()
        """What is still to be started by hand in this life."""
        self._look = QTimer(interval=15)
        self._look.timeout.connect(self._ask_to_look)
        self._looking: Future[None] | None = None

    def start(self) -> None:
        super().start()
        self.host.ask(lambda _: self._begin()).add_done_callback(_die_of_mistakes)
        self._look.start()

    def end(self) -> None:
        self._look.stop()
        super().end()

    def _ask_to_look(self) -> None:
        """One look at a time: on a busy machine the engine has better things to do than to look for ever."""
        if self._looking is None or self._looking.done():
            self._looking = self.host.ask(lambda _: self._look_around())

    def _begin(self) -> None:
        """Deploy what is not deployed yet, and hand in what there is to do, some of it once more."""
        house = self.house
        house.connect("table:rows", {"path": str(self.folder / "rows.csv")})
        for name, source in (("first", FIRST), ("second", SECOND)):
            if workflows.find(self.database.read(), name) is None:
                validated = house.validation.validate(f"{name}.py", source)
                house.commands.deploy(validated, Wish(grant=True))
        known = {row[0] for row in self.database.read().execute("SELECT id FROM events WHERE topic = 'news'")}
        ids = (self.folder / "ids.txt").read_text().split()
        for one in [*ids[-5:], *(one for one in ids if one not in known)]:
            house.events.publish("second", "news", one)
        self._wanted = {"first", "second"}

    def _look_around(self) -> None:
        """What a person would do now, who knows what has happened."""
        open_requests = requests.still_open(self.database.read())
        for one in open_requests:
            self._answer(one)
        for name in sorted(self._wanted):
            with suppress(RefusedError):  # held up by what a kill left open; wanted again in a moment
                self.house.commands.run(name, when_finished=True)
                self._wanted.discard(name)
        if not open_requests and is_done(self.folder, self.database.read()):
            self.quit_wanted.emit()

    def _answer(self, one: RequestRow) -> None:
        assert one.run is not None
        answering = self.house.answering
        match one.kind:
            case RequestKind.APPROVAL | RequestKind.PERMISSION:
                answering.approve(one.id)
            case RequestKind.UNSURE:
                mutation = mutations.find(self.database.read(), one.run)
                assert mutation is not None
                truth = happened(self.folder, mutation.parameters["into"], mutation.key)
                answering.resolve(one.run, "happened" if truth else "not-happened")
            case RequestKind.INTERRUPTED:
                answering.resolve(one.run, "not-happened")
            case _:
                answering.retry(one.run)


def _die_of_mistakes(asked: Future[None]) -> None:
    """So that the campaign hears of it."""
    if asked.exception() is not None:
        traceback.print_exception(asked.exception())
        os._exit(1)


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
    """One life of the app: `dayhand --headless`, with one more connector and somebody in it."""
    surround(doom)
    builtin = house.builtin_registry

    def with_counter(tell: Callable[[str, str], None]) -> Registry:
        # As for the counter: the file is on a disk of this computer, which does nothing late.
        table = builtin(tell).connector("table")
        tools = tuple(replace(tool, apply_window=timedelta(0)) for tool in table.tools)
        return Registry([replace(table, tools=tools), counter(folder, doom)])

    house.builtin_registry = with_counter
    headless.Installation = Inhabited  # type: ignore[misc]
    code = cli.run(["--headless", "--data-dir", str(folder)])
    assert code == 0, f"it ended with {code}"
