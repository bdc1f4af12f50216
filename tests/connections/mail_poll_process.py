"""An app of its own that polls one mail account until all of it is read: python -m … FOLDER PORT USER LIMIT."""

import sys
import time
from pathlib import Path

from scheduler.store import workflows
from tests.connections.post_office import PostOffice, poll
from tests.engine.harness import MovedClock

PASSWORD = "imap"
_NOTE_MEMORY = 'state["memory"] = int(open("/proc/self/status").read().partition("VmHWM:")[2].split()[0])'


class Stopwatch(MovedClock):
    """It is always the same time of day, but seconds pass."""

    def monotonic(self) -> float:
        return time.monotonic()


class Reader(PostOffice):
    def open(self) -> None:
        self.clock = Stopwatch()
        super().open()


def main(folder: str, port: str, user: str, limit: str) -> None:
    """It goes on with what it finds in the folder; at the end it says how many kilobytes it had at most."""
    office = Reader(Path(folder))
    settings = {"host": "127.0.0.1", "port": int(port), "security": "none", "user": user, "password": PASSWORD}
    office.house.connect("imap:home", settings)
    if workflows.find(office.database.read(), "w") is None:
        office.deploy(poll(limit=int(limit), between=_NOTE_MEMORY))
    office.tick()
    office.close()
    print(Path("/proc/self/status").read_text().partition("VmHWM:")[2].split()[0])  # noqa: T201  this is its answer


if __name__ == "__main__":
    main(*sys.argv[1:])
