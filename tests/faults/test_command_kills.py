"""kill -9 of the app or the command line in the middle of each command: it happens once or not at all."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.faults.command_cases import CASES

ROOT = Path(__file__).parents[2]
ROUNDS = 4
"""Manually with a hundred each: python -m tests.faults.command_kills --rounds 100"""


@pytest.mark.parametrize("verb", [case.verb for case in CASES])
def test_a_killed_command_happens_once_or_not_at_all(verb: str) -> None:
    """In a separate process, which forks before it has threads."""
    ended = subprocess.run(
        [sys.executable, "-m", "tests.faults.command_kills", "--rounds", str(ROUNDS), "--only", verb],
        cwd=ROOT,
        env={**os.environ, "QT_QPA_PLATFORM": "offscreen"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    assert sum(int(number) for number in re.findall(r"(\d+) (?:app|command) killed", ended.stdout)) == ROUNDS
