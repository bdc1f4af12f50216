"""Migrates copies of a data folder as a later version would, killing each a few steps later than the one before.

python -m tests.faults.migration_process WHOLE BASE
"""

import os
import shutil
import signal
import sys
from itertools import count
from pathlib import Path

from scheduler.store import migrations
from scheduler.store.opening import close_store, open_store
from tests.engine.engine_fixture import START
from tests.store.kill_steps import kill_at

KNOWN = migrations._steps()
_LATER = "ALTER TABLE runs ADD COLUMN mood TEXT;\nUPDATE runs SET mood = 'good';\nDROP TABLE grants;"


def migrate_and_die(folder: Path, step: int) -> bool:
    """Whether it was killed before it finished."""
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
