"""A zip file for the person to keep or to send: whole or not there at all, and for them alone to read."""

import os
import zipfile
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from uuid import uuid4

from PySide6.QtCore import QCoreApplication

Member = tuple[str, bytes | Path]
"""A name in the bundle, and what it holds or the file that does."""


class BundleError(Exception):
    """It could not be written or read; the sentence says why."""


def write_bundle(target: Path, members: Iterable[Member]) -> None:
    """In place of what may be there. Written beside it first, so that the old one stays if that fails."""
    fresh = target.with_name(f".{target.name}.{uuid4().hex}")
    try:
        descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "wb") as file, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as bundle:
            for name, content in members:
                if isinstance(content, Path):
                    bundle.write(content, name)
                else:
                    bundle.writestr(name, content)
        fresh.replace(target)
    except OSError as error:
        why = error.strerror or str(error)
        sentence = QCoreApplication.translate("export", "{path} could not be written: {why}. Choose another place.")
        raise BundleError(sentence.format(path=target, why=why)) from error
    finally:
        with suppress(OSError):
            fresh.unlink(missing_ok=True)
