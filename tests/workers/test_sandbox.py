"""Scripts are not trusted: beyond files and the network they cannot reach what the user can."""

import os
import re
import socket
import subprocess
import sys
from collections.abc import Callable
from ctypes import CDLL
from pathlib import Path

import keyring as library
import pytest
from dayhand import _sandbox

from scheduler.workers.outcomes import Finished, ScriptFailed
from scheduler.workers.worker import Worker
from tests.connections.secret_service import SecretService
from tests.workers.worker_fixture import FIRST_LINE, Recorder, job, phase

Start = Callable[..., Worker]
_SIGNALS_VERSION = 6
"""The first version of Landlock that can block signals."""

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="there is no sandbox on this system")
blocks_signals = pytest.mark.skipif(
    sys.platform.startswith("linux") and CDLL(None).syscall(444, None, 0, 1) < _SIGNALS_VERSION,
    reason="this Linux is too old to block signals",
)


def _message(worker: Worker) -> str:
    outcome = worker.run(phase(), Recorder())
    assert isinstance(outcome, ScriptFailed), outcome
    return outcome.message


def test_a_script_cannot_read_the_keyring_even_with_its_address(start: Start, keyring: SecretService) -> None:
    library.set_password("Dayhand test", "imap:home", "hunter2")
    ask = "import keyring; print(keyring.get_password('Dayhand test', 'imap:home'))"
    outside = {**os.environ, "DBUS_SESSION_BUS_ADDRESS": keyring.address}
    result = subprocess.run([sys.executable, "-c", ask], env=outside, stdout=subprocess.PIPE, text=True, check=True)
    assert result.stdout == "hunter2\n", "the user can read it"
    recorder = Recorder()
    worker = start(job(f"os.environ['DBUS_SESSION_BUS_ADDRESS'] = {keyring.address!r}\n{ask}"))
    outcome = worker.run(phase(), recorder)
    assert isinstance(outcome, ScriptFailed)
    assert "hunter2" not in recorder.text


CONNECT = "import socket; socket.socket(socket.AF_UNIX).connect({path!r})"
WAYS = {
    "itself": CONNECT,
    "in a thread": "from concurrent.futures import ThreadPoolExecutor\nimport socket\n"
    "ThreadPoolExecutor().submit(lambda: socket.socket(socket.AF_UNIX).connect({path!r})).result()",
    "through a child": f'subprocess.run([sys.executable, "-c", """{CONNECT}"""], check=True, stderr=sys.stdout)',
}


@pytest.mark.parametrize("way", WAYS)
def test_local_sockets_are_blocked(start: Start, python: Path | None, way: str, tmp_path: Path) -> None:
    path = str(tmp_path / "socket")
    with socket.socket(socket.AF_UNIX) as listener, socket.socket(socket.AF_UNIX) as user:
        listener.bind(path)
        listener.listen()
        user.connect(path)
        worker = start(job(WAYS[way].format(path=path)), python=python)
        recorder = Recorder()
        outcome = worker.run(phase(), recorder)
        assert isinstance(outcome, ScriptFailed)
        assert "Permission denied" in outcome.message + recorder.text


@pytest.mark.parametrize("wrapped", ["", "except OSError as error: raise ValueError('no bus') from error"])
def test_an_error_caused_by_the_sandbox_says_so_with_its_line(start: Start, wrapped: str) -> None:
    body = f"import socket\ntry: socket.socket(socket.AF_UNIX)\n{wrapped or 'finally: pass'}"
    outcome = start(job(body)).run(phase(), Recorder())
    assert isinstance(outcome, ScriptFailed)
    assert outcome.message.endswith(
        ". The sandbox blocks local sockets and other processes for scripts without jobs and top-level code"
    )
    assert outcome.line == FIRST_LINE + (2 if wrapped else 1)


def test_a_permission_error_of_a_file_is_not_blamed_on_the_sandbox(start: Start) -> None:
    message = _message(start(job("raise PermissionError(13, 'Permission denied', 'notes.txt')")))
    assert message == "PermissionError: [Errno 13] Permission denied: 'notes.txt'"


