"""Killed anywhere between keyring and store: nothing is lost, mixed up or left behind."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.connections.secret_service import SecretService


@pytest.mark.parametrize("scenario", ["connect", "reconnect", "move", "disconnect", "secret"])
def test_killed_at_each_step_leaves_nothing_behind(tmp_path: Path, keyring: SecretService, scenario: str) -> None:
    command = [sys.executable, "-m", "tests.connections.connect_kills", str(tmp_path), scenario]
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
