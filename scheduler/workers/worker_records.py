"""A record of each running worker, so that the next start can kill those of an app that was killed."""

import json
from contextlib import suppress
from pathlib import Path

from scheduler.boot import boot_id
from scheduler.workers.system import find_process, kill_with_descendants

_FOLDER = "workers"
MARK_LENGTH = 32


class WorkerRecords:
    """One small file per worker in the data folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder / _FOLDER
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)

    def add(self, pid: int, mark: str) -> None:
        process = find_process(pid)
        record = {"pid": pid, "started": process and process.started, "boot": boot_id()}
        (self._folder / mark).write_text(json.dumps(record), encoding="utf-8")

    def remove(self, mark: str) -> None:
        with suppress(OSError):
            (self._folder / mark).unlink()


def kill_orphans(folder: Path) -> int:
    """Kill the workers that an earlier app left behind, with their children; returns how many there were.

    The caller holds the folder's lock, so none of them can belong to a running app.
    """
    ended = 0
    for path in sorted((folder / _FOLDER).glob("[0-9a-f]" * MARK_LENGTH)):
        try:
            record = json.loads(path.read_text(encoding="utf-8"))
            pid, started, boot, mark = int(record["pid"]), record["started"], record["boot"], path.name
        except (OSError, ValueError, KeyError, TypeError):
            pid, started, boot, mark = 0, None, "", path.name  # the app was killed while writing it
        process = find_process(pid) if pid else None
        is_same = process is not None and process.is_alive and process.started == started and boot == boot_id()
        kill_with_descendants(pid if is_same else None, mark)
        ended += is_same
        with suppress(OSError):
            path.unlink()
    return ended
