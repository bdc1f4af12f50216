"""Everything in one file, without secrets: all of a data folder that can travel, to be taken in by another."""

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

from app.keeping.bundle import BundleError, Member, write_bundle
from app.keeping.preferences import FILE as PREFERENCES
from app.keeping.preferences import PreferencesError, keep_preferences, read_preferences
from app.keeping.scratch import remove_leftovers, scratch_folder
from app.platform.zone import machine_zone
from scheduler import __version__
from scheduler.connections.registry import builtin_registry
from scheduler.engine.moving import TakenIn, take_in
from scheduler.store import moving
from scheduler.store.backups import FILE as STORE
from scheduler.store.errors import StoreError
from scheduler.timing.instants import write_instant

log = logging.getLogger(__name__)
translate = QCoreApplication.translate

_ABOUT = "export.json"
_FORMAT = 1
_LARGEST_TEXT = 1_000_000
_LARGEST_STORE = 16 * 1024**3
_NO_EXPORT = (
    zipfile.BadZipFile, zlib.error, lzma.LZMAError, LookupError, ValueError, NotImplementedError, RuntimeError,
    EOFError, OverflowError, struct.error,
)  # fmt: skip
"""Whatever comes of reading a file that is no zip file, or a damaged or hostile one."""


class NotAnExportError(BundleError):
    def __init__(self, path: Path) -> None:
        sentence = translate("export", "{file} is not an export of Dayhand, or is damaged. Nothing was changed.")
        super().__init__(sentence.format(file=path.name))


@dataclass(frozen=True, slots=True, kw_only=True)
class Export:
    """What a file says of itself, and its parts, unpacked."""

    version: str
    made: str
    store: Path
    has_history: bool


def write_export(folder: Path, target: Path, now: datetime, *, history: bool = True) -> None:
    """Beside an app that may run. BundleError or StoreError."""
    with scratch_folder(folder) as made:
        copy = made / STORE
        moving.copy_out(folder, copy, now, history=history)
        about = {
            "format": _FORMAT,
            "dayhand": __version__,
            "made": write_instant(now),
            "history": history,
        }
        preferences = json.dumps(read_preferences(folder).write(), indent=2)
        parts: list[Member] = [(_ABOUT, json.dumps(about, indent=2).encode()), (PREFERENCES, preferences.encode())]
        write_bundle(target, [*parts, (STORE, copy)])


@contextmanager
def opened(folder: Path, path: Path) -> Iterator[Export]:
    """Unpacked in that data folder and looked through, for as long as this holds; NotAnExportError or StoreError."""
    with scratch_folder(folder) as made:
        try:
            with zipfile.ZipFile(path) as bundle:
                about = json.loads(_read(bundle, _ABOUT))
                if not isinstance(about, dict) or type(about.get("format")) is not int:
                    raise NotAnExportError(path)
                if about["format"] > _FORMAT:
                    sentence = translate(
                        "export", "{file} was written by a newer Dayhand. Nothing was changed; update this one."
                    )
                    raise BundleError(sentence.format(file=path.name))
                _unpack(bundle, made, path)
        except _NO_EXPORT as error:
            raise NotAnExportError(path) from error
        except OSError as error:
            sentence = translate("export", "{path} cannot be read: {why}. Nothing was changed.")
            raise BundleError(sentence.format(path=path, why=error.strerror or error)) from error
        moving.check(made / STORE)
        yield Export(
            version=str(about.get("dayhand")),
            made=str(about.get("made")),
            store=made / STORE,
            has_history=about.get("history") is not False,
        )


def check_export(folder: Path, path: Path) -> Export:
    """What it says of itself; its parts, which were unpacked in that data folder, are gone again."""
    with opened(folder, path) as export:
        return export


def read_export(folder: Path, path: Path, now: datetime) -> TakenIn:
    """Go on from that file. What was in the folder is set aside. The caller holds the folder's lock.

    NotAnExportError or StoreError, and then nothing has changed.
    """
    remove_leftovers(folder)
    with opened(folder, path) as export:
        taken = take_in(folder, export.store, builtin_registry(lambda *_: None), machine_zone(), now)
        try:
            keep_preferences(folder, read_preferences(export.store.parent).arrive())
        except PreferencesError as error:  # everything else is there, and is what matters
            log.warning("%s", error)
    return taken


def is_used(folder: Path) -> bool:
    """Whether there is data that an import would set aside."""
    from scheduler.store.health import open_for_reading  # noqa: PLC0415  loaded when needed

    if not (folder / STORE).exists():
        return False
    try:
        database = open_for_reading(folder)
    except StoreError:
        return True
    try:
        return moving.is_used(database.read())
    finally:
        database.close()


def _read(bundle: zipfile.ZipFile, name: str) -> bytes:
    with bundle.open(name) as file:
        return file.read(_LARGEST_TEXT)


def _unpack(bundle: zipfile.ZipFile, place: Path, path: Path) -> None:
    """Only the parts that we know, under our own names, and only if there is room for them."""
    info = bundle.getinfo(STORE)
    if info.file_size > min(shutil.disk_usage(place).free // 3, _LARGEST_STORE):
        sentence = translate("export", "There is no room for what is in {file}. Nothing was changed; free some space.")
        raise BundleError(sentence.format(file=path.name))
    (place / PREFERENCES).write_bytes(_read(bundle, PREFERENCES))
    with bundle.open(STORE) as source, (place / STORE).open("wb") as file:
        shutil.copyfileobj(source, file)
