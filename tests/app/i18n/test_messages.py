"""Every sentence of the engine is matched, whatever was filled in, and has a German translation."""

import importlib.util
import json
import re
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from app.i18n.messages import Catalogue

CLONE = Path(__file__).parents[3]
PLACEHOLDERS = re.compile(r"\{\d\}")


@pytest.fixture(scope="module")
def sentences() -> ModuleType:
    spec = importlib.util.spec_from_file_location("sentences", CLONE / "packaging" / "sentences.py")
    assert spec is not None
    assert spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


def read_german() -> dict[str, Any]:
    catalogue: dict[str, Any] = json.loads(
        (CLONE / "resources/translations/engine_de.json").read_text(encoding="utf-8")
    )
    return catalogue


def test_every_sentence_of_the_engine_is_known(sentences: ModuleType) -> None:
    assert sentences.find_sentences() == set(read_german()), "run packaging/translate"


def test_every_sentence_of_the_engine_is_translated() -> None:
    assert not [english for english, german in read_german().items() if german == ""]


def test_a_translation_has_no_extra_placeholders() -> None:
    for english, german in read_german().items():
        assert german is None or set(PLACEHOLDERS.findall(german)) <= set(PLACEHOLDERS.findall(english)), english


def test_sentences_in_a_source_are_found_with_placeholders_and_variants(sentences: ModuleType) -> None:
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
    ("english", "sentence"),
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
def test_a_sentence_is_matched_by_its_literal_parts(german: Catalogue, english: str, sentence: str) -> None:
    assert german.say(english) == sentence


@pytest.mark.parametrize(
    "other", ["", "3 of 5", "ValueError: index 3 of 5", "Look at the end of it", "never seen", "Filed 3."]
)
def test_other_sentences_are_not_translated(german: Catalogue, other: str) -> None:
    assert german.say(other) is None
