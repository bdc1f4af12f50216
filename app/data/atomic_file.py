"""A file for the person to keep or to send: whole or not there at all, and for them alone to read."""

import os
import weakref
import zipfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO
from uuid import uuid4

from PySide6.QtCore import QCoreApplication

Member = tuple[str, bytes | Path]
"""A name in the bundle, and what it holds or the file that does."""


class BundleError(Exception):
    """It could not be written or read; the sentence says why."""


class WholeFile:
    """Written beside its place first: what may be there stays until `keep`. What was not kept is gone with this."""

    def __init__(self, target: Path) -> None:
        self._target, self._fresh = target, target.with_name(f".{target.name}.{uuid4().hex}")
        with refusing(target):
            descriptor = os.open(self._fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        self.file = os.fdopen(descriptor, "wb")
        self.give_up = weakref.finalize(self, _remove, self.file, self._fresh)

    def keep(self) -> None:
        with refusing(self._target):
            self.file.close()
            self._fresh.replace(self._target)


def write_bundle(target: Path, members: Iterable[Member]) -> None:
    """A zip file in place of what may be there."""
    whole = WholeFile(target)
    try:
        with refusing(target), zipfile.ZipFile(whole.file, "w", zipfile.ZIP_DEFLATED) as bundle:
            for name, content in members:
                if isinstance(content, Path):
                    bundle.write(content, name)
                else:
                    bundle.writestr(name, content)
        whole.keep()
    finally:
        whole.give_up()


@contextmanager
def refusing(target: Path) -> Iterator[None]:
    """Say of what fails that this could not be written, and what to do."""
    try:
        yield
    except OSError as error:
        why = error.strerror or str(error)
        sentence = QCoreApplication.translate("export", "{path} could not be written: {why}. Choose another place.")
        raise BundleError(sentence.format(path=target, why=why)) from error


def _remove(file: BinaryIO, path: Path) -> None:
    with suppress(OSError):
        file.close()
    with suppress(OSError):
        path.unlink(missing_ok=True)
