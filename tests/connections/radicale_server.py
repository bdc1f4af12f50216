"""A real Radicale server in its own process, with a login."""

import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from scheduler.connections.connectors.http_auth import basic_auth_headers
from scheduler.connections.http_client import Answer, request

USER, PASSWORD = "me", "hunter2"


@contextmanager
def radicale(folder: Path) -> Iterator[str]:
    """Yields the server's address; its user is USER."""
    (folder / "users").write_text(f"{USER}:{PASSWORD}\n")
    for _ in range(5):
        with socket.create_server(("127.0.0.1", 0)) as listener:
            port = listener.getsockname()[1]
        with subprocess.Popen(
            [
                *(sys.executable, "-m", "radicale", "--config", "", "--server-hosts", f"127.0.0.1:{port}"),
                *("--auth-type", "htpasswd", "--auth-htpasswd-filename", str(folder / "users")),
                *("--auth-htpasswd-encryption", "plain", "--auth-delay", "0"),
                *("--storage-filesystem-folder", str(folder / "store"), "--logging-level", "critical"),
            ],
            cwd=folder,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        ) as server:
            try:
                if _is_up(server, port):
                    yield f"http://127.0.0.1:{port}"
                    return
            finally:
                server.kill()
    raise AssertionError("no free port was found")


def _is_up(server: "subprocess.Popen[bytes]", port: int) -> bool:
    """False if another program took the port."""
    deadline = time.monotonic() + 60
    while server.poll() is None:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
        except OSError:
            assert time.monotonic() < deadline, "the server did not come up"
        else:
            return server.poll() is None
    return False


def ask(method: str, url: str, body: str = "") -> Answer:
    """A request by another program of the same user."""
    answer = request(method, url, headers=basic_auth_headers(USER, PASSWORD), body=body.encode() or None, seconds=60)
    assert answer.status < 300, answer
    return answer
