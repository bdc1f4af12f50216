"""A real headless browser, controlled over a pipe."""

import fcntl
import json
import os
import select
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO

_FLAGS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--remote-debugging-pipe",
)
_LAUNCH = """
import os, sys
os.dup2(int(sys.argv[1]), 3)
os.dup2(int(sys.argv[2]), 4)
os.execvp(sys.argv[3], sys.argv[3:])
"""


class Chromium:
    """Controls one tab: the last one opened."""

    def __init__(self, commands: BinaryIO, replies: int) -> None:
        self._commands = commands
        self._replies = replies
        self._buffer = b""
        self._number = 0
        self._session = ""

    def open(self, url: str) -> None:
        """As when an app opens an address in the user's browser."""
        target = self._send("Target.createTarget", url=url)["targetId"]
        self._session = self._send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]

    def evaluate(self, script: str) -> Any:
        """Also None while the next page loads."""
        answer = self._send("Runtime.evaluate", expression=script, returnByValue=True)
        return answer.get("result", {}).get("value")

    def text(self) -> str:
        return str(self.evaluate("document.body ? document.body.innerText : ''"))

    def wait_for_text(self, text: str) -> None:
        deadline = time.monotonic() + 60
        while text not in self.text():
            assert time.monotonic() < deadline, self.text()

    def click_button(self, text: str) -> None:
        self.wait_for_text(text)
        button = f"[...document.querySelectorAll('button')].find(b => b.innerText.includes({json.dumps(text)}))"
        assert self.evaluate(f"(() => {{ const b = {button}; b.click(); return true; }})()") is True

    def close(self) -> None:
        self._session = ""
        with suppress(OSError, EOFError):
            self._send("Browser.close")

    def _send(self, method: str, **parameters: Any) -> dict[str, Any]:
        self._number += 1
        command = {"id": self._number, "method": method, "params": parameters}
        if self._session and not method.startswith(("Target.", "Browser.")):
            command["sessionId"] = self._session
        self._commands.write(json.dumps(command).encode() + b"\0")
        self._commands.flush()
        while True:
            answer = self._read_message()
            if answer.get("id") == self._number:
                return dict(answer.get("result", {}))

    def _read_message(self) -> dict[str, Any]:
        while b"\0" not in self._buffer:
            assert select.select([self._replies], [], [], 60)[0], "the browser does not answer"
            received = os.read(self._replies, 65536)
            if not received:
                raise EOFError("the browser is gone")
            self._buffer += received
        message, _, self._buffer = self._buffer.partition(b"\0")
        return dict(json.loads(message))


@contextmanager
def running_chromium(folder: Path) -> Iterator[Chromium]:
    commands_there, commands_here = _pipe()
    replies_here, replies_there = _pipe()
    command = ["chromium", *_FLAGS, f"--user-data-dir={folder}"]
    launch = [sys.executable, "-c", _LAUNCH, str(commands_there), str(replies_there), *command]
    environment = {name: value for name, value in os.environ.items() if name in ("PATH", "LANG")}
    with (
        subprocess.Popen(
            launch,
            env=environment | {"HOME": str(folder)},
            pass_fds=(commands_there, replies_there),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        ) as process,
        os.fdopen(commands_here, "wb") as commands,
        os.fdopen(replies_here, "rb", buffering=0) as replies,
    ):
        os.close(commands_there)
        os.close(replies_there)
        browser = Chromium(commands, replies.fileno())
        try:
            yield browser
        finally:
            browser.close()
            try:
                process.wait(30)
            except subprocess.TimeoutExpired:
                process.kill()


def _pipe() -> tuple[int, int]:
    """Read and write ends, above the descriptors that the browser uses."""
    reading, writing = os.pipe()
    ends = fcntl.fcntl(reading, fcntl.F_DUPFD_CLOEXEC, 10), fcntl.fcntl(writing, fcntl.F_DUPFD_CLOEXEC, 10)
    os.close(reading)
    os.close(writing)
    return ends
