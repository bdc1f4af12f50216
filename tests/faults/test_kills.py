"""kill -9 at random instants and around every transaction, of the app alone and with its workers."""

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def run_campaign(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "tests.faults.kill_campaign", "--folder", str(folder), *arguments],
        cwd=ROOT,
        env={**os.environ, "QT_QPA_PLATFORM": "offscreen"},
        capture_output=True,
        text=True,
        check=False,
    )


def test_two_hundred_kills_lose_nothing_and_do_nothing_twice(tmp_path: Path) -> None:
    """No event is lost, no applied action is repeated, no run stays active, no worker is left."""
    ended = run_campaign(tmp_path / "data", "--kills", "200", "--seed", "1")
    assert ended.returncode == 0, ended.stderr
    kills = re.match(r"(\d+) kills", ended.stdout)
    assert kills is not None and int(kills[1]) >= 200
    killed = {line.split(maxsplit=2)[2] for line in ended.stdout.splitlines()[1:]}
    writing = {
        "runner._start",
        "execution._store_prepared",
        "outside_action.act",
        "the call",
        "outside_action._make_call",
        "execution._commit",
    }
    assert writing | {"idempotency.run_once", "dispatch.recover", "reconciliation.check", "any instant"} <= killed