@blocks_signals
def test_a_script_cannot_signal_other_processes(start: Start) -> None:
    assert "Operation not permitted" in _message(start(job(f"os.kill({os.getpid()}, 0)")))


INSPECTIONS = {
    "memory": "open('/proc/{host}/mem')",
    "environment": "open('/proc/{host}/environ').read()",
    "files": "os.readlink('/proc/{host}/fd/0')",
    "folder": "os.readlink('/proc/{host}/cwd')",
    "shared memory": "import ctypes\nlinux = ctypes.CDLL(None, use_errno=True)\n"
    "linux.shmat(0, None, 0)\nraise OSError(os.strerror(ctypes.get_errno()))",
    "limits": "import resource\nresource.prlimit({host}, resource.RLIMIT_CORE)",
    "a call": "import ctypes\nlinux = ctypes.CDLL(None, use_errno=True)\n"
    "linux.process_vm_readv({host}, None, 0, None, 0, 0)\nraise OSError(os.strerror(ctypes.get_errno()))",
}


@pytest.mark.parametrize("what", INSPECTIONS)
def test_other_processes_cannot_be_inspected(start: Start, what: str) -> None:
    assert "Permission denied" in _message(start(job(INSPECTIONS[what].format(host=os.getpid()))))


CHANGES = {
    "its priority": "os.setpriority(os.PRIO_PROCESS, {host}, 19)",
    "the priority of its group": "os.setpriority(os.PRIO_PGRP, os.getpgid({host}), 19)",
    "the priority of all the user's processes": "os.setpriority(os.PRIO_USER, os.getuid(), 19)",
    "its processors": "os.sched_setaffinity({host}, {{0}})",
    "its scheduler": "os.sched_setscheduler({host}, os.SCHED_IDLE, os.sched_param(0))",
    "its parameters": "os.sched_setparam({host}, os.sched_param(0))",
    "its share of the disk": "import ctypes\nlinux = ctypes.CDLL(None, use_errno=True)\n"
    "assert linux.syscall({ioprio_set}, 1, {host}, 3 << 13) == 0, os.strerror(ctypes.get_errno())",
    "when it is killed": "open('/proc/{host}/oom_score_adj', 'w').write('1000')",
    "the limit by which it is found": "import resource\nresource.setrlimit(resource.RLIMIT_RSS, (1, 1))",
    "its control group": "open('/sys/fs/cgroup/cgroup.procs', 'w')",
}


@pytest.mark.parametrize("what", CHANGES)
def test_other_processes_cannot_be_changed(start: Start, what: str) -> None:
    number = _sandbox._CALLS[os.uname().machine].ioprio_set
    before = (os.getpriority(os.PRIO_PROCESS, 0), os.sched_getaffinity(0), os.sched_getscheduler(0))
    message = _message(start(job(CHANGES[what].format(host=os.getpid(), ioprio_set=number))))
    assert "Permission denied" in message or "No such file" in message, message
    assert before == (os.getpriority(os.PRIO_PROCESS, 0), os.sched_getaffinity(0), os.sched_getscheduler(0))


def test_a_socket_of_a_pair_cannot_send_to_an_address(start: Start, tmp_path: Path) -> None:
    """Connected sockets cannot change their peer; connectionless ones could."""
    path = str(tmp_path / "socket")
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listener:
        listener.bind(path)
        listener.settimeout(0)
        send = f"import socket\nsocket.socketpair(type=socket.SOCK_DGRAM)[0].sendto(b'x', {path!r})"
        assert "Permission denied" in _message(start(job(send)))
        with pytest.raises(BlockingIOError):
            listener.recv(1)


