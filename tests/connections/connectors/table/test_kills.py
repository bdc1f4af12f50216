"""Rows are added atomically and once, even if the process is killed, and the checker knows the outcome."""

import subprocess
import sys
from pathlib import Path

import pytest


def kill(folder: Path, *how: str) -> None:
    command = [sys.executable, "-m", "tests.connections.connectors.table.kill_steps", str(folder), *how]
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("name", ["t.csv", "t.sqlite"])
def test_a_kill_at_a_random_instant_duplicates_tears_and_loses_no_row(tmp_path: Path, name: str) -> None:
    kill(tmp_path, "random", name, "48")


def test_a_kill_at_each_step_and_during_recovery(tmp_path: Path) -> None:
    kill(tmp_path, "steps")
