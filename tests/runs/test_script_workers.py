"""Workers for scripts: those that the user waits for are not slowed down."""

import os
import subprocess
from pathlib import Path

import pytest

from scheduler.engine.runs.script_workers import ScriptWorkers
from scheduler.workers.cpu_weight import CpuWeights
from scheduler.workers.environments import parse_dependencies

SOURCE = """
import os
import dayhand

flow = dayhand.Workflow("W", tags=[f"nice {os.nice(0)}"])

@flow.job(every="1h")
def go(ctx): ...
"""


@pytest.mark.posix("Windows has no nice values")
def test_checking_a_script_is_not_slowed_down_while_the_window_is_in_use(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else a crontab of 22 jobs takes half a minute to import on a busy computer."""
    slowed: list[subprocess.Popen[bytes]] = []
    monkeypatch.setattr(CpuWeights, "add", lambda _, process: slowed.append(process))
    workers = ScriptWorkers(tmp_path)
    try:
        workers.lower_priority(on=True)
        described = workers.describe("/x/w.py", SOURCE, parse_dependencies(SOURCE))
    finally:
        workers.lower_priority(on=False)
        workers.close()
    assert described["tags"] == [f"nice {os.nice(0)}"]
    assert slowed == []
