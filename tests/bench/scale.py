"""A thousand workflows, and a history of a million runs.

`python -m tests.bench.scale FOLDER` is the process whose memory is measured: the whole engine without a display.
"""

import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from threading import Event

from scheduler.engine.queries.queries import WorkflowQueries
from scheduler.engine.runtime import Runtime
from scheduler.engine.workflows.deployment import DeployOptions
from scheduler.store import handlers
from scheduler.store.opening import close_store, open_store
from tests.bench import history_size
from tests.bench.history_size import SCRIPT, renamed
from tests.bench.measure import Figure

WORKFLOWS = 1_000
LOOKS = 300
"""How many consumers run after a start: more than are cached in memory."""


def scale(folder: Path) -> list[Figure]:
    return [_memory(folder / "many"), *history_size.sizes(folder)]


def _memory(folder: Path) -> Figure:
    _fill(folder)
    command = [sys.executable, "-m", "tests.bench.scale", str(folder)]
    output = subprocess.run(command, check=True, capture_output=True, text=True, timeout=600).stdout
    return Figure(name="peak memory, 1,000 workflows, no display", unit="MB", ours=float(output), target=120)


def _fill(folder: Path) -> None:
    """Each with a producer, a consumer and a job; only one is validated, the others are copies."""
    database = open_store(folder, datetime.now(UTC)).database
    runtime = Runtime(database, folder, machine_zone="UTC")
    validated = runtime.validation.validate("bench.py", SCRIPT)
    for number in range(WORKFLOWS):
        runtime.workflow_commands.deploy(renamed(validated, f"Bench {number}"), DeployOptions(grant=True))
    runtime.close()
    close_store(database)


def _look_after(folder: Path) -> float:
    """Start, run consumers with real workers, show the list and some pages."""
    database = open_store(folder, datetime.now(UTC)).database
    stirred = Event()
    runtime = Runtime(database, folder, machine_zone="UTC", announce=lambda _: stirred.set())
    runtime.recover()
    views = WorkflowQueries(runtime.engine.context, runtime.plans, runtime.registry)
    while len(handlers.list_ready(database.read(), datetime.now(UTC))) > WORKFLOWS - LOOKS:
        runtime.engine.tick(datetime.now(UTC))
        stirred.wait(0.1)
        stirred.clear()
    listed = views.workflows()
    assert len(listed) == WORKFLOWS
    assert all(views.workflow(one.name).handlers for one in listed[:LOOKS:10])
    peak = _peak_memory()
    runtime.close()
    close_store(database)
    return peak


def _peak_memory() -> float:
    """Of this process alone, in MB: getrusage includes the process that started it."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(float(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM"))


if __name__ == "__main__":
    print(_look_after(Path(sys.argv[1])))
