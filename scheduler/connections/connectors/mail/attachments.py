"""Saving an attachment: whole or not at all, under a name that cannot lead anywhere, never over another file."""

import os
import re
import secrets
from pathlib import Path

from scheduler.connections.disk import explained, make_folders, rename_to_new, sync_folder, write_part
from scheduler.connections.mistakes import wrong

_LONGEST_NAME = 150
_MOST_ALIKE = 1000
_UNFIT = re.compile(r'[\x00-\x1f\x7f/\\:*?"<>|]')


def safe_name(name: str) -> str:
    """One name of a visible file: no folders, no dots in front, not too long."""
    plain = _UNFIT.sub("_", name).strip(". ") or "attachment"
    stem, suffix = Path(plain).stem, Path(plain).suffix
    suffix = suffix.encode()[:20].decode("utf-8", "ignore")
    return stem.encode()[: _LONGEST_NAME - len(suffix.encode())].decode("utf-8", "ignore").rstrip() + suffix


def save(folder: str, name: str, content: bytes) -> Path:
    """Where it lies now. The same content again is found and not saved twice; another gets a number."""
    place = Path(folder)
    if not folder.isprintable() or not (folder.startswith("~") or place.is_absolute()):
        raise wrong('"save_to" is a full path of a folder, from the root or from ~.')
    try:
        place = place.expanduser()
    except RuntimeError as error:
        raise wrong(f"There is no folder {folder}.") from error
    with explained(folder):
        make_folders(place)
    plain = Path(safe_name(name))
    stem, suffix = plain.stem, plain.suffix
    for number in range(1, _MOST_ALIKE):
        wanted = place / (f"{stem}{suffix}" if number == 1 else f"{stem} ({number}){suffix}")
        with explained(folder):
            if wanted.is_file() and wanted.stat().st_size == len(content) and wanted.read_bytes() == content:
                return wanted
            if not os.path.lexists(wanted):
                _write(wanted, content, folder)
                return wanted
    raise wrong(f"{folder} holds too many files called {stem}{suffix}.")


def _write(wanted: Path, content: bytes, told: str) -> None:
    part = wanted.with_name(f".dayhand-part-{secrets.token_hex(8)}")
    write_part(part, content, wanted)
    try:
        with explained(told):
            rename_to_new(part, wanted)
    finally:
        part.unlink(missing_ok=True)
    sync_folder(wanted.parent)
