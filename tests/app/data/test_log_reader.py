"""Reading the rotated logs: everything once and in order, also while they are rotated."""

import json
import logging
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from app.cli import command_line
from app.data import log_file
from app.data.log_file import decisions_path, log_path, open_log
from app.data.log_reader import LogReader, RotatedLog

decisions = logging.getLogger("scheduler.decisions")


def write(number: int, schedule: str = "w/h", **values: object) -> None:
    at = f"2026-11-16T11:{number // 60 % 60:02}:{number % 60:02}.000Z"
    line = {"at": at, "schedule": schedule, "planned": at, "decision": "queued", "late_s": 0.0, "number": number}
    decisions.info(json.dumps({**line, **values}))


def numbers(reader: LogReader) -> list[int]:
    return [entry.values["number"] for entry in reader.read()]


@pytest.fixture
def small_files(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log_file, "_MAX_DECISIONS_BYTES", 2_000)


def test_decisions_have_a_file_of_their_own(tmp_path: Path) -> None:
    with open_log(tmp_path) as path:
        logging.getLogger("app").info("Started")
        for number in range(2_000):
            write(number)
    assert "queued" not in path.read_text() and "Started" in path.read_text()
    assert len(decisions_path(tmp_path).read_text().splitlines()) == 2_000
    if os.name == "posix":
        assert decisions_path(tmp_path).stat().st_mode & 0o777 == 0o600
    assert decisions.propagate and not decisions.handlers, "as before"


def test_many_decisions_take_a_limited_space_and_leave_the_messages(tmp_path: Path, small_files: None) -> None:
    with open_log(tmp_path) as path:
        logging.getLogger("app").info("Started")
        for number in range(1_000):
            write(number)
    kept = list(path.parent.glob("decisions.log*"))
    assert len(kept) == 5
    assert sum(one.stat().st_size for one in kept) < 5 * 2_500
    assert "Started" in path.read_text()


def test_rotated_files_are_read_oldest_first(tmp_path: Path, small_files: None) -> None:
    with open_log(tmp_path):
        for number in range(40):
            write(number)
    assert decisions_path(tmp_path).with_name("decisions.log.1").exists()
    assert numbers(LogReader(tmp_path)) == list(range(40))


def test_following_survives_rotation(tmp_path: Path, small_files: None) -> None:
    reader, seen = LogReader(tmp_path, only_decisions=True), []
    with open_log(tmp_path):
        for number in range(200):
            write(number)
            if number % 7 == 0:
                seen += numbers(reader)
    seen += numbers(reader)
    assert seen == list(range(200))


def test_following_a_file_that_was_rotated_several_times_at_once(tmp_path: Path, small_files: None) -> None:
    reader = LogReader(tmp_path, only_decisions=True)
    with open_log(tmp_path):
        write(0)
        assert numbers(reader) == [0]
        for number in range(1, 45):
            write(number)
    assert decisions_path(tmp_path).with_name("decisions.log.2").exists()
    assert numbers(reader) == list(range(1, 45))


def test_following_begins_before_there_is_a_log(tmp_path: Path) -> None:
    reader = LogReader(tmp_path)
    assert list(reader.read()) == []
    with open_log(tmp_path):
        write(1)
    assert numbers(reader) == [1]


