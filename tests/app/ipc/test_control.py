"""The control socket: private to the user, answers commands, and survives hostile clients."""

import json
import os
import socket
import stat
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from app.ipc import client, socket_path, transport
from app.ipc.client import NoAnswerError
from app.ipc.framing import MAX_LINE_BYTES
from app.ipc.server import MAX_CLIENTS, ControlServer
from app.ipc.socket_path import NotPrivateError, candidate_paths, make_private_dir
from app.ipc.transport import Connection, Peer

LIMIT = 30.0


WAITED = threading.Event()


def serve(verb: str, arguments: dict[str, Any]) -> Iterator[dict[str, Any] | None]:
    if verb == "count":
        for number in range(arguments["to"]):
            yield {"piece": number}
    if verb == "piece and wait":
        yield {"piece": 1}
        for _ in range(5):
            yield None
        WAITED.set()
    if verb == "wait":
        while not arguments.get("done"):
            yield None
    if verb == "fail":
        raise RuntimeError("simulated")
    yield {"answer": {"verb": verb, **arguments}}


def wait_for(holds: Callable[[], bool]) -> None:
    end = time.monotonic() + LIMIT
    while not holds():
        assert time.monotonic() < end, "timed out"
        time.sleep(0.005)


on_unix = pytest.mark.skipif(not hasattr(os, "getuid"), reason="a Unix socket is a file; Windows has a named pipe")


@pytest.fixture
def control(tmp_path: Path) -> Iterator[ControlServer]:
    control = ControlServer(tmp_path, serve, command_timeout_s=0.5)
    control.open()
    yield control
    control.close()


@pytest.fixture
def patient_control(tmp_path: Path) -> Iterator[ControlServer]:
    control = ControlServer(tmp_path, serve, command_timeout_s=LIMIT)
    control.open()
    yield control
    control.close()


def ask(folder: Path, verb: str, **arguments: Any) -> list[dict[str, Any]]:
    end = client.connect(folder)
    assert end is not None
    return list(client.call(end, verb, arguments))


def connect(control: ControlServer) -> Connection:
    end = transport.connect(control._folder)
    assert end is not None
    end.settimeout(LIMIT)
    return end


def read_all(end: Connection) -> bytes:
    data = b""
    while piece := end.recv(65536):
        data += piece
    return data


def test_a_command_is_answered(control: ControlServer, tmp_path: Path) -> None:
    assert ask(tmp_path, "hello", name="Ö") == [{"answer": {"verb": "hello", "name": "Ö"}}]


def test_an_answer_can_have_several_messages(control: ControlServer, tmp_path: Path) -> None:
    messages = ask(tmp_path, "count", to=3)
    assert [message.get("piece") for message in messages] == [0, 1, 2, None]


def test_a_large_command_and_answer_arrive_whole(control: ControlServer, tmp_path: Path) -> None:
    text = "x" * 3_000_000
    assert ask(tmp_path, "echo", text=text) == [{"answer": {"verb": "echo", "text": text}}]


@on_unix
def test_other_users_have_no_access_to_the_socket(control: ControlServer) -> None:
    assert isinstance(control.path, Path)
    assert stat.S_IMODE(control.path.parent.stat().st_mode) == 0o700
    assert stat.S_IMODE(control.path.stat().st_mode) == 0o600


