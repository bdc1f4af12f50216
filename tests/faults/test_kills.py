"""kill -9 at random instants and around every transaction, of the app alone and with all that it started."""

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def run_campaign(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "tests.faults.campaign", "--folder", str(folder), *arguments],
        cwd=ROOT,
        env={**os.environ, "QT_QPA_PLATFORM": "offscreen"},
        capture_output=True,
        text=True,
        check=False,
    )


def test_two_hundred_kills_lose_nothing_and_do_nothing_twice(tmp_path: Path) -> None:
    """I1-I3, X7, X10: no event is lost, nothing applied is done again, no run stays active, no worker is left."""
    ended = run_campaign(tmp_path / "data", "--kills", "200", "--seed", "1")
    assert ended.returncode == 0, ended.stderr
    kills = re.match(r"(\d+) kills", ended.stdout)
    assert kills is not None and int(kills[1]) >= 200
    killed = {line.split(maxsplit=2)[2] for line in ended.stdout.splitlines()[1:]}
    begin_to_end = {"layer._begin", "stories._prepare", "stories._act", "the call", "stories._make", "stories._commit"}
    assert begin_to_end | {"once.carry_out", "dispatch.recover", "reconciling.check", "any instant"} <= killed
