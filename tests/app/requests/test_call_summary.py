"""Summaries of calls, and whether a summary is enough to approve the call."""

from typing import Any

import pytest

from app.overview import CallSummary
from app.requests.call_summary import MAX_SUMMARY, summarize_call
from scheduler.connections.connector import Connector, Parameter, ParameterKind, Tool
from scheduler.connections.registry import Registry, builtin_registry

REGISTRY = builtin_registry(lambda *_: None)
LETTER = {"to": "anna@example.org", "subject": "Lunch"}


def summarize(connection: str, tool: str, registry: Registry = REGISTRY, /, **parameters: Any) -> CallSummary:
    return summarize_call({"connection": connection, "tool": tool, "parameters": parameters}, registry)


def test_long_names_and_texts_are_cut_before_recipients_and_amounts() -> None:
    long = "The invoice for the work in the cottage, the boat and the garage, as we said on the telephone"
    mail = summarize(f"smtp:{'w' * 60}", "send", to="accounts.payable@subsidiary.example.org", subject=long, text=long)
    assert "accounts.payable@subsidiary.example.org" in mail.text and not mail.is_complete
    paid = summarize(f"bank:{'b' * 60}", "transfer", reference=long, note=long, amount=1240.5)
    assert paid.text.endswith("; Amount: 1240.5") and not paid.is_complete


@pytest.mark.parametrize(
    ("connection", "tool", "parameters", "text"),
    [
        ("table:expenses", "append", {"rows": [{"a": 1}]}, "Add 1 row to expenses"),
        ("table:expenses", "append", {"rows": [[1]] * 1240}, "Add 1,240 rows to expenses"),
        ("files:inbox", "delete", {"path": "old/one.txt"}, "Delete old/one.txt in inbox"),
        ("files:inbox", "move", {"source": "a", "target": "b/a"}, "Move a to b/a in inbox"),
        ("files:inbox", "move_many", {"moves": [{"source": "a", "target": "b/a"}]}, "Move 1 file in inbox"),
        ("files:inbox", "move_many", {"moves": [{"source": "a", "target": "b/a"}] * 9}, "Move 9 files in inbox"),
        (
            "files:inbox",
            "write",
            {"path": "a.txt", "text": "x" * 1240},
            "Write a.txt in inbox, text of 1,240 characters",
        ),
        (
            "files:inbox",
            "write",
            {"path": "a", "text": "new", "overwrite": True},
            'Write a in inbox, replacing the existing file, "new"',
        ),
        ("smtp:work", "send", LETTER, 'Send mail from work to anna@example.org: "Lunch"'),
        (
            "google:me",
            "send_mail",
            {"to": ["anna@example.org"], "bcc": ["eve@example.org"], "subject": "Lunch", "text": "At noon?"},
            'Send mail from me to anna@example.org, Bcc eve@example.org: "Lunch", "At noon?"',
        ),
        ("slack:team", "post", {"channel": "#general", "text": "Done"}, 'Post to #general on team: "Done"'),
        (
            "slack:team",
            "post",
            {"channel": "#a", "text": "Done", "thread": "1.2", "x": None},
            'Post to #a on team: "Done"; Thread: 1.2; X: \u2013',
        ),
        ("http:shop", "send", {"path": "/orders"}, "Send POST /orders to shop"),
        (
            "http:shop",
            "send",
            {"path": "/orders/7", "method": "DELETE", "json": {"sum": 100}},
            'Send DELETE /orders/7 to shop; Json: {"sum": 100}',
        ),
        (
            "imap:work",
            "move",
            {"uid": 7, "to": "Archive", "uidvalidity": 1, "message_id": "<a@b>"},
            "Move message 7 from INBOX to Archive in work",
        ),
        (
            "imap:work",
            "flag",
            {"uid": 7, "folder": "Bills", "add": ["seen"]},
            'Mark message 7 in Bills of work; Add: ["seen"]',
        ),
        (
            "google:me",
            "label_mail",
            {"id": "f00", "remove": ["INBOX"]},
            'Change the labels of message f00 in me; Remove: ["INBOX"]',
        ),
        (
            "caldav:home",
            "create",
            {"title": "Dentist", "start": "2026-05-04T09:00"},
            'Add "Dentist" at 2026-05-04T09:00 to the calendar of home',
        ),
        (
            "google:me",
            "create_event",
            {"summary": "Dentist", "start": "2026-05-04", "end": "2026-05-05"},
            'Add "Dentist" at 2026-05-04 to the calendar of me; End: 2026-05-05',
        ),
        (
            "google:me",
            "upload_file",
            {"name": "a.pdf", "base64": "x" * 99},
            "Upload a.pdf to me, text of 99 characters",
        ),
        ("notify:desktop", "send", {"title": "Hi", "text": "there"}, 'Show a notification: "Hi", "there"'),
        ("lamp:hall", "switch", {"on": True, "level": "true"}, 'Use switch on lamp:hall; On: yes; Level: "true"'),
        ("lamp:hall", "blink", {}, "Use blink on lamp:hall"),
    ],
)
def test_a_call_that_fits_has_a_complete_summary(connection: str, tool: str, parameters: Any, text: str) -> None:
    assert summarize(connection, tool, **parameters) == CallSummary(text, is_complete=True)


