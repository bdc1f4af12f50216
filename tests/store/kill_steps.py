"""Repeats an operation on a store, killed one step later each time, and checks what is left.

python -m tests.store.kill_steps FOLDER SCENARIO
"""

import itertools
import os
import shutil
import signal
import sqlite3
import sys
from collections.abc import Callable
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from typing import Any

from scheduler.store import migrations
from scheduler.store.backups import back_up, find_last_backup, is_usable
from scheduler.store.opening import close_store, open_store, restore
from scheduler.store.sqlite import Connection
from tests.store.store_files import NOW, count, count_in, fill, make_crashed_store

_FILE_EVENTS = {"open", "os.rename", "os.remove", "os.mkdir", "os.chmod", "shutil.copyfile"}
_KNOWN = migrations._steps()
_LATER = [*_KNOWN, (len(_KNOWN) + 1, "ALTER TABLE schedules ADD COLUMN tag TEXT;\nUPDATE schedules SET tag = spec;")]


def open_damaged(folder: Path) -> None:
    (folder / "dayhand.db").write_text("garbage")
    close_store(open_store(folder, NOW).database)


def check_damage_is_reported(folder: Path) -> None:
    opened = open_store(folder, NOW)
    if opened.damage is None:
        assert count(opened.database) == 200, "damage was not reported"
        close_store(opened.database)
        return
    assert count(opened.database) == 0
    close_store(opened.database)
    kept = [path.read_bytes() for path in folder.glob("dayhand-damaged-*.db")]
    assert kept in ([b"garbage"], [b""]), "the damaged file is lost"
    restore(folder, NOW)
    assert count_in(folder / "dayhand.db") == 200


def replace(folder: Path) -> None:
    restore(folder, NOW)


def check_old_or_new_store_is_there(folder: Path) -> None:
    opened = open_store(folder, NOW)
    if opened.damage is not None:
        assert "was missing" in opened.damage.describe()
        close_store(opened.database)
        restore(folder, NOW)
        opened = open_store(folder, NOW)
    assert count(opened.database) == 200
    close_store(opened.database)


def copy(folder: Path) -> None:
    back_up(folder, NOW)


def check_backups_are_intact(folder: Path) -> None:
    backup = find_last_backup(folder, NOW)
    assert backup is not None and count_in(backup) == 200
    assert all(map(is_usable, (folder / "backups").glob("*.db"))), "a partial copy has the name of a backup"
    back_up(folder, NOW + timedelta(seconds=1))
    assert not list((folder / "backups").glob("*.part*"))
    check_store_is_intact(folder)


def migrate(folder: Path) -> None:
    migrations._steps = lambda: _LATER
    close_store(open_store(folder, NOW).database)


def check_old_or_new_version_works(folder: Path) -> None:
    with closing(sqlite3.connect(folder / "dayhand.db")) as db:
        is_old = db.execute("PRAGMA user_version").fetchone()[0] == len(_KNOWN)
    if is_old:
        check_store_is_intact(folder)
    migrate(folder)
    check_store_is_intact(folder)
    migrations._steps = lambda: _KNOWN


def use(folder: Path) -> None:
    database = open_store(folder, NOW).database
    for number in range(3):
        fill(database, 5, f"new{number}-")
    close_store(database)


def check_store_is_intact(folder: Path) -> None:
    opened = open_store(folder, NOW)
    assert opened.damage is None
    assert count(opened.database) >= 200
    assert count(opened.database) % 5 == 0, "half a transaction"
    close_store(opened.database)


SCENARIOS: dict[str, tuple[Callable[[Path], None], Callable[[Path], None]]] = {
    "damage": (open_damaged, check_damage_is_reported),
    "restore": (replace, check_old_or_new_store_is_there),
    "backup": (copy, check_backups_are_intact),
    "migration": (migrate, check_old_or_new_version_works),
    "use": (use, check_store_is_intact),
}


def kill_at(step: int) -> None:
    """Make this process die before that file operation or SQL statement."""
    steps_left = itertools.count(step, -1)
    execute = Connection.execute

    def count_step() -> None:
        if next(steps_left) == 0:
            os.kill(os.getpid(), signal.SIGKILL)

    def on_audit_event(event: str, _: Any) -> None:
        if event in _FILE_EVENTS:
            count_step()

    def execute_or_die(connection: Connection, *arguments: Any) -> Any:
        count_step()
        return execute(connection, *arguments)

    Connection.execute = execute_or_die  # type: ignore[method-assign]
    sys.addaudithook(on_audit_event)


def main(base: Path, scenario: str) -> int:
    act, check = SCENARIOS[scenario]
    make_crashed_store(base / "backed up")
    back_up(base / "backed up", NOW - timedelta(days=1))
    make_crashed_store(base / "whole")
    shutil.copytree(base / "backed up/backups", base / "whole/backups")
    for step in itertools.count():
        folder = base / str(step)
        shutil.copytree(base / "whole", folder)
        child = os.fork()
        if child == 0:
            kill_at(step)
            act(folder)
            os._exit(0)
        status = os.waitpid(child, 0)[1]
        left = sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))
        try:
            assert os.waitstatus_to_exitcode(status) in (0, -signal.SIGKILL)
            check(folder)
        except BaseException:
            print("after a kill at step", step, left, file=sys.stderr)  # noqa: T201  explains the failure
            raise
        shutil.rmtree(folder)
        if status == 0:
            return step
    raise AssertionError


if __name__ == "__main__":
    print(main(Path(sys.argv[1]), sys.argv[2]))  # noqa: T201
