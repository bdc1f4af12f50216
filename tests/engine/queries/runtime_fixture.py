"""A whole runtime with a clock that tests move: real store, real worker processes, real connections."""

import time
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from textwrap import dedent
from typing import Any

from scheduler.engine.queries.queries import WorkflowQueries
from scheduler.engine.runtime import Runtime
from scheduler.engine.workflows.deployment import DeployOptions
from scheduler.store.opening import close_store, open_store
from tests.clocks import ManualClock
from tests.engine.engine_fixture import FakeConditions

_TIMEOUT_S = 60.0

RECEIPTS = '''
"""Receipts: file each receipt in a table."""
import dayhand

flow = dayhand.Workflow("Receipts", connections=["table:expenses"], tags=["home"])
mails = flow.topic("mails")


@flow.producer(every="5m", publishes=[mails])
def poll(ctx, state):
    number = state.get("number", 0) + 1
    ctx.publish(mails, id=f"m{number}", title=f"Receipt {number}", data={"amount": number})
    print("polled")
    return {"number": number}


@flow.consumer(subscribe=[mails], approve="always")
class FileReceipt:
    def prepare(self, ctx, state):
        batch = ctx.peek(mails, limit=10)
        if not batch:
            return dayhand.nothing()
        rows = [one.data for one in batch]
        return dayhand.prepared(reserve=batch, data={"rows": rows}, say=f"Add {len(rows)} receipts to Expenses")

    def mutate(self, ctx, prepared):
        ctx.call("table:expenses", "append", rows=prepared.data["rows"])

    def next(self, ctx, prepared, result, state):
        ctx.done(f"Filed {len(prepared.data['rows'])} receipts")
        return state


@flow.job(cron="0 3 * * *", timezone="UTC")
def tidy(ctx):
    ctx.done("Tidied")
'''


class QueryRuntimeFixture:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.clock = ManualClock()
        self.database = open_store(folder, self.clock.wall).database
        self.conditions = FakeConditions()
        self.services = Runtime(self.database, folder, machine_zone="UTC", clock=self.clock, conditions=self.conditions)
        self.services.recover()
        self.queries = WorkflowQueries(self.services.engine.context, self.services.plans, self.services.registry)

    def close(self) -> None:
        self.services.close()
        close_store(self.database)

    def deploy(self, source: str, name: str = "script.py", *, grant: bool = True, **wish: Any) -> dict[str, Any]:
        path = str(self.folder / name)
        validated = self.services.validation.validate(path, dedent(source).lstrip())
        return self.services.workflow_commands.deploy(validated, DeployOptions(grant=grant, **wish))

    def connect_table(self) -> Path:
        path = self.folder / "expenses.csv"
        self.services.connect("table:expenses", {"path": str(path)})
        return path

    def run_until_idle(self) -> None:
        """Run everything that is due at this instant."""

        def is_quiet() -> bool:
            wake = self.services.engine.tick(self.clock.wall)
            return self.services.engine.dispatch.in_flight == 0 and wake > self.clock.wall

        wait_for(is_quiet)

    def move(self, **step: float) -> None:
        self.clock.move(timedelta(**step))
        self.run_until_idle()


def wait_for(holds: Callable[[], bool]) -> None:
    end = time.monotonic() + _TIMEOUT_S
    while not holds():
        assert time.monotonic() < end, "timed out"
        time.sleep(0.005)
