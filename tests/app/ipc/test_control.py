"""The control socket: for this user alone, answers commands, and stays well whoever knocks."""

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

from app.control import client, place
from app.control.client import LostError
from app.control.lines import LONGEST
from app.control.place import NotPrivateError, make_private, places
from app.control.server import MOST_AT_ONCE, Control

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
        raise RuntimeError("as the test wants it")
    yield {"answer": {"verb": verb, **arguments}}


def wait_for(holds: Callable[[], bool]) -> None:
    end = time.monotonic() + LIMIT
    while not holds():
        assert time.monotonic() < end, "it never came to be"
        time.sleep(0.005)


@pytest.fixture
def control(tmp_path: Path) -> Iterator[Control]:
    control = Control(tmp_path, serve, seconds_to_ask=0.5)
    control.open()
    yield control
    control.close()


@pytest.fixture
def patient(tmp_path: Path) -> Iterator[Control]:
    control = Control(tmp_path, serve, seconds_to_ask=LIMIT)
    control.open()
    yield control
    control.close()


def ask(folder: Path, verb: str, **arguments: Any) -> list[dict[str, Any]]:
    end = client.reach(folder)
    assert end is not None
    return list(client.ask(end, verb, arguments))


def knock(control: Control) -> socket.socket:
    end = socket.socket(socket.AF_UNIX)
    end.settimeout(LIMIT)
    end.connect(str(control.path))
    return end


def hear(end: socket.socket) -> bytes:
    heard = b""
    while piece := end.recv(65536):
        heard += piece
    return heard


def test_a_command_is_answered(control: Control, tmp_path: Path) -> None:
    assert ask(tmp_path, "hello", name="Ö") == [{"answer": {"verb": "hello", "name": "Ö"}}]


def test_an_answer_may_come_in_pieces(control: Control, tmp_path: Path) -> None:
    messages = ask(tmp_path, "count", to=3)
    assert [message.get("piece") for message in messages] == [0, 1, 2, None]


def test_a_large_command_and_answer_arrive_whole(control: Control, tmp_path: Path) -> None:
    text = "x" * 3_000_000
    assert ask(tmp_path, "echo", text=text) == [{"answer": {"verb": "echo", "text": text}}]


def test_nobody_else_can_get_at_it(control: Control) -> None:
    assert control.path is not None
    assert stat.S_IMODE(control.path.parent.stat().st_mode) == 0o700
    assert stat.S_IMODE(control.path.stat().st_mode) == 0o600


