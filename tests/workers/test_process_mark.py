"""A process started by a script is recognized even when all its ancestors are gone."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Event

import pytest

from scheduler.workers.origin import ProcessOrigin, origin_of
from scheduler.workers.processes import MARK_VARIABLE, find_process, has_mark
from scheduler.workers.secret_commands import SecretCommand, SecretCommands
from scheduler.workers.worker import Worker
from tests.workers.worker_fixture import Recorder, eventually, job, phase

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="there is no process mark on this system")

LEAVE = """
import os
if not os.fork():
    os.setsid()
    if os.fork():
        os._exit(0)
    with open({place!r} + ".new", "w") as file:
        file.write(str(os.getpid()))
    os.rename({place!r} + ".new", {place!r})
    os.execve("/bin/sleep", ["sleep", "1000"], {{}})
"""


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Path]:
    """The file in which the orphan writes its pid."""
    place = tmp_path / "pid"
    yield place
    os.kill(int(place.read_text()), signal.SIGKILL)


def _find(place: Path) -> int:
    """The pid, once nothing but the mark shows where it comes from."""
    assert eventually(place.exists)
    pid = int(place.read_text())
    assert eventually(lambda: not any(has_mark(one, MARK_VARIABLE.encode()) for one in _with_ancestors(pid)))
    return pid


def _with_ancestors(pid: int) -> Iterator[int]:
    """The process and its ancestors."""
    while pid and (process := find_process(pid)):
        yield pid
        pid = process.parent


def test_an_orphan_of_a_command_with_secrets_is_recognized(place: Path) -> None:
    ended = Event()
    command = SecretCommand(
        words=[sys.executable, "-c", LEAVE.format(place=str(place))], secrets={}, environment={}, folder="/", line=None
    )
    SecretCommands("mark", 2).start(command, {}, lambda _: ended.set())
    assert ended.wait(30)
    assert origin_of(_find(place), None) is ProcessOrigin.SCRIPT


def test_an_orphan_of_a_script_that_killed_its_worker_is_recognized(start: Callable[..., Worker], place: Path) -> None:
    body = LEAVE.format(place=str(place)) + f"while not os.path.exists({str(place)!r}): pass\nos.kill(os.getpid(), 9)"
    start(job(body)).run(phase(), Recorder())
    assert origin_of(_find(place), None) is ProcessOrigin.SCRIPT


def test_a_process_started_by_the_app_was_started_by_the_user() -> None:
    with subprocess.Popen(["/bin/sleep", "1000"]) as editor:
        assert origin_of(editor.pid, None) is ProcessOrigin.USER
        editor.kill()
