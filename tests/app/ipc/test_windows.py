"""Who may answer over the named pipe of Windows, with real processes and the real pipe."""

import ctypes
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

if sys.platform != "win32":
    pytest.skip("other systems have Unix sockets", allow_module_level=True)

import _winapi

from app.ipc.named_pipe import pipe_name
from app.ipc.server import ControlServer
from scheduler import windows_pipe
from scheduler.workers.system import start_process

CLIENT = """
import sys
from pathlib import Path
from app.ipc import client
end = client.connect(Path(sys.argv[1]))
print(list(client.call(end, sys.argv[2], {}))[-1])
"""


@pytest.fixture
def control(tmp_path: Path) -> Iterator[ControlServer]:
    def serve(verb: str, arguments: dict[str, Any]) -> Iterator[dict[str, Any] | None]:
        yield {"answer": {"verb": verb}}

    made = ControlServer(tmp_path, serve, script_verbs=frozenset({"list"}))
    made.open()
    yield made
    made.close()


def ask(folder: Path, verb: str, *, for_script: bool) -> str:
    with start_process(
        [sys.executable, "-c", CLIENT, str(folder), verb],
        is_for_script=for_script,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    ) as process:
        assert process.stdout is not None
        return process.stdout.read().decode()


def test_the_user_may_answer(control: ControlServer, tmp_path: Path) -> None:
    assert ask(tmp_path, "approve", for_script=False).strip() == "{'answer': {'verb': 'approve'}}"


def test_what_a_script_started_may_only_read(control: ControlServer, tmp_path: Path) -> None:
    assert "'code': 'script'" in ask(tmp_path, "approve", for_script=True)
    assert ask(tmp_path, "list", for_script=True).strip() == "{'answer': {'verb': 'list'}}"


@pytest.mark.skipif(hasattr(ctypes.windll.ntdll, "wine_get_version"), reason="Wine lets a second pipe pass as first")
def test_only_one_app_has_the_pipe(control: ControlServer, tmp_path: Path) -> None:
    with pytest.raises(PermissionError):
        windows_pipe.create_pipe(pipe_name(tmp_path), is_first=True)


def test_a_pipe_of_somebody_else_is_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The owner is real; that it is another user is simulated: a test cannot become one."""
    handle = windows_pipe.create_pipe(name := pipe_name(tmp_path), is_first=True)
    try:
        user = windows_pipe.user_sid()
        monkeypatch.setattr(windows_pipe, "user_sid", lambda: f"{user}-1")
        with pytest.raises(PermissionError):
            windows_pipe.open_pipe(name)
    finally:
        _winapi.CloseHandle(handle)
