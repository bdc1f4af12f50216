"""Scripts are not trusted: what the person could reach beyond files and the network, a script cannot."""

import os
import socket
import subprocess
import sys
from collections.abc import Callable
from ctypes import CDLL
from pathlib import Path

import keyring as library
import pytest

from scheduler.workers.outcomes import Finished, ScriptFailed
from scheduler.workers.worker import Worker
from tests.connections.secret_service import SecretService
from tests.workers.harness import Recorder, job, phase

Start = Callable[..., Worker]
_SCOPES = 6
"""The version of Linux's rules since which they know of signals."""

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="another system holds no fence")
keeps_signals = pytest.mark.skipif(
    CDLL(None).syscall(444, None, 0, 1) < _SCOPES, reason="this Linux is too old to keep signals in"
)


def _message(worker: Worker) -> str:
    outcome = worker.run(phase(), Recorder())
    assert isinstance(outcome, ScriptFailed), outcome
    return outcome.message


def test_the_keyring_does_not_answer_a_script_that_knows_its_address(start: Start, keyring: SecretService) -> None:
    library.set_password("Dayhand test", "imap:home", "hunter2")
    ask = "import keyring; print(keyring.get_password('Dayhand test', 'imap:home'))"
    unfenced = {**os.environ, "DBUS_SESSION_BUS_ADDRESS": keyring.address}
    asked = subprocess.run([sys.executable, "-c", ask], env=unfenced, stdout=subprocess.PIPE, text=True, check=True)
    assert asked.stdout == "hunter2\n", "the person could"
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
def test_local_sockets_are_closed(start: Start, python: Path | None, way: str, tmp_path: Path) -> None:
    path = str(tmp_path / "socket")
    with socket.socket(socket.AF_UNIX) as listener, socket.socket(socket.AF_UNIX) as person:
        listener.bind(path)
        listener.listen()
        person.connect(path)
        worker = start(job(WAYS[way].format(path=path)), python=python)
        recorder = Recorder()
        outcome = worker.run(phase(), recorder)
        assert isinstance(outcome, ScriptFailed)
        assert "Permission denied" in outcome.message + recorder.text


@keeps_signals
def test_other_processes_get_no_signal_from_a_script(start: Start) -> None:
    assert "Operation not permitted" in _message(start(job(f"os.kill({os.getpid()}, 0)")))


def test_other_processes_cannot_be_looked_into(start: Start) -> None:
    read = f"linux.process_vm_readv({os.getpid()}, None, 0, None, 0, 0)"
    told = "OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))"
    body = f"import ctypes\nlinux = ctypes.CDLL(None, use_errno=True)\nif {read} < 0: raise {told}"
    assert "Permission denied" in _message(start(job(body)))


def test_a_script_gains_no_rights_by_a_program(start: Start) -> None:
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
    "files": "import tempfile\nwith tempfile.TemporaryFile() as file:\n    file.write(b'x')",
}


@pytest.mark.parametrize("what", WITHIN)
def test_within_the_fence_scripts_do_as_they_like(start: Start, python: Path | None, what: str) -> None:
    assert isinstance(start(job(WITHIN[what]), python=python).run(phase(), Recorder()), Finished)
