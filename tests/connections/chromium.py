"""A real browser without a window, told what to do over a pipe."""

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

_QUIET = (
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
    """One tab at a time: the last one that was opened."""

    def __init__(self, told: BinaryIO, heard: int) -> None:
        self._told = told
        self._heard = heard
        self._left = b""
        self._number = 0
        self._session = ""

    def open(self, url: str) -> None:
        """As a person's browser would when an app opens an address."""
        target = self._ask("Target.createTarget", url=url)["targetId"]
        self._session = self._ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]

    def evaluate(self, script: str) -> Any:
        """None as well while one page makes room for the next."""
        answer = self._ask("Runtime.evaluate", expression=script, returnByValue=True)
        return answer.get("result", {}).get("value")

    def text(self) -> str:
        return str(self.evaluate("document.body ? document.body.innerText : ''"))

    def wait_for_text(self, text: str) -> None:
        give_up = time.monotonic() + 60
        while text not in self.text():
            assert time.monotonic() < give_up, self.text()

    def click_button(self, text: str) -> None:
        self.wait_for_text(text)
        button = f"[...document.querySelectorAll('button')].find(b => b.innerText.includes({json.dumps(text)}))"
        assert self.evaluate(f"(() => {{ const b = {button}; b.click(); return true; }})()") is True

    def close(self) -> None:
        self._session = ""
        with suppress(OSError, EOFError):
            self._ask("Browser.close")

    def _ask(self, method: str, **parameters: Any) -> dict[str, Any]:
        self._number += 1
        asked = {"id": self._number, "method": method, "params": parameters}
        if self._session and not method.startswith(("Target.", "Browser.")):
            asked["sessionId"] = self._session
        self._told.write(json.dumps(asked).encode() + b"\0")
        self._told.flush()
        while True:
            answer = self._hear()
            if answer.get("id") == self._number:
                return dict(answer.get("result", {}))

    def _hear(self) -> dict[str, Any]:
        while b"\0" not in self._left:
            assert select.select([self._heard], [], [], 60)[0], "the browser does not answer"
            heard = os.read(self._heard, 65536)
            if not heard:
                raise EOFError("the browser is gone")
            self._left += heard
        message, _, self._left = self._left.partition(b"\0")
        return dict(json.loads(message))


@contextmanager
def running_chromium(folder: Path) -> Iterator[Chromium]:
    told_there, told_here = _pipe()
    heard_here, heard_there = _pipe()
    command = ["chromium", *_QUIET, f"--user-data-dir={folder}"]
    launch = [sys.executable, "-c", _LAUNCH, str(told_there), str(heard_there), *command]
    environment = {name: value for name, value in os.environ.items() if name in ("PATH", "LANG")}
    with (
        subprocess.Popen(
            launch,
            env=environment | {"HOME": str(folder)},
            pass_fds=(told_there, heard_there),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        ) as process,
        os.fdopen(told_here, "wb") as told,
        os.fdopen(heard_here, "rb", buffering=0) as heard,
    ):
        os.close(told_there)
        os.close(heard_there)
        browser = Chromium(told, heard.fileno())
        try:
            yield browser
        finally:
            browser.close()
            try:
                process.wait(30)
            except subprocess.TimeoutExpired:
                process.kill()


def _pipe() -> tuple[int, int]:
    """To read from and to write to, above the numbers that the browser is told on."""
    reading, writing = os.pipe()
    ends = fcntl.fcntl(reading, fcntl.F_DUPFD_CLOEXEC, 10), fcntl.fcntl(writing, fcntl.F_DUPFD_CLOEXEC, 10)
    os.close(reading)
    os.close(writing)
    return ends
