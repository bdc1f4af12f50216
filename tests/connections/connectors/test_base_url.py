"""URLs below a base URL: anything outside is refused."""

from typing import Any

import pytest

from scheduler.connections.connector import ToolFailedError
from scheduler.connections.connectors.base_url import build_url

BASE = "https://api.example.org/v1"


@pytest.mark.parametrize(
    ("path", "query", "whole"),
    [
        ("", None, BASE),
        ("items", None, f"{BASE}/items"),
        ("/items/3", None, f"{BASE}/items/3"),
        ("items?a=1", {"b": 2}, f"{BASE}/items?a=1&b=2"),
        (
            "items",
            {"q": "a b&c", "on": True, "ids": [1, 2], "none": None},
            f"{BASE}/items?q=a+b%26c&on=true&ids=1&ids=2",
        ),
        ("größe", None, f"{BASE}/gr%C3%B6%C3%9Fe"),
        ("12:30", None, f"{BASE}/12:30"),
        (f"{BASE}/items?page=2#top", None, f"{BASE}/items?page=2"),
        ("HTTPS://API.example.org:443/v1/items", None, "https://api.example.org:443/v1/items"),
        ("//evil.example/items", None, f"{BASE}/evil.example/items"),
    ],
)
def test_a_path_below_the_base_is_accepted(path: str, query: dict[str, Any] | None, whole: str) -> None:
    assert build_url(BASE, path, query) == whole


@pytest.mark.parametrize(
    "path",
    [
        "https://evil.example/v1/items",
        "http://api.example.org/v1/items",
        "https://api.example.org:444/v1/items",
        "https://api.example.org/v2/items",
        "https://api.example.org/v10",
        "https://api.example.org@evil.example/v1/items",
        "https://me:pw@api.example.org/v1/items",
        "https://api.example.org\\@evil.example/v1/items",
        "file:///etc/passwd",
        "ftp://api.example.org/v1",
        "../v2",
        "items/../../v2",
        "items/%2e%2e/%2E%2E/v2",
        "items/%252e%252e/v2",
        "items/..%2f..%2fv2",
        "..\\v2",
        "./items",
    ],
)
def test_a_path_outside_the_base_is_refused(path: str) -> None:
    with pytest.raises(ToolFailedError):
        build_url(BASE, path)


def test_a_base_without_a_path_allows_the_whole_host() -> None:
    for base in ("https://example.org", "https://example.org/"):
        assert build_url(base, "https://example.org/a/b") == "https://example.org/a/b"
        assert build_url(base, "a") == "https://example.org/a"


@pytest.mark.parametrize("base", ["example.org", "file:///a", "https://me:pw@example.org", "https://example.org?key=1"])
def test_a_base_with_credentials_or_a_query_is_refused(base: str) -> None:
    with pytest.raises(ToolFailedError):
        build_url(base, "a")


def test_a_nested_query_value_is_refused() -> None:
    with pytest.raises(ToolFailedError, match='"q" in the query'):
        build_url(BASE, "a", {"q": {"deep": 1}})


@pytest.mark.parametrize("base", ["https://straße.example/v1", "https://xn--strae-oqa.example/v1"])
def test_unicode_and_punycode_names_are_the_same_server(base: str) -> None:
    """strasse.example is another server, although IDNA 2003 treated both as the same."""
    for path in ("items", "https://STRAßE.example/v1/items", "https://xn--strae-oqa.example/v1/items"):
        assert build_url(base, path) == "https://xn--strae-oqa.example/v1/items"
    with pytest.raises(ToolFailedError):
        build_url(base, "https://strasse.example/v1/items")
