"""Addresses that anybody may have written: what is none is empty, and no error."""

from urllib.parse import SplitResult, urljoin, urlsplit


def join(base: str, link: str) -> str:
    """Where a link leads that was found at the base."""
    try:
        return urljoin(base, link)
    except ValueError:
        return ""


def parts_of(address: str) -> SplitResult:
    try:
        return urlsplit(address)
    except ValueError:
        return urlsplit("")
