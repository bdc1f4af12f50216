"""Exports a data folder to one zip file without secrets, and imports such a file."""

import json
import logging
import lzma
import shutil
import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from PySide6.QtCore import QCoreApplication

from app.data.atomic_file import DataFileError, ZipMember, write_zip
from app.data.preferences import FILE as PREFERENCES
from app.data.preferences import PreferencesError, read_preferences, save_preferences
from app.data.temp_dir import remove_stale_temp_dirs, temp_dir
from app.platform.zone import machine_zone
from scheduler import __version__
from scheduler.connections.registry import builtin_registry
from scheduler.engine.data_import import ImportSummary, import_store
from scheduler.store import transfer
from scheduler.store.backups import STORE_FILE as STORE
from scheduler.store.errors import StoreError
from scheduler.timing.instants import format_instant

log = logging.getLogger(__name__)
translate = QCoreApplication.translate

_ABOUT = "export.json"
_FORMAT = 1
_MAX_TEXT_BYTES = 1_000_000
_MAX_STORE_BYTES = 16 * 1024**3
_ZIP_ERRORS = (
    zipfile.BadZipFile, zlib.error, lzma.LZMAError, LookupError, ValueError, NotImplementedError, RuntimeError,
    EOFError, OverflowError, struct.error,
)  # fmt: skip
"""What reading a file raises that is not a zip file, or is damaged or hostile."""


class NotAnExportError(DataFileError):
    def __init__(self, path: Path) -> None:
        sentence = translate("export", "{file} is not a Dayhand export, or it is damaged. Nothing was changed.")
        super().__init__(sentence.format(file=path.name))


@dataclass(frozen=True, slots=True, kw_only=True)
class Export:
    """The header of an export, and its unpacked store."""

    version: str
    made: str
    store: Path
    has_history: bool


def write_export(folder: Path, target: Path, now: datetime, *, history: bool = True) -> None:
    """Works while an app runs. Raises DataFileError or StoreError."""
    with temp_dir(folder) as made:
        copy = made / STORE
        transfer.export_store(folder, copy, now, history=history)
        about = {
            "format": _FORMAT,
            "dayhand": __version__,
            "made": format_instant(now),
            "history": history,
        }
        preferences = json.dumps(read_preferences(folder).to_json(), indent=2)
        parts: list[ZipMember] = [(_ABOUT, json.dumps(about, indent=2).encode()), (PREFERENCES, preferences.encode())]
        write_zip(target, [*parts, (STORE, copy)])


@contextmanager
def open_export(folder: Path, path: Path) -> Iterator[Export]:
    """Unpack a file into that data folder and check it, for the duration. Raises DataFileError or StoreError."""
    with temp_dir(folder) as made:
        try:
            with zipfile.ZipFile(path) as bundle:
                about = json.loads(_read(bundle, _ABOUT))
                if not isinstance(about, dict) or type(about.get("format")) is not int:
                    raise NotAnExportError(path)
                if about["format"] > _FORMAT:
                    sentence = translate(
                        "export", "{file} was written by a newer Dayhand. Update Dayhand first; nothing was changed."
                    )
                    raise DataFileError(sentence.format(file=path.name))
                _unpack(bundle, made, path)
        except _ZIP_ERRORS as error:
            raise NotAnExportError(path) from error
        except OSError as error:
            sentence = translate("export", "{path} cannot be read: {why}. Nothing was changed.")
            raise DataFileError(sentence.format(path=path, why=error.strerror or error)) from error
        transfer.check_file(made / STORE)
        yield Export(
            version=str(about.get("dayhand")),
            made=str(about.get("made")),
            store=made / STORE,
            has_history=about.get("history") is not False,
        )


def check_export(folder: Path, path: Path) -> Export:
    """The header of a valid export; what was unpacked is deleted again."""
    with open_export(folder, path) as export:
        return export


def import_export(folder: Path, path: Path, now: datetime) -> ImportSummary:
    """Replace the data in the folder with that file; the old data is set aside. The caller holds the folder's lock.

    Raises DataFileError or StoreError; then nothing has changed.
    """
    remove_stale_temp_dirs(folder)
    with open_export(folder, path) as export:
        imported = import_store(folder, export.store, builtin_registry(lambda *_: None), machine_zone(), now)
        try:
            save_preferences(folder, read_preferences(export.store.parent).for_other_computer())
        except PreferencesError as error:  # the imported data is complete without them
            log.warning("%s", error)
    return imported


def has_data(folder: Path) -> bool:
    """Whether the folder contains data that an import would set aside."""
    from scheduler.store.opening import open_for_reading  # noqa: PLC0415  loaded when needed

    if not (folder / STORE).exists():
        return False
    try:
        database = open_for_reading(folder)
    except StoreError:
        return True
    try:
        return transfer.has_data(database.read())
    finally:
        database.close()


def _read(bundle: zipfile.ZipFile, name: str) -> bytes:
    with bundle.open(name) as file:
        return file.read(_MAX_TEXT_BYTES)


def _unpack(bundle: zipfile.ZipFile, place: Path, path: Path) -> None:
    """Only known members, under our own names, and only if there is enough disk space."""
    info = bundle.getinfo(STORE)
    if info.file_size > min(shutil.disk_usage(place).free // 3, _MAX_STORE_BYTES):
        sentence = translate(
            "export", "There is not enough disk space to import {file}. Free some space; nothing was changed."
        )
        raise DataFileError(sentence.format(file=path.name))
    (place / PREFERENCES).write_bytes(_read(bundle, PREFERENCES))
    with bundle.open(STORE) as source, (place / STORE).open("wb") as file:
        shutil.copyfileobj(source, file)
