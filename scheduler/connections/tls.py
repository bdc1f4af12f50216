"""Whose certificates are believed: those of the system, and a file of the person's own. Loaded once, as it is slow."""

import ssl
from functools import lru_cache
from pathlib import Path

_PLACES = (
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/ca-bundle.pem",
    "/etc/ssl/cert.pem",
)
"""Where systems keep them; a built app may have been built on another system and look elsewhere."""


def trusting(extra: Path | None = None) -> ssl.SSLContext:
    """Loaded again when a file has changed; OSError if the extra one is not there, SSLError if it is none."""
    usual = ssl.get_default_verify_paths()
    found = usual.cafile or next((place for place in _PLACES if Path(place).is_file()), None)
    seen = tuple((str(place), _changed(Path(place))) for place in (found, usual.capath) if place)
    own = ((str(extra), extra.stat().st_mtime_ns),) if extra else ()
    return _load(seen, found if not usual.cafile and not usual.capath else None, own)


@lru_cache(maxsize=32)
def _load(_seen: tuple[tuple[str, int], ...], instead: str | None, own: tuple[tuple[str, int], ...]) -> ssl.SSLContext:
    context = ssl.create_default_context()
    for place in (instead, *(path for path, _ in own)):
        if place:
            context.load_verify_locations(place)
    return context


def _changed(place: Path) -> int:
    try:
        return place.stat().st_mtime_ns
    except OSError:
        return 0
