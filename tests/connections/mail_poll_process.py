"""A process that polls a mail account until everything is read: python -m … FOLDER PORT USER LIMIT."""

import sys
import time
from pathlib import Path

from scheduler.store import workflows
from tests.clocks import ManualClock
from tests.connections.mail_runtime import MailRuntime, poll

PASSWORD = "imap"
_NOTE_MEMORY = 'state["memory"] = int(open("/proc/self/status").read().partition("VmHWM:")[2].split()[0])'


class Stopwatch(ManualClock):
    """A fixed time of day with a running monotonic clock."""

    def monotonic(self) -> float:
        return time.monotonic()


class Reader(MailRuntime):
    def open(self) -> None:
        self.clock = Stopwatch()
        super().open()


def main(folder: str, port: str, user: str, limit: str) -> None:
    """Continue from the state in the folder; print the peak memory in kilobytes."""
    office = Reader(Path(folder))
    settings = {"host": "127.0.0.1", "port": int(port), "security": "none", "user": user, "password": PASSWORD}
    office.services.connect("imap:home", settings)
    if workflows.find(office.database.read(), "w") is None:
        office.deploy(poll(limit=int(limit), between=_NOTE_MEMORY))
    office.tick()
    office.close()
    print(Path("/proc/self/status").read_text().partition("VmHWM:")[2].split()[0])  # noqa: T201  the process's result


if __name__ == "__main__":
    main(*sys.argv[1:])
