"""Feeds as found in the wild, from a real server with ETag and Last-Modified; malicious ones are refused."""

import tracemalloc
from pathlib import Path
from typing import Any

import pytest

from scheduler.connections.connector import ToolFailedError
from scheduler.connections.connectors.feed.connector import feed, parse_date
from scheduler.connections.registry import Registry
from scheduler.rules.failures import Failure, FailureClass
from tests.connections.tool_calls import call, tool_of
from tests.connections.web_servers import HttpServer, ReceivedRequest, Reply, http_server

RSS = """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE rss>
<?xml-stylesheet href="style.xsl"?>
<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom" xmlns:content="http://purl.org/rss/1.0/modules/content/"
     xmlns:media="http://search.yahoo.com/mrss/" xmlns:dc="http://purl.org/dc/elements/1.1/">
  <channel>
    <title>Channel</title><link>https://example.org/</link>
    <atom:link href="https://example.org/feed" rel="self"/>
    <item>
      <title>Caf&#233; &amp; more</title>
      <link>https://example.org/1</link>
      <guid isPermaLink="false">tag:example.org,2026:1</guid>
      <pubDate>Mon, 04 May 2026 09:00:00 +0200</pubDate>
      <media:title>not this</media:title>
      <description><![CDATA[<p>First <b>words</b></p>&amp; more]]></description>
      <content:encoded><![CDATA[<p>All words</p>]]></content:encoded>
    </item>
    <item>
      <guid>https://example.org/2</guid>
      <title>Two&nbsp;words</title>
      <dc:date>2026-05-03T10:00:00Z</dc:date>
      <content:encoded>&lt;i&gt;Only this&lt;/i&gt;</content:encoded>
    </item>
    <item><title>Bare</title><link>/3</link><pubDate>some day</pubDate></item>
    <item><title>Bare</title><link>/3</link><pubDate>another day</pubDate></item>
    <item><description>Only words</description></item>
  </channel>
</rss>"""

RDF = """<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/"
     xmlns:dc="http://purl.org/dc/elements/1.1/">
  <channel rdf:about="https://example.org/"><title>Channel</title></channel>
  <item rdf:about="https://example.org/1">
    <title>Old style</title><link>https://example.org/1</link><dc:date>2026-05-04</dc:date>
    <description>Words</description>
  </item>
</rdf:RDF>"""

ATOM = """<feed xmlns="http://www.w3.org/2005/Atom">
  <title>Feed</title><id>urn:feed</id><updated>2026-05-04T00:00:00Z</updated>
  <entry>
    <id>urn:1</id><title type="html">&lt;b&gt;Bold&lt;/b&gt; &amp;amp; more</title>
    <link rel="self" href="/self"/><link href="entries/1"/>
    <updated>2026-05-04T11:00:00+02:00</updated><published>2026-05-04T08:30:00.5-01:00</published>
    <content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml">Some <em>nested</em> text</div></content>
  </entry>
  <entry>
    <id>urn:2</id><title>1 &lt; 2</title><link rel="alternate" href="javascript:alert(1)"/>
    <updated>2026-05-03T00:00:00Z</updated><summary>a &lt; b</summary>
    <author><title>not this</title></author>
  </entry>
</feed>"""


def use(server: HttpServer, given: dict[str, Any] | None = None, **parameters: Any) -> dict[str, Any]:
    tool = tool_of(feed, "entries")
    Registry.check_parameters(tool, parameters)
    settings = Registry([feed]).check_settings("feed", {"url": f"{server.url}/blog/feed.xml", **(given or {})})
    got: dict[str, Any] = tool.run(call(settings, **parameters))
    return got


def entries(content: str | bytes, kind: str = "application/xml") -> list[dict[str, Any]]:
    body = content.encode() if isinstance(content, str) else content
    with http_server(lambda _: Reply(body=body, headers={"Content-Type": kind})) as server:
        got: list[dict[str, Any]] = use(server)["entries"]
        return [{**entry, "link": entry["link"].replace(server.url, "")} for entry in got]


def refused(body: bytes, status: int = 200) -> Failure:
    with http_server(lambda _: Reply(status, body)) as server, pytest.raises(ToolFailedError) as caught:
        use(server)
    return caught.value.failure


