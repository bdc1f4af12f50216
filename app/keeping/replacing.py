"""Puts a file in the place of another, so that whoever reads it meanwhile finds the one or the other."""

from contextlib import suppress
from pathlib import Path
from uuid import uuid4


def replace_file(path: Path, content: bytes) -> None:
    """Written beside it first: if that fails, with an OSError, the old one stays and nothing is left."""
    fresh = path.with_name(f".{path.name}.{uuid4().hex}")
    try:
        fresh.write_bytes(content)
        fresh.replace(path)
    except OSError:
        with suppress(OSError):
            fresh.unlink(missing_ok=True)
        raise
