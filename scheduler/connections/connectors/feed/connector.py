"""News feeds, RSS and Atom, with conditional requests."""

import hashlib
import re
from datetime import UTC, datetime
from typing import Any

from scheduler.connections.connector import Call, Connector, Field, Parameter, ParameterKind, Tool, ToolExample
from scheduler.connections.connectors.http_auth import CERTIFICATE, password_headers, ssl_context
from scheduler.connections.errors import logic_failure
from scheduler.connections.http_client import Answer, check, request
from scheduler.connections.urls import join_url
from scheduler.user_text import UserText

_MAX_SUMMARY_CHARS = 10_000
_CHARSET = re.compile(r'charset="?([A-Za-z0-9_.:-]+)', re.IGNORECASE)


def _entries(call: Call) -> dict[str, Any]:
    etag, modified = call.parameters.get("etag") or "", call.parameters.get("modified") or ""
    conditions = {"If-None-Match": etag, "If-Modified-Since": modified}
    answer = _fetch(call, {name: value for name, value in conditions.items() if value})
    validators = {"etag": answer.headers.get("ETag", ""), "modified": answer.headers.get("Last-Modified", "")}
    if answer.status == 304:
        return {
            "entries": [],
            "etag": validators["etag"] or etag,
            "modified": validators["modified"] or modified,
            "unchanged": True,
        }
    return {"entries": _read(answer), **validators, "unchanged": False}


def _fetch(call: Call, conditions: dict[str, str]) -> Answer:
    accept = {"Accept": "application/atom+xml, application/rss+xml, application/xml;q=0.9, */*;q=0.5"}
    headers = {**accept, **conditions, **password_headers(call)}
    answer = request("GET", call.settings["url"], headers=headers, seconds=call.seconds, context=ssl_context(call))
    return answer if answer.status == 304 and conditions else check(answer, call.now)


def _read(answer: Answer) -> list[dict[str, Any]]:
    from scheduler.connections.connectors.feed.documents import parse_feed  # noqa: PLC0415  imported late to keep startup fast
    from scheduler.connections.connectors.safe_xml import BadXmlError  # noqa: PLC0415  as above

    charset = _CHARSET.search(answer.headers.get("Content-Type", ""))
    try:
        found = parse_feed(answer.body, charset[1] if charset else None)
    except BadXmlError as error:
        raise logic_failure(
            UserText(
                "The response of {host} cannot be read as a feed, because it {reason}. Use the address of "
                "the feed itself; pages often link to it as RSS.",
                host=answer.host,
                reason=error.reason,
            )
        ) from error
    return [_describe(entry, answer.url) for entry in found]


def _describe(entry: Any, address: str) -> dict[str, Any]:
    written, guid = entry.first("link"), entry.first("guid")
    if not written and guid.startswith(("http://", "https://")):
        written = guid
    link = join_url(address, written) if written else ""
    when = entry.first("pubDate", "published", "issued", "dc:date", "updated", "modified")
    title, summary = entry.first("title"), entry.first("description", "summary", "content")
    return {
        "id": guid or entry.first("id", "about") or _derive_id(written, title, when, summary),
        "title": title,
        "link": link if link.startswith(("http://", "https://")) else "",
        "published": parse_date(when),
        "summary": summary[:_MAX_SUMMARY_CHARS],
    }


def _derive_id(link: str, title: str, when: str, summary: str) -> str:
    """An id that stays the same if the feed moves, and differs between entries that share a link."""
    known = f"{link}\n{title}\n{when}".strip() or summary
    return f"dayhand:{hashlib.sha256(known.encode()).hexdigest()[:32]}"


def parse_date(text: str) -> str | None:
    """A date as in mail or ISO 8601, in UTC; UTC if it has no zone, None if it is not a date."""
    from email.utils import parsedate_to_datetime  # noqa: PLC0415  imported late to keep startup fast

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
    return (
        UserText("The feed of {host} has {count} entry.", host=answer.host, count=count)
        if count == 1
        else UserText("The feed of {host} has {count} entries.", host=answer.host, count=count)
    )


feed = Connector(
    kind="feed",
    title="News feed",
    help="Reads RSS and Atom feeds.",
    fields=(
        Field(
            name="url", label="Address", help="Address of the feed itself, for example https://example.org/feed.xml."
        ),
        Field(name="user", label="User name", help="Only if the feed requires a login.", required=False),
        Field(
            name="password", label="Password", help="Only if the feed requires a login.", secret=True, required=False
        ),
        CERTIFICATE,
    ),
    tools=(
        Tool(
            name="entries",
            may=UserText('read the feed "{name}"'),
            help=UserText(
                'List the entries; none and "unchanged" if nothing changed since the given etag and modified.'
            ),
            parameters={
                "etag": Parameter(ParameterKind.TEXT, required=False, help='The "etag" of the last call.'),
                "modified": Parameter(ParameterKind.TEXT, required=False, help='The "modified" of the last call.'),
            },
            example=ToolExample(
                {"etag": '"5e8"'},
                {
                    "entries": [
                        {
                            "id": "https://example.org/1",
                            "title": "News",
                            "link": "https://example.org/1",
                            "published": "2026-05-04T07:00:00+00:00",
                            "summary": "What happened",
                        }
                    ],
                    "etag": '"5e9"',
                    "modified": "",
                    "unchanged": False,
                },
            ),
            run=_entries,
        ),
    ),
    test=_test,
)
