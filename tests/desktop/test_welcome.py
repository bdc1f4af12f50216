"""A new user on a real desktop: from an empty data folder to the first approved run."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.data.preferences import read_preferences
from tests.desktop.desktop import Desktop
from tests.desktop.processes import wait_until

APP = "dayhand"
ROOT = Path(__file__).parents[2]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A new data folder."""
    return tmp_path / "data"


@pytest.fixture
def program(desk: Desktop, folder: Path) -> Iterator[subprocess.Popen[bytes]]:
    line = [sys.executable, "-m", "app.main", "--data-dir", str(folder)]
    started = desk.start(line, PYTHONPATH=str(ROOT))
    yield started
    if started.poll() is None:
        started.terminate()
        started.wait(60)


def test_a_new_user_gets_to_an_approved_run_in_three_screens(
    desk: Desktop, program: subprocess.Popen[bytes], folder: Path
) -> None:
    """Always presses the primary button."""
    desk.wait_for_text(APP, "Dayhand does your chores, and asks first")
    desk.press(APP, "Next")
    desk.wait_for_text(APP, "It stays out of your way")
    desk.press(APP, "Next")
    desk.wait_for_text(APP, "See it in action")
    desk.press(APP, "Start the sample")
    desk.wait_for_text(APP, "Add 3 receipts (45.55) to Expenses")
    desk.press(APP, "Approve")
    desk.wait_for_text(APP, "Filed 3 receipts, 3 so far")
    assert len((folder / "sample" / "expenses.csv").read_text(encoding="utf-8").splitlines()) == 4
    wait_until(lambda: read_preferences(folder).welcomed, "that they never come again")
