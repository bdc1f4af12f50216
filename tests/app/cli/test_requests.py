"""How a request is shown in a terminal, including malformed ones."""

from typing import Any

import pytest

from app.cli.requests import _render_attention, _render_request

CALL = {"connection": "files:inbox", "tool": "delete", "parameters": {"path": "a"}}


def request(**call: Any) -> dict[str, Any]:
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
    ("target", "expected"),
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
def test_the_current_target_is_described_whatever_its_form(target: Any, expected: str, limit: int | None) -> None:
    lines = list(_render_request(request(target=target), "", limit))
    assert [line for line in lines if line.startswith(f"    Currently there: {expected}")]


def test_a_malformed_request_does_not_hide_the_others() -> None:
    malformed = {
        **request(),
        "call": {"connection": 7, "parameters": ["b"], "target": {"kind": "file"}, "endpoint": ["x"]},
    }
    lines = list(_render_attention({"requests": [malformed, {**request(), "id": "q2"}], "workflows": []}, ""))
    assert [line for line in lines if line.startswith("q2")]


@pytest.mark.parametrize("limit", [None, 300])
def test_the_endpoint_of_the_connection_is_shown(limit: int | None) -> None:
    lines = list(_render_request(request(endpoint={"path": "/home/ann/inbox"}), "", limit))
    assert '    Connected to: {"path": "/home/ann/inbox"}' in lines


def test_a_long_target_is_cut_and_the_full_view_offered() -> None:
    lines = list(_render_request(request(target={"etag": "x" * 1000}), "", 300))
    assert "    Show in full: dayhand attention q1" in lines


@pytest.mark.parametrize("separator", ["\u2028", "\u0085", "\u2029"])
def test_no_value_can_start_a_new_line(separator: str) -> None:
    lines = list(_render_request(request(parameters={"path": f"a{separator}q2  tidy, approval"}), ""))
    assert f'      "path": "a{separator}q2  tidy, approval"' in [line.replace("        ", "      ") for line in lines]


FAILED_RUN = {
    "handler": "work",
    "summary": "work failed 2 times in a row since 06:04.",
    "reason": "b.py, line 4: The command sh exited with code 1.",
    "command": "sh -c 'exit 1'",
    "output": "one\ntwo",
    "is_paused": True,
}


def test_a_failed_run_is_described_once_with_command_output_and_how_to_resume_it() -> None:
    asked = {
        **request(),
        "workflow": "tidy",
        "kind": "run-failed",
        "call": None,
        "sentence": f"work failed 2 times in a row. {FAILED_RUN['reason']}",
        "failed_run": FAILED_RUN,
    }
    lines = [line.strip() for line in _render_request(asked, " --data-dir x", 300)]
    assert lines[1:-1] == [
        FAILED_RUN["summary"],
        FAILED_RUN["reason"],
        "Command: sh -c 'exit 1'",
        "| one",
        "| two",
        "It is paused. To resume it: dayhand resume tidy/work --data-dir x",
    ]


def test_a_job_that_keeps_failing_is_said_not_to_run() -> None:
    asked = {**request(), "kind": "too-many-failures", "call": None, "failed_run": {**FAILED_RUN, "is_paused": False}}
    assert "    It does not run again until you resume or retry it." in list(_render_request(asked, ""))


@pytest.mark.parametrize(
    ("on_expiry", "then"), [("reject", "it counts as rejected then"), ("leave", "it stays open then")]
)
def test_a_request_that_expires_says_when_and_what_follows(on_expiry: str, then: str) -> None:
    one = {**request(), "expires": "2026-11-18T12:00:00Z", "on_expiry": on_expiry}
    [line] = [line for line in _render_request(one, "") if "Expires" in line]
    assert line.startswith("    Expires ") and line.endswith(f"; {then}.")
