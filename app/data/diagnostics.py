"""What helps to find out what is wrong, in one file, and nothing of what the person's workflows do."""

import json
import platform
import sqlite3
from collections.abc import Iterator
from dataclasses import asdict
from importlib import metadata
from pathlib import Path
from typing import Any

from app.keeping.bundle import Member, write_bundle
from app.keeping.logbook import log_file
from app.keeping.redaction import list_values, redact
from scheduler import __version__

_TAIL = 200_000
_LIBRARIES = ("PySide6-Essentials", "croniter", "idna", "jeepney", "keyring", "platformdirs", "tzdata", "urllib3", "uv")
_README = """What is in here: versions, your settings of the app, how many rows the data file has, its schema,
and the end of the app's log without addresses, values and what errors quote. What is not: scripts, events, history,
settings of connections, passwords. Look through it before you send it to anybody.
"""


def write_diagnostics(folder: Path, target: Path) -> None:
    """Beside an app that may run. A data file that cannot be read is what it says then. BundleError."""
    write_bundle(target, _members(folder))


def _members(folder: Path) -> Iterator[Member]:
    from app.keeping.preferences import read_preferences  # noqa: PLC0415  knows how things look, which costs time

    known: list[str] = []
    yield "README.txt", _README.encode()
    yield "versions.json", _json(_versions())
    chosen = read_preferences(folder)
    yield "settings.json", _json({**chosen.write(), "fixer": chosen.fixer.kind})
    yield from _describe_store(folder, known)
    yield "log.txt", redact(_tail(folder), known).encode()


def _versions() -> dict[str, Any]:
    return {
        "dayhand": __version__,
        "python": platform.python_version(),
        "system": platform.platform(),
        "sqlite": sqlite3.sqlite_version,
        "libraries": {name: _version_of(name) for name in _LIBRARIES},
    }


def _version_of(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def _describe_store(folder: Path, known: list[str]) -> Iterator[Member]:
    """`known` gets the values that connections are set to, which nothing that follows may say."""
    from scheduler.store import connections  # noqa: PLC0415  SQLite is loaded only where it is needed
    from scheduler.store.describing import describe  # noqa: PLC0415
    from scheduler.store.errors import StoreError  # noqa: PLC0415
    from scheduler.store.health import open_for_reading  # noqa: PLC0415

    try:
        database = open_for_reading(folder)
    except StoreError as error:
        yield "store.json", _json({"error": redact(str(error))})
        return
    try:
        db = database.read()
        found = asdict(describe(db))
        known.extend(value for row in connections.every_one(db) for value in list_values(row.settings))
    except (StoreError, sqlite3.Error) as error:
        yield "store.json", _json({"error": type(error).__name__})
        return
    finally:
        database.close()
    yield "schema.sql", found.pop("schema").encode()
    yield "store.json", _json({**found, "bytes": (folder / "dayhand.db").stat().st_size})


def _tail(folder: Path) -> str:
    """The end of the log, from the beginning of a line."""
    parts = []
    for path in (log_file(folder).with_name(f"{log_file(folder).name}.1"), log_file(folder)):
        try:
            parts.append(path.read_bytes())
        except OSError:
            continue
    text = b"".join(parts)
    if len(text) > _TAIL:
        text = text[-_TAIL:].partition(b"\n")[2]
    return text.decode(errors="replace")


def _json(value: Any) -> bytes:
    return f"{json.dumps(value, indent=2, sort_keys=True)}\n".encode()
