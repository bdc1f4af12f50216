"""The program is killed with SIGKILL, and started again: each planned time starts once."""

import subprocess
import sys
from pathlib import Path

import pytest

from scheduler import Scheduler
from tests.killing import KILLED
from tests.library.library_fixture import TIMEOUT_S


def run_until_killed(folder: Path, seconds: int, point: str) -> int:
    command = [sys.executable, "-m", "tests.library.crash_process"]
    paths = [str(folder / "jobs.db"), str(seconds), str(folder / "log")]
    return subprocess.run([*command, *paths, point], check=False, timeout=TIMEOUT_S).returncode


@pytest.mark.parametrize(
    ("point", "worked", "states"),
    [
        ("before the tick", ["11:00"], ["succeeded"]),
        ("after the tick", None, None),
        ("before the work", [], ["failed"]),
        ("after the work", ["11:00"], ["failed"]),
        ("after the run", ["11:00"], ["succeeded"]),
    ],
)
def test_each_planned_time_starts_once(
    tmp_path: Path, point: str, worked: list[str] | None, states: list[str] | None
) -> None:
    assert run_until_killed(tmp_path, 0, "never") == 0
    assert run_until_killed(tmp_path, 3600, point) == KILLED
    for seconds in (3600, 3601, 7200):
        assert run_until_killed(tmp_path, seconds, "never") == 0
    log = tmp_path / "log"
    done = [line.split()[0] for line in log.read_text().splitlines()]
    with Scheduler(tmp_path / "jobs.db") as scheduler:
        second, first = scheduler.run_log("job")
    assert done.count("12:00") == 1 and second.state == "succeeded"
    if states is None:  # the run may or may not have begun when the process died
        assert done.count("11:00") <= 1
        assert (first.state == "succeeded") == (done.count("11:00") == 1) or first.reason == "interrupted"
        return
    assert done == [*(worked or []), "12:00"]
    assert [first.state.value] == states
    if first.state == "failed":
        assert first.reason == "interrupted"


def test_the_file_of_a_killed_process_is_free_again(tmp_path: Path) -> None:
    assert run_until_killed(tmp_path, 3600, "before the tick") == KILLED
    with Scheduler(tmp_path / "jobs.db") as scheduler:
        assert [one.name for one in scheduler.list()] == ["job"]
