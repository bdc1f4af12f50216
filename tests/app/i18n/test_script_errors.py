"""Errors of scripts in plain words."""

import pytest
from PySide6.QtWidgets import QApplication

from app.i18n.script_errors import explain_error
from app.i18n.translate import translate_text
from scheduler.user_text import UserText


@pytest.mark.parametrize(
    ("error", "words"),
    [
        ("KeyError: 'total'", '"total" is missing'),
        ("ZeroDivisionError: division by zero", "it divides by zero"),
        ("FileNotFoundError: [Errno 2] No such file or directory: '/a/b.csv'", "/a/b.csv does not exist"),
        ("ModuleNotFoundError: No module named 'requests'", "the package requests is not installed"),
        ("NameError: name 'prise' is not defined", '"prise" is not defined'),
        ("ValueError: not enough values to unpack", "not enough values to unpack"),
        ("json.decoder.JSONDecodeError: Expecting value", "json.decoder.JSONDecodeError: Expecting value"),
        ("JSONDecodeError: Expecting value: line 1", "the data is not valid JSON"),
    ],
)
def test_frequent_errors_are_explained(qapp: QApplication, error: str, words: str) -> None:
    assert explain_error(error) == words


@pytest.mark.parametrize(
    "text", ["", "Half done", "ShopError: closed", "ValueError: ", "KeyError: ", "exit code 3: no"]
)
def test_everything_else_stays_as_it_is(qapp: QApplication, text: str) -> None:
    assert explain_error(text) == text


def test_the_sentence_of_a_failed_run_has_the_place_and_the_plain_words(qapp: QApplication) -> None:
    error = UserText("{name}, line {line}: {message}", name="prices.py", line=10, message="KeyError: 'coffee'")
    told = UserText("{name} failed {failures} times in a row. {failure}", name="Prices", failures=3, failure=error)
    assert translate_text(told) == 'Prices failed 3 times in a row. prices.py, line 10: "coffee" is missing'


def test_texts_of_ours_are_not_taken_for_errors_of_python(qapp: QApplication) -> None:
    ours = UserText("KeyError: {name}", name="x")
    error = UserText("{name}, line {line}: {message}", name="a.py", line=1, message=ours)
    assert translate_text(error) == "a.py, line 1: KeyError: x"
