"""Scripts for tests, and helpers to run them in real workers."""

import subprocess
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from textwrap import dedent
from typing import Any

from scheduler.workers.processes import Process, find_process, has_mark
from scheduler.workers.script import PhaseCall, Script

OLD_PYTHON = Path("~/.pyenv/versions/3.9.18/bin/python").expanduser()

RECEIPTS = '''
"""Receipts: file each receipt from my inbox in a table, after I approve."""
import dayhand

flow = dayhand.Workflow("Receipts", connections=["imap:home", "table:expenses"], tags=["money"])
mails = flow.topic("mails")


@flow.producer(every="5m", publishes=[mails])
def poll(ctx, state):
    """Look."""
    for mail in ctx.call("imap:home", "search", since_uid=state.get("uid", 0)):
        ctx.publish(mails, id=mail["message_id"], title=mail["subject"], data=mail)
        state["uid"] = mail["uid"]
    return state


@flow.consumer(subscribe=[mails], approve="always")
class FileReceipt:
    def prepare(self, ctx, state):
        batch = ctx.peek(mails, limit=10)
        if not batch:
            return dayhand.nothing(wake_at=None)
        return dayhand.prepared(
            reserve=batch,
            data={"rows": [m.data["uid"] for m in batch]},
            say=f"Add {len(batch)} receipts to Expenses",
        )

    def mutate(self, ctx, prepared):
        ctx.call("table:expenses", "append", rows=prepared.data["rows"])
        raise AssertionError("the call never returns")

    def next(self, ctx, prepared, result, state):
        state["filed"] = state.get("filed", 0) + len(prepared.data["rows"])
        state["result"] = [result, ctx.outcome, [event.title for event in prepared.reserve]]
        ctx.done(f"Filed {len(prepared.data['rows'])} receipts")
        return state


@flow.job(cron="0 3 * * *", timezone="Europe/Berlin", overlap="skip", catchup="one")
def backup(ctx):
    """A plain scheduled task."""
    ctx.run(["echo", "~", "~/Documents"])
    ctx.progress(1, 2, "half")
    ctx.done("Backed up")
'''


def job(body: str) -> str:
    """A script with one job with this body."""
    lines = dedent(body).strip().splitlines()
    return "\n".join(
        [
            "import dayhand",
            "import os, signal, subprocess, sys, threading, time",
            "flow = dayhand.Workflow('Hostile', connections=['files:home'])",
            "@flow.job(every='1h')",
            "def work(ctx):",
            *(f"    {line}" for line in lines),
        ]
    )


FIRST_LINE = 6
"""The line where the body of `job` starts."""


def script(source: str, *, version: int = 1, python: Path | None = None) -> Script:
    return Script(
        workflow="w", version=version, path="/home/ada/chore.py", source=source, python=str(python) if python else None
    )


def phase(
    handler: str = "work",
    name: str = "job",
    *,
    seconds: float = 30,
    facts: Any = None,
    continues: bool = False,
    **inputs: Any,
) -> PhaseCall:
    return PhaseCall(handler=handler, name=name, inputs=inputs, facts=facts or {}, seconds=seconds, continues=continues)


@dataclass
class Recorder:
    """Answers with canned results and records all messages."""

    tools: Mapping[str, Callable[..., Any]] = field(default_factory=dict)
    events: list[dict[str, Any]] = field(default_factory=list)
    messages: list[Any] = field(default_factory=list)
    text: str = ""
    on_log: Callable[[str], None] = lambda _: None
    is_behind: bool = False

    def call(self, connection: str, tool: str, parameters: Mapping[str, Any], line: int | None) -> Any:
        self.messages.append(("call", connection, tool, dict(parameters), line))
        return self.tools[tool](**parameters)

    def peek(self, topic: str, limit: int) -> list[dict[str, Any]]:
        self.messages.append(("peek", topic, limit))
        return self.events[:limit]

    def checkpoint(self, state: dict[str, Any]) -> None:
        self.messages.append(("checkpoint", state))

    def publish(self, topic: str, event_id: str, title: str, data: Any) -> None:
        self.messages.append(("publish", topic, event_id, title, data))

    def done(self, sentence: str) -> None:
        self.messages.append(("done", sentence))

    def progress(self, done: float, total: float | None, text: str) -> None:
        self.messages.append(("progress", done, total, text))

    def log(self, text: str) -> None:
        self.text += text
        self.on_log(text)

    def show(self) -> None:
        self.messages.append("shown")
        self.is_behind = False


def list_processes() -> list[Process]:
    """Every process that is not dead."""
    found = (find_process(int(folder.name)) for folder in Path("/proc").iterdir() if folder.name.isdecimal())
    return [process for process in found if process is not None and process.is_alive]


def processes_of(mark: str) -> list[int]:
    """Running processes of a worker, including itself."""
    return [process.pid for process in list_processes() if has_mark(process.pid, f"DAYHAND_WORKER={mark}".encode())]


def processes_with_command(text: str) -> list[int]:
    """Running processes with this text in their command line."""
    found = []
    for process in list_processes():
        try:
            line = Path(f"/proc/{process.pid}/cmdline").read_bytes()
        except OSError:
            continue
        if text.encode() in line:
            found.append(process.pid)
    return found


def eventually(check: Callable[[], bool], seconds: float = 10) -> bool:
    """Whether it becomes true in that time."""
    deadline = time.monotonic() + seconds
    while not check():
        if time.monotonic() > deadline:
            return False
        subprocess.run(["true"], check=True)
    return True