def test_another_user_is_sent_away(control: Control, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Stands in for another user, whom a test cannot become."""
    monkeypatch.setattr("app.control.server._is_ours", lambda _: False)
    assert "error" in ask(tmp_path, "hello")[0]
    monkeypatch.undo()
    assert ask(tmp_path, "hello") == [{"answer": {"verb": "hello"}}]


def test_nobody_answers_where_nothing_runs(tmp_path: Path) -> None:
    assert client.reach(tmp_path) is None


def test_a_socket_left_by_one_that_was_killed_is_replaced(tmp_path: Path) -> None:
    [inside, *_] = places(tmp_path)
    inside.parent.mkdir()
    with closing(socket.socket(socket.AF_UNIX)) as left:
        left.bind(str(inside))
    assert client.reach(tmp_path) is None
    control = Control(tmp_path, serve)
    control.open()
    try:
        assert ask(tmp_path, "hello") == [{"answer": {"verb": "hello"}}]
    finally:
        control.close()
    assert not inside.exists()


def test_a_folder_with_a_long_path_has_its_socket_elsewhere(tmp_path: Path) -> None:
    folder = tmp_path / ("long" * 20) / ("longer" * 10)
    folder.mkdir(parents=True)
    control = Control(folder, serve)
    control.open()
    try:
        assert control.path is not None and folder not in control.path.parents
        assert stat.S_IMODE(control.path.parent.stat().st_mode) == 0o700
        assert ask(folder, "hello") == [{"answer": {"verb": "hello"}}]
        assert client.reach(tmp_path) is None
    finally:
        control.close()


def test_a_folder_that_cannot_hold_a_socket_has_it_elsewhere(tmp_path: Path) -> None:
    (tmp_path / "control").write_text("a file where the folder should be")
    control = Control(tmp_path, serve)
    control.open()
    try:
        assert ask(tmp_path, "hello") == [{"answer": {"verb": "hello"}}]
    finally:
        control.close()


def test_a_private_folder_is_made_so_and_a_foreign_one_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "control"
    folder.mkdir(mode=0o777)
    make_private(folder)
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    link = tmp_path / "link"
    link.symlink_to(folder)
    with pytest.raises(NotPrivateError):
        make_private(link)
    monkeypatch.setattr(place.os, "getuid", lambda: os.geteuid() + 1)
    with pytest.raises(NotPrivateError, match="not yours alone"):
        make_private(folder)


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
def test_garbage_gets_a_sentence_and_harms_nobody(control: Control, tmp_path: Path, line: bytes) -> None:
    with closing(knock(control)) as end:
        end.sendall(line)
        assert json.loads(hear(end))["error"]["code"] == "garbage"
    assert ask(tmp_path, "hello") == [{"answer": {"verb": "hello"}}]


def test_one_who_says_nothing_or_half_a_line_is_let_go(control: Control, tmp_path: Path) -> None:
    with closing(knock(control)) as silent, closing(knock(control)) as halved, closing(knock(control)) as gone:
        halved.sendall(b'{"verb": "hel')
        gone.sendall(b'{"verb": "hel')
        gone.shutdown(socket.SHUT_WR)
        assert ask(tmp_path, "hello") == [{"answer": {"verb": "hello"}}]
        assert b"no end" in hear(gone)
        assert b"in time" in hear(halved)
        assert b"in time" in hear(silent)


def test_one_who_drips_is_let_go_all_the_same(control: Control) -> None:
    """Each byte comes in time, the line does not."""
    with closing(knock(control)) as end:
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
            assert b"in time" in hear(end)
        finally:
            stop.set()
            thread.join()


def test_one_who_sends_without_end_is_cut_off(tmp_path: Path, patient: Control) -> None:
    with closing(knock(patient)) as end:
        with pytest.raises(OSError, match=r"Broken pipe|Connection reset"):
            end.sendall(b"x" * (LONGEST + 100_000_000))
        assert b"at most" in end.recv(65536)
    assert ask(tmp_path, "hello") == [{"answer": {"verb": "hello"}}]


def test_one_who_leaves_while_waiting_is_noticed(control: Control) -> None:
    with closing(knock(control)) as end:
        end.sendall(b'{"verb": "wait"}\n')
        wait_for(lambda: len(control._clients) == 1)
    wait_for(lambda: len(control._clients) == 0)


def test_one_who_waits_after_a_piece_is_still_there(control: Control) -> None:
    """A limit on how long a piece may take to send is none on how long the next may take to come."""
    with closing(knock(control)) as end:
        end.sendall(b'{"verb": "piece and wait"}\n')
        assert b"piece" in end.recv(65536)
        wait_for(lambda: WAITED.wait(LIMIT))
        assert hear(end) == b'{"answer": {"verb": "piece and wait"}}\n'


def test_a_crowd_is_told_to_come_back(control: Control, tmp_path: Path) -> None:
    with ExitStack() as crowd:
        for _ in range(MOST_AT_ONCE):
            crowd.enter_context(closing(knock(control))).sendall(b'{"verb": "wait"}\n')
        wait_for(lambda: len(control._clients) == MOST_AT_ONCE)
        assert ask(tmp_path, "hello")[0]["error"]["code"] == "busy"
    wait_for(lambda: not control._clients)
    assert ask(tmp_path, "hello") == [{"answer": {"verb": "hello"}}]


def test_a_verb_that_fails_closes_its_own_line_only(control: Control, tmp_path: Path) -> None:
    with pytest.raises(LostError):
        ask(tmp_path, "fail")
    assert ask(tmp_path, "hello") == [{"answer": {"verb": "hello"}}]


def test_closing_answers_those_who_wait(tmp_path: Path) -> None:
    control = Control(tmp_path, serve)
    control.open()
    with closing(knock(control)) as end:
        end.sendall(b'{"verb": "wait"}\n')
        wait_for(lambda: len(control._clients) == 1)
        control.close()
        assert json.loads(hear(end))["error"]["code"] == "closing"
    assert client.reach(tmp_path) is None


def test_closing_what_was_never_opened_is_fine(tmp_path: Path) -> None:
    Control(tmp_path, serve).close()


def test_a_system_without_such_sockets_has_no_app_to_reach_and_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(socket, "AF_UNIX")
    assert client.reach(tmp_path) is None
    with pytest.raises(OSError, match="Commands cannot be heard"):
        Control(tmp_path, serve).open()


@pytest.mark.parametrize("error", [OSError("it is gone"), RuntimeError("can't start new thread")])
def test_one_that_cannot_be_heard_does_not_deafen_it(
    control: Control, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    """Stands in for a computer without a free thread, which cannot be had here."""
    trouble = iter([error])

    def refuse_once(_: Thread) -> None:
        for one in trouble:
            raise one

    start = Thread.start
    monkeypatch.setattr(Thread, "start", lambda thread: (refuse_once(thread), start(thread))[1])
    with pytest.raises(LostError):
        ask(tmp_path, "hello")
    monkeypatch.undo()
    assert ask(tmp_path, "hello") == [{"answer": {"verb": "hello"}}]
