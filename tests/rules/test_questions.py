"""What a script may ask and what counts as an answer; both come from outside and may be anything."""

from contextlib import suppress
from datetime import date
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scheduler.rules.questions import QuestionError, parse_answers, parse_questions, sample_answers

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=10), inner, max_size=3),
    max_leaves=8,
)
FOLDER = {"name": "folder", "text": "Which folder?", "kind": "choice", "choices": ["Invoices", "Other"]}


def written(kind: str, **more: Any) -> dict[str, Any]:
    return {"name": "x", "text": "What?", "kind": kind, **more}


def answer(kind: str, value: Any, **more: Any) -> Any:
    return parse_answers(parse_questions([written(kind, **more)]), {"x": value})["x"]


@pytest.mark.parametrize(
    ("kind", "value", "parsed"),
    [
        ("text", "Hello", "Hello"),
        ("yes_no", True, True),
        ("yes_no", "No", False),
        ("number", 7, 7),
        ("number", "12,50", 12.5),
        ("number", " -3 ", -3),
        ("date", "2026-11-20", "2026-11-20"),
    ],
)
def test_an_answer_gets_the_type_of_its_question(kind: str, value: Any, parsed: Any) -> None:
    found = answer(kind, value)
    assert (found, type(found)) == (parsed, type(parsed))


@pytest.mark.parametrize(
    ("kind", "value", "sentence"),
    [
        ("text", 7, "What?: the answer must be a text."),
        ("text", "x" * 10_001, "What?: the answer must be a text of at most 10,000 characters."),
        ("text", " ", "What?: an answer is missing."),
        ("text", None, "What?: an answer is missing."),
        ("text", "\ud800", "What?: the answer must be a text."),
        ("yes_no", "maybe", "What?: the answer must be yes or no."),
        ("yes_no", 1, "What?: the answer must be yes or no."),
        ("number", "twelve", "What?: the answer must be a number such as 12.50."),
        ("number", True, "What?: the answer must be a number such as 12.50."),
        ("number", 10**400, "What?: the answer must be a number such as 12.50."),
        ("number", float("nan"), "What?: the answer must be a number such as 12.50."),
        ("date", "tomorrow", "What?: the answer must be a date such as 2026-11-20."),
        ("date", 7, "What?: the answer must be a date such as 2026-11-20."),
    ],
)
def test_a_bad_answer_is_refused_with_one_sentence(kind: str, value: Any, sentence: str) -> None:
    with pytest.raises(QuestionError) as refused:
        answer(kind, value)
    assert refused.value.sentence == sentence


def test_a_choice_must_be_one_of_those_offered() -> None:
    questions = parse_questions([FOLDER])
    assert parse_answers(questions, {"folder": "Other"}) == {"folder": "Other"}
    for value in ("Elsewhere", ["Other"], 0):
        with pytest.raises(QuestionError, match=r"^Which folder\?: the answer must be one of: Invoices, Other\.$"):
            parse_answers(questions, {"folder": value})


def test_a_missing_answer_is_the_default() -> None:
    assert parse_answers(parse_questions([written("text", default="12,50")]), {}) == {"x": "12,50"}


def test_an_empty_text_is_an_answer_only_if_it_is_the_default() -> None:
    assert answer("text", "", default="") == ""


def test_an_unknown_name_is_refused() -> None:
    with pytest.raises(QuestionError, match="There is no question y; the questions are x"):
        parse_answers(parse_questions([written("text")]), {"y": "1"})


@pytest.mark.parametrize(
    "bad",
    [
        None,
        {},
        ["What?"],
        [written("riddle")],
        [written("choice")],
        [written("choice", choices=[])],
        [written("choice", choices=["a"] * 51)],
        [written("choice", choices=["a", 7])],
        [written("text", choices=["a", "b"])],
        [written("text", default=7)],
        [written("choice", choices=["a", "b"], default="c")],
        [{**written("text"), "text": ""}],
        [{**written("text"), "text": "x" * 201}],
        [{**written("text"), "name": "not a name"}],
        [written("text")] * 2,
        [{**written("text"), "name": f"x{number}"} for number in range(6)],
    ],
)
def test_malformed_questions_are_refused(bad: Any) -> None:
    with pytest.raises(QuestionError):
        parse_questions(bad)


@given(JSON)
def test_no_message_can_do_more_than_be_refused(message: Any) -> None:
    for value in (message, [message], [{**written("text"), "default": message}]):
        with suppress(QuestionError):
            parse_questions(value)


@given(st.sampled_from(["text", "yes_no", "number", "date", "choice"]), JSON)
def test_no_answer_can_do_more_than_be_refused(kind: str, value: Any) -> None:
    more = {"choices": ["a", "b"]} if kind == "choice" else {}
    with suppress(QuestionError):
        assert answer(kind, answer(kind, value, **more), **more) is not None


def test_a_dry_run_takes_the_defaults_or_valid_answers() -> None:
    questions = parse_questions(
        [
            FOLDER,
            {**written("text"), "name": "a"},
            {**written("number", default=3), "name": "b"},
            {**written("yes_no"), "name": "c"},
            {**written("date"), "name": "d"},
        ]
    )
    assumed = sample_answers(questions, date(2026, 11, 20))
    assert assumed == {"folder": "Invoices", "a": "…", "b": 3, "c": False, "d": "2026-11-20"}
    assert parse_answers(questions, assumed) == assumed