def test_a_rotation_while_the_files_are_opened_hides_no_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Between the current file and the first old one: the current one is then found twice."""
    path = tmp_path / "some.log"
    path.with_name("some.log.1").write_text("1\n")
    path.write_text("2\n")
    opened = Path.open

    def open_and_rotate(self: Path, *arguments: str, **options: Any) -> object:
        file = opened(self, *arguments, **options)
        if self == path and "rb" in arguments and not path.with_name("some.log.2").exists():
            path.with_name("some.log.1").rename(path.with_name("some.log.2"))
            path.rename(path.with_name("some.log.1"))
            path.write_text("3\n")
        return file

    log = RotatedLog(path)
    with monkeypatch.context() as rotating:
        rotating.setattr(Path, "open", open_and_rotate)
        first = list(log.read_lines())
    assert first + list(log.read_lines()) == ["1", "2", "3"]


def test_half_a_line_is_read_when_it_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "some.log"
    path.write_text("one\ntw")
    log = RotatedLog(path)
    assert list(log.read_lines()) == ["one"]
    with path.open("a") as file:
        file.write("o\n")
    assert list(log.read_lines()) == ["two"]


def test_an_emptied_log_is_read_from_its_beginning(tmp_path: Path) -> None:
    path = tmp_path / "some.log"
    path.with_name("some.log.1").write_text("old\n")
    path.write_text("one\ntwo\n")
    log = RotatedLog(path)
    assert list(log.read_lines()) == ["old", "one", "two"]
    with path.open("w") as file:
        file.write("new\n")
    assert list(log.read_lines()) == ["new"]


def test_a_line_torn_by_a_kill_is_lost_and_no_other(tmp_path: Path) -> None:
    with open_log(tmp_path):
        write(1)
    with decisions_path(tmp_path).open("a") as file:
        file.write('{"at": "2026-11-16T11:00:0')
    with open_log(tmp_path):
        write(2)
    assert numbers(LogReader(tmp_path)) == [1, 2]


def test_messages_of_the_app_are_merged_with_their_tracebacks(tmp_path: Path) -> None:
    with open_log(tmp_path):
        try:
            raise ValueError("broken")
        except ValueError:
            logging.getLogger("app").exception("It failed")
        write(1)
    past, message = list(LogReader(tmp_path).read())
    assert past.is_decision and not message.is_decision
    assert (message.values["level"], message.values["logger"]) == ("ERROR", "app")
    assert message.values["message"].startswith("It failed\nTraceback")
    assert message.values["message"].endswith("ValueError: broken")
    assert abs(message.at.timestamp() - log_path(tmp_path).stat().st_mtime) < 60, "local times are read as such"


def run_log(folder: Path, capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, list[str]]:
    code = command_line.run(["log", *words, "--data-dir", str(folder)])
    return code, capsys.readouterr().out.splitlines()


@pytest.fixture
def logged(tmp_path: Path) -> Path:
    with open_log(tmp_path):
        logging.getLogger("app").info("Started")
        write(0, "mail/poll")
        write(60, "mail/sort", decision="skipped", reason="overlap")
        write(120, "mail-old/poll", decision="missed", count=10_000, until="2026-11-17T00:00:00.000Z", more=True)
        decisions.info('{"at": "2026-11-16T12:00:00.000Z", "decision": "clock set back", "schedules": 3, "dropped": 1}')
    return tmp_path


def test_the_log_is_printed_in_words(logged: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, lines = run_log(logged, capsys)
    assert code == 0 and len(lines) == 5
    assert "mail/poll  queued  planned" in lines[0]
    assert lines[1].endswith("The previous run was still running.")
    assert "missed  more than 10,000 times from" in lines[2]
    assert lines[3].endswith("clock set back  3 schedules recalculated, 1 run dropped")
    assert lines[4].endswith("info  Started")


def test_a_schedule_is_picked_by_workflow_or_handler_or_name(logged: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def picked(wanted: str) -> list[str | None]:
        _, lines = run_log(logged, capsys, "--schedule", wanted, "--json")
        return [json.loads(line).get("schedule") for line in lines]

    assert picked("mail") == ["mail/poll", "mail/sort", None], "a clock set back concerns every schedule"
    assert picked("Mail") == ["mail/poll", "mail/sort", None]
    assert picked("mail/sort") == ["mail/sort", None]
    assert picked("mai") == [None]


def test_only_entries_since_a_time_are_shown(logged: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, lines = run_log(logged, capsys, "--decisions", "--since", "2026-11-16T11:02:00Z", "--json")
    assert [json.loads(line)["decision"] for line in lines] == ["missed", "clock set back"]
    code, _ = run_log(logged, capsys, "--since", "someday")
    assert code == 2


def test_only_the_last_entries_are_shown_without_a_time(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with open_log(tmp_path):
        for number in range(300):
            write(number)
    _, lines = run_log(tmp_path, capsys, "--json")
    assert [json.loads(line)["number"] for line in lines] == list(range(200, 300))
    assert len(run_log(tmp_path, capsys, "--count", "7")[1]) == 7


def test_without_a_log_there_are_no_entries(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_log(tmp_path / "none", capsys) == (0, ["No entries."])
    assert run_log(tmp_path / "none", capsys, "--json") == (0, [])
    assert not (tmp_path / "none").exists(), "reading creates nothing"


@pytest.fixture
def ctrl_c() -> Iterator[None]:
    """Started by a shell with &, these tests ignore Ctrl+C, and so would every process that they start."""
    handler = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, handler)


@pytest.mark.skipif(os.name != "posix", reason="Ctrl+C is a signal")
def test_following_in_a_terminal_ends_cleanly_with_ctrl_c(tmp_path: Path, small_files: None, ctrl_c: None) -> None:
    command = [
        sys.executable,
        "-m",
        "app.main",
        "log",
        "--follow",
        "--decisions",
        "--json",
        "--data-dir",
        str(tmp_path),
    ]
    with open_log(tmp_path):
        write(0)
        follower = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        assert follower.stdout is not None
        assert json.loads(follower.stdout.readline())["number"] == 0
        for number in range(1, 30):
            write(number)
        assert decisions_path(tmp_path).with_name("decisions.log.1").exists()
        seen = [json.loads(follower.stdout.readline())["number"] for _ in range(1, 30)]
    assert seen == list(range(1, 30))
    follower.send_signal(signal.SIGINT)
    out, err = follower.communicate(timeout=60)
    assert (out, err, follower.returncode) == ("", "", 130)


_KILLED = """
import os, signal, sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from app.data.log_file import open_log
from scheduler.engine.scheduling import decision_log
from tests.engine.engine_fixture import HOUR, Bench

