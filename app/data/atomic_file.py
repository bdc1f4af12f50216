"""Writes files atomically: a reader finds the old file or the new one, and a failure leaves the old one in place."""

import os
import weakref
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO
from uuid import uuid4

ZipMember = tuple[str, bytes | Path]
"""A name in a zip file, and its content or the file that holds it."""


class DataFileError(Exception):
    """A file of the user could not be written or read; the message says why."""


class AtomicFile:
    """A file only the user can read. It replaces `target` on `commit`; otherwise it is deleted with this object."""

    def __init__(self, target: Path) -> None:
        self._target, self._temporary = target, _temporary_path(target)
        with convert_os_errors(target):
            descriptor = os.open(self._temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        self.file = os.fdopen(descriptor, "wb")
        self.discard = weakref.finalize(self, _remove, self.file, self._temporary)

    def commit(self) -> None:
        with convert_os_errors(self._target):
            self.file.close()
            self._temporary.replace(self._target)


def write_atomically(path: Path, content: bytes) -> None:
    """Write the whole content, or raise OSError and leave the old file."""
    temporary = _temporary_path(path)
    try:
        temporary.write_bytes(content)
        temporary.replace(path)
    except OSError:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
        raise


def write_zip(target: Path, members: Iterable[ZipMember]) -> None:
    """Write a zip file that only the user can read. Raises DataFileError."""
    import zipfile  # noqa: PLC0415  most writers need none

    whole = AtomicFile(target)
    try:
        with convert_os_errors(target), zipfile.ZipFile(whole.file, "w", zipfile.ZIP_DEFLATED) as bundle:
            for name, content in members:
                if isinstance(content, Path):
                    bundle.write(content, name)
                else:
                    bundle.writestr(name, content)
        whole.commit()
    finally:
        whole.discard()


@contextmanager
def convert_os_errors(target: Path) -> Iterator[None]:
    """Turn an OSError into a DataFileError that tells the user what to do."""
    try:
        yield
    except OSError as error:
        from PySide6.QtCore import QCoreApplication  # noqa: PLC0415  commands without a failure do not load Qt

        why = error.strerror or str(error)
        sentence = QCoreApplication.translate("export", "{path} could not be written: {why}. Choose another place.")
        raise DataFileError(sentence.format(path=target, why=why)) from error


def _temporary_path(path: Path) -> Path:
    return path.with_name(f".{path.name}.{uuid4().hex}")


def _remove(file: BinaryIO, path: Path) -> None:
    with suppress(OSError):
        file.close()
    with suppress(OSError):
        path.unlink(missing_ok=True)
