"""Only the user answers: not a process that is gone, nor what a script had another program start."""

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
from dayhand._brand import brand

from app.control import peer
from app.control.lines import LineReader, write_line
from app.control.server import Control
from tests.workers.harness import eventually

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="another system hands on no mark")
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
def control(tmp_path: Path) -> Iterator[Control]:
    def serve(verb: str, arguments: dict[str, Any]) -> Iterator[dict[str, Any] | None]:
        yield {"answer": {"verb": verb}}

    made = Control(tmp_path, serve, for_scripts=frozenset({"list"}))
    made.open()
    yield made
    made.close()


def ask(end: socket.socket, verb: str) -> dict[str, Any]:
    write_line(end, {"verb": verb, "arguments": {}}, LIMIT)
    heard = LineReader(end).read(LIMIT)
    assert heard is not None
    return heard


def connected_by_another(control: Control, *, marked: bool = False) -> socket.socket:
    """A connection of a process that has ended, used by this one."""
    end = socket.socket(socket.AF_UNIX)
    child = os.fork()
    if not child:
        if marked:
            brand()
        end.connect(str(control.path))
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
    return end


def test_the_user_answers(control: Control) -> None:
    with socket.socket(socket.AF_UNIX) as end:
        end.connect(str(control.path))
        assert ask(end, "approve") == {"answer": {"verb": "approve"}}


@pytest.mark.parametrize("marked", [False, True])
def test_one_that_ended_after_it_connected_does_not(control: Control, *, marked: bool) -> None:
    """Nobody can say any more whether it was a script's."""
    with connected_by_another(control, marked=marked) as end:
        heard = ask(end, "approve")
    assert heard["error"]["code"] == "script"
    assert heard["error"]["message"] == (
        "approve is for you alone, and Dayhand cannot tell who started this command. Type it in a terminal."
    )


def test_it_may_still_look(control: Control) -> None:
    with connected_by_another(control) as end:
        assert ask(end, "list") == {"answer": {"verb": "list"}}


def test_one_of_unknown_origin_may_bring_up_the_window(control: Control) -> None:
    """Desktops start what is chosen in their menu as a service, or over the bus."""
    with connected_by_another(control) as end:
        assert ask(end, "window") == {"answer": {"verb": "window"}}


def test_an_older_linux_says_the_same(control: Control, monkeypatch: pytest.MonkeyPatch) -> None:
    """Stands in for one before 6.5: it has no descriptor of the peer to give."""
    monkeypatch.setattr(peer, "_PEER_PIDFD", 9_999)
    with connected_by_another(control) as end:
        assert ask(end, "approve")["error"]["code"] == "script"
    with socket.socket(socket.AF_UNIX) as end:
        end.connect(str(control.path))
        assert ask(end, "approve") == {"answer": {"verb": "approve"}}


@pytest.mark.parametrize("verb", ["approve", "window"])
def test_a_connection_of_a_script_stays_a_scripts_in_other_hands(control: Control, verb: str) -> None:
    """It is passed on to a process that nobody marked, while the script lives."""
    ours, theirs = socket.socketpair()
    child = os.fork()
    if not child:
        brand()
        end = socket.socket(socket.AF_UNIX)
        end.connect(str(control.path))
        socket.send_fds(theirs, [b"x"], [end.fileno()])
        signal.pause()
    try:
        _, [descriptor], _, _ = socket.recv_fds(ours, 1, 1)
        with socket.socket(fileno=descriptor) as end:
            assert ask(end, verb)["error"]["message"].startswith(f"{verb} is for you alone; scripts")
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


def test_what_a_script_left_behind_does_not(control: Control, client: Path, tmp_path: Path) -> None:
    """In an environment without the mark, in a session of its own, with no parent left."""
    said = tmp_path / "said"
    leave = f"env -i setsid {sys.executable} {client} {control.path} {said} &"
    subprocess.run(["sh", "-c", leave], check=True, preexec_fn=brand)
    assert wait_for(said).startswith("approve is for you alone; scripts")


def test_what_the_bus_was_asked_to_start_answers_nothing(control: Control, client: Path, tmp_path: Path) -> None:
    """As a script would ask it: the mark does not reach what the bus starts."""
    said = tmp_path / "said"
    (tmp_path / "services").mkdir()
    (tmp_path / "services" / "a.service").write_text(
        f"[D-BUS Service]\nName=org.example.Answers\nExec={sys.executable} {client} {control.path} {said}\n"
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
        pytest.skip("there is no bus here")
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
        with subprocess.Popen([*call, *name], stdout=subprocess.DEVNULL, preexec_fn=brand) as script:  # noqa: PLW1509  as the app does it
            assert "cannot tell who started this command" in wait_for(said)
            script.kill()
    finally:
        bus.kill()
        bus.communicate()


def wait_for(said: Path) -> str:
    """Why it was refused, once it was told."""
    assert eventually(said.exists)
    return str(json.loads(said.read_text())["error"]["message"])