def test_rss_is_read() -> None:
    first, second, *_ = entries(RSS)
    assert first == {
        "id": "tag:example.org,2026:1",
        "title": "Café & more",
        "link": "https://example.org/1",
        "published": "2026-05-04T07:00:00+00:00",
        "summary": "First words & more",
    }
    assert second == {
        "id": "https://example.org/2",
        "title": "Two words",
        "link": "https://example.org/2",
        "published": "2026-05-03T10:00:00+00:00",
        "summary": "Only this",
    }


def test_entries_without_an_id_get_the_same_one_each_time() -> None:
    once, again = (entries(RSS)[2:] for _ in range(2))
    assert once == again, "even from another address"
    assert len({entry["id"] for entry in once}) == 3, "two entries that share a link are two"
    assert all(entry["id"].startswith("dayhand:") for entry in once)
    assert [(entry["link"], entry["published"]) for entry in once] == [("/3", None), ("/3", None), ("", None)]


def test_an_invalid_link_is_dropped() -> None:
    [entry] = entries("<rss><item><title>Odd</title><link>http://[x</link></item></rss>")
    assert (entry["title"], entry["link"]) == ("Odd", "")


def test_rss_1_0_is_read() -> None:
    assert entries(RDF) == [
        {
            "id": "https://example.org/1",
            "title": "Old style",
            "link": "https://example.org/1",
            "published": "2026-05-04T00:00:00+00:00",
            "summary": "Words",
        }
    ]


def test_atom_is_read() -> None:
    assert entries(ATOM) == [
        {
            "id": "urn:1",
            "title": "Bold & more",
            "link": "/blog/entries/1",
            "published": "2026-05-04T09:30:00.500000+00:00",
            "summary": "Some nested text",
        },
        {
            "id": "urn:2",
            "title": "1 < 2",
            "link": "",
            "published": "2026-05-03T00:00:00+00:00",
            "summary": "a < b",
        },
    ]


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (RDF.replace("Words", "größer").encode("latin-1"), "text/xml; charset=latin-1"),
        (b'<?xml version="1.0" encoding="iso-8859-15"?>' + RDF.replace("Words", "größer").encode("latin-1"), "a/b"),
        (b"\n  " + RDF.replace("Words", "größer").encode(), "text/xml"),
        (RDF.replace("Words", "größer").encode("utf-16"), "text/xml"),
    ],
)
def test_charsets_are_decoded(body: bytes, kind: str) -> None:
    assert entries(body, kind)[0]["summary"] == "größer"


def conditional_server(request: ReceivedRequest) -> Reply:
    """A server that supports both kinds of conditional requests."""
    headers = {"ETag": '"v1"', "Last-Modified": "Mon, 04 May 2026 09:00:00 GMT"}
    same = headers["ETag"] == request.headers.get("If-None-Match")
    if same or headers["Last-Modified"] == request.headers.get("If-Modified-Since"):
        return Reply(304, headers={"ETag": headers["ETag"]})
    return Reply(body=RSS.encode(), headers=headers)


def test_an_unchanged_feed_is_not_sent_again() -> None:
    with http_server(conditional_server) as server:
        first = use(server)
        assert (len(first["entries"]), first["unchanged"]) == (5, False)
        state = {"etag": first["etag"], "modified": first["modified"]}
        assert state == {"etag": '"v1"', "modified": "Mon, 04 May 2026 09:00:00 GMT"}
        again = {"entries": [], **state, "unchanged": True}
        assert use(server, **state) == again
        assert use(server, etag=state["etag"]) == {**again, "modified": ""}
        assert use(server, modified=state["modified"]) == again
        assert len(use(server, etag='"v0"')["entries"]) == 5


def test_an_unsolicited_304_is_refused() -> None:
    assert refused(b"", 304).kind is FailureClass.LOGIC


def test_a_login_is_sent() -> None:
    with http_server(lambda _: Reply(body=RSS.encode())) as server:
        use(server, {"user": "me", "password": "pw"})
        assert server.requests[0].headers["Authorization"] == "Basic bWU6cHc="


LAUGHS = (
    "<!DOCTYPE rss [<!ENTITY a0 'ha'>"
    + "".join(f"<!ENTITY a{n} '{f'&a{n - 1};' * 10}'>" for n in range(1, 12))
    + "]><rss><channel><item><title>&a11;</title></item></channel></rss>"
)


