"""Questions of a script to the user, and their answers: what is valid, with one sentence for what is not. Pure.

Both come from outside: questions from a script's process, answers from a command or a form.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from typing import Any

from scheduler.user_text import UserText

ONLY_QUESTION = "answer"
"""The name of a question that its script did not name."""
MAX_QUESTIONS = 5
MAX_CHOICES = 50
MAX_QUESTION_CHARS = 200
"""Also of a choice."""
MAX_NAME_CHARS = 40
MAX_ANSWER_CHARS = 10_000
_MAX_NUMBER = 1e15
_NUMBER = re.compile(r"[+-]?\d{1,15}(?:[.,]\d{1,15})?", re.ASCII)
_FLAGS = {"yes": True, "true": True, "no": False, "false": False}


class AnswerKind(StrEnum):
    TEXT = "text"
    CHOICE = "choice"
    YES_NO = "yes_no"
    NUMBER = "number"
    DATE = "date"


class QuestionError(ValueError):
    """A question or an answer that is not valid; the sentence says why."""

    def __init__(self, sentence: str) -> None:
        super().__init__(sentence)
        self.sentence = sentence


@dataclass(frozen=True, slots=True, kw_only=True)
class ScriptQuestion:
    name: str
    text: str
    kind: AnswerKind
    choices: tuple[str, ...] = ()
    default: Any = None


def parse_questions(written: Any) -> tuple[ScriptQuestion, ...]:
    """The questions in a script's message; QuestionError if one is malformed or there are too many."""
    if not isinstance(written, list) or len(written) > MAX_QUESTIONS:
        raise QuestionError(UserText("ask is not a list of at most {number} questions", number=MAX_QUESTIONS))
    questions = tuple(_parse_question(one) for one in written)
    if len({one.name for one in questions}) < len(questions):
        raise QuestionError(UserText("ask has a name twice"))
    return questions


def parse_answers(questions: Sequence[ScriptQuestion], given: Mapping[str, Any]) -> dict[str, Any]:
    """The answers by name, each of the type that its question asks for; QuestionError for the first bad one."""
    for name in given:
        if name not in {one.name for one in questions}:
            known = ", ".join(one.name for one in questions)
            raise QuestionError(
                UserText("There is no question {name}; the questions are {known}.", name=name[:80], known=known)
            )
    return {one.name: _parse_answer(one, given.get(one.name, one.default)) for one in questions}


def list_answer_options(names: Sequence[str]) -> str:
    """How the answers to several questions are typed."""
    return " ".join(f"--set {name}=ANSWER" for name in names)


def sample_answers(questions: Sequence[ScriptQuestion], today: date) -> dict[str, Any]:
    """Answers for a dry run: the defaults, else the simplest that are valid."""
    simplest = {
        AnswerKind.TEXT: "…",
        AnswerKind.YES_NO: False,
        AnswerKind.NUMBER: 0,
        AnswerKind.DATE: today.isoformat(),
    }
    return {
        one.name: one.default if one.default is not None else one.choices[0] if one.choices else simplest[one.kind]
        for one in questions
    }


def _parse_question(written: Any) -> ScriptQuestion:
    if not isinstance(written, dict):
        raise QuestionError(UserText("a question is not an object"))
    name, text, choices = written.get("name"), written.get("text"), written.get("choices", [])
    if not isinstance(name, str) or not name.isidentifier() or len(name) > MAX_NAME_CHARS:
        raise QuestionError(UserText("a question has no valid name"))
    if not _is_text(text, MAX_QUESTION_CHARS):
        raise QuestionError(UserText("a question has no text, or too much of it"))
    try:
        kind = AnswerKind(str(written.get("kind")))
    except ValueError as error:
        raise QuestionError(UserText("a question is of an unknown kind")) from error
    if not isinstance(choices, list) or not all(_is_text(one, MAX_QUESTION_CHARS) for one in choices):
        raise QuestionError(UserText("the choices of a question are not texts"))
    if len(choices) > MAX_CHOICES or (kind is AnswerKind.CHOICE) != bool(choices):
        raise QuestionError(UserText("a question has too many choices, or none"))
    question = ScriptQuestion(name=name, text=str(text), kind=kind, choices=tuple(choices))
    default = written.get("default")
    if default is None:
        return question
    if not (kind is AnswerKind.TEXT and default == ""):
        default = _parse_answer(question, default)
    return ScriptQuestion(name=name, text=str(text), kind=kind, choices=tuple(choices), default=default)


def _parse_answer(question: ScriptQuestion, value: Any) -> Any:
    if value is None:
        raise _missing(question)
    match question.kind:
        case AnswerKind.TEXT:
            return _parse_text(question, value)
        case AnswerKind.CHOICE:
            if value not in question.choices:
                raise _bad(question, UserText("one of: {choices}", choices=", ".join(question.choices)))
            return value
        case AnswerKind.YES_NO:
            flag = _FLAGS.get(value.strip().lower()) if isinstance(value, str) else value
            if not isinstance(flag, bool):
                raise _bad(question, UserText("yes or no"))
            return flag
        case AnswerKind.NUMBER:
            return _parse_number(question, value)
        case AnswerKind.DATE:
            return _parse_date(question, value)


def _parse_text(question: ScriptQuestion, value: Any) -> str:
    if not isinstance(value, str) or _has_half_characters(value):
        raise _bad(question, UserText("a text"))
    if len(value) > MAX_ANSWER_CHARS:
        raise _bad(question, UserText("a text of at most {number} characters", number=f"{MAX_ANSWER_CHARS:,}"))
    if not value.strip() and question.default != "":
        raise _missing(question)
    return value


def _parse_number(question: ScriptQuestion, value: Any) -> int | float:
    if isinstance(value, str) and _NUMBER.fullmatch(value.strip()):
        text = value.strip().replace(",", ".")
        value = float(text) if "." in text else int(text)
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number or not abs(value) <= _MAX_NUMBER:  # also refuses what is not a number at all
        raise _bad(question, UserText("a number such as 12.50"))
    number: int | float = value
    return number


def _parse_date(question: ScriptQuestion, value: Any) -> str:
    try:
        return date.fromisoformat(value.strip()).isoformat()
    except (ValueError, AttributeError, TypeError) as error:
        raise _bad(question, UserText("a date such as 2026-11-20")) from error


def _missing(question: ScriptQuestion) -> QuestionError:
    return QuestionError(UserText("{question}: an answer is missing.", question=question.text))


def _bad(question: ScriptQuestion, words: str) -> QuestionError:
    return QuestionError(UserText("{question}: the answer must be {words}.", question=question.text, words=words))


def _is_text(value: Any, most: int) -> bool:
    return isinstance(value, str) and bool(value.strip()) and len(value) <= most and not _has_half_characters(value)


def _has_half_characters(text: str) -> bool:
    return any("\ud800" <= letter <= "\udfff" for letter in text)
