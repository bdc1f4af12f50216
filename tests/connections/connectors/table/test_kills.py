"""Rows are added once and whole, whenever a process is killed, and the checker tells the truth about it."""

import subprocess
import sys
from pathlib import Path

import pytest


def kill(folder: Path, *how: str) -> None:
    command = [sys.executable, "-m", "tests.connections.connectors.table.killing", str(folder), *how]
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("name", ["t.csv", "t.sqlite"])
def test_killed_at_random_instants_no_row_is_twice_torn_or_lost(tmp_path: Path, name: str) -> None:
    kill(tmp_path, "random", name, "48")


def test_killed_at_each_step_and_while_that_is_tidied_up(tmp_path: Path) -> None:
    kill(tmp_path, "steps")
