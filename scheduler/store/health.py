"""Opening the store safely: back up before migrating, check after an unclean end, set damage aside."""

import shutil
import sqlite3
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from scheduler.store import facts, migrations
from scheduler.store.database import Database, connect
from scheduler.store.errors import NewerStoreError, StoreError

FILE = "dayhand.db"
KEEP_BACKUPS = 5
_SIDE_FILES = ("", "-wal", "-shm")
_IN_USE = "in use"


@dataclass(frozen=True, slots=True)
class Damage:
    """A damaged file that was set aside, and the backup that could take its place."""

    aside: Path
    backup: Path | None

    @property
    def sentence(self) -> str:
        said = f"Your data file was damaged and is set aside as {self.aside.name}. Dayhand started with an empty one."
        if self.backup is None:
            return f"{said} There is no backup to go back to."
        return f"{said} To go on from the last backup ({self.backup.name}), choose Restore or run: dayhand restore"


@dataclass(frozen=True, slots=True)
class Opened:
    database: Database
    damage: Damage | None = None


def open_store(folder: Path, now: datetime) -> Opened:
    """The store in that folder, ready for use. Damage never stops the app and never goes unsaid."""
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    path = folder / FILE
    damage = None
    if path.exists() and not _is_sound(path):
        damage = Damage(_set_aside(path, now), last_backup(folder))
    with closing(connect(path)) as connection:
        found = migrations.version_of(connection)
        if 0 < found < migrations.latest():
            back_up(folder, now)
        migrations.migrate(connection)
        path.chmod(0o600)
        facts.write(connection, _IN_USE, "yes")
    return Opened(Database(path), damage)


def close_store(database: Database) -> None:
    """Leave the file so that the next start need not check it."""
    facts.write(database.read(), _IN_USE, "no")
    database.close()


def back_up(folder: Path, now: datetime) -> Path:
    """Write a copy of the store as it is, and let go of the oldest ones."""
    backups = folder / "backups"
    backups.mkdir(exist_ok=True, mode=0o700)
    target = backups / f"dayhand-{now:%Y%m%d-%H%M%S}.db"
    unfinished = target.with_suffix(".part")
    unfinished.unlink(missing_ok=True)
    with closing(sqlite3.connect(folder / FILE)) as source, closing(sqlite3.connect(unfinished)) as copy:
        source.backup(copy)
        copy.execute("PRAGMA journal_mode = DELETE")
        facts.write(copy, _IN_USE, "no")
        copy.commit()
    unfinished.chmod(0o600)
    unfinished.replace(target)
    for old in _backups(folder)[:-KEEP_BACKUPS]:
        old.unlink()
    return target


def last_backup(folder: Path) -> Path | None:
    """The newest backup that can be read."""
    return next((backup for backup in reversed(_backups(folder)) if _is_sound(backup)), None)


def restore(folder: Path, now: datetime) -> Path:
    """Put the last backup in place of the store, which is set aside. The app must not be running."""
    backup = last_backup(folder)
    if backup is None:
        raise StoreError("There is no backup to go back to.")
    if (folder / FILE).exists():
        _set_aside(folder / FILE, now)
    fresh = folder / f"{FILE}.part"
    shutil.copyfile(backup, fresh)
    fresh.chmod(0o600)
    fresh.replace(folder / FILE)
    return backup


def _backups(folder: Path) -> list[Path]:
    return sorted((folder / "backups").glob("dayhand-*.db"))


def _is_sound(path: Path) -> bool:
    """Whether SQLite can read the file; after an unclean end, every page of it is looked at."""
    try:
        with closing(sqlite3.connect(path, timeout=10)) as connection:
            if migrations.version_of(connection) == 0:
                return not connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0]
            if facts.read(connection, _IN_USE) == "no":
                return True
            return [row[0] for row in connection.execute("PRAGMA quick_check")] == ["ok"]
    except sqlite3.OperationalError as error:
        raise StoreError(f"Your data file {path.name} cannot be opened: {error}.") from error
    except (sqlite3.DatabaseError, NewerStoreError):
        return False


def _set_aside(path: Path, now: datetime) -> Path:
    aside = path.with_name(f"dayhand-damaged-{now:%Y%m%d-%H%M%S}.db")
    for suffix in _SIDE_FILES:
        part = path.with_name(path.name + suffix)
        if part.exists():
            part.rename(aside.with_name(aside.name + suffix))
    return aside
