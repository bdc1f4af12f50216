"""Saving attachments atomically, under a safe name, never over another file."""

import os
import re
import secrets
from pathlib import Path

from scheduler.connections.errors import logic_failure
from scheduler.connections.safe_files import converting_disk_errors, make_folders, write_part
from scheduler.file_system import find_name_mistake, rename_to_new, sync_folder
from scheduler.user_text import UserText

_MAX_NAME_BYTES = 150
_MAX_SAME_NAMES = 1000
_UNSAFE = re.compile(r'[\x00-\x1f\x7f/\\:*?"<>|]')
_EDGES = re.compile(r"\A[\s.]+|[\s.]+\Z")


def safe_name(name: str) -> str:
    """A name for a visible file: no folders, no leading dots, not too long."""
    plain = _EDGES.sub("", _UNSAFE.sub("_", name)) or "attachment"
    stem, suffix = Path(plain).stem, Path(plain).suffix
    suffix = suffix.encode()[:20].decode("utf-8", "ignore")
    short = stem.encode()[: _MAX_NAME_BYTES - len(suffix.encode())].decode("utf-8", "ignore").rstrip() + suffix
    return f"_{short}" if find_name_mistake(short) else short  # such as the name of a device


def save_attachment(folder: str, name: str, content: bytes) -> Path:
    """The path of the saved file. The same content is not saved twice; other content gets a number."""
    place = Path(folder)
    if not folder.isprintable() or not (folder.startswith("~") or place.is_absolute()):
        raise logic_failure(UserText('"save_to" must be the full path of a folder, starting with / or ~.'))
    try:
        place = place.expanduser()
    except RuntimeError as error:
        raise logic_failure(UserText("The folder {folder} does not exist.", folder=folder)) from error
    with converting_disk_errors(folder):
        make_folders(place)
    plain = Path(safe_name(name))
    stem, suffix = plain.stem, plain.suffix
    for number in range(1, _MAX_SAME_NAMES):
        target = place / (f"{stem}{suffix}" if number == 1 else f"{stem} ({number}){suffix}")
        with converting_disk_errors(folder):
            if target.is_file() and target.stat().st_size == len(content) and target.read_bytes() == content:
                return target
            if not os.path.lexists(target):
                _write(target, content, folder)
                return target
    raise logic_failure(
        UserText("{folder} contains too many files named {stem}{suffix}.", folder=folder, stem=stem, suffix=suffix)
    )


def _write(target: Path, content: bytes, shown_folder: str) -> None:
    part = target.with_name(f".dayhand-part-{secrets.token_hex(8)}")
    write_part(part, content, target)
    try:
        with converting_disk_errors(shown_folder):
            rename_to_new(part, target)
    finally:
        part.unlink(missing_ok=True)
    sync_folder(target.parent)
