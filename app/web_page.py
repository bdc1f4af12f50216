"""Reads a web page once, in the way its connection will, to choose a text on it. Blocks; never in the GUI thread."""

import re
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from urllib.parse import urlsplit

from dayhand.page_text import HEADERS, MAX_PAGE_CHARS, PageBlock, read_blocks, read_html
from PySide6.QtCore import QCoreApplication

from scheduler.connections.connector import Call, ToolFailedError
from scheduler.connections.errors import ConnectionRuleError
from scheduler.connections.registry import Registry
from scheduler.engine.errors import RefusedError
from scheduler.rules.failures import Failure, FailureClass

_TIMEOUT_S = 20
_CONNECTION = "http:page"
_FEW_BLOCKS = 5
_SCRIPT = re.compile(r"<script\b", re.IGNORECASE)
translate = QCoreApplication.translate


@dataclass(frozen=True, slots=True, kw_only=True)
class PageTexts:
    blocks: tuple[PageBlock, ...]
    hint: str
    """Why a text may be missing; empty if there is no reason to think so."""


def find_site(url: str) -> str:
    """The address without path: what a connection is limited to."""
    return urlsplit(url)._replace(path="", query="", fragment="").geturl()


def read_page(registry: Registry, url: str, now: datetime) -> PageTexts:
    """The texts of the page. RefusedError says in one sentence why there are none."""
    try:
        call = Call(
            parameters={"path": url, "headers": HEADERS},
            settings=registry.check_settings("http", {"base_url": find_site(url)}),
            key="",
            now=now,
            seconds=_TIMEOUT_S,
            connection=_CONNECTION,
        )
        answer = registry.tool(_CONNECTION, "get").run(call)
    except ToolFailedError as error:
        raise RefusedError("page", _describe(error.failure)) from error
    except ConnectionRuleError as error:
        raise RefusedError("page", error.sentence) from error
    return _read_texts(answer)


def _read_texts(answer: dict[str, Any]) -> PageTexts:
    html = read_html(answer)
    if html is None:
        raise RefusedError("page", translate("page", "This address leads to a file or to data, not to a web page."))
    blocks, hint = tuple(read_blocks(html)), ""
    has_scripts = _SCRIPT.search(html) is not None
    if not any(_is_in_body(one) for one in blocks):
        if has_scripts:
            said = translate(
                "page", "This page shows its text only in a browser (JavaScript), so it cannot be watched."
            )
        else:
            said = translate("page", "This page has no text to choose from.")
        raise RefusedError("page", said)
    if len(html) > MAX_PAGE_CHARS:
        hint = translate("page", "This page is very long; only the texts of its first part are shown.")
    elif has_scripts and len(blocks) < _FEW_BLOCKS:
        hint = translate("page", "Texts that this page shows only in a browser (JavaScript) are not listed.")
    return PageTexts(blocks=blocks, hint=hint)


def _is_in_body(block: PageBlock) -> bool:
    """Not the page's title, which says nothing about its text."""
    return not block.mark["path"] or block.mark["path"][-1] != "title"


def _describe(failure: Failure) -> str:
    """For a page that is read without an account."""
    if failure.kind is FailureClass.AUTH:
        return translate("page", "This page can be read only after signing in, so it cannot be watched.")
    if failure.kind is FailureClass.PERMISSION:
        return translate("page", "This website does not let programs read the page; it may allow only browsers.")
    return failure.sentence