def test_another_user_is_refused(control: ControlServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Simulated: a test cannot become another user."""
    monkeypatch.setattr(Peer, "is_same_user", lambda _: False)
    assert "error" in ask(tmp_path, "hello")[0]
    monkeypatch.undo()
    assert ask(tmp_path, "hello") == [{"answer": {"verb": "hello"}}]


def test_without_an_app_there_is_no_connection(tmp_path: Path) -> None:
    assert client.connect(tmp_path) is None


@on_unix
def test_the_socket_of_a_killed_app_is_replaced(tmp_path: Path) -> None:
    [inside, *_] = candidate_paths(tmp_path)
    inside.parent.mkdir()
    with closing(socket.socket(socket.AF_UNIX)) as left:
        left.bind(str(inside))
    assert client.connect(tmp_path) is None
    control = ControlServer(tmp_path, serve)
    control.open()
    try:
        assert ask(tmp_path, "hello") == [{"answer": {"verb": "hello"}}]
    finally:
        control.close()
    assert not inside.exists()


@on_unix
def test_a_folder_with_a_long_path_has_its_socket_elsewhere(tmp_path: Path) -> None:
    folder = tmp_path / ("long" * 20) / ("longer" * 10)
    folder.mkdir(parents=True)
    control = ControlServer(folder, serve)
    control.open()
    try:
        assert isinstance(control.path, Path) and folder not in control.path.parents
        assert stat.S_IMODE(control.path.parent.stat().st_mode) == 0o700
        assert ask(folder, "hello") == [{"answer": {"verb": "hello"}}]
        assert client.connect(tmp_path) is None
    finally:
        control.close()


def test_a_folder_that_cannot_hold_a_socket_has_it_elsewhere(tmp_path: Path) -> None:
    (tmp_path / "control").write_text("a file where the folder should be")
    control = ControlServer(tmp_path, serve)
    control.open()
    try:
        assert ask(tmp_path, "hello") == [{"answer": {"verb": "hello"}}]
    finally:
        control.close()


@on_unix
def test_a_folder_is_made_private_and_a_foreign_one_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "control"
    folder.mkdir(mode=0o777)
    make_private_dir(folder)
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    link = tmp_path / "link"
    link.symlink_to(folder)
    with pytest.raises(NotPrivateError):
        make_private_dir(link)
    monkeypatch.setattr(socket_path.os, "getuid", lambda: os.geteuid() + 1)
    with pytest.raises(NotPrivateError, match="Other users have access"):
        make_private_dir(folder)


GARBAGE = [
    b"\n",
    b"hello\n",
    b"[1, 2]\n",
    b"\xff\xfe\n",
    b"{" * 100_000 + b"\n",
    b"[" * 100_000 + b"\n",
    b'{"verb": 5}\n',
    b'{"verb": "x", "arguments": []}\n',
    b'{"arguments": {}}\n',
]


@pytest.mark.parametrize("line", GARBAGE, ids=[repr(line[:20]) for line in GARBAGE])
def test_garbage_gets_an_error_and_does_not_affect_others(control: ControlServer, tmp_path: Path, line: bytes) -> None:
    with closing(connect(control)) as end:
        end.sendall(line)
        assert json.loads(read_all(end))["error"]["code"] == "garbage"
    assert ask(tmp_path, "hello") == [{"answer": {"verb": "hello"}}]


def test_a_silent_or_incomplete_client_is_disconnected(control: ControlServer, tmp_path: Path) -> None:
    with closing(connect(control)) as silent, closing(connect(control)) as halved:
        halved.sendall(b'{"verb": "hel')
        assert ask(tmp_path, "hello") == [{"answer": {"verb": "hello"}}]
        assert b"in time" in read_all(halved)
        assert b"in time" in read_all(silent)


@on_unix
def test_a_client_that_sends_nothing_more_is_disconnected(control: ControlServer) -> None:
    with closing(connect(control)) as end:
        assert isinstance(end, socket.socket)
        end.sendall(b'{"verb": "hel')
        end.shutdown(socket.SHUT_WR)
        assert b"incomplete" in read_all(end)


def test_a_client_that_sends_byte_by_byte_is_disconnected(control: ControlServer) -> None:
    """Every byte is in time, but not the whole line."""
    with closing(connect(control)) as end:
        stop = threading.Event()

        def drip() -> None:
            while not stop.wait(0.05):
                try:
                    end.sendall(b"x")
                except OSError:
                    return

        thread = threading.Thread(target=drip)
        thread.start()
        try:
            assert b"in time" in read_all(end)
        finally:
            stop.set()
            thread.join()


def test_a_client_that_never_stops_sending_is_disconnected(tmp_path: Path, patient_control: ControlServer) -> None:
    with closing(connect(patient_control)) as end:
        with pytest.raises(OSError, match=r"[Bb]roken pipe|Connection reset|being closed|pipe has been ended"):
            end.sendall(b"x" * (MAX_LINE_BYTES + 100_000_000))
        assert b"at most" in end.recv(65536)
    assert ask(tmp_path, "hello") == [{"answer": {"verb": "hello"}}]


def test_a_client_that_leaves_while_waiting_is_noticed(control: ControlServer) -> None:
    with closing(connect(control)) as end:
        end.sendall(b'{"verb": "wait"}\n')
        wait_for(lambda: len(control._clients) == 1)
    wait_for(lambda: len(control._clients) == 0)


def test_a_client_may_wait_long_between_two_messages(control: ControlServer) -> None:
    """The limit on sending a message is not a limit on the time until the next one."""
    with closing(connect(control)) as end:
        end.sendall(b'{"verb": "piece and wait"}\n')
        assert b"piece" in end.recv(65536)
        wait_for(lambda: WAITED.wait(LIMIT))
        assert read_all(end) == b'{"answer": {"verb": "piece and wait"}}\n'


def test_too_many_clients_are_refused(control: ControlServer, tmp_path: Path) -> None:
    with ExitStack() as crowd:
        for _ in range(MAX_CLIENTS):
            crowd.enter_context(closing(connect(control))).sendall(b'{"verb": "wait"}\n')
        wait_for(lambda: len(control._clients) == MAX_CLIENTS)
        assert ask(tmp_path, "hello")[0]["error"]["code"] == "busy"
    wait_for(lambda: not control._clients)
    assert ask(tmp_path, "hello") == [{"answer": {"verb": "hello"}}]


def test_a_failing_verb_closes_only_its_own_connection(control: ControlServer, tmp_path: Path) -> None:
    with pytest.raises(NoAnswerError):
        ask(tmp_path, "fail")
    assert ask(tmp_path, "hello") == [{"answer": {"verb": "hello"}}]


def test_closing_answers_waiting_clients(tmp_path: Path) -> None:
    control = ControlServer(tmp_path, serve)
    control.open()
    with closing(connect(control)) as end:
        end.sendall(b'{"verb": "wait"}\n')
        wait_for(lambda: len(control._clients) == 1)
        control.close()
        assert json.loads(read_all(end))["error"]["code"] == "closing"
    assert client.connect(tmp_path) is None


def test_closing_before_opening_is_allowed(tmp_path: Path) -> None:
    ControlServer(tmp_path, serve).close()


@on_unix
def test_without_unix_sockets_opening_fails_and_no_app_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(socket, "AF_UNIX")
    assert client.connect(tmp_path) is None
    with pytest.raises(OSError, match="The control socket could not be opened"):
        ControlServer(tmp_path, serve).open()


@pytest.mark.parametrize("error", [OSError("it is gone"), RuntimeError("can't start new thread")])
def test_a_client_that_cannot_be_accepted_does_not_stop_the_server(
    control: ControlServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    """Simulates a system without a free thread."""
    errors = iter([error])

    def refuse_once(_: Thread) -> None:
        for one in errors:
            raise one

    start = Thread.start
    monkeypatch.setattr(Thread, "start", lambda thread: (refuse_once(thread), start(thread))[1])
    with pytest.raises(NoAnswerError):
        ask(tmp_path, "hello")
    monkeypatch.undo()
    assert ask(tmp_path, "hello") == [{"answer": {"verb": "hello"}}]
