"""The app in this process, and the command line that talks to it over the socket."""

import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from app.cli import command_line
from app.session import Session
from scheduler.store.lock import hold

LIMIT = 60.0

ASKING = """
import dayhand
flow = dayhand.Workflow("Receipts", connections=["table:expenses"], tags=["home"])
mails = flow.topic("mails")

@flow.producer(every="1h", publishes=[mails])
def poll(ctx, state):
    print("polled")
    ctx.publish(mails, id="m1", title="A receipt", data={"amount": 1})
    return {}

@flow.consumer(subscribe=[mails], approve="always")
class FileReceipt:
    def prepare(self, ctx, state):
        batch = ctx.peek(mails, limit=10)
        if not batch:
            return dayhand.nothing()
        rows = [one.data for one in batch]
        return dayhand.prepared(reserve=batch, data={"rows": rows}, say=f"Add {len(rows)} to Expenses")

    def mutate(self, ctx, prepared):
        ctx.call("table:expenses", "append", rows=prepared.data["rows"])

    def next(self, ctx, prepared, result, state):
        ctx.done("Filed " + str(len(prepared.data["rows"])))
        return state
"""
JOB = """
import dayhand
flow = dayhand.Workflow("Backup")

@flow.job(cron="0 3 * * *", timezone="UTC")
def work(ctx):
    {body}
"""


def job(body: str = 'ctx.done("Backed up")') -> str:
    return JOB.format(body=body)


@contextmanager
def running_session(folder: Path) -> Iterator[Session]:
    with hold(folder):
        installation = Session(folder)
        installation.start()
        try:
            yield installation
        finally:
            installation.stop()
            installation.close()


@dataclass
class CommandLine:
    """A command line on one data folder."""

    folder: Path
    capsys: pytest.CaptureFixture[str]

    def run(self, *words: str) -> tuple[int, str, str]:
        """Exit code, stdout and stderr."""
        self.capsys.readouterr()
        code = command_line.run([*words, "--data-dir", str(self.folder)])
        captured = self.capsys.readouterr()
        return code, captured.out, captured.err

    def run_json(self, *words: str) -> Any:
        """The JSON of a command that succeeds."""
        code, out, err = self.run(*words, "--json")
        assert (code, err) == (0, ""), (out, err)
        assert out.count("\n") == 1
        return json.loads(out)

    def run_text(self, *words: str) -> str:
        """The text of a command that succeeds."""
        code, out, err = self.run(*words)
        assert (code, err) == (0, ""), err
        return out

    def run_refused(self, *words: str) -> tuple[str, str]:
        """The code and the sentence of a command that is refused."""
        code, out, err = self.run(*words, "--json")
        assert code == 1
        error = json.loads(out)["error"]
        assert err.split() == error["message"].split()
        return error["code"], error["message"]

    def deploy(self, source: str, *words: str, name: str = "script.py") -> Any:
        path = self.folder.parent / name
        path.write_text(source)
        return self.run_json("deploy", str(path), *words)

    def wait_for(self, holds: Callable[[], Any]) -> Any:
        end = time.monotonic() + LIMIT
        while not (result := holds()):
            assert time.monotonic() < end, "timed out"
            time.sleep(0.02)
        return result