def test_every_builtin_tool_that_acts_has_its_own_sentence() -> None:
    for kind in REGISTRY.kinds():
        for tool in REGISTRY.connector(kind).tools:
            if tool.mutating:
                assert not summarize(f"{kind}:x", tool.name).text.startswith("Use"), f"{kind}.{tool.name}"


@pytest.mark.parametrize(
    ("connection", "tool", "parameters"),
    [
        ("smtp:work", "send", {**LETTER, "text": "x" * 61}),
        ("smtp:work", "send", {**LETTER, "to": [f"p{n}@example.org" for n in range(4)]}),
        ("smtp:work", "send", {**LETTER, "bcc": [f"p{n}@example.org" for n in range(500)]}),
        ("smtp:work", "send", {**LETTER, "attachments": [{"name": "a", "base64": "eA=="}]}),
        ("smtp:work", "send", {**LETTER, "to": "anna@\u0430pple.com"}),
        ("smtp:work", "send", {**LETTER, "to": "anna@m\u00fcller.de"}),
        ("smtp:work", "send", {**LETTER, "to": "anna@paypa1s.com"}),
        ("smtp:work", "send", {**LETTER, "subject": "pay\u202e001"}),
        ("slack:team", "post", {"channel": "#general", "text": "x" * 61}),
        ("slack:team", "post", {"channel": "#general", "text": "a" + " " * 50 + "b"}),
        ("http:shop", "send", {"path": "/o", "json": {"sum": 100, "to": "x" * 90}}),
        ("http:shop", "send", {"path": "/o", "headers": {"k" * 90: "v"}}),
        ("http:shop", "send", {"path": "/o", **{f"key{n}": n for n in range(40)}}),
        ("files:inbox", "delete", {"path": "x" * 500}),
        ("files:inbox", "delete", {"path": "a", "k" * 61: 1}),
        ("table:t", "append", {"rows": [{"to": "anna@\u0430pple.com"}]}),
        ("table:t", "append", {"rows": [{"a": 1}] * 30_000}),
        ("table:" + "t" * 70, "append", {"rows": [[1]]}),
        ("lamp:hall", "switch", {"program": [1] * 99}),
    ],
)
def test_a_call_that_is_too_long_or_suspicious_must_be_reviewed(connection: str, tool: str, parameters: Any) -> None:
    summary = summarize(connection, tool, **parameters)
    assert not summary.is_complete
    assert 0 < len(summary.text) <= MAX_SUMMARY
    assert "\u202e" not in summary.text


def test_a_local_third_party_tool_has_a_complete_summary_if_all_values_fit() -> None:
    tool = Tool(name="note", help="", parameters={"text": Parameter(ParameterKind.TEXT)}, run=print, mutating=True)
    registry = Registry([Connector(kind="pad", title="Pad", help="", fields=(), tools=(tool,), test=str)])
    assert summarize("pad:a", "note", registry, text="short").is_complete
    assert not summarize("pad:a", "note", registry, text="x" * 61).is_complete, "which values matter is unknown"


