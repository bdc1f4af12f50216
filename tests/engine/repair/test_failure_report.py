import pytest

from scheduler.engine.fixing.fixer import FixerFailedError, read_script
from scheduler.engine.fixing.problem import Problem, end_of, hide_in_report, hide_in_text, hide_private


def test_secrets_and_the_words_of_mails_are_left_out_and_the_shape_stays() -> None:
    shown = hide_private(
        {"rows": [{"subject": "Hi", "text": "dear you", "n": 7}], "api_token": "abc", "note": "password=hunter2 ok"}
    )
    assert shown == {
        "rows": [{"subject": "Hi", "text": "(8 letters, left out)", "n": 7}],
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
    assert "hunter2" not in hide_in_text(f"before {text} after")


def test_only_the_end_of_a_long_log_is_told() -> None:
    assert end_of("x" * 100_000 + "the end") == "x" * 3_993 + "the end"


def test_only_the_beginning_of_long_inputs_is_told() -> None:
    problem = Problem(script="s", error="e", handler="C", phase="p", inputs=["begin", "x" * 100_000])
    assert '["begin", "xxx' in problem.prompt() and len(problem.prompt()) < 4_200


def test_all_that_is_sent_can_be_read_before() -> None:
    problem = Problem(
        script="import dayhand", error="It broke.", handler="C", phase="emitting", log="l", inputs=[1], notes=("No.",)
    )
    for part in ("import dayhand", "C failed in emitting: It broke.", "[1]", "could not be used: No."):
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
def test_what_is_no_script_is_said(answer: str) -> None:
    with pytest.raises(FixerFailedError):
        read_script(answer)


def test_the_name_of_the_persons_own_folder_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/anna")
    told = 'File "/home/anna/chores/sums.py", line 3, password=x'
    assert hide_in_report(told) == 'File "~/chores/sums.py", line 3, password=(left out)'
    assert "anna" not in end_of(told)
    monkeypatch.setenv("HOME", "/")
    assert hide_in_report("/a/b") == "/a/b"


def test_a_secret_is_left_out_also_where_the_log_is_cut() -> None:
    told = "password=" + "s3cret" * 1_000
    assert "s3cret" not in end_of(told)
