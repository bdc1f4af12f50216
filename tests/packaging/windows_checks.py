"""Checks of workers in a Windows Python, run by test_windows.py, which reads the output. No Qt: Wine lacks it."""

import json
import sys
import threading
from typing import Any

from scheduler.workers.script import Limits, PhaseCall, Script
from scheduler.workers.worker import Worker

SOURCE = """
import dayhand, os, subprocess, sys, time

flow = dayhand.Workflow("Chore", connections=["files:inbox"])
found = flow.topic("found")

@flow.producer(every="5m", publishes=[found])
def look(ctx, state):
    print("looks on", sys.platform)
    for name in ctx.call("files:inbox", "list"):
        ctx.publish(found, id=name, title=name)
    return {"seen": state.get("seen", 0) + 1}

@flow.consumer(subscribe=[found])
class Take:
    def prepare(self, ctx, state):
        return dayhand.nothing()

@flow.job(every="1h")
def print_much(ctx):
    print("x" * 300_000)

@flow.job(every="1h")
def never_end(ctx):
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    print(child.pid, flush=True)
    while True:
        time.sleep(0.05)

@flow.job(every="1h")
def wait_for_command(ctx):
    ctx.run([sys.executable, "-c", "import time; print('waits', flush=True); time.sleep(600)"])

@flow.job(every="1h")
def exit(ctx):
    os._exit(9)
"""


class Answers:
    """Answers in place of the engine."""

    is_behind = False

    def __init__(self) -> None:
        self.published: list[str] = []
        self.text = ""
        self.has_printed = threading.Event()

    def call(self, *_: Any) -> list[str]:
        return ["a.txt", "b.txt"]

    def publish(self, _topic: str, event_id: str, _title: str, _data: Any) -> None:
        self.published.append(event_id)

    def log(self, text: str) -> None:
        self.text += text
        self.has_printed.set()


def run(worker: Worker, handler: str, kind: str = "job", *, kill: bool = False, **inputs: Any) -> dict[str, Any]:
    """With `kill` it is killed as soon as it prints something."""
    answers = Answers()

    def stop() -> None:
        answers.has_printed.wait()
        worker.stop(kill=True)

    if kill:
        threading.Thread(target=stop, daemon=True).start()
    phase = PhaseCall(handler=handler, name=kind, inputs=inputs, facts={}, seconds=60 if kill else 5)
    outcome: Any = worker.run(phase, answers)  # type: ignore[arg-type]
    return {
        "outcome": type(outcome).__name__,
        "value": getattr(outcome, "value", getattr(outcome, "sentence", None)),
        "published": answers.published,
        "text": answers.text if len(answers.text) < 100 else len(answers.text),
        "usable": worker.is_usable and worker.is_alive(),
    }


def started() -> Worker:
    worker = Worker(Script(workflow="chore", version=1, path="chore.py", source=SOURCE), Limits(grace=1.0))
    worker.load()
    return worker


def main() -> None:
    worker = started()
    results = {
        "look": run(worker, "look", "producer", state={}),
        "again": run(worker, "look", "producer", state={"seen": 1}),
        "print_much": run(worker, "print_much"),
        "wait_for_command": run(worker, "wait_for_command"),
        "never_end": run(worker, "never_end"),
        "killed": run(started(), "never_end", kill=True),
        "exit": run(started(), "exit"),
    }
    sys.stdout.write(json.dumps(results))


if __name__ == "__main__":
    main()
