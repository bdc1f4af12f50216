"""Which workers live, written down so that a later start can end those of an instance that was killed."""

import json
import os
from contextlib import suppress
from pathlib import Path

from scheduler.workers.processes import look_up
from scheduler.workers.system import end_family

_FOLDER = "workers"
MARK_LENGTH = 32


class Records:
    """One small file per worker in the data folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder / _FOLDER
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)

    def add(self, pid: int, mark: str) -> None:
        process = look_up(pid)
        told = {"pid": pid, "started": process and process.started, "boot": _boot()}
        (self._folder / mark).write_text(json.dumps(told), encoding="utf-8")

    def remove(self, mark: str) -> None:
        with suppress(OSError):
            (self._folder / mark).unlink()


def end_orphans(folder: Path) -> int:
    """End the workers that an earlier instance left behind, with their children; how many there were.

    The caller holds the folder's lock, so no worker in it can belong to anybody alive.
    """
    ended = 0
    for path in sorted((folder / _FOLDER).glob("[0-9a-f]" * MARK_LENGTH)):
        try:
            told = json.loads(path.read_text(encoding="utf-8"))
            pid, started, boot, mark = int(told["pid"]), told["started"], told["boot"], path.name
        except (OSError, ValueError, KeyError, TypeError):
            pid, started, boot, mark = 0, None, "", path.name  # killed while writing it
        process = look_up(pid) if pid else None
        is_same = process is not None and process.started == started and boot == _boot()
        end_family(pid if is_same else None, mark)
        ended += is_same
        with suppress(OSError):
            path.unlink()
    return ended


def _boot() -> str:
    with suppress(OSError):
        return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    return str(os.name)
