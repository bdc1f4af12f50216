"""What a fixer receives: private data and secrets are left out, and the secrets restored in its answer."""

import ast

import pytest

from scheduler.engine.repair.failure_report import (
    FailureReport,
    log_excerpt,
    mask_secrets,
    redact_named_secrets,
    redact_report,
    redact_values,
    unmask_secrets,
)
from scheduler.engine.repair.fixer import FixerFailedError, read_script
from scheduler.rules.phases import RunPhase

SCRIPT = '''"""Grüße."""
API_TOKEN = "s3cret-1"; x = "ö"
Password: str = (
    "s3cret-2"
    "more"
)
SETTINGS = {"user": "me", "password": 's3cret-3', "n": 7}
call(to="a", secret="""s3cret-4
two lines""", text="dear you")
token = make("not one")
EMPTY_SECRET = ""
'''


def test_secrets_and_mail_texts_are_left_out_and_the_shape_stays() -> None:
    shown = redact_values(
        {"rows": [{"subject": "Hi", "text": "dear you", "n": 7}], "api_token": "abc", "note": "password=hunter2 ok"}
    )
    assert shown == {
        "rows": [{"subject": "Hi", "text": "(8 characters, left out)", "n": 7}],
        "api_token": "(a secret, left out)",
        "note": "password=(left out) ok",
    }


@pytest.mark.parametrize(
    "text",
    [
        "password: hunter2",
        "MY_TOKEN='hunter2'",
        "Authorization: Bearer hunter2",
        '"api_key": "hunter2"',
        "https://me:hunter2@example.org/x",
    ],
)
def test_a_secret_in_a_log_is_left_out(text: str) -> None:
    assert "hunter2" not in redact_named_secrets(f"before {text} after")


def test_only_the_end_of_a_long_log_is_sent() -> None:
    assert log_excerpt("x" * 100_000 + "the end") == "x" * 3_993 + "the end"


def test_only_the_beginning_of_long_inputs_is_sent() -> None:
    problem = FailureReport(
        script="s", error="e", handler="C", phase=RunPhase.EXECUTING, inputs=["begin", "x" * 100_000]
    )
    assert '["begin", "xxx' in problem.prompt() and len(problem.prompt()) < 4_200


def test_everything_that_is_sent_can_be_reviewed() -> None:
    problem = FailureReport(
        script="import dayhand",
        error="It broke.",
        handler="C",
        phase=RunPhase.EMITTING,
        log="l",
        inputs=[1],
        notes=("No.",),
    )
    for part in ("import dayhand", "C failed in next: It broke.", "[1]", "could not be used: No."):
        assert part in problem.prompt()


@pytest.mark.parametrize(
    "answer",
    [
        "import dayhand\nx = 1",
        "Here:\n```python\nimport dayhand\nx = 1\n```\nDone.",
        "```\nshort\n```\n```py\nimport dayhand\nx = 1\n```",
    ],
)
def test_the_script_is_found_in_the_answer(answer: str) -> None:
    assert read_script(answer) == "import dayhand\nx = 1\n"


@pytest.mark.parametrize("answer", ["", "I cannot do that.", "dayhand" * 1_000_000])
def test_an_answer_without_a_script_is_refused(answer: str) -> None:
    with pytest.raises(FixerFailedError):
        read_script(answer)


def test_the_home_folder_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/anna")
    text = 'File "/home/anna/chores/sums.py", line 3, password=x'
    assert redact_report(text) == 'File "~/chores/sums.py", line 3, password=(left out)'
    assert "anna" not in log_excerpt(text)
    monkeypatch.setenv("HOME", "/")
    assert redact_report("/a/b") == "/a/b"


def test_a_secret_at_the_cut_of_the_log_is_left_out() -> None:
    text = "password=" + "s3cret" * 1_000
    assert "s3cret" not in log_excerpt(text)


def test_secrets_are_replaced_and_the_rest_is_unchanged() -> None:
    shown = mask_secrets(SCRIPT)
    assert "s3cret" not in shown and "two lines" not in shown
    for kept in ("Grüße", 'x = "ö"', '"user": "me"', 'text="dear you"', 'make("not one")', 'EMPTY_SECRET = ""'):
        assert kept in shown
    ast.parse(shown)


def test_secrets_are_restored_as_written() -> None:
    shown = mask_secrets(SCRIPT)
    assert unmask_secrets(shown, SCRIPT) == SCRIPT
    other = shown.replace("dear you", "dear all").replace('"(secret 1, left out)"', "'(secret 1, left out)'")
    assert unmask_secrets(other, SCRIPT) == SCRIPT.replace("dear you", "dear all")


@pytest.mark.parametrize("script", ["import dayhand\n", "not python (", ""])
def test_a_script_without_secrets_is_unchanged(script: str) -> None:
    assert mask_secrets(script) == script == unmask_secrets(script, script)
