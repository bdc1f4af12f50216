"""Brings copies of a data folder up to date as a later version would, each killed a few steps after the one before.

python -m tests.faults.migrating WHOLE BASE
"""

import os
import shutil
import signal
import sys
from itertools import count
from pathlib import Path

from scheduler.store import migrations
from scheduler.store.health import close_store, open_store
from tests.engine.harness import START
from tests.store.killing import kill_at

KNOWN = migrations._steps()
_LATER = "ALTER TABLE runs ADD COLUMN mood TEXT;\nUPDATE runs SET mood = 'good';\nDROP TABLE grants;"


def migrate_and_die(folder: Path, step: int) -> bool:
    """Whether it was killed before it was through."""
    child = os.fork()
    if child == 0:
        migrations._steps = lambda: [*KNOWN, (len(KNOWN) + 1, _LATER)]
        kill_at(step)
        close_store(open_store(folder, START).database)
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL


def main(whole: Path, base: Path) -> None:
    for step in count(0, 3):
        folder = base / str(step)
        shutil.copytree(whole, folder)
        if not migrate_and_die(folder, step):
            return


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
