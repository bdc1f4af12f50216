"""`start` as a process without a display."""

import json
import os
import signal
import socket
import subprocess
import sys
from pathlib import Path
from threading import Thread

import pytest

from app.cli import command_line
from app.cli import start as start_verb
from app.cli.start import has_display
from app.ipc.socket_path import candidate_paths, make_private_dir
from scheduler.store.lock import hold


def start(folder: Path, *arguments: str) -> "subprocess.Popen[str]":
    command = [sys.executable, "-m", "app.main", "--data-dir", str(folder), *arguments]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def test_it_runs_for_the_given_time_and_creates_a_store(tmp_path: Path) -> None:
    out, err = start(tmp_path, "--seconds", "0.2").communicate(timeout=60)
    assert "Dayhand is running" in out
    assert err == ""
    assert (tmp_path / "dayhand.db").exists()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_quits_it_cleanly(tmp_path: Path, number: signal.Signals) -> None:
    """Python's own handler would never run while the event loop sleeps."""
    process = start(tmp_path)
    assert process.stdout is not None
    assert "Dayhand is running" in process.stdout.readline()
    process.send_signal(number)
    _, err = process.communicate(timeout=30)
    assert (process.returncode, err) == (0, "")


def test_a_damaged_store_is_reported_and_does_not_stop_it(tmp_path: Path) -> None:
    (tmp_path / "dayhand.db").write_bytes(b"not a database" * 100)
    out, _ = start(tmp_path, "--seconds", "0.2").communicate(timeout=60)
    assert "damaged" in out
    assert "Dayhand is running" in out


def test_a_data_folder_that_is_a_file_gets_a_one_line_error(tmp_path: Path) -> None:
    place = tmp_path / "file"
    place.write_text("")
    process = start(place, "--seconds", "0.2")
    _, err = process.communicate(timeout=60)
    assert process.returncode == 1
    assert err.count("\n") == 1
    assert "Traceback" not in err


def test_a_second_start_shows_the_running_app_and_never_runs_beside_it(tmp_path: Path) -> None:
    """There are never two engines. A headless start fails, because it cannot do what it was asked."""
    first = start(tmp_path)
    assert first.stdout is not None
    assert "Dayhand is running" in first.stdout.readline()
    second = start(tmp_path, "--seconds", "0.2")
    third = start(tmp_path, "--headless")
    out, err = second.communicate(timeout=60)
    assert (second.returncode, err) == (0, "")
    assert out.startswith("Dayhand is already running.")
    _, err = third.communicate(timeout=60)
    assert third.returncode == 1
    assert "already running" in err
    fourth = start(tmp_path, "--background")
    assert fourth.communicate(timeout=60) == ("Dayhand is already running.\n", ""), "at login, the window is not shown"
    first.terminate()
    first.communicate(timeout=30)


def test_a_start_while_the_old_app_quits_takes_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is not reported as hanging, and the second start succeeds."""
    monkeypatch.setattr(start_verb, "has_display", lambda: False)
    place = candidate_paths(tmp_path)[0]
    make_private_dir(place.parent)
    held = hold(tmp_path)
    held.__enter__()
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as ending:
        ending.bind(str(place))
        ending.listen()

        def end() -> None:
            ending.accept()[0].close()
            held.__exit__(None, None, None)

        thread = Thread(target=end)
        thread.start()
        assert command_line.run(["--data-dir", str(tmp_path), "--seconds", "0.1"]) == 0
        thread.join()
    assert "Dayhand is running" in capsys.readouterr().out


def test_opening_a_script_needs_a_window(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(start_verb, "has_display", lambda: False)
    assert command_line.run(["start", "my chore.py", "--data-dir", str(tmp_path)]) == 1
    assert f"dayhand deploy --data-dir {tmp_path} 'my chore.py'" in capsys.readouterr().err


def test_an_app_that_hangs_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It holds the folder and accepts the connection, but never answers."""
    monkeypatch.setattr(start_verb, "_ANSWER_TIMEOUT_S", 0.1)
    monkeypatch.setattr(start_verb, "has_display", lambda: False)
    place = candidate_paths(tmp_path)[0]
    make_private_dir(place.parent)
    with hold(tmp_path), socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as silent:
        silent.bind(str(place))
        silent.listen()
        assert command_line.run(["--data-dir", str(tmp_path)]) == 1
    assert "is running but does not respond" in capsys.readouterr().err


