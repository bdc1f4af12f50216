"""Runs one action of the table in processes that are killed one step later each time, and checks the result.

python -m tests.connections.connectors.files.kill_steps FOLDER ACTION
"""

import itertools
import os
import signal
import sys
from pathlib import Path
from typing import Any

from scheduler.connections.connector import ToolFailedError
from tests.connections.connectors.files.file_tools import check, identify, use_on
from tests.connections.connectors.files.truth_table import ACTIONS, Action, snapshot
from tests.connections.faulty_disk import Disk, Fault


def kill_at_each_step(folder: Path, action: Action) -> None:
    for offers, when in itertools.product((True, False), ("before", "after", "half")):
        for step in itertools.count():
            here = folder / f"{offers}-{when}-{step}"
            here.mkdir()
            action.prepare(here)
            before, approved = snapshot(here), identify(here, action.tool, **action.parameters)
            if not dies(here, action, approved, Disk(Fault(step, None, when), offers_exchange=offers)):
                assert step == len(action.plain_steps if not offers and action.plain_steps else action.steps)
                break
            verify(here, action, approved, before, can_be_unsure=step < action.unsure_steps)


def dies(here: Path, action: Action, approved: Any, disk: Disk) -> bool:
    child = os.fork()
    if child == 0:
        with disk.inserted():
            use_on(approved, here, action.tool, **action.parameters)
        os._exit(0)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    assert code in (0, -signal.SIGKILL)
    return code != 0


def verify(here: Path, action: Action, approved: Any, before: dict[str, Any], *, can_be_unsure: bool) -> None:
    after = here.with_name(f"{here.name}-after")
    after.mkdir()
    action.prepare(after)
    action.perform(after)
    ours = {name: what for name, what in snapshot(here).items() if ".dayhand-" not in name and what != "a folder"}
    assert set(ours.items()) <= set(snapshot(after).items()) | set(before.items()), f"incomplete: {ours}"
    try:
        happened = check(here, action.tool, approved, **action.parameters).happened
    except ToolFailedError:
        assert can_be_unsure, "the checker cannot tell"
        happened = False
    actual, expected = snapshot(here, folders=False), snapshot(after, folders=False) if happened else before
    assert actual == {name: what for name, what in expected.items() if what != "a folder"}, (happened, actual)


if __name__ == "__main__":
    kill_at_each_step(Path(sys.argv[1]), ACTIONS[sys.argv[2]])
