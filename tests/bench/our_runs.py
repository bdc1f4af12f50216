"""Consumer runs as in the app, in a separate process: `python -m tests.bench.our_runs FOLDER NUMBER`.

Prints seconds a run through one lane, then p50 from published to committed, then p50 from published to the script's
first line.
"""

import json
import statistics
import sys
import time
from datetime import UTC, datetime
from pathlib import Path
from threading import Event

from PySide6.QtCore import QCoreApplication

from app.engine_thread import EngineThread
from scheduler.connections.connector import Call, Connector, Parameter, ParameterKind, Tool
from scheduler.connections.registry import Registry
from scheduler.engine.runtime import Runtime
from scheduler.engine.scheduling.engine import Engine
from scheduler.engine.scheduling.launcher import Announce, Announcement
from scheduler.engine.workflows.deployment import DeployOptions
from scheduler.store.opening import close_store, open_store

SCRIPT = """
import time
import dayhand
flow = dayhand.Workflow("Bench", connections=["count:calls"])
work = flow.topic("work")

@flow.consumer(subscribe=[work], publishes=[work], approve="never")
class Do:
    def prepare(self, ctx, state):
        began = time.time()
        batch = ctx.peek(work, limit=1)
        if not batch:
            return dayhand.nothing()
        return dayhand.prepared(reserve=batch, data={"left": batch[0].data, "began": began}, say="Count")

    def mutate(self, ctx, prepared):
        ctx.call("count:calls", "add", left=prepared.data["left"], began=prepared.data["began"])

    def next(self, ctx, prepared, result, state):
        state["done"] = state.get("done", 0) + 1
        if prepared.data["left"] > 1:
            ctx.publish(work, id=str(state["done"]), data=prepared.data["left"] - 1)
        return state
"""
SINGLE = 100


class Counter:
    """A tool that counts calls and records when scripts started."""

    def __init__(self) -> None:
        self.calls: list[float] = []

    def add(self, call: Call) -> int:
        self.calls.append(call.parameters["began"])
        return len(self.calls)

    def registry(self) -> Registry:
        anything = Parameter(ParameterKind.ANY)
        tool = Tool(name="add", help="", parameters={"left": anything, "began": anything}, run=self.add, mutating=True)
        return Registry([Connector(kind="count", title="", help="", fields=(), tools=(tool,), test=lambda _: "")])


def main(folder: Path, number: int) -> None:
    _ = QCoreApplication.instance() or QCoreApplication([])
    database = open_store(folder, datetime.now(UTC)).database
    counter, changed, expected = Counter(), Event(), 1
    runtimes: list[Runtime] = []

    def make(announce: Announce) -> Engine:
        def hear(announcement: Announcement) -> None:
            announce(announcement)
            if len(counter.calls) >= expected:  # wake the waiting thread only after the last commit
                changed.set()

        runtime = Runtime(database, folder, machine_zone="UTC", registry=counter.registry(), announce=hear)
        runtime.script_workers.end_orphans()
        runtimes.append(runtime)
        return runtime.engine

    host = EngineThread(make)
    host.start()

    def committed() -> int:
        query = "SELECT count(*) FROM events WHERE state = 'consumed'"
        return int(database.read().execute(query).fetchone()[0])

    def wait(number: int) -> None:
        while committed() < number:
            changed.wait(0.1)
            changed.clear()

    host.submit(lambda _: None).result()
    runtime = runtimes[0]
    validated = runtime.validation.validate("bench.py", SCRIPT)
    host.submit(lambda _: runtime.workflow_commands.deploy(validated, DeployOptions(grant=True))).result()
    host.submit(lambda _: runtime.event_commands.publish("bench", "work", "warm", data=1)).result()
    wait(expected)

    expected += number
    begin = time.perf_counter()
    host.submit(lambda _: runtime.event_commands.publish("bench", "work", "start", data=number)).result()
    wait(expected)
    each = (time.perf_counter() - begin) / number

    whole, first = [], []
    for n in range(SINGLE):
        expected += 1
        due = time.time()
        host.submit(lambda _, n=n: runtime.event_commands.publish("bench", "work", f"single{n}", data=1)).result()
        wait(expected)
        whole.append(time.time() - due)
        first.append(counter.calls[-1] - due)
    host.stop()
    runtime.close()
    close_store(database)
    print(json.dumps({"each": each, "whole": statistics.median(whole), "first": statistics.median(first)}))


main(Path(sys.argv[1]), int(sys.argv[2]))
