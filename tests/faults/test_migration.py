"""An interrupted migration leaves the old data usable, with everything that is pending."""

import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

from tests.faults.migration_process import KNOWN
from tests.runs import invariants
from tests.runs.runtime_fixture import RuntimeFixture
from tests.runs.scripts import consumer

ROOT = Path(__file__).parents[2]


def test_a_waiting_approval_survives_a_kill_at_any_step_of_a_migration(tmp_path: Path) -> None:
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    runtime = RuntimeFixture(whole)
    runtime.deploy(consumer(approve="always"))
    runtime.publish("a")
    runtime.tick()
    [request] = runtime.requests()
    runtime.close()
    command = [sys.executable, "-m", "tests.faults.migration_process", str(whole), str(killed)]
    subprocess.run(command, cwd=ROOT, check=True)
    folders = list(killed.iterdir())
    old = [folder for folder in folders if is_old(folder)]
    assert len(old) > 10 and len(old) < len(folders), "killed at many steps, before and after"
    for folder in old:
        answer_and_finish(runtime, folder, request.id)


def is_old(folder: Path) -> bool:
    """Whether the current version can use it: data of a newer version is rejected and left unchanged."""
    with closing(sqlite3.connect(folder / "dayhand.db")) as db:
        return bool(db.execute("PRAGMA user_version").fetchone()[0] == len(KNOWN))


def answer_and_finish(runtime: RuntimeFixture, folder: Path, request: str) -> None:
    runtime.folder = folder
    runtime.service.calls.clear()
    runtime.open()
    runtime.request_commands.approve(request)
    runtime.tick()
    assert len(runtime.service.calls) == 1
    assert runtime.events() == {"a": "consumed"}
    invariants.no_run_is_active(runtime.database.read())
    runtime.close()
