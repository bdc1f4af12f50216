"""Reads a web page once, in the way its connection will, to choose a text on it. Blocks; never in the GUI thread."""

from datetime import datetime
from urllib.parse import urlsplit

from dayhand.page_text import HEADERS, PageBlock, read_blocks

from scheduler.connections.connector import Call, ToolFailedError
from scheduler.connections.errors import ConnectionRuleError
from scheduler.connections.registry import Registry
from scheduler.engine.errors import RefusedError

_TIMEOUT_S = 20
_CONNECTION = "http:page"


class EmptyPageError(Exception):
    """The page has no text without a browser."""


def find_site(url: str) -> str:
    """The address without path: what a connection is limited to."""
    return urlsplit(url)._replace(path="", query="", fragment="").geturl()


def read_page(registry: Registry, url: str, now: datetime) -> list[PageBlock]:
    """The blocks of the page. RefusedError says why it cannot be read; EmptyPageError if there are none."""
    try:
        call = Call(
            parameters={"path": url, "headers": HEADERS},
            settings=registry.check_settings("http", {"base_url": find_site(url)}),
            key="",
            now=now,
            seconds=_TIMEOUT_S,
            connection=_CONNECTION,
        )
        text = registry.tool(_CONNECTION, "get").run(call).get("text", "")
    except ToolFailedError as error:
        raise RefusedError("page", error.failure.sentence) from error
    except ConnectionRuleError as error:
        raise RefusedError("page", error.sentence) from error
    blocks = read_blocks(text)
    if not blocks:
        raise EmptyPageError
    return blocks
