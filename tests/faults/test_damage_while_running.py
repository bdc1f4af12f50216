"""The store is damaged while the app runs: it is reported once, nothing spins, and quitting and restarting work."""

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.faults.small_disk import SmallDisk

ROOT = Path(__file__).parents[2]
_TIMEOUT_S = 60
_QUIT_TIMEOUT_S = 10
_WATCH_S = 3
"""How long it is watched after it reported the damage; a busy loop would print thousands of lines."""
_MAX_LINES = 12
_SCRIPT = """
import dayhand
flow = dayhand.Workflow("Often")
t = flow.topic("t")

@flow.producer(every="10s", publishes=[t])
def look(ctx, state):
    n = state.get("n", 0) + 1
    ctx.publish(t, id=str(n))
    return {"n": n}

@flow.consumer(subscribe=[t])
class Take:
    def prepare(self, ctx, state):
        batch = ctx.peek(t)
        return dayhand.prepared(reserve=batch) if batch else dayhand.nothing()

@flow.job(every="10s")
def chore(ctx):
    ctx.done("did the chore")
"""


class App:
    """`dayhand --headless` in a process, with its output in a file."""

    def __init__(self, folder: Path, output: Path) -> None:
        self.folder, self.output = folder, output
        command = [sys.executable, "-m", "app.main", "--headless", "--data-dir", str(folder)]
        environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen"}
        with output.open("w") as file:
            self.process = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=file, stderr=file)
        self.wait_for("Dayhand is running")

    def lines(self) -> list[str]:
        return self.output.read_text().splitlines()

    def wait_for(self, words: str, since: int = 0) -> None:
        end = time.monotonic() + _TIMEOUT_S
        while not any(words in line for line in self.lines()[since:]):
            assert time.monotonic() < end, f"it never printed {words!r}: {self.lines()[-20:]}"
            assert self.process.poll() is None, self.lines()[-20:]
            time.sleep(0.05)

    def watch(self) -> None:
        """Let it run for a while; it must not exit."""
        with pytest.raises(subprocess.TimeoutExpired):
            self.process.wait(_WATCH_S)

    def quit(self) -> None:
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(_QUIT_TIMEOUT_S)
        assert self.process.returncode == 0, self.lines()[-20:]


@contextmanager
def running(folder: Path, output: Path) -> Iterator[App]:
    app = App(folder, output)
    try:
        yield app
    finally:
        app.process.kill()
        app.process.wait()


def deploy(folder: Path, script: Path) -> None:
    script.write_text(_SCRIPT)
    command = [sys.executable, "-m", "app.main", "deploy", str(script), "--data-dir", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)


def cut_off_the_log(folder: Path) -> None:
    os.truncate(folder / "dayhand.db-wal", 0)


def overwrite_pages(folder: Path) -> None:
    for name in ("dayhand.db", "dayhand.db-wal"):
        path = folder / name
        with path.open("rb+") as file:
            file.write(b"\xa5" * path.stat().st_size)


def delete_the_store(folder: Path) -> None:
    for suffix in ("", "-wal", "-shm"):
        (folder / f"dayhand.db{suffix}").unlink()


def delete_the_log(folder: Path) -> None:
    (folder / "dayhand.db-wal").unlink()


def put_a_folder_in_its_place(folder: Path) -> None:
    delete_the_store(folder)
    (folder / "dayhand.db").mkdir()


def remove_everything(folder: Path) -> None:
    shutil.rmtree(folder)


GONE = "was deleted or replaced while Dayhand was using it, so nothing is saved. Put it back, or quit Dayhand"
DAMAGED = "is damaged. Quit Dayhand and start it again: it sets the file aside and offers the last backup."


@pytest.mark.parametrize(
    ("damage", "sentence", "at_the_next_start"),
    [
        (cut_off_the_log, DAMAGED, "Dayhand is running"),
        (overwrite_pages, DAMAGED, "was damaged and was set aside"),
        (delete_the_store, GONE, "Your data file dayhand.db was missing"),
        (delete_the_log, GONE, "Dayhand is running"),
        (put_a_folder_in_its_place, GONE, "was damaged and was set aside"),
        (remove_everything, GONE, "Dayhand is running"),
    ],
)
def test_damage_is_reported_once_nothing_spins_and_the_app_quits(
    tmp_path: Path, damage: Callable[[Path], None], sentence: str, at_the_next_start: str
) -> None:
    folder = tmp_path / "data"
    deploy(folder, tmp_path / "often.py")
    with running(folder, tmp_path / "said") as app:
        app.wait_for("Found 1 new item")
        before = len(app.lines())
        damage(folder)
        app.wait_for(sentence, before)
        app.watch()
        lines = app.lines()[before:]
        assert len(lines) <= _MAX_LINES, lines
        assert len([line for line in lines if line.endswith(sentence) and "ERROR" not in line]) <= 1, lines
        logged = sum(len(log.read_text().splitlines()) for log in (folder / "logs").glob("dayhand.log*"))
        assert logged <= 200, "at most a traceback or two"
        app.quit()
    with running(folder, tmp_path / "said again") as app:
        app.wait_for(at_the_next_start)
        app.quit()


def test_a_full_disk_is_reported_once_and_work_resumes_when_there_is_room(
    small_disk: SmallDisk, tmp_path: Path
) -> None:
    folder = small_disk.path / "data"
    deploy(folder, tmp_path / "often.py")
    with running(folder, tmp_path / "said") as app:
        app.wait_for("Found 1 new item")
        small_disk.fill()
        before = len(app.lines())
        app.wait_for("is full, so nothing was saved", before)
        app.watch()
        assert len(app.lines()) - before <= _MAX_LINES, app.lines()[before:]
        small_disk.make_room()
        app.wait_for("did the chore", len(app.lines()))
        app.quit()