OLDER = """
import ctypes, os, sys
from dayhand._sandbox import _restrict_to_descendants
linux = ctypes.CDLL(None)
linux.prctl(38, 1, 0, 0, 0)
_restrict_to_descendants(linux, int(sys.argv[1]))
os.mkdir("one"), os.mkdir("two"), open("one/file", "w").close()
os.rename("one/file", "two/file")
os.readlink(f"/proc/{os.getppid()}/cwd")
"""
REFUSED = [f"PermissionError: [Errno 13] Permission denied: '/proc/{os.getpid()}/cwd'"]


@pytest.mark.parametrize(("version", "ends"), [(0, []), (1, []), (2, REFUSED), (5, REFUSED), (6, REFUSED)])
def test_an_older_linux_blocks_other_processes_but_no_files(tmp_path: Path, version: int, ends: list[str]) -> None:
    command = [sys.executable, "-c", OLDER, str(version)]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.stderr.splitlines()[-1:] == ends
    assert (tmp_path / "two" / "file").exists()


TABLES = {"x86_64": "x86_64-linux-gnu/asm/unistd_64.h", "aarch64": "asm-generic/unistd.h"}


@pytest.mark.parametrize("machine", TABLES)
def test_system_call_numbers_match_the_headers_of_linux(machine: str) -> None:
    table = Path("/usr/include", TABLES[machine])
    if not table.exists():
        pytest.skip(f"there is no {table}")
    numbers = dict(re.findall(r"^#define __NR(?:3264)?_(\w+) (\d+)$", table.read_text(), re.MULTILINE))
    known = _sandbox._CALLS[machine]._asdict()
    del known["machine"]
    assert known == {name: int(numbers[name]) for name in known}
    rules = ("landlock_create_ruleset", "landlock_add_rule", "landlock_restrict_self")
    assert [int(numbers[name]) for name in rules] == [
        _sandbox._CREATE_RULESET,
        _sandbox._ADD_RULE,
        _sandbox._RESTRICT_SELF,
    ]


def test_a_script_cannot_gain_rights_through_a_program(start: Start) -> None:
    recorder = Recorder()
    start(job("print(open('/proc/self/status').read())")).run(phase(), recorder)
    assert "NoNewPrivs:\t1\n" in recorder.text
    assert "Seccomp:\t2\n" in recorder.text


WITHIN = {
    "the network": "import socket\nwith socket.create_server(('127.0.0.1', 0)) as server:\n"
    "    socket.create_connection(server.getsockname()).close()",
    "a pair of sockets": "import socket\na, b = socket.socketpair()\na.send(b'x')\nassert b.recv(1) == b'x'",
    "an event loop": "import asyncio\nasyncio.run(asyncio.sleep(0))",
    "children": "assert subprocess.check_output(['echo', 'x']) == b'x\\n'",
    "a signal to a child": "child = subprocess.Popen(['sleep', '1000'])\nchild.terminate()\nassert child.wait() == -15",
    "a pool of processes": "import multiprocessing\nwith multiprocessing.get_context('fork').Pool(2) as pool:\n"
    "    assert pool.map(abs, [-1, 2]) == [1, 2]",
    "moving files": "import pathlib, tempfile\nfolder = pathlib.Path(tempfile.mkdtemp())\n(folder / 'a').mkdir()\n"
    "(folder / 'a' / 'file').touch()\n(folder / 'a' / 'file').rename(folder / 'file')",
    "its own limits": "import resource\nresource.getrlimit(resource.RLIMIT_RSS)\n"
    "resource.setrlimit(resource.RLIMIT_NOFILE, (50, 50))",
    "its own priority": "os.nice(1)\nos.sched_setaffinity(0, os.sched_getaffinity(0))\n"
    "os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0))",
    "when it is killed": "open('/proc/self/oom_score_adj', 'w').write('1000')",
    "devices": "open('/dev/null', 'w').write('x')",
    "files": "import tempfile\nwith tempfile.TemporaryFile() as file:\n    file.write(b'x')",
}


@pytest.mark.parametrize("what", WITHIN)
def test_everything_else_works_in_the_sandbox(start: Start, python: Path | None, what: str) -> None:
    assert isinstance(start(job(WITHIN[what]), python=python).run(phase(), Recorder()), Finished)