def test_custom_entities_are_refused(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("hunter2")
    outside = f"<!DOCTYPE rss [<!ENTITY a SYSTEM 'file://{secret}'>]><rss><item><title>&a;</title></item></rss>"
    with http_server(lambda _: Reply(body=b"<!ENTITY b 'fetched'>")) as other:
        beside = f"<!DOCTYPE rss [<!ENTITY % p SYSTEM '{other.url}/dtd'>%p;]><rss><item><title>&b;</title></item></rss>"
        for body in (LAUGHS, outside, beside):
            error = refused(body.encode())
            assert (error.kind, "custom entities" in error.sentence) == (FailureClass.LOGIC, True)
        linked = (
            f"<!DOCTYPE rss SYSTEM '{other.url}/dtd'><rss><channel><item><title>a&b;c</title></item></channel></rss>"
        )
        assert entries(linked)[0]["title"] == "ac"
        assert other.requests == []


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"<html><body>Not found</body></html>",
        b"hello",
        b"{}",
        b"<rss><channel><item>",
        b"<rss>\xff</rss>",
        b'<?xml version="1.0" encoding="klingon"?><rss/>',
        b"<rss>" + b"<a>" * 1_000_000,
        b"\0" * 1000,
    ],
)
def test_a_response_that_is_not_a_feed_is_refused(body: bytes) -> None:
    error = refused(body)
    assert error.kind is FailureClass.LOGIC
    assert error.sentence.startswith("The response of 127.0.0.1 cannot be read as a feed, because it ")


def test_ten_megabytes_are_read_in_bounded_memory_and_more_is_refused() -> None:
    item = b"<item><title>t</title><description>" + b"x" * 200_000 + b"</description></item>"
    many = b"<rss><channel>" + b"<item><title>t</title></item>" * 300_000 + b"</channel></rss>"
    assert len(entries(many)) == 1000
    tracemalloc.start()
    try:
        assert {len(entry["summary"]) for entry in entries(b"<rss>" + item * 48 + b"</rss>")} == {10_000}
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 100_000_000
    assert "10 MB" in refused(b"<rss>" + item * 51 + b"</rss>").sentence


@pytest.mark.parametrize(
    ("text", "date"),
    [
        ("Mon, 04 May 2026 09:00:00 EST", "2026-05-04T14:00:00+00:00"),
        ("04 May 26 09:00 GMT", "2026-05-04T09:00:00+00:00"),
        ("Mon, 04 May 2026 09:00:00 -0000", "2026-05-04T09:00:00+00:00"),
        ("2026-05-04T09:00:00", "2026-05-04T09:00:00+00:00"),
        ("2026-05-04 09:00:00+0530", "2026-05-04T03:30:00+00:00"),
        ("0001-01-01T00:00:00+14:00", None),
        ("Mon, 99 May 2026 09:00:00 GMT", None),
        ("yesterday", None),
        ("", None),
    ],
)
def test_dates_become_utc(text: str, date: str | None) -> None:
    assert parse_date(text) == date


@pytest.mark.parametrize(("status", "kind"), [(401, "auth"), (404, "logic"), (410, "logic"), (503, "transient")])
def test_each_error_status_has_its_class(status: int, kind: str) -> None:
    assert refused(b"", status).kind == kind


def test_testing_a_feed_counts_its_entries() -> None:
    with http_server(lambda _: Reply(body=RDF.encode())) as server:
        assert feed.test(call({"url": server.url})) == "The feed of 127.0.0.1 has 1 entry."


def test_a_feed_cannot_redirect_to_this_computer(monkeypatch: pytest.MonkeyPatch) -> None:
    with (
        http_server(lambda _: Reply(body=RSS.encode())) as here,
        http_server(lambda _: Reply(301, headers={"Location": here.url})) as far,
    ):
        monkeypatch.setenv("http_proxy", far.url)
        with pytest.raises(ToolFailedError) as failed:
            tool_of(feed, "entries").run(call({"url": "http://feeds.example/"}))
        assert (failed.value.failure.kind, here.requests) == (FailureClass.LOGIC, [])
