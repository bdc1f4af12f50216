"""A request in a terminal: what would be done, with what, to what; odd ones as well."""

from typing import Any

import pytest

from app.verbs.answering import _say_attention, _say_request

CALL = {"connection": "files:inbox", "tool": "delete", "parameters": {"path": "a"}}


def ask(**call: Any) -> dict[str, Any]:
    return {
        "id": "q1",
        "workflows": ["tidy"],
        "kind": "approval",
        "created": "2026-11-16T12:00:00Z",
        "sentence": "Tidy",
        "ui": None,
        "call": {**CALL, **call},
        "how": ["dayhand approve q1"],
    }


@pytest.mark.parametrize(
    ("target", "said"),
    [
        ({"kind": "file", "size": 12300, "modified_ns": 1}, "file, 12,300 bytes, modified"),
        ({"kind": "file", "id": "7"}, '{"kind": "file", "id": "7"}'),
        ({"kind": "file", "size": "x", "modified_ns": 10**40}, '{"kind": "file", "size": "x"'),
        ({"kind": "file", "size": 1, "modified_ns": 10**40}, '{"kind": "file", "size": 1'),
        ({"kind": "link", "leads_to": "../b"}, 'link to "../b"'),
        ({"kind": "link"}, '{"kind": "link"}'),
        ({"kind": "folder", "inode": 1}, "folder"),
        ({"etag": "x"}, '{"etag": "x"}'),
        ("row 7", '"row 7"'),
    ],
)
@pytest.mark.parametrize("limit", [None, 300])
def test_what_is_there_is_said_whoever_identified_it(target: Any, said: str, limit: int | None) -> None:
    lines = list(_say_request(ask(target=target), "", limit))
    assert [line for line in lines if line.startswith(f"    Currently there: {said}")]


def test_one_odd_request_does_not_keep_others_from_being_listed() -> None:
    odd = {**ask(), "call": {"connection": 7, "parameters": ["b"], "target": {"kind": "file"}, "endpoint": ["x"]}}
    lines = list(_say_attention({"requests": [odd, {**ask(), "id": "q2"}]}, ""))
    assert [line for line in lines if line.startswith("q2")]


@pytest.mark.parametrize("limit", [None, 300])
def test_where_the_connection_leads_is_said(limit: int | None) -> None:
    lines = list(_say_request(ask(endpoint={"path": "/home/ann/inbox"}), "", limit))
    assert '    Connected to: {"path": "/home/ann/inbox"}' in lines


def test_a_long_target_is_cut_and_said_to_be() -> None:
    lines = list(_say_request(ask(target={"etag": "x" * 1000}), "", 300))
    assert "    See all of it: dayhand attention q1" in lines


@pytest.mark.parametrize("separator", ["\u2028", "\u0085", "\u2029"])
def test_no_value_begins_a_line(separator: str) -> None:
    lines = list(_say_request(ask(parameters={"path": f"a{separator}q2  tidy, approval"}), ""))
    assert f'      "path": "a{separator}q2  tidy, approval"' in [line.replace("        ", "      ") for line in lines]
