"""Does one thing to a store again and again, each time killed one step later, and looks at what is left.

python -m tests.store.killing FOLDER SCENE
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
from scheduler.store.backups import back_up, is_good, last_backup
from scheduler.store.connection import Connection
from scheduler.store.health import close_store, open_store, restore
from tests.store.stores import NOW, count, count_in, crashed, fill

_TOUCHING = {"open", "os.rename", "os.remove", "os.mkdir", "os.chmod", "shutil.copyfile"}
_KNOWN = migrations._steps()
_LATER = [*_KNOWN, (len(_KNOWN) + 1, "ALTER TABLE schedules ADD COLUMN tag TEXT;\nUPDATE schedules SET tag = spec;")]


def open_damaged(folder: Path) -> None:
    (folder / "dayhand.db").write_text("garbage")
    close_store(open_store(folder, NOW).database)


def damage_is_said(folder: Path) -> None:
    opened = open_store(folder, NOW)
    if opened.damage is None:
        assert count(opened.database) == 200, "damage went unsaid"
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


def one_of_the_two_is_there(folder: Path) -> None:
    opened = open_store(folder, NOW)
    if opened.damage is not None:
        assert "was gone" in opened.damage.say()
        close_store(opened.database)
        restore(folder, NOW)
        opened = open_store(folder, NOW)
    assert count(opened.database) == 200
    close_store(opened.database)


def copy(folder: Path) -> None:
    back_up(folder, NOW)


def every_backup_is_whole(folder: Path) -> None:
    backup = last_backup(folder, NOW)
    assert backup is not None and count_in(backup) == 200
    assert all(map(is_good, (folder / "backups").glob("*.db"))), "a half copy has the name of a backup"
    back_up(folder, NOW + timedelta(seconds=1))
    assert not list((folder / "backups").glob("*.part*"))
    all_is_well(folder)


def migrate(folder: Path) -> None:
    migrations._steps = lambda: _LATER
    close_store(open_store(folder, NOW).database)


def the_old_version_works_or_the_new_one(folder: Path) -> None:
    with closing(sqlite3.connect(folder / "dayhand.db")) as db:
        is_old = db.execute("PRAGMA user_version").fetchone()[0] == len(_KNOWN)
    if is_old:
        all_is_well(folder)
    migrate(folder)
    all_is_well(folder)
    migrations._steps = lambda: _KNOWN


def use(folder: Path) -> None:
    database = open_store(folder, NOW).database
    for number in range(3):
        fill(database, 5, f"new{number}-")
    close_store(database)


def all_is_well(folder: Path) -> None:
    opened = open_store(folder, NOW)
    assert opened.damage is None
    assert count(opened.database) >= 200
    assert count(opened.database) % 5 == 0, "half a transaction"
    close_store(opened.database)


SCENES: dict[str, tuple[Callable[[Path], None], Callable[[Path], None]]] = {
    "damage": (open_damaged, damage_is_said),
    "restore": (replace, one_of_the_two_is_there),
    "backup": (copy, every_backup_is_whole),
    "migration": (migrate, the_old_version_works_or_the_new_one),
    "use": (use, all_is_well),
}


def kill_at(step: int) -> None:
    """This process dies before its so-manyth file operation or SQL statement."""
    left = itertools.count(step, -1)
    execute = Connection.execute

    def touch() -> None:
        if next(left) == 0:
            os.kill(os.getpid(), signal.SIGKILL)

    def hear(event: str, _: Any) -> None:
        if event in _TOUCHING:
            touch()

    def execute_or_die(connection: Connection, *arguments: Any) -> Any:
        touch()
        return execute(connection, *arguments)

    Connection.execute = execute_or_die  # type: ignore[method-assign]
    sys.addaudithook(hear)


def main(base: Path, scene: str) -> int:
    act, look = SCENES[scene]
    crashed(base / "backed up")
    back_up(base / "backed up", NOW - timedelta(days=1))
    crashed(base / "whole")
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
            look(folder)
        except BaseException:
            print("after a kill at step", step, left, file=sys.stderr)  # noqa: T201  for whoever reads the failure
            raise
        shutil.rmtree(folder)
        if status == 0:
            return step
    raise AssertionError


if __name__ == "__main__":
    print(main(Path(sys.argv[1]), sys.argv[2]))  # noqa: T201
