"""What a script started stays known as a script's, though everybody is gone by whom it could be found."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Event

import pytest

from scheduler.workers.commands import Commands, Wanted
from scheduler.workers.origin import Origin, origin_of
from scheduler.workers.processes import MARK, carries, look_up
from scheduler.workers.worker import Worker
from tests.workers.harness import Recorder, eventually, job, phase

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="another system hands on no mark")

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
    """Where one who was left behind writes its number."""
    place = tmp_path / "pid"
    yield place
    os.kill(int(place.read_text()), signal.SIGKILL)


def _find(place: Path) -> int:
    """Once nothing about it tells where it comes from."""
    assert eventually(place.exists)
    pid = int(place.read_text())
    assert eventually(lambda: not any(carries(one, MARK.encode()) for one in _line_of(pid)))
    return pid


def _line_of(pid: int) -> Iterator[int]:
    """Itself, its parent, and so on."""
    while pid and (process := look_up(pid)):
        yield pid
        pid = process.parent


def test_what_a_command_with_secrets_left_behind(place: Path) -> None:
    ended = Event()
    wanted = Wanted(
        words=[sys.executable, "-c", LEAVE.format(place=str(place))], secrets={}, environment={}, folder="/", line=None
    )
    Commands("mark", 2).start(wanted, {}, lambda _: ended.set())
    assert ended.wait(30)
    assert origin_of(_find(place), None) is Origin.SCRIPT


def test_what_a_script_left_behind_that_killed_its_own_worker(start: Callable[..., Worker], place: Path) -> None:
    body = LEAVE.format(place=str(place)) + f"while not os.path.exists({str(place)!r}): pass\nos.kill(os.getpid(), 9)"
    start(job(body)).run(phase(), Recorder())
    assert origin_of(_find(place), None) is Origin.SCRIPT


def test_what_the_app_itself_started_is_no_scripts() -> None:
    with subprocess.Popen(["/bin/sleep", "1000"]) as editor:
        assert origin_of(editor.pid, None) is Origin.USER
        editor.kill()
