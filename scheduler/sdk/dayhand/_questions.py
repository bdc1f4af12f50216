"""Questions that prepare asks the user before mutate runs."""

from __future__ import annotations

from datetime import date, datetime
from typing import TYPE_CHECKING, Any

from ._errors import Misuse
from ._user_text import UserText
from ._values import check

if TYPE_CHECKING:
    from ._setting_types import Names, QuestionKind

ONLY = "answer"
"""The name of a question that was given without one."""
KINDS = ("text", "choice", "yes_no", "number", "date")
_MAX_QUESTIONS, _MAX_CHOICES = 5, 50
_MAX_CHARS, _MAX_NAME_CHARS, _MAX_TEXT_CHARS = 200, 40, 10_000


class Question:
    """A question to the user, made by `dayhand.ask`."""

    def __init__(self, text: str, kind: str, choices: list[str], default: Any) -> None:
        self.text = text
        """As the user reads it."""
        self.kind = kind
        """"text", "choice", "yes_no", "number" or "date"."""
        self.choices = choices
        """What the user can choose from."""
        self.default = default
        """What is filled in already; None if nothing is."""


def ask(text: str, *, choices: Names | None = None, default: Any = None, kind: QuestionKind | None = None) -> Question:
    """A question for `prepared(ask=…)`: the user answers before `mutate` runs, which gets the answer.

    choices: the user picks one of these.
    default: what is filled in already. Without `kind` it decides what is asked for: a bool, a number, a date or text.
    kind: "text", "yes_no", "number" or "date". The answer is a str, a bool, an int or float, or text such as
        "2026-11-20".
    """
    _check_text("the question", text, _MAX_CHARS)
    if kind is not None and (kind not in KINDS or (kind == "choice") != (choices is not None)):
        raise Misuse(
            UserText(
                "kind={kind} does not fit; write 'text', 'yes_no', 'number' or 'date', or choices=['Yes', 'Later'].",
                kind=repr(kind),
            )
        )
    if isinstance(default, datetime):
        default = default.date()
    found = kind or ("choice" if choices is not None else _kind_of(default))
    options = [] if choices is None else _read_choices(choices)
    if isinstance(default, date):
        default = default.isoformat()
    _check_default(found, options, default)
    return Question(text, found, options, default)


def read_questions(given: Any) -> list[dict[str, Any]]:
    """One question, or several by name, as JSON."""
    if given is None:
        return []
    questions = {ONLY: given} if isinstance(given, Question) else given
    if not isinstance(questions, dict) or not all(isinstance(one, Question) for one in questions.values()):
        raise Misuse(
            UserText("ask is not a question; write ask=dayhand.ask('Which folder?'), or a dict of several by name.")
        )
    if len(questions) > _MAX_QUESTIONS:
        raise Misuse(
            UserText("ask has {number} questions; ask at most {most}.", number=len(questions), most=_MAX_QUESTIONS)
        )
    for name in questions:
        if not isinstance(name, str) or not name.isidentifier() or len(name) > _MAX_NAME_CHARS:
            raise Misuse(
                UserText("{name} is not a name for a question; write for example 'folder'.", name=repr(name)[:100])
            )
    return [
        {"name": name, "text": one.text, "kind": one.kind, "choices": one.choices, "default": one.default}
        for name, one in questions.items()
    ]


def _check_text(what: str, text: Any, most: int) -> None:
    if not isinstance(text, str) or not text.strip():
        raise Misuse(UserText("{what} is {text}; write a text.", what=what, text=repr(text)[:100]))
    if len(text) > most:
        raise Misuse(
            UserText("{what} has {number} characters; write at most {most}.", what=what, number=len(text), most=most)
        )
    check(text, what)


def _read_choices(choices: Any) -> list[str]:
    if isinstance(choices, str) or not isinstance(choices, (list, tuple)) or len(choices) < 2:
        raise Misuse(UserText("choices is not a list of at least two texts; write choices=['Invoices', 'Other']."))
    if len(choices) > _MAX_CHOICES:
        raise Misuse(
            UserText("choices has {number} texts; give at most {most}.", number=len(choices), most=_MAX_CHOICES)
        )
    for one in choices:
        _check_text("a choice", one, _MAX_CHARS)
    if len(set(choices)) < len(choices):
        raise Misuse(UserText("choices contains a text twice; write each once."))
    return list(choices)


def _kind_of(default: Any) -> str:
    if isinstance(default, bool):
        return "yes_no"
    if isinstance(default, (int, float)):
        return "number"
    return "date" if isinstance(default, date) else "text"


def _check_default(kind: str, choices: list[str], default: Any) -> None:
    if default is None:
        return
    fits = {
        "text": isinstance(default, str) and len(default) <= _MAX_TEXT_CHARS,
        "choice": default in choices,
        "yes_no": isinstance(default, bool),
        "number": isinstance(default, (int, float)) and not isinstance(default, bool) and abs(default) <= 1e15,
        "date": isinstance(default, str) and _is_date(default),
    }[kind]
    if not fits:
        raise Misuse(UserText("default={default} does not answer this question.", default=repr(default)[:100]))
    check(default, "default")


def _is_date(text: str) -> bool:
    try:
        return date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False