def test_until_idle_runs_what_is_due_and_ends(tmp_path: Path) -> None:
    """Neither a later time nor an open request keeps it running."""
    script = tmp_path / "hello.py"
    script.write_text(HELLO)
    assert command_line.run(["deploy", str(script), "--data-dir", str(tmp_path / "data")]) == 0
    process = start(tmp_path / "data", "--headless", "--until-idle")
    out, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (0, "")
    assert "hello: checked; nothing new" in out
    assert "hello: nothing to do" in out
    assert "wait_for_an_hour" not in out


def test_with_json_messages_go_to_stderr(tmp_path: Path) -> None:
    out, err = start(tmp_path, "--headless", "--until-idle", "--json").communicate(timeout=60)
    assert json.loads(out) == {}
    assert "Dayhand is running" in err


HELLO = """
import dayhand
flow = dayhand.Workflow("Hello")

@flow.job(every="1h")
def wait_for_an_hour(ctx):
    ctx.done("Waited")

letters = flow.topic("letters")

@flow.producer(every="1h", publishes=[letters])
def look(ctx, state):
    ctx.log("hm")
    return {}

@flow.consumer(subscribe=[letters])
class Greet:
    def prepare(self, ctx, state):
        return dayhand.nothing()
"""


def test_without_a_display_it_runs_the_demonstration(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    environment = {name: value for name, value in os.environ.items() if "DISPLAY" not in name}
    process = subprocess.Popen(
        [sys.executable, "-m", "app.main"],
        env=environment | {"XDG_DATA_HOME": str(tmp_path)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    demo = tmp_path / "dayhand-demo"
    assert "no display" in process.stdout.readline()
    request = next(line for line in process.stdout if "asks: Add 3 receipts" in line)
    command = request.partition("how to answer: ")[2].split()
    assert command[1] == "attention" and command[3:] == ["--data-dir", str(demo)]
    capsys.readouterr()
    assert command_line.run(command[1:]) == 0
    shown = capsys.readouterr().out
    assert "Corner Bakery" in shown
    approve = shown.splitlines()[-1].partition("  |  ")[0].split()
    assert approve[1] == "approve" and approve[3:] == ["--data-dir", str(demo)]
    assert command_line.run(approve[1:]) == 0
    lines = []
    for line in process.stdout:
        lines.append(line)
        if "Filed 3" in line:
            break
    assert any("receipts: approved: " in line for line in lines)
    assert command_line.run(["quit", "--data-dir", str(demo)]) == 0
    _, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (0, "")
    assert (demo / "expenses.csv").read_text().count("\n") == 4


@pytest.mark.parametrize(
    ("environment", "system", "expected"),
    [
        ({}, "linux", False),
        ({"DISPLAY": ""}, "linux", False),
        ({"DISPLAY": ":0"}, "linux", True),
        ({"WAYLAND_DISPLAY": "wayland-0"}, "linux", True),
        ({}, "darwin", True),
        ({}, "win32", True),
    ],
)
def test_a_display_is_detected(environment: dict[str, str], system: str, expected: bool) -> None:  # noqa: FBT001
    assert has_display(environment, system) is expected


def test_the_first_start_of_the_day_makes_a_backup(tmp_path: Path) -> None:
    start(tmp_path, "--seconds", "0.5").communicate(timeout=60)
    assert len(list((tmp_path / "backups").glob("dayhand-*.db"))) == 1


@pytest.mark.parametrize("seconds", ["x", "nan", "inf", "1e12", "-1", ""])
def test_an_invalid_number_of_seconds_is_refused(
    tmp_path: Path, seconds: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert command_line.run(["--data-dir", str(tmp_path / "new"), f"--seconds={seconds}"]) == 2
    assert "is not a number of seconds" in capsys.readouterr().err
    assert not (tmp_path / "new").exists()
