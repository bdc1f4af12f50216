"""The engine's sentences are found again whatever was filled in, and every one of them has a German one."""

import importlib.util
import json
import re
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from app.words.catalogue import Catalogue

CLONE = Path(__file__).parents[3]
HOLES = re.compile(r"\{\d\}")


@pytest.fixture(scope="module")
def sentences() -> ModuleType:
    spec = importlib.util.spec_from_file_location("sentences", CLONE / "packaging" / "sentences.py")
    assert spec is not None
    assert spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


def read_german() -> dict[str, Any]:
    found: dict[str, Any] = json.loads((CLONE / "resources/translations/engine_de.json").read_text(encoding="utf-8"))
    return found


def test_every_sentence_of_the_engine_is_known(sentences: ModuleType) -> None:
    assert sentences.find_sentences() == set(read_german()), "run packaging/translate"


def test_every_sentence_of_the_engine_is_german_or_is_read_by_nobody() -> None:
    assert not [english for english, said in read_german().items() if said == ""]


def test_a_translation_fills_in_nothing_else() -> None:
    for english, said in read_german().items():
        assert said is None or set(HOLES.findall(said)) <= set(HOLES.findall(english)), english


def test_what_is_said_in_a_source_is_found_with_its_holes_and_its_choices(sentences: ModuleType) -> None:
    source = '''
"""Says much."""
KNOWN = {"a": "add rows to {name}"}
log.warning("Nobody reads this one")
db.execute("SELECT x FROM y WHERE z")
def go(number, path):
    """Says more."""
    raise ValueError(f"{path} holds {number} {'file' if number == 1 else 'files'}: {why or 'nobody knows'}.")
'''
    assert set(sentences.read_sentences(source)) == {
        "add rows to {1}",
        "{1} holds {2} file: {3}.",
        "{1} holds {2} files: {3}.",
        "nobody knows",
    }


@pytest.fixture
def german() -> Catalogue:
    return Catalogue(
        {
            "It was stopped.": "Es wurde gestoppt.",
            "{1} failed {2} times. {3}": "{1} ist {2} Mal gescheitert. {3}",
            "{1} wants to {2}.": "{1} möchte {2}.",
            "add rows to {1}": "Zeilen an {1} anfügen",
            "{1} of {2}": "{1} von {2}",
            "is a folder": "ist ein Ordner",
            " It goes on {1}.": " Weiter geht es {1}.",
            "at {1}": "um {1}",
            "never seen": None,
        }
    )


@pytest.mark.parametrize(
    ("english", "said"),
    [
        ("It was stopped.", "Es wurde gestoppt."),
        ("Mail failed 3 times. It was stopped.", "Mail ist 3 Mal gescheitert. Es wurde gestoppt."),
        ("Mail wants to add rows to my table.", "Mail möchte Zeilen an my table anfügen."),
        ("Mail failed 3 times. 3 of 5", "Mail ist 3 Mal gescheitert. 3 von 5"),
        ("/my notes/a is a folder.", "/my notes/a ist ein Ordner."),
        ("It was stopped. It goes on at 14:05.", "Es wurde gestoppt. Weiter geht es um 14:05."),
        ("KeyError: 7. It goes on at 14:05.", "KeyError: 7. Weiter geht es um 14:05."),
        ("notes.py: It was stopped.", "notes.py: Es wurde gestoppt."),
    ],
)
def test_a_sentence_is_found_by_what_stands_around_that_which_is_filled_in(
    german: Catalogue, english: str, said: str
) -> None:
    assert german.say(english) == said


@pytest.mark.parametrize(
    "other", ["", "3 of 5", "ValueError: index 3 of 5", "Look at the end of it", "never seen", "Filed 3."]
)
def test_what_the_engine_never_says_is_not_touched(german: Catalogue, other: str) -> None:
    assert german.say(other) is None