folder = Path(sys.argv[1])
with open_log(folder):
    bench = Bench(folder / "data")
    decision_log.write_decisions(bench.database, bench.clock)
    bench.add({"every": "1h"})
    bench.run_for(HOUR)
    bench.clock.move(HOUR)
    os.write(1, b"ready")
    decision_log.Decisions.__str__ = lambda _: os.kill(os.getpid(), signal.SIGKILL)
    bench.tick()
"""


@pytest.mark.skipif(os.name != "posix", reason="kills by signal")
def test_a_kill_between_commit_and_log_loses_only_that_line(tmp_path: Path) -> None:
    from scheduler.engine.scheduling.decision_log import write_decisions
    from tests.engine.engine_fixture import HOUR, MINUTE, Bench

    killed = subprocess.run([sys.executable, "-c", dedent(_KILLED), str(tmp_path)], capture_output=True, check=False)
    assert (killed.stdout, killed.returncode) == (b"ready", -signal.SIGKILL), killed.stderr

    class LaterBench(Bench):
        def open(self) -> None:
            self.clock.wall += 2 * HOUR + MINUTE
            super().open()

    with open_log(tmp_path):
        bench = LaterBench(tmp_path / "data")
        write_decisions(bench.database, bench.clock)
        assert bench.planned() == ["11:00", "12:00"], "the row is stored"
        bench.run_for(HOUR)
        bench.close()
    found = [
        (one.values["planned"][11:16], one.values["decision"])
        for one in LogReader(tmp_path, only_decisions=True).read()
    ]
    assert found == [
        ("11:00", "queued"),
        ("11:00", "started"),
        ("12:00", "started"),
        ("13:00", "queued"),
        ("13:00", "started"),
    ]
