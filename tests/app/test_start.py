"""`dayhand` as a process without a display."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from app import cli


def start(folder: Path, *arguments: str) -> "subprocess.Popen[str]":
    command = [sys.executable, "-m", "app.main", "--data-dir", str(folder), *arguments]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def test_it_runs_for_the_given_time_and_leaves_a_store(tmp_path: Path) -> None:
    said, complained = start(tmp_path, "--seconds", "0.2").communicate(timeout=60)
    assert "Dayhand is running" in said
    assert complained == ""
    assert (tmp_path / "dayhand.db").exists()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_cleanly(tmp_path: Path, number: signal.Signals) -> None:
    """Python's own handler would never run while the event loop sleeps."""
    process = start(tmp_path)
    assert process.stdout is not None
    assert "Dayhand is running" in process.stdout.readline()
    process.send_signal(number)
    _, complained = process.communicate(timeout=30)
    assert (process.returncode, complained) == (0, "")


def test_a_damaged_store_is_said_and_does_not_stop_it(tmp_path: Path) -> None:
    """D4"""
    (tmp_path / "dayhand.db").write_bytes(b"not a database" * 100)
    said, _ = start(tmp_path, "--seconds", "0.2").communicate(timeout=60)
    assert "damaged" in said
    assert "Dayhand is running" in said


def test_a_data_folder_that_is_a_file_gets_one_sentence(tmp_path: Path) -> None:
    place = tmp_path / "file"
    place.write_text("")
    process = start(place, "--seconds", "0.2")
    _, complained = process.communicate(timeout=60)
    assert process.returncode == 1
    assert complained.count("\n") == 1
    assert "Traceback" not in complained


def test_a_second_one_on_the_same_folder_is_refused(tmp_path: Path) -> None:
    """I4: never two engines."""
    first = start(tmp_path)
    assert first.stdout is not None
    assert "Dayhand is running" in first.stdout.readline()
    second = start(tmp_path, "--seconds", "0.2")
    _, complained = second.communicate(timeout=60)
    first.terminate()
    first.communicate(timeout=30)
    assert second.returncode == 1
    assert "already running" in complained


def test_the_first_start_of_the_day_leaves_a_backup(tmp_path: Path) -> None:
    start(tmp_path, "--seconds", "0.5").communicate(timeout=60)
    assert len(list((tmp_path / "backups").glob("dayhand-*.db"))) == 1


@pytest.mark.parametrize("seconds", ["x", "nan", "inf", "1e12", "-1", ""])
def test_a_time_that_makes_no_sense_gets_one_sentence(
    tmp_path: Path, seconds: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.run(["--data-dir", str(tmp_path / "new"), f"--seconds={seconds}"]) == 2
    assert "is not a number of seconds" in capsys.readouterr().err
    assert not (tmp_path / "new").exists()
