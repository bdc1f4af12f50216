"""`uninstall-data`: delete what Dayhand keeps of a person, after showing it: data, passwords, the start at login."""

import shutil
import sqlite3
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterable, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.keeping.folder import add_data_dir, data_dir, refusing
from app.platform.autostart import AutostartError, find_autostart
from app.verbs.verb import Told, Verb
from scheduler.engine.refusal import RefusedError
from scheduler.engine.user_only import refuse_scripts

if TYPE_CHECKING:
    from scheduler.connections.entries import Entries
    from scheduler.store.connections import ConnectionRow

_STORE = "dayhand.db"
_ASIDE = "dayhand-*-*.db"
_MAYBE = "?"
"""Before what may have an entry or not, which is not worth a line."""
_LOCK = "dayhand.lock"
_OWN = (
    "backups", "connectors", "control", "environments", "logs", "sample", "workers", "preferences.json*", "window.ini*",
    ".dayhand*", "dayhand-damaged-*.db*", "dayhand-replaced-*.db*", "dayhand.*",
)  # fmt: skip
"""What Dayhand itself puts into a data folder. A folder of the person's choice may hold other things too."""
_DESCRIPTION = """Delete your workflows, history and backups, the passwords that Dayhand keeps in the keyring, and the
start at login. It shows what it will delete, and asks. Your scripts stay where they are."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """All that would go, and what in the same folder would stay."""

    folder: Path
    files: dict[str, int]
    """First-level names and their bytes."""
    secrets: "tuple[tuple[Entries, str], ...]"
    """Which entry of the keyring, by the folder's names for them, belongs to which connection."""
    starts_at_login: bool
    stays: tuple[str, ...]

    def data(self) -> dict[str, Any]:
        return {
            "folder": str(self.folder),
            "files": self.files,
            "keyring": self.connections(),
            "autostart": self.starts_at_login,
            "stays": list(self.stays),
        }

    def connections(self) -> list[str]:
        return sorted({name for _, name in self.secrets if not name.startswith(_MAYBE)})

    def lines(self) -> Iterator[str]:
        yield f"In {self.folder}:"
        for name, size in self.files.items():
            yield f"  {name}  ({_say_size(size)})"
        for name in self.connections():
            yield f"In the keyring: the password or token of {name}"
        if self.starts_at_login:
            yield "The entry that starts Dayhand at login"
        if self.stays:
            yield f"Not Dayhand's, so it stays: {', '.join(self.stays)}"


def _arguments(parser: ArgumentParser) -> None:
    parser.description = _DESCRIPTION
    add_data_dir(parser)
    parser.add_argument("--yes", action="store_true", help="do not ask")
    parser.add_argument("--keep-keyring", action="store_true", help="leave passwords and tokens in the keyring")


def _uninstall(options: Namespace) -> Told:
    refuse_scripts("uninstall-data")
    folder = data_dir(options)
    if not (folder / _STORE).exists():
        raise RefusedError("nothing", f"There is no data of Dayhand in {folder}.")
    with refusing():
        from scheduler.store.lock import hold

        with hold(folder):
            found = _find(folder, keep_keyring=options.keep_keyring, usual=options.data_dir is None)
            if not options.yes:
                _ask(found, to_stderr=options.json)
            _delete(found)
    sentence = f"Dayhand's data in {folder} is deleted."
    if found.stays:
        sentence += f" {len(found.stays)} other things are still there."
    return Told({**found.data(), "sentence": sentence}, lambda told: [told["sentence"]])


def _find(folder: Path, *, keep_keyring: bool, usual: bool) -> Found:
    secrets = () if keep_keyring else tuple(_find_secrets(folder))  # first: a store that is read has files beside it
    files, stays = {}, []
    for path in sorted(folder.iterdir()):
        if any(fnmatch(path.name, pattern) for pattern in _OWN):
            files[path.name] = _size(path)
        else:
            stays.append(path.name)
    return Found(
        folder=folder,
        files=files,
        secrets=secrets,
        starts_at_login=usual and find_autostart([]).is_on(),
        stays=tuple(stays),
    )


