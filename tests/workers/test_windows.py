"""Job objects and secrets on Windows, with real processes."""

import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

import pytest

if sys.platform != "win32":
    pytest.skip("job objects and named pipes are those of Windows", allow_module_level=True)

from scheduler.workers.command import RunningCommand
from scheduler.workers.origin import ProcessOrigin, origin_of, own_origin
from scheduler.workers.secret_commands import SecretCommand, SecretCommands
from scheduler.workers.system import (
    KILLED_CODE,
    find_process,
    kill_tree,
    kill_with_descendants,
    offer_secrets,
    start_process,
)

_CHILD = "import subprocess, sys; c = subprocess.Popen([sys.executable, '-c', 'input()'], stdin=subprocess.PIPE)"
_WITH_CHILD = f"{_CHILD}; print(c.pid, flush=True); c.wait()"

Start = Callable[..., "subprocess.Popen[bytes]"]


@pytest.fixture
def start() -> Iterator[Start]:
    """Starts Python code; what still runs at the end is killed."""
    with ExitStack() as stack:

        def act(code: str, **arguments: Any) -> "subprocess.Popen[bytes]":
            process = start_process(
                [sys.executable, "-c", code],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                **arguments,
            )
            stack.enter_context(process)
            stack.callback(kill_tree, process)
            return process

        yield act


def first_line(process: "subprocess.Popen[bytes]") -> str:
    assert process.stdout is not None
    return process.stdout.readline().decode().strip()


def has_ended(process: "subprocess.Popen[bytes]") -> bool:
    """Also what it started: nobody has its output open any more."""
    assert process.stdout is not None
    process.stdout.read()
    return process.wait() == KILLED_CODE


def is_running(pid: int) -> bool:
    process = find_process(pid)
    return process is not None and process.is_alive


def test_a_program_started_for_a_script_is_recognised_with_what_it_starts(start: Start) -> None:
    process = start(_WITH_CHILD)
    child = int(first_line(process))
    assert [origin_of(pid, None) for pid in (process.pid, child)] == [ProcessOrigin.SCRIPT] * 2
    kill_tree(process)
    assert has_ended(process)
    assert not is_running(child)


def test_a_process_knows_that_a_script_started_it(start: Start) -> None:
    process = start("from scheduler.workers.origin import own_origin; print(own_origin())")
    assert first_line(process) == "script"


def test_other_programs_are_the_users(start: Start) -> None:
    process = start(_WITH_CHILD, is_for_script=False)
    child = int(first_line(process))
    assert own_origin() is ProcessOrigin.USER
    assert [origin_of(pid, None) for pid in (process.pid, child)] == [ProcessOrigin.USER] * 2
    kill_tree(process)
    assert has_ended(process)


def test_what_has_a_mark_is_killed_together(start: Start) -> None:
    processes = [start(_WITH_CHILD, mark="here"), start(_WITH_CHILD, mark="here"), start(_WITH_CHILD, mark="there")]
    for process in processes:
        first_line(process)
    kill_with_descendants(None, "here")
    assert [has_ended(process) for process in processes[:2]] == [True, True]
    assert processes[2].poll() is None
    kill_with_descendants(None, "there")
    assert has_ended(processes[2])


def test_a_program_is_the_same_one_while_it_runs(start: Start) -> None:
    process = start("input()")
    first = find_process(process.pid)
    assert first is not None and first.is_alive and first == find_process(process.pid)
    kill_tree(process)
    process.wait()
    assert not is_running(process.pid)


def test_a_command_beyond_its_time_limit_ends_with_what_it_started() -> None:
    ended = RunningCommand([sys.executable, "-c", _WITH_CHILD], {}, None).wait(5)
    assert ended.is_overdue
    assert not is_running(int(ended.output))


def test_a_secret_is_read_once_by_the_command_that_gets_it(tmp_path: Path) -> None:
    code = (
        "import os\n"
        "place = os.environ['PASSWORD_FILE']\n"
        "print(repr(open(place).read()), flush=True)\n"
        "try: open(place)\n"
        "except OSError: print('gone')"
    )
    ended, log = threading.Event(), tmp_path / "log"
    with log.open("wb") as output:
        command = SecretCommand(
            words=[sys.executable, "-c", code], secrets={}, environment={}, folder=str(tmp_path), line=None
        )
        SecretCommands("mark", output.fileno()).start(command, {"PASSWORD_FILE": "käse"}, lambda _: ended.set())
        assert ended.wait(60)
    assert log.read_text("utf-8").splitlines() in (["'käse'", "gone"], ["'k\\xe4se'", "gone"])


def test_another_program_gets_no_secret(start: Start) -> None:
    with offer_secrets({"SECRET": "käse"}) as places:
        process = start("input()")
        places.serve(process)
    read = b""
    with suppress(OSError), open(places.variables["SECRET"], "rb") as pipe:  # noqa: PTH123  not a path of the disk
        read = pipe.read()
    assert read == b""
