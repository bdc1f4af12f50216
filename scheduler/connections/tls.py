"""TLS contexts that trust the system's certificates and optionally a user's file. Cached: loading is slow."""

from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from scheduler.connections.errors import logic_failure
from scheduler.connections.safe_files import converting_disk_errors
from scheduler.user_text import UserText

if TYPE_CHECKING:
    import ssl

_CA_FILES = (
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/ca-bundle.pem",
    "/etc/ssl/cert.pem",
)
"""Where systems store them; a frozen app may have been built on a system with another default."""


def tls_context(extra: Path | None = None) -> "ssl.SSLContext":
    """Reloaded when a file has changed; OSError if the extra file is missing, SSLError if it is invalid."""
    import ssl  # noqa: PLC0415  slows the app's start

    usual = ssl.get_default_verify_paths()
    found = usual.cafile or next((path for path in _CA_FILES if Path(path).is_file()), None)
    seen = tuple((str(path), _modified_ns(Path(path))) for path in (found, usual.capath) if path)
    own = ((str(extra), extra.stat().st_mtime_ns),) if extra else ()
    return _load(seen, found if not usual.cafile and not usual.capath else None, own)


def custom_tls_context(chosen: str | None) -> "ssl.SSLContext | None":
    """A context that also trusts the chosen PEM file; None if no file is chosen."""
    if not chosen:
        return None
    from ssl import SSLError  # noqa: PLC0415  slows the app's start

    with converting_disk_errors(chosen):
        try:
            return tls_context(Path(chosen).expanduser())
        except (SSLError, RuntimeError) as error:
            raise logic_failure(UserText("{chosen} is not a certificate. Choose a PEM file.", chosen=chosen)) from error


@lru_cache(maxsize=32)
def _load(
    _seen: tuple[tuple[str, int], ...], instead: str | None, own: tuple[tuple[str, int], ...]
) -> "ssl.SSLContext":
    import ssl  # noqa: PLC0415  as above

    context = ssl.create_default_context()
    for path in (instead, *(path for path, _ in own)):
        if path:
            context.load_verify_locations(path)
    return context


def _modified_ns(path: Path) -> int:
    try:
        return path.stat().st_mtime_ns
    except OSError:
        return 0
