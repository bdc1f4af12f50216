"""Two apps on one data folder: there is never more than one engine."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

ROOT = Path(__file__).parents[2]
_TIMEOUT_S = 60
ENVIRONMENT = {**os.environ, "QT_QPA_PLATFORM": "offscreen"}


def command(folder: Path, *words: str) -> list[str]:
    return [sys.executable, "-m", "app.main", *words, "--data-dir", str(folder)]


@contextmanager
def app(folder: Path) -> Iterator["subprocess.Popen[str]"]:
    """An app that may or may not get the folder."""
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(command(folder, "--headless"), cwd=ROOT, env=ENVIRONMENT, text=True, **pipes) as started:  # type: ignore[call-overload]
        try:
            yield started
        finally:
            if started.poll() is None:
                started.kill()
            started.wait(_TIMEOUT_S)


def is_running(started: "subprocess.Popen[str]") -> bool:
    """Whether it is running; waits until it is, or has exited."""
    assert started.stdout is not None
    return "Dayhand is running" in started.stdout.readline()


def test_a_second_app_is_rejected_with_a_message(tmp_path: Path) -> None:
    with app(tmp_path) as first:
        assert is_running(first)
        second = subprocess.run(
            command(tmp_path, "--headless"), cwd=ROOT, env=ENVIRONMENT, capture_output=True, text=True, check=False
        )
        assert second.returncode == 1
        assert "Dayhand is already running with the data in" in second.stderr
        assert "Use that one, or quit it first." in second.stderr
        assert first.poll() is None


def test_of_several_concurrent_starts_one_runs(tmp_path: Path) -> None:
    with ExitStack() as stack:
        apps = [stack.enter_context(app(tmp_path)) for _ in range(4)]
        running = [one for one in apps if is_running(one)]
        assert len(running) == 1
        others = [one for one in apps if one not in running]
        assert {one.wait(_TIMEOUT_S) for one in others} == {1}
        assert running[0].poll() is None


def test_after_a_kill_the_next_app_gets_the_folder(tmp_path: Path) -> None:
    with app(tmp_path) as first:
        assert is_running(first)
        first.send_signal(signal.SIGKILL)
        first.wait(_TIMEOUT_S)
        with app(tmp_path) as second:
            assert is_running(second)
