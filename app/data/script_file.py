"""The file of a workflow, which its author may have changed since it was deployed."""

import hashlib
from pathlib import Path

_MAX_BYTES = 4_000_000


def read_script_file(path: str) -> str | None:
    """None if it cannot be read now."""
    try:
        if Path(path).stat().st_size > _MAX_BYTES:
            return None
        return Path(path).read_bytes().decode()
    except (OSError, UnicodeDecodeError):
        return None


def hash_script(source: str) -> str:
    """As the store has it for each version."""
    return hashlib.sha256(source.encode()).hexdigest()


def is_file_changed(path: str, sha256: str) -> bool:
    """Whether the file can be read and has other contents than the deployed version."""
    source = read_script_file(path)
    return source is not None and hash_script(source) != sha256
