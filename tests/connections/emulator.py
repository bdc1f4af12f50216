"""A real process that emulates Google and Slack; packaging/test installs it."""

import json
import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ANNA = "anna@example.org"
BERT = "bert@example.org"
ANNAS_TOKEN = "anna-is-signed-in"
SLACK_TOKEN = "somebody-is-signed-in"
_INSTALLED = Path(sys.prefix) / "emulate/node_modules"


@dataclass(frozen=True, slots=True, kw_only=True)
class Emulator:
    google: str
    slack: str


def _seed(ports: tuple[int, int]) -> dict[str, Any]:
    """Two users with mail, a calendar and files; the emulator adds one of its own."""
    calendars = [
        {"id": f"calendar-of-{email}", "user_email": email, "summary": email, "primary": True, "time_zone": "UTC"}
        for email in (ANNA, BERT)
    ]
    letters = [
        {
            "id": f"msg_{number}",
            "user_email": ANNA,
            "from": "Shop <shop@example.com>",
            "to": ANNA,
            "subject": f"Receipt {number}",
            "body_text": f"You paid {number} €.",
            "label_ids": ["INBOX", "UNREAD"],
            "date": f"2026-05-0{number}T08:00:00.000Z",
        }
        for number in (1, 2, 3)
    ]
    return {
        "tokens": {ANNAS_TOKEN: {"login": ANNA, "scopes": []}, SLACK_TOKEN: {"login": "U000000001", "scopes": []}},
        "google": {
            "port": ports[0],
            "users": [{"email": ANNA, "name": "Anna"}, {"email": BERT, "name": "Bert"}],
            "calendars": calendars,
            "messages": letters,
            "labels": [{"id": "Label_done", "user_email": ANNA, "name": "Done"}],
        },
        "slack": {"port": ports[1]},
    }


@contextmanager
def running_emulator(folder: Path) -> Iterator[Emulator]:
    program = _INSTALLED / "emulate/dist/index.js"
    assert program.exists(), "packaging/test installs the emulator"
    own = _INSTALLED / ".bin/node"
    node = str(own) if own.exists() else shutil.which("node")
    assert node is not None
    ports = _free_ports()
    seed = folder / "seed.json"
    seed.write_text(json.dumps(_seed(ports)))
    command = [node, str(program), "start", "--service", "google,slack", "--seed", str(seed)]
    environment = {"PATH": os.environ["PATH"], "HOME": str(folder)}
    with subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL) as process:
        try:
            for port in ports:
                _wait_for(port, process)
            yield Emulator(google=f"http://127.0.0.1:{ports[0]}", slack=f"http://127.0.0.1:{ports[1]}")
        finally:
            process.kill()


def _free_ports() -> tuple[int, int]:
    with socket.create_server(("127.0.0.1", 0)) as one, socket.create_server(("127.0.0.1", 0)) as other:
        return one.getsockname()[1], other.getsockname()[1]


def _wait_for(port: int, process: "subprocess.Popen[bytes]") -> None:
    deadline = time.monotonic() + 60
    while True:
        assert process.poll() is None, "the emulator ended"
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
        except OSError:
            assert time.monotonic() < deadline, "the emulator did not start"
        else:
            return
