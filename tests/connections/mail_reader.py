"""An app of its own that polls one mail account until it has read everything: python -m … FOLDER PORT USER LIMIT."""

import json
import resource
import sys
import tracemalloc
from pathlib import Path

from scheduler.store import runs, workflows
from tests.connections.post_office import PostOffice, poll

PASSWORD = "imap"


def main(folder: str, port: str, user: str, limit: str) -> None:
    """It goes on with what it finds in the folder; at the end it prints how much memory all of it took."""
    office = PostOffice(Path(folder))
    settings = {"host": "127.0.0.1", "port": int(port), "security": "none", "user": user, "password": PASSWORD}
    office.house.connect("imap:home", settings)
    if workflows.find(office.database.read(), "w") is None:
        office.deploy(poll(limit=int(limit)))
    tracemalloc.start()
    office.tick()
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    progress = [row.progress for row in runs.recent(office.database.read(), "w", 10) if row.handler == "poll"]
    office.close()
    worker = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024
    print(json.dumps({"peak": peak, "worker": worker, "progress": progress}))  # noqa: T201  this is its answer


if __name__ == "__main__":
    main(*sys.argv[1:])
