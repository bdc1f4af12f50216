"""What a page offers to watch, and the one sentence that says why another offers nothing."""

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

from app.web_page import PageTexts, read_page
from scheduler.connections.registry import builtin_registry
from scheduler.engine.errors import RefusedError
from tests.connections.web_servers import ReceivedRequest, Reply, http_server

NOW = datetime(2026, 11, 16, tzinfo=UTC)
EURO = "<meta charset='{charset}'><p>Bücher 5 €</p>"


def page(body: str | bytes, kind: str = "text/html; charset=utf-8", status: int = 200) -> Reply:
    return Reply(status, body.encode() if isinstance(body, str) else body, {"Content-Type": kind})


REPLIES = {
    "/lamp": page("<title>Shop</title><h1>Lamp</h1><p>20 €</p>"),
    "/moved": Reply(302, b"", {"Location": "/lamp"}),
    "/loop": Reply(302, b"", {"Location": "/loop"}),
    "/gone": page("<h1>Not found</h1>", status=404),
    "/login": page("<h1>Sign in</h1>", status=401),
    "/robots": page("<h1>No</h1>", status=403),
    "/script": page("<title>Shop</title><div id=root></div><script>x()</script><noscript>Use JavaScript</noscript>"),
    "/half": page("<p>Loading</p><script>x()</script>"),
    "/empty": page("<title>Shop</title>"),
    "/file": page(b"%PDF-1.7", "application/pdf"),
    "/data": page('{"price": 20}', "application/json"),
    "/binary": page(b"\xff\0\1", "text/html"),
    "/long": page("<p>first</p>" + " " * 2_000_000 + "<p>last</p>"),
    "/huge": page(b" " * 10_000_001),
    "/latin": page(EURO.format(charset="ISO-8859-1").encode("cp1252"), "text/html"),
    "/greek": page("<meta charset=windows-1253><p>€ 5 Ευρώ</p>".encode("cp1253"), "text/html"),
    "/named": page("<p>Bücher</p>".encode("cp1252"), "text/html; charset=windows-1252"),
    "/unknown": page(EURO.format(charset="idna").encode("cp1252"), "text/html"),
}


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    def answer(request: ReceivedRequest) -> Reply:
        return REPLIES[request.path]

    with http_server(answer) as server:
        yield server.url.rstrip("/")


def read(url: str) -> PageTexts:
    return read_page(builtin_registry(lambda *_: None), url, NOW)


def texts(url: str) -> list[str]:
    return [one.text for one in read(url).blocks]


def test_a_page_is_read_also_after_a_redirect(url: str) -> None:
    assert texts(f"{url}/lamp") == texts(f"{url}/moved") == ["Shop", "Lamp", "20 €"]
    assert read(f"{url}/lamp").hint == ""


@pytest.mark.parametrize(
    ("path", "text"), [("latin", "Bücher 5 €"), ("greek", "€ 5 Ευρώ"), ("named", "Bücher"), ("unknown", "Bücher 5 €")]
)
def test_a_page_in_another_charset_is_read(url: str, path: str, text: str) -> None:
    assert texts(f"{url}/{path}") == [text]


@pytest.mark.parametrize(
    ("path", "says"),
    [
        ("gone", "There is nothing at this address of 127.0.0.1 (404 Not Found)."),
        ("login", "This page can be read only after signing in, so it cannot be watched."),
        ("robots", "This website does not let programs read the page; it may allow only browsers."),
        ("loop", "127.0.0.1 redirected more than 5 times."),
        ("script", "This page shows its text only in a browser (JavaScript), so it cannot be watched."),
        ("empty", "This page has no text to choose from."),
        ("file", "This address leads to a file or to data, not to a web page."),
        ("data", "This address leads to a file or to data, not to a web page."),
        ("binary", "This address leads to a file or to data, not to a web page."),
        ("huge", "127.0.0.1 answered with more than 10 MB, which is the limit."),
    ],
)
def test_a_page_that_cannot_be_watched_has_one_sentence(url: str, path: str, says: str) -> None:
    with pytest.raises(RefusedError) as refused:
        read(f"{url}/{path}")
    assert refused.value.sentence == says


@pytest.mark.parametrize(("path", "says"), [("long", "very long"), ("half", "shows only in a browser")])
def test_a_page_whose_texts_may_be_incomplete_says_so(url: str, path: str, says: str) -> None:
    found = read(f"{url}/{path}")
    assert len(found.blocks) == 1 and says in found.hint
