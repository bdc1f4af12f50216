"""Killed between the keyring and the store, anywhere: nothing is lost, mixed up, or kept without anybody knowing."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.connections.secret_service import SecretService


@pytest.mark.parametrize("story", ["connect", "reconnect", "move", "disconnect", "secret"])
def test_killed_at_each_step_and_then_gone_on_with(tmp_path: Path, keyring: SecretService, story: str) -> None:
    command = [sys.executable, "-m", "tests.connections.dying", str(tmp_path), story]
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
