"""A zip file that helps to find problems: versions, settings, row counts and a redacted log, no user content."""

import json
import platform
import re
import sqlite3
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from importlib import metadata
from pathlib import Path
from typing import Any

from app.data.atomic_file import ZipMember, write_zip
from app.data.log_file import log_path
from scheduler import __version__

_MAX_LOG_BYTES = 200_000
_LIBRARIES = ("PySide6-Essentials", "croniter", "idna", "jeepney", "keyring", "platformdirs", "tzdata", "urllib3", "uv")
_README = """Included: versions, your app settings, the number of rows in the data file, its schema, and the end of the
app's log without addresses, values and quoted text. Not included: scripts, events, history, connection settings,
passwords. Look through it before you send it to anyone.
"""
REDACTED = "•••"
_MIN_VALUE_CHARS = 4
"""Shorter values would also hide parts of ordinary words."""
_ERROR = re.compile(r"^(?P<kind>[\w.]*(?:Error|Exception|Warning|Exit|Interrupt|Timeout)): .*", re.MULTILINE)
_RULES = (
    (re.compile(r"\b(\w+)://\S+"), rf"\1://{REDACTED}"),
    (re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+"), REDACTED),
    (re.compile(r"(?i)\b(authorization)(\W{1,4})(?:(?:bearer|basic|digest)\s+)?[^\s,;]+"), rf"\1\2{REDACTED}"),
    (
        re.compile(r"(?i)\b(pass\w*|token\w*|secret\w*|bearer|cookie|api[_-]?key\w*)(\W{1,4})[^\s,;]+"),
        rf"\1\2{REDACTED}",
    ),
    (re.compile(r"(?<![\w/.])(?=\S*\d)[\w+=-]{24,}"), REDACTED),
)
_FILE = re.compile(r'^(  File )"([^"]+)"', re.MULTILINE)
_QUOTED = re.compile(r"'[^'\n]+'|\"[^\"\n]+\"|“[^”\n]+”")


def write_diagnostics(folder: Path, target: Path) -> None:
    """Works while an app runs. An unreadable data file is reported inside. Raises DataFileError."""
    write_zip(target, _members(folder))


def _members(folder: Path) -> Iterator[ZipMember]:
    from app.data.preferences import read_preferences  # noqa: PLC0415  loads the theme, which is slow

    known: list[str] = []
    yield "README.txt", _README.encode()
    yield "versions.json", _json(_versions())
    chosen = read_preferences(folder)
    yield "settings.json", _json({**chosen.to_json(), "fixer": chosen.fixer.kind})
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


def _describe_store(folder: Path, known: list[str]) -> Iterator[ZipMember]:
    """Adds the values of connection settings to `known`: they must not appear in later members."""
    from scheduler.store import connections  # noqa: PLC0415  SQLite is loaded only where it is needed
    from scheduler.store.diagnostics import describe_store  # noqa: PLC0415
    from scheduler.store.errors import StoreError  # noqa: PLC0415
    from scheduler.store.opening import open_for_reading  # noqa: PLC0415

    try:
        database = open_for_reading(folder)
    except StoreError as error:
        yield "store.json", _json({"error": redact(str(error))})
        return
    try:
        db = database.read()
        found = asdict(describe_store(db))
        known.extend(value for row in connections.list_all(db) for value in list_values(row.settings))
    except (StoreError, sqlite3.Error) as error:
        yield "store.json", _json({"error": type(error).__name__})
        return
    finally:
        database.close()
    yield "schema.sql", found.pop("schema").encode()
    yield "store.json", _json({**found, "bytes": (folder / "dayhand.db").stat().st_size})


def _tail(folder: Path) -> str:
    """The end of the log, starting at a whole line."""
    parts = []
    for path in (log_path(folder).with_name(f"{log_path(folder).name}.1"), log_path(folder)):
        try:
            parts.append(path.read_bytes())
        except OSError:
            continue
    text = b"".join(parts)
    if len(text) > _MAX_LOG_BYTES:
        text = text[-_MAX_LOG_BYTES:].partition(b"\n")[2]
    return text.decode(errors="replace")


def _json(value: Any) -> bytes:
    return f"{json.dumps(value, indent=2, sort_keys=True)}\n".encode()


def redact(text: str, known: Iterable[str] = (), home: Path | None = None) -> str:
    """Hide private values and error messages, which may quote anything; keep error types and lines of code."""
    for value in sorted({one for one in known if len(one) >= _MIN_VALUE_CHARS}, key=len, reverse=True):
        text = text.replace(value, REDACTED)
    text = _ERROR.sub(rf"\g<kind>: {REDACTED}", text)
    for rule, replacement in _RULES:
        text = rule.sub(replacement, text)
    text = "\n".join(line if _FILE.match(line) else _QUOTED.sub(REDACTED, line) for line in text.split("\n"))
    return text.replace(str(home or Path.home()), "~")


def list_values(settings: Any) -> Iterator[str]:
    """Every text and number in the settings of a connection."""
    if isinstance(settings, dict):
        settings = list(settings.values())
    if isinstance(settings, list):
        for one in settings:
            yield from list_values(one)
    elif settings is not None and not isinstance(settings, bool):
        yield str(settings)
