"""Opens a store that is one file of a program's own, outside any data folder: the library's.

Unlike the app, a program is told about damage instead of continuing with an empty file.
"""

import sqlite3
from contextlib import closing
from pathlib import Path

from scheduler.store import dirty_flag, free_pages, key_values, migrations
from scheduler.store.backups import STORE_FILE, copy_store, put_in_place
from scheduler.store.database import Database
from scheduler.store.errors import StoreDamagedError, StoreError
from scheduler.store.opening import prepared_file
from scheduler.store.sqlite import connect, converted_errors, is_intact
from scheduler.user_text import UserText

_PURPOSE = "purpose"
"""The stored key that tells the library's files from the app's data."""
_LIBRARY = "library"


def open_file(path: Path) -> Database:
    """The store in that file, which is created if it does not exist. The caller holds its lock."""
    with converted_errors(path):
        if not path.exists() or path.stat().st_size == 0:
            _create(path)
        _refuse_content(path)
        with prepared_file(path, lambda: _back_up(path)):
            return Database(path)


def refuse_path(path: Path) -> None:
    """StoreError for a path that cannot be a store of the library; call it before anything is written there."""
    if path.name == STORE_FILE:
        raise StoreError(
            UserText("{name} is the name of the app's own data. Choose another file name.", name=STORE_FILE)
        )
    if path.is_dir():
        raise StoreError(UserText("{path} is a folder. Give the path of a file, for example jobs.db.", path=path))
    if not path.parent.is_dir():
        raise StoreError(UserText("There is no folder {folder}. Create it first.", folder=path.parent))


def _create(path: Path) -> None:
    """Create it under another name first, so that it exists completely or not at all."""
    log = path.with_name(f"{path.name}-wal")
    if log.exists() and log.stat().st_size > 0:
        # SQLite would write the old log into the new file.
        raise StoreError(
            UserText(
                "{log} has changes for a file that is gone or empty. Restore {path}, or delete both.",
                log=log,
                path=path,
            )
        )
    unfinished = path.with_name(f"{path.name}.part")
    unfinished.unlink(missing_ok=True)
    unfinished.touch(mode=0o600)
    with closing(connect(unfinished)) as connection:
        free_pages.enable_incremental_vacuum(connection, unfinished)
        migrations.migrate(connection)
        key_values.write(connection, _PURPOSE, _LIBRARY)
    put_in_place(unfinished, path)
    dirty_flag.clear(path)


def _refuse_content(path: Path) -> None:
    """Refuse what is not ours, is newer, or is damaged; nothing is changed then."""
    try:
        with closing(connect(path, read_only=True)) as connection:
            migrations.refuse_newer(connection)
            if dirty_flag.is_set(path) and not is_intact(connection):
                raise StoreDamagedError(path)
            is_ours = migrations.version_of(connection) > 0 and key_values.read(connection, _PURPOSE) == _LIBRARY
    except StoreDamagedError as error:
        raise _damage(path) from error
    except sqlite3.OperationalError:  # no table of ours
        is_ours = False
    if not is_ours:
        raise StoreError(
            UserText(
                "{path} is not a file of this library: it belongs to the app or to another program. "
                "Nothing was changed. Choose another file.",
                path=path,
            )
        )


def _damage(path: Path) -> StoreError:
    return StoreError(
        UserText(
            "{path} is damaged, or not a SQLite file. Nothing was changed. Restore it from a backup, or move it away "
            "to start with an empty one.",
            path=path,
        )
    )


def _back_up(path: Path) -> None:
    """Before a migration: the file as the older version wrote it stays beside it."""
    with closing(connect(path, read_only=True)) as connection:
        version = migrations.version_of(connection)
    unfinished = path.with_name(f"{path.name}.part")
    copy_store(path, unfinished)
    put_in_place(unfinished, path.with_name(f"{path.name}.format-{version}"))
