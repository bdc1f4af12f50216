"""The system clock jumps by hours while the app runs: nothing runs twice, and the user is notified."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import pytest

ROOT = Path(__file__).parents[2]
_TIMEOUT_S = 60
_LIBRARY = next(iter(sorted(Path("/usr/lib").glob("*/faketime/libfaketimeMT.so.1"))), None)
_SCRIPT = """
import dayhand
flow = dayhand.Workflow("Hourly")

@flow.job(every="1h", catchup="one")
def chore(ctx):
    ctx.done("Ran for " + str(ctx.planned))
"""

pytestmark = pytest.mark.skipif(_LIBRARY is None, reason="libfaketime is not installed, so the clock cannot be moved")


def dayhand(folder: Path, *words: str) -> Any:
    """A command to the running app, in JSON."""
    ended = subprocess.run(
        [sys.executable, "-m", "app.main", *words, "--data-dir", str(folder), "--json"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    return json.loads(ended.stdout)


@dataclass
class Machine:
    """The app on a machine whose clock can be moved."""

    folder: Path
    output: IO[str]
    clock: Path

    def set_clock(self, offset: str) -> None:
        """Set the offset from the true time; a manual run makes the engine read the clock at once."""
        before = len(self.manual_runs())
        self.clock.write_text(offset)
        dayhand(self.folder, "run", "hourly")
        self.wait(lambda: len(self.manual_runs()) > before)

    def runs(self) -> list[dict[str, Any]]:
        return [one for one in dayhand(self.folder, "history")["runs"] if one["trigger"] == "automatic"]

    def manual_runs(self) -> list[dict[str, Any]]:
        runs = dayhand(self.folder, "history")["runs"]
        return [one for one in runs if one["trigger"] == "manual" and one["status"] == "committed"]

    def planned(self) -> list[str]:
        return sorted(one["planned"] for one in self.runs())

    def wait(self, is_so: Callable[[], bool]) -> None:
        end = time.monotonic() + _TIMEOUT_S
        while not is_so():
            assert time.monotonic() < end, f"it never happened: {self.runs()}"
            time.sleep(0.05)

    def wait_for_output(self, words: str) -> str:
        """Wait for a line of output with these words."""
        for line in self.output:
            if words in line:
                return line
        raise AssertionError(f"it never printed {words!r}")


@contextmanager
def started(folder: Path, clock: Path) -> Iterator[Machine]:
    command = [sys.executable, "-m", "app.main", "--headless", "--data-dir", str(folder)]
    environment = {
        **os.environ,
        "LD_PRELOAD": str(_LIBRARY),
        "FAKETIME_TIMESTAMP_FILE": str(clock),
        "FAKETIME_NO_CACHE": "1",
        "FAKETIME_DONT_FAKE_MONOTONIC": "1",
        "QT_QPA_PLATFORM": "offscreen",
    }
    with subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True) as app:
        assert app.stdout is not None
        machine = Machine(folder, app.stdout, clock)
        try:
            machine.wait_for_output("Dayhand is running")
            yield machine
        finally:
            app.terminate()
            app.wait(_TIMEOUT_S)
            app.stdout.close()
        assert app.returncode == 0


@pytest.fixture
def machine(tmp_path: Path) -> Iterator[Machine]:
    script, clock, folder = tmp_path / "hourly.py", tmp_path / "clock", tmp_path / "data"
    script.write_text(_SCRIPT)
    clock.write_text("+0")
    dayhand(folder, "deploy", str(script))
    with started(folder, clock) as machine:
        yield machine


def test_a_clock_set_ahead_runs_once_and_set_back_runs_nothing_again(machine: Machine) -> None:
    machine.set_clock("+310m")
    machine.wait(lambda: len(machine.runs()) == 1)
    [caught_up] = machine.planned()
    [missed] = dayhand(machine.folder, "history")["occurrences"]
    assert (missed["state"], missed["number"]) == ("missed", 4), "the others are accounted for"
    assert missed["sentence"] == "Its time was missed; a later run caught up."
    machine.set_clock("+10m")
    assert "The clock was set back." in machine.wait_for_output("clock")
    machine.set_clock("+370m")
    machine.wait(lambda: len(machine.runs()) == 2)
    assert len(set(machine.planned())) == 2, "it did not run again when its time came a second time"
    assert machine.planned()[0] == caught_up
