"""News feeds: RSS and Atom, asked only for what is new."""

import hashlib
import re
from datetime import UTC, datetime
from typing import Any

from scheduler.connections.addresses import join
from scheduler.connections.connector import Call, Connector, Field, Parameter, ParameterKind, Tool
from scheduler.connections.connectors.login import CERTIFICATE, password_headers, trust
from scheduler.connections.mistakes import wrong
from scheduler.connections.web import Answer, check, request

_LONGEST_SUMMARY = 10_000
_CHARSET = re.compile(r'charset="?([A-Za-z0-9_.:-]+)', re.IGNORECASE)


def _entries(call: Call) -> dict[str, Any]:
    etag, modified = call.parameters.get("etag") or "", call.parameters.get("modified") or ""
    conditions = {"If-None-Match": etag, "If-Modified-Since": modified}
    answer = _fetch(call, {name: value for name, value in conditions.items() if value})
    told = {"etag": answer.headers.get("ETag", ""), "modified": answer.headers.get("Last-Modified", "")}
    if answer.status == 304:
        return {
            "entries": [],
            "etag": told["etag"] or etag,
            "modified": told["modified"] or modified,
            "unchanged": True,
        }
    return {"entries": _read(answer), **told, "unchanged": False}


def _fetch(call: Call, conditions: dict[str, str]) -> Answer:
    accept = {"Accept": "application/atom+xml, application/rss+xml, application/xml;q=0.9, */*;q=0.5"}
    headers = {**accept, **conditions, **password_headers(call)}
    answer = request("GET", call.settings["url"], headers=headers, seconds=call.seconds, context=trust(call))
    return answer if answer.status == 304 and conditions else check(answer, call.now)


def _read(answer: Answer) -> list[dict[str, Any]]:
    from scheduler.connections.connectors.feed.documents import read_feed  # noqa: PLC0415  costs the start of the app
    from scheduler.connections.connectors.markup import BadXmlError  # noqa: PLC0415  as above

    charset = _CHARSET.search(answer.headers.get("Content-Type", ""))
    try:
        found = read_feed(answer.body, charset[1] if charset else None)
    except BadXmlError as error:
        raise wrong(
            f"What {answer.host} answered cannot be read as a feed, because it {error.reason}. Look for the address of "
            "the feed itself; a page often links to it as RSS."
        ) from error
    return [_shown(entry, answer.url) for entry in found]


def _shown(entry: Any, address: str) -> dict[str, Any]:
    written, guid = entry.first("link"), entry.first("guid")
    if not written and guid.startswith(("http://", "https://")):
        written = guid
    link = join(address, written) if written else ""
    when = entry.first("pubDate", "published", "issued", "dc:date", "updated", "modified")
    title, summary = entry.first("title"), entry.first("description", "summary", "content")
    return {
        "id": guid or entry.first("id", "about") or _made_up(written, title, when, summary),
        "title": title,
        "link": link if link.startswith(("http://", "https://")) else "",
        "published": read_date(when),
        "summary": summary[:_LONGEST_SUMMARY],
    }


def _made_up(link: str, title: str, when: str, summary: str) -> str:
    """The same for the same entry each time, wherever the feed moves, and another for entries that share a link."""
    known = f"{link}\n{title}\n{when}".strip() or summary
    return f"dayhand:{hashlib.sha256(known.encode()).hexdigest()[:32]}"


def read_date(text: str) -> str | None:
    """A date as in mail or as in ISO 8601, as UTC; one without a zone is taken for UTC, and garbage for none."""
    from email.utils import parsedate_to_datetime  # noqa: PLC0415  costs the start of the app

    for read in (datetime.fromisoformat, parsedate_to_datetime):
        try:
            date = read(text)
            return (date if date.tzinfo else date.replace(tzinfo=UTC)).astimezone(UTC).isoformat()
        except (ValueError, OverflowError, TypeError, IndexError):
            continue
    return None


def _test(call: Call) -> str:
    answer = _fetch(call, {})
    count = len(_read(answer))
    return f"{answer.host} answers with a feed of {count} {'entry' if count == 1 else 'entries'}."


feed = Connector(
    kind="feed",
    title="News feed",
    help="Reads RSS and Atom feeds.",
    fields=(
        Field(name="url", label="Address", help="Of the feed itself, as in https://example.org/feed.xml."),
        Field(name="user", label="User", help="Only for a feed that asks for a login.", required=False),
        Field(name="password", label="Password", help="Of that user.", secret=True, required=False),
        CERTIFICATE,
    ),
    tools=(
        Tool(
            name="entries",
            may="read the feed {name}",
            help='The entries, or none and "unchanged" if nothing is new since the etag and modified of the last time.',
            parameters={
                "etag": Parameter(ParameterKind.TEXT, required=False, help='What the last call gave as "etag".'),
                "modified": Parameter(ParameterKind.TEXT, required=False, help='What it gave as "modified".'),
            },
            run=_entries,
        ),
    ),
    test=_test,
)