def _find_secrets(folder: Path) -> "Iterator[tuple[Entries, str]]":
    """What has an entry in the keyring, which only the store and the settings know; stores that were set aside, too."""
    from app.keeping.entries import read_entries
    from app.keeping.preferences import read_preferences
    from scheduler.engine.fixing.choice import KEY
    from scheduler.store import connections
    from scheduler.store.connection import connect
    from scheduler.store.errors import StoreError
    from scheduler.store.health import open_for_reading

    try:
        database = open_for_reading(folder)
        try:
            entries = read_entries(folder, database.read())
            rows = connections.every_one(database.read())
        finally:
            database.close()
    except StoreError as error:
        raise RefusedError(
            "store",
            f"{error} So it cannot be told which passwords are Dayhand's, and nothing was deleted. "
            "With --keep-keyring the rest can be.",
        ) from error
    if entries.identity or entries.owns_old:  # else they are another folder's
        if read_preferences(folder).fixer.has_key:
            yield entries, KEY
        yield from ((entries, name) for name in _with_secrets(rows))
    for aside in sorted(folder.glob(_ASIDE)):
        with suppress(StoreError, sqlite3.Error, ValueError), closing(connect(aside, read_only=True)) as db:
            entries, rows = read_entries(folder, db), connections.every_one(db)
            if entries.identity:
                yield from ((entries, name) for name in (*_with_secrets(rows), _MAYBE + KEY))


def _with_secrets(rows: "Iterable[ConnectionRow]") -> Iterator[str]:
    from scheduler.connections.errors import ConnectionRuleError
    from scheduler.connections.registry import builtin_registry, parse_name
    from scheduler.engine.runs.tools import keeps_secrets

    registry = builtin_registry(lambda _title, _text: None)
    for row in rows:
        try:
            connector = registry.connector(parse_name(row.name)[0])
        except ConnectionRuleError:
            yield row.name  # of a connector that is gone: there may be something
        else:
            if keeps_secrets(connector, row.settings):
                yield row.name


def _ask(found: Found, *, to_stderr: bool) -> None:
    if not sys.stdin.isatty():
        raise RefusedError("asks", "Nothing was deleted, since nobody can be asked here. --yes deletes without asking.")
    out = sys.stderr if to_stderr else sys.stdout
    out.write("\n".join(["This will be deleted, and cannot be brought back:", *found.lines(), "Type yes to go on: "]))
    out.flush()
    if sys.stdin.readline().strip().lower() != "yes":
        raise RefusedError("declined", "Nothing was deleted.")


def _delete(found: Found) -> None:
    """The store goes last, since it alone knows the rest: what fails on the way can be tried again."""
    _delete_secrets(found)
    try:
        if found.starts_at_login:
            find_autostart([]).turn_off()
        for name in sorted(found.files, key=lambda name: (name == _LOCK, name.startswith("dayhand."), name)):
            _remove(found.folder / name)
        if not found.stays:
            found.folder.rmdir()
    except AutostartError as error:
        raise RefusedError("autostart", str(error)) from error
    except OSError as error:
        why = error.strerror or str(error)
        raise RefusedError("files", f"Not all could be deleted: {why} ({error.filename}). Try again.") from error


def _delete_secrets(found: Found) -> None:
    if not found.secrets:
        return
    from scheduler.connections.vault import Vault
    from scheduler.connections.vault_errors import VaultError

    for entries, name in found.secrets:
        try:
            Vault(entries=entries).remove(name.removeprefix(_MAYBE))
        except VaultError as error:
            raise RefusedError("keyring", f"{error} So your data was not deleted either.") from error


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def _size(path: Path) -> int:
    if path.is_symlink():
        return 0
    if path.is_dir():
        return sum(_size(one) for one in path.iterdir())
    return path.stat().st_size


def _say_size(size: int) -> str:
    return f"{size / 1e6:.1f} MB" if size >= 100_000 else f"{max(size, 1) / 1e3:.1f} kB"


VERBS = {"uninstall-data": Verb(_arguments, _uninstall)}
