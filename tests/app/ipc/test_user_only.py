"""Only the user may answer: not a process that has ended, nor one that a script had another program start."""

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from dayhand._process_mark import mark_process

from app.ipc import unix_socket
from app.ipc.framing import LineReader, write_line
from app.ipc.server import ControlServer
from tests.workers.worker_fixture import eventually

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the process mark is Linux only")
LIMIT = 30.0

CLIENT = """
import socket, sys
end = socket.socket(socket.AF_UNIX)
end.connect(sys.argv[1])
end.sendall(b'{"verb": "approve", "arguments": {}}\\n')
heard = b""
while piece := end.recv(65536):
    heard += piece
open(sys.argv[2] + ".new", "wb").write(heard)
import os
os.rename(sys.argv[2] + ".new", sys.argv[2])
"""


@pytest.fixture
def control(tmp_path: Path) -> Iterator[ControlServer]:
    def serve(verb: str, arguments: dict[str, Any]) -> Iterator[dict[str, Any] | None]:
        yield {"answer": {"verb": verb}}

    made = ControlServer(tmp_path, serve, script_verbs=frozenset({"list"}))
    made.open()
    yield made
    made.close()


def ask(end: socket.socket, verb: str) -> dict[str, Any]:
    write_line(end, {"verb": verb, "arguments": {}}, LIMIT)
    message = LineReader(end).read(LIMIT)
    assert message is not None
    return message


def connect_from_ended_process(control: ControlServer, *, marked: bool = False) -> socket.socket:
    """A connection made by another process, which has ended since."""
    end = socket.socket(socket.AF_UNIX)
    child = os.fork()
    if not child:
        if marked:
            mark_process()
        end.connect(str(control.path))
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
    return end


def test_the_user_may_answer(control: ControlServer) -> None:
    with socket.socket(socket.AF_UNIX) as end:
        end.connect(str(control.path))
        assert ask(end, "approve") == {"answer": {"verb": "approve"}}


@pytest.mark.parametrize("marked", [False, True])
def test_a_process_that_ended_after_connecting_may_not_answer(control: ControlServer, *, marked: bool) -> None:
    """Whether it was started by a script can no longer be determined."""
    with connect_from_ended_process(control, marked=marked) as end:
        answer = ask(end, "approve")
    assert answer["error"]["code"] == "script"
    assert answer["error"]["message"] == (
        "Only you can use approve, and Dayhand cannot tell who started this command. Run it in a terminal."
    )


def test_a_process_of_unknown_origin_may_read(control: ControlServer) -> None:
    with connect_from_ended_process(control) as end:
        assert ask(end, "list") == {"answer": {"verb": "list"}}


def test_a_process_of_unknown_origin_may_show_the_window(control: ControlServer) -> None:
    """Desktops start menu entries as a service, or over D-Bus."""
    with connect_from_ended_process(control) as end:
        assert ask(end, "window") == {"answer": {"verb": "window"}}


def test_an_older_linux_behaves_the_same(control: ControlServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """Simulates Linux before 6.5, which cannot return a pidfd of the peer."""
    monkeypatch.setattr(unix_socket, "_SO_PEERPIDFD", 9_999)
    with connect_from_ended_process(control) as end:
        assert ask(end, "approve")["error"]["code"] == "script"
    with socket.socket(socket.AF_UNIX) as end:
        end.connect(str(control.path))
        assert ask(end, "approve") == {"answer": {"verb": "approve"}}


@pytest.mark.parametrize("verb", ["approve", "window"])
def test_a_connection_passed_on_by_a_script_is_still_the_scripts(control: ControlServer, verb: str) -> None:
    """It is passed to a process without the mark, while the script is alive."""
    ours, theirs = socket.socketpair()
    child = os.fork()
    if not child:
        mark_process()
        end = socket.socket(socket.AF_UNIX)
        end.connect(str(control.path))
        socket.send_fds(theirs, [b"x"], [end.fileno()])
        signal.pause()
    try:
        _, [descriptor], _, _ = socket.recv_fds(ours, 1, 1)
        with socket.socket(fileno=descriptor) as end:
            assert ask(end, verb)["error"]["message"].startswith(f"Only you can use {verb}; scripts")
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        ours.close()
        theirs.close()


@pytest.fixture
def client(tmp_path: Path) -> Path:
    made = tmp_path / "client.py"
    made.write_text(CLIENT)
    return made


def test_a_process_left_behind_by_a_script_may_not_answer(control: ControlServer, client: Path, tmp_path: Path) -> None:
    """Without the mark in its environment, in a session of its own, and without a parent."""
    answer_file = tmp_path / "answer_file"
    leave = f"env -i setsid {sys.executable} {client} {control.path} {answer_file} &"
    subprocess.run(["sh", "-c", leave], check=True, preexec_fn=mark_process)
    assert wait_for(answer_file).startswith("Only you can use approve; scripts")


def test_a_process_started_over_dbus_may_not_answer(control: ControlServer, client: Path, tmp_path: Path) -> None:
    """The mark is not inherited by what D-Bus starts for a script."""
    answer_file = tmp_path / "answer_file"
    (tmp_path / "services").mkdir()
    (tmp_path / "services" / "a.service").write_text(
        f"[D-BUS Service]\nName=org.example.Answers\nExec={sys.executable} {client} {control.path} {answer_file}\n"
    )
    (tmp_path / "bus.conf").write_text(
        '<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN" '
        '"http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd"><busconfig><type>session</type>'
        f"<listen>unix:path={tmp_path / 'bus'}</listen><servicedir>{tmp_path / 'services'}</servicedir>"
        '<policy context="default"><allow send_destination="*" eavesdrop="true"/>'
        '<allow eavesdrop="true"/><allow own="*"/></policy></busconfig>'
    )
    try:
        bus = subprocess.Popen(
            ["dbus-daemon", f"--config-file={tmp_path / 'bus.conf'}", "--nofork", "--print-address"],
            stdout=subprocess.PIPE,
            text=True,
        )
    except FileNotFoundError:
        pytest.skip("needs dbus-daemon")
    try:
        assert bus.stdout is not None
        address = bus.stdout.readline().strip()
        call = [
            "dbus-send",
            f"--bus={address}",
            "--print-reply",
            "--dest=org.freedesktop.DBus",
            "/org/freedesktop/DBus",
        ]
        name = ["org.freedesktop.DBus.StartServiceByName", "string:org.example.Answers", "uint32:0"]
        with subprocess.Popen([*call, *name], stdout=subprocess.DEVNULL, preexec_fn=mark_process) as script:  # noqa: PLW1509  as the app does it
            assert "cannot tell who started this command" in wait_for(answer_file)
            script.kill()
    finally:
        bus.kill()
        bus.communicate()


def wait_for(answer_file: Path) -> str:
    """The refusal, once it has arrived."""
    assert eventually(answer_file.exists)
    return str(json.loads(answer_file.read_text())["error"]["message"])
