"""Which start of the computer this is."""

from contextlib import suppress
from pathlib import Path


def boot_id() -> str:
    """Different after each start of the computer; empty if the system does not tell."""
    with suppress(OSError):
        return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    return ""
