"""`uninstall-data`: delete the user's data, passwords and autostart entry, after showing them."""

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

from app.cli.command import Command, CommandResult
from app.data.data_dir import add_data_dir, convert_store_errors, data_dir
from app.platform.autostart import AutostartError, find_autostart
from scheduler.engine.errors import RefusedError
from scheduler.engine.user_only import require_user

if TYPE_CHECKING:
    from scheduler.connections.keyring_entries import KeyringEntries
    from scheduler.store.connections import ConnectionRow

_STORE = "dayhand.db"
_SET_ASIDE = "dayhand-*-*.db"
_UNCERTAIN = "?"
"""Prefix of names that may have no keyring entry; they are deleted but not listed."""
_LOCK = "dayhand.lock"
_OWN_FILES = (
    "backups", "connectors", "control", "environments", "logs", "sample", "workers", "preferences.json*", "window.ini*",
    ".dayhand*", "dayhand-damaged-*.db*", "dayhand-replaced-*.db*", "dayhand.*",
)  # fmt: skip
"""What Dayhand puts into a data folder; a folder chosen by the user may contain other files."""
_DESCRIPTION = """Delete your workflows, history and backups, the passwords that Dayhand stored in the keyring, and the
autostart entry. Shows what will be deleted, and asks first. Your scripts are not deleted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Plan:
    """What will be deleted, and what in the same folder is kept."""

    folder: Path
    files: dict[str, int]
    """Top-level names and their size in bytes."""
    secrets: "tuple[tuple[KeyringEntries, str], ...]"
    """Keyring entries with the name of their connection."""
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
        return sorted({name for _, name in self.secrets if not name.startswith(_UNCERTAIN)})

    def lines(self) -> Iterator[str]:
        yield f"In {self.folder}:"
        for name, size in self.files.items():
            yield f"  {name}  ({_format_size(size)})"
        for name in self.connections():
            yield f"In the keyring: the password or token of {name}"
        if self.starts_at_login:
            yield "The autostart entry"
        if self.stays:
            yield f"Kept, because Dayhand did not create it: {', '.join(self.stays)}"


def _arguments(parser: ArgumentParser) -> None:
    parser.description = _DESCRIPTION
    add_data_dir(parser)
    parser.add_argument("--yes", action="store_true", help="do not ask")
    parser.add_argument("--keep-keyring", action="store_true", help="keep passwords and tokens in the keyring")


def _uninstall(options: Namespace) -> CommandResult:
    require_user("uninstall-data")
    folder = data_dir(options)
    if not (folder / _STORE).exists():
        raise RefusedError("nothing", f"There is no Dayhand data in {folder}.")
    with convert_store_errors():
        from scheduler.store.lock import hold

        with hold(folder):
            plan = _make_plan(folder, keep_keyring=options.keep_keyring, is_default=options.data_dir is None)
            if not options.yes:
                _confirm(plan, to_stderr=options.json)
            _delete(plan)
    sentence = f"Dayhand's data in {folder} is deleted."
    if plan.stays:
        sentence += f" Other files kept: {len(plan.stays)}."
    return CommandResult({**plan.data(), "sentence": sentence}, lambda answer: [answer["sentence"]])


def _make_plan(folder: Path, *, keep_keyring: bool, is_default: bool) -> _Plan:
    secrets = () if keep_keyring else tuple(_find_secrets(folder))  # first: reading the store creates files beside it
    files, stays = {}, []
    for path in sorted(folder.iterdir()):
        if any(fnmatch(path.name, pattern) for pattern in _OWN_FILES):
            files[path.name] = _size(path)
        else:
            stays.append(path.name)
    return _Plan(
        folder=folder,
        files=files,
        secrets=secrets,
        starts_at_login=is_default and find_autostart([]).is_on(),
        stays=tuple(stays),
    )


def _find_secrets(folder: Path) -> "Iterator[tuple[KeyringEntries, str]]":
    """The keyring entries known to the store, to stores that were set aside, and to the settings."""
    from app.data.keyring_names import read_entries
    from app.data.preferences import read_preferences
    from scheduler.engine.repair.fixer_config import KEYRING_ENTRY
    from scheduler.store import connections
    from scheduler.store.errors import StoreError
    from scheduler.store.opening import open_for_reading
    from scheduler.store.sqlite import connect

    try:
        database = open_for_reading(folder)
        try:
            entries = read_entries(folder, database.read())
            rows = connections.list_all(database.read())
        finally:
            database.close()
    except StoreError as error:
        raise RefusedError(
            "store",
            f"{error} Dayhand's passwords cannot be identified without it, so nothing was deleted. "
            "Use --keep-keyring to delete everything else.",
        ) from error
    if entries.identity or entries.owns_old:  # otherwise they belong to another folder
        if read_preferences(folder).fixer.has_key:
            yield entries, KEYRING_ENTRY
        yield from ((entries, name) for name in _with_secrets(rows))
    for aside in sorted(folder.glob(_SET_ASIDE)):
        with suppress(StoreError, sqlite3.Error, ValueError), closing(connect(aside, read_only=True)) as db:
            entries, rows = read_entries(folder, db), connections.list_all(db)
            if entries.identity:
                yield from ((entries, name) for name in (*_with_secrets(rows), _UNCERTAIN + KEYRING_ENTRY))


def _with_secrets(rows: "Iterable[ConnectionRow]") -> Iterator[str]:
    from scheduler.connections.errors import ConnectionRuleError
    from scheduler.connections.registry import builtin_registry
    from scheduler.engine.runs.tool_calls import has_secrets

    registry = builtin_registry(lambda _title, _text: None)
    for row in rows:
        try:
            connector = registry.connector_of(row.name)
        except ConnectionRuleError:
            yield row.name  # its connector is no longer installed; it may have secrets
        else:
            if has_secrets(connector, row.settings):
                yield row.name


def _confirm(plan: _Plan, *, to_stderr: bool) -> None:
    if not sys.stdin.isatty():
        raise RefusedError(
            "asks", "Nothing was deleted: confirmation needs a terminal. Use --yes to delete without asking."
        )
    out = sys.stderr if to_stderr else sys.stdout
    out.write("\n".join(["This will be deleted and cannot be undone:", *plan.lines(), "Type yes to continue: "]))
    out.flush()
    if sys.stdin.readline().strip().lower() != "yes":
        raise RefusedError("declined", "Nothing was deleted.")


def _delete(plan: _Plan) -> None:
    """The store goes last, because it lists the rest: after a failure the command can be repeated."""
    _delete_secrets(plan)
    try:
        if plan.starts_at_login:
            find_autostart([]).turn_off()
        for name in sorted(plan.files, key=lambda name: (name == _LOCK, name.startswith("dayhand."), name)):
            _remove(plan.folder / name)
        if not plan.stays:
            plan.folder.rmdir()
    except AutostartError as error:
        raise RefusedError("autostart", str(error)) from error
    except OSError as error:
        why = error.strerror or str(error)
        raise RefusedError("files", f"Some files could not be deleted: {why} ({error.filename}). Try again.") from error


def _delete_secrets(plan: _Plan) -> None:
    if not plan.secrets:
        return
    from scheduler.connections.errors import VaultError
    from scheduler.connections.vault import Vault

    for entries, name in plan.secrets:
        try:
            Vault(entries=entries).remove(name.removeprefix(_UNCERTAIN))
        except VaultError as error:
            raise RefusedError("keyring", f"{error} Your data was not deleted.") from error


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


def _format_size(size: int) -> str:
    return f"{size / 1e6:.1f} MB" if size >= 100_000 else f"{max(size, 1) / 1e3:.1f} kB"


VERBS = {"uninstall-data": Command(_arguments, _uninstall)}
