"""`dayhand` as a process without a display."""

import json
import os
import signal
import socket
import subprocess
import sys
from pathlib import Path
from threading import Thread

import pytest

from app import cli
from app.control.place import make_private, places
from app.verbs import start as start_verb
from app.verbs.start import has_display
from scheduler.store.lock import hold


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


def test_a_second_one_shows_the_first_and_never_runs_beside_it(tmp_path: Path) -> None:
    """I4: never two engines. One that was to run without a window did not do what it was asked."""
    first = start(tmp_path)
    assert first.stdout is not None
    assert "Dayhand is running" in first.stdout.readline()
    second = start(tmp_path, "--seconds", "0.2")
    third = start(tmp_path, "--headless")
    said, complained = second.communicate(timeout=60)
    assert (second.returncode, complained) == (0, "")
    assert said.startswith("Dayhand is already running.")
    _, complained = third.communicate(timeout=60)
    assert third.returncode == 1
    assert "already running" in complained
    fourth = start(tmp_path, "--background")
    assert fourth.communicate(timeout=60) == ("Dayhand is already running.\n", ""), "at login, it does not show itself"
    first.terminate()
    first.communicate(timeout=30)


def test_one_that_ends_while_it_is_asked_is_followed_by_the_new_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is not called silent, and the person who started again gets what they wanted."""
    monkeypatch.setattr(start_verb, "has_display", lambda: False)
    place = places(tmp_path)[0]
    make_private(place.parent)
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
        assert cli.run(["--data-dir", str(tmp_path), "--seconds", "0.1"]) == 0
        thread.join()
    assert "Dayhand is running" in capsys.readouterr().out


def test_a_script_to_look_at_needs_a_window(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(start_verb, "has_display", lambda: False)
    assert cli.run(["start", "my chore.py", "--data-dir", str(tmp_path)]) == 1
    assert "dayhand deploy 'my chore.py'" in capsys.readouterr().err


def test_one_that_hangs_is_told_apart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It has the folder and hears the second one, but never answers."""
    monkeypatch.setattr(start_verb, "_PATIENCE", 0.1)
    monkeypatch.setattr(start_verb, "has_display", lambda: False)
    place = places(tmp_path)[0]
    make_private(place.parent)
    with hold(tmp_path), socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as silent:
        silent.bind(str(place))
        silent.listen()
        assert cli.run(["--data-dir", str(tmp_path)]) == 1
    assert "is running but does not answer" in capsys.readouterr().err


def test_until_idle_it_does_what_is_there_to_do_and_ends(tmp_path: Path) -> None:
    """Neither a later time nor a question holds it."""
    script = tmp_path / "hello.py"
    script.write_text(HELLO)
    assert cli.run(["deploy", str(script), "--data-dir", str(tmp_path / "data")]) == 0
    process = start(tmp_path / "data", "--headless", "--until-idle")
    said, complained = process.communicate(timeout=60)
    assert (process.returncode, complained) == (0, "")
    assert "hello: looked for news" in said
    assert "hello: looked; nothing to report" in said
    assert "wait_for_an_hour" not in said


def test_as_json_it_says_everything_elsewhere(tmp_path: Path) -> None:
    said, complained = start(tmp_path, "--headless", "--until-idle", "--json").communicate(timeout=60)
    assert json.loads(said) == {}
    assert "Dayhand is running" in complained


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


def test_without_a_display_it_shows_itself_with_a_sample(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
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
    asked = next(line for line in process.stdout if "asks: Add 3 receipts" in line)
    command = asked.partition("how to answer: ")[2].split()
    assert command[1] == "attention" and command[3:] == ["--data-dir", str(demo)]
    capsys.readouterr()
    assert cli.run(command[1:]) == 0
    shown = capsys.readouterr().out
    assert "Corner Bakery" in shown
    approve = shown.splitlines()[-1].partition("  |  ")[0].split()
    assert approve[1] == "approve" and approve[3:] == ["--data-dir", str(demo)]
    assert cli.run(approve[1:]) == 0
    lines = []
    for line in process.stdout:
        lines.append(line)
        if "Filed 3" in line:
            break
    assert any("you said yes" in line for line in lines)
    assert cli.run(["quit", "--data-dir", str(demo)]) == 0
    _, complained = process.communicate(timeout=60)
    assert (process.returncode, complained) == (0, "")
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
def test_where_there_is_a_display(environment: dict[str, str], system: str, expected: bool) -> None:  # noqa: FBT001
    assert has_display(environment, system) is expected


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
