"""Two apps on one data folder: there is never more than one engine."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

ROOT = Path(__file__).parents[2]
_PATIENCE = 60
ENVIRONMENT = {**os.environ, "QT_QPA_PLATFORM": "offscreen"}


def command(folder: Path, *words: str) -> list[str]:
    return [sys.executable, "-m", "app.main", *words, "--data-dir", str(folder)]


@contextmanager
def app(folder: Path) -> Iterator["subprocess.Popen[str]"]:
    """One that may or may not get the folder."""
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(command(folder, "--headless"), cwd=ROOT, env=ENVIRONMENT, text=True, **pipes) as started:  # type: ignore[call-overload]
        try:
            yield started
        finally:
            if started.poll() is None:
                started.kill()
            started.wait(_PATIENCE)


def is_running(started: "subprocess.Popen[str]") -> bool:
    """Whether it came up; waits until it has, or has ended."""
    assert started.stdout is not None
    return "Dayhand is running" in started.stdout.readline()


def test_the_second_is_refused_with_a_sentence(tmp_path: Path) -> None:
    """I4"""
    with app(tmp_path) as first:
        assert is_running(first)
        second = subprocess.run(
            command(tmp_path, "--headless"), cwd=ROOT, env=ENVIRONMENT, capture_output=True, text=True, check=False
        )
        assert second.returncode == 1
        assert "Dayhand is already running with the data in" in second.stderr
        assert "Use that one, or quit it first." in second.stderr
        assert first.poll() is None


def test_of_many_that_start_at_once_one_runs(tmp_path: Path) -> None:
    """I4"""
    with ExitStack() as stack:
        apps = [stack.enter_context(app(tmp_path)) for _ in range(4)]
        running = [one for one in apps if is_running(one)]
        assert len(running) == 1
        others = [one for one in apps if one not in running]
        assert {one.wait(_PATIENCE) for one in others} == {1}
        assert running[0].poll() is None


def test_after_a_kill_the_next_one_has_the_folder(tmp_path: Path) -> None:
    with app(tmp_path) as first:
        assert is_running(first)
        first.send_signal(signal.SIGKILL)
        first.wait(_PATIENCE)
        with app(tmp_path) as second:
            assert is_running(second)