def test_a_call_of_the_largest_size_is_summarized_without_formatting_all_of_it() -> None:
    summary = summarize("http:shop", "send", path="/o", json=[[] for _ in range(1_000_000)])
    assert not summary.is_complete and len(summary.text) <= MAX_SUMMARY


@pytest.mark.parametrize(
    ("connection", "tool", "parameters", "text"),
    [
        (
            "files:home",
            "delete",
            {"path": "old.txt in tmp, nothing else"},
            'Delete "old.txt in tmp, nothing else" in home',
        ),
        (
            "http:bank",
            "send",
            {"path": "/pay to sandbox: test only; Method: GET"},
            'Send POST "/pay to sandbox: test only; Method: GET" to bank',
        ),
        (
            "bank:a",
            "pay",
            {"note": "ok; Amount: 5; Recipient: Alice"},
            'Use pay on bank:a; Note: "ok; Amount: 5; Recipient: Alice"',
        ),
        ("bank:a", "pay", {"note": "ok\uff1bAmount:5"}, 'Use pay on bank:a; Note: "ok\uff1bAmount:5"'),
        ("bank:a", "pay", {"Amount: 5; Sum": 9}, 'Use pay on bank:a; "Amount: 5; Sum": 9'),
        (
            "smtp:work",
            "send",
            {**LETTER, "subject": 'Hi", "text'},
            'Send mail from work to anna@example.org: "Hi\\", \\"text"',
        ),
        (
            "smtp:work",
            "send",
            {**LETTER, "subject": "Hi\u201d, \u201ctext"},
            'Send mail from work to anna@example.org: "Hi\u201d, \u201ctext"',
        ),
        ("slack:team", "post", {"channel": "#a on b", "text": "x"}, 'Post to "#a on b" on team: "x"'),
        (
            "http:shop",
            "send",
            {"path": "/o", "json": {"a": 'x"}; Method: GET'}},
            'Send POST /o to shop; Json: {"a": "x\\"}; Method: GET"}',
        ),
    ],
)
def test_a_value_that_looks_like_our_sentence_is_quoted(connection: str, tool: str, parameters: Any, text: str) -> None:
    assert summarize(connection, tool, **parameters) == CallSummary(text, is_complete=False)


def test_a_backslash_at_the_end_of_a_quoted_text_is_escaped() -> None:
    summary = summarize("slack:team", "post", channel="#a", text="C:\\")
    assert summary.text == 'Post to #a on team: "C:\\\\"'


@pytest.mark.parametrize(("kind", "is_complete"), [("file", True), ("link", False), ("folder", False), (None, False)])
def test_an_action_on_anything_but_a_plain_file_must_be_reviewed(kind: Any, is_complete: bool) -> None:  # noqa: FBT001
    call = {"connection": "files:a", "tool": "delete", "parameters": {"path": "b"}, "target": {"kind": kind}}
    assert summarize_call(call, REGISTRY).is_complete is is_complete


def test_an_explicit_none_is_shown_if_every_value_matters() -> None:
    assert summarize("bank:a", "pay", limit=None) == CallSummary("Use pay on bank:a; Limit: \u2013", is_complete=True)
    assert summarize("smtp:work", "send", **LETTER, text=None).text.endswith('"Lunch"; Text: \u2013')


@pytest.mark.parametrize(
    "call",
    [
        {"connection": "files:a", "tool": "delete", "parameters": ["b"]},
        {"connection": "files:a", "tool": "delete", "parameters": None},
        {"connection": "files:a", "tool": None, "parameters": {}},
        {"connection": 7, "tool": "delete; x" * 90, "parameters": {}},
        {"connection": "files:a"},
        {},
        ["files:a", "delete"],
    ],
)
def test_a_malformed_call_must_be_reviewed(call: Any) -> None:
    summary = summarize_call(call, REGISTRY)
    assert not summary.is_complete
    assert 0 < len(summary.text) <= MAX_SUMMARY
