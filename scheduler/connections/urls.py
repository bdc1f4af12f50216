"""Splitting and joining untrusted URLs: invalid ones give an empty result instead of an error."""

from urllib.parse import SplitResult, urljoin, urlsplit


def join_url(base: str, link: str) -> str:
    """The absolute address of a link found at the base."""
    try:
        return urljoin(base, link)
    except ValueError:
        return ""


def split_url(address: str) -> SplitResult:
    try:
        return urlsplit(address)
    except ValueError:
        return urlsplit("")
