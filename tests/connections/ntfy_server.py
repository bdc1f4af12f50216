"""A real ntfy server in its own process, and a phone: a program that does what the ntfy app does."""

import json
import os
import socket
import subprocess
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

NTFY = Path(__file__).parents[2] / ".venv/ntfy/usr/bin/ntfy"
TOPIC = "dayhand-x7Kq2mW9"
_WAIT_S = 60.0


@dataclass
class NtfyServer:
    folder: Path
    port: int
    process: "subprocess.Popen[bytes] | None" = None
    options: list[str] = field(default_factory=list)
    address_scheme: str = "http"

    @property
    def address(self) -> str:
        return f"{self.address_scheme}://127.0.0.1:{self.port}"

    @property
    def cache(self) -> Path:
        return self.folder / "cache.db"

    def start(self) -> None:
        listen = "--listen-http" if self.address_scheme == "http" else "--listen-https"
        (self.folder / "server.yml").write_text("")
        self.process = subprocess.Popen(
            [
                *(str(NTFY), "serve", "--config", str(self.folder / "server.yml")),
                *(listen, f"127.0.0.1:{self.port}", "--cache-file", str(self.cache)),
                *(() if listen == "--listen-http" else ("--listen-http", "-")),
                *("--visitor-request-limit-exempt-hosts", "127.0.0.1", "--log-level", "error"),
                *self.options,
            ],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        deadline = time.monotonic() + _WAIT_S
        while True:
            assert self.process.poll() is None, "the server ended"
            try:
                socket.create_connection(("127.0.0.1", self.port), 1).close()
            except OSError:
                assert time.monotonic() < deadline, "the server did not come up"
                time.sleep(0.01)
            else:
                return

    def stop(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None

    def command(self, *words: str, **environment: str) -> str:
        """An administrator's command, such as `user add`."""
        config = self.folder / "server.yml"
        config.write_text(f"auth-file: {self.folder / 'auth.db'}\n")
        return subprocess.run(
            [str(NTFY), words[0], "--config", str(config), *words[1:]],
            env={**os.environ, **environment},
            check=True,
            capture_output=True,
            text=True,
        ).stderr


@contextmanager
def ntfy_server(folder: Path, *options: str, start: bool = True, scheme: str = "http") -> Iterator[NtfyServer]:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    server = NtfyServer(folder, port, options=list(options), address_scheme=scheme)
    if start:
        server.start()
    try:
        yield server
    finally:
        server.stop()


@dataclass(frozen=True)
class Phone:
    """Subscribed to one topic. An attacker who reads and writes the topic can do the same, and no more."""

    address: str
    topic: str = TOPIC
    login: str = ""
    """An access token, if the server asks for one."""

    def messages(self, topic: str = "") -> list[dict[str, Any]]:
        text = _request("GET", f"{self.address}/{topic or self.topic}/json?poll=1&since=all", headers=self._login)
        return [one for line in text.splitlines() if (one := json.loads(line))["event"] == "message"]

    @property
    def _login(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.login}"} if self.login else {}

    def wait_for(self, is_wanted: Callable[[dict[str, Any]], bool], pump: Callable[[], None]) -> dict[str, Any]:
        """The newest such message; `pump` lets the app work meanwhile."""
        deadline = time.monotonic() + _WAIT_S
        while True:
            found = [one for one in self.messages() if is_wanted(one)]
            if found:
                return found[-1]
            assert time.monotonic() < deadline, self.messages()
            pump()

    def press(self, message: dict[str, Any], label: str) -> str:
        """Do what the button says; returns what was sent."""
        [action] = [one for one in message["actions"] if one["label"] == label]
        assert action["action"] == "http"
        _request(action["method"], action["url"], action["body"], action.get("headers") or {})
        body: str = action["body"]
        return body

    def write(self, text: str, topic: str = "", **headers: str) -> None:
        _request("POST", f"{self.address}/{topic or self.topic}", text, headers)


def _request(method: str, url: str, body: str = "", headers: dict[str, str] | None = None) -> str:
    request = urllib.request.Request(url, body.encode() or None, headers or {}, method=method)
    with urllib.request.urlopen(request, timeout=30) as answer:
        text: str = answer.read().decode()
        return text
