"""Translates English sentences of the engine by matching them against templates with placeholders."""

import json
import re
from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

from PySide6.QtCore import QLocale

from app.resources import MissingResourceError, find_resource

_HOLE = re.compile(r"\{(\d)\}")
_SHORT = 5
"""A template with fewer letters matches only if the filled-in parts are known or single words."""
_DEEPEST = 4
_TOLD = re.compile(r": |(?<=\S) (?=(?:is|has|was|did|does|cannot|ended|takes|sends|refused|declares) )")


class _Pattern(NamedTuple):
    weight: int
    """Letters outside placeholders; templates with most are tried first."""
    marker: str
    """The longest literal part, for a quick check."""
    shape: re.Pattern[str]
    said: str


class Catalogue:
    """`entries` maps sentences with {1}, {2}, … to translations; None is left untranslated."""

    def __init__(self, entries: Mapping[str, str | None]) -> None:
        known = {english: said for english, said in entries.items() if said}
        self._whole = {english: said for english, said in known.items() if not _HOLE.search(english)}
        made = [_make(english, said) for english, said in known.items() if _HOLE.search(english)]
        self._patterns = sorted(made, key=lambda pattern: pattern.weight, reverse=True)

    def say(self, sentence: str) -> str | None:
        """The translation, or None if no template matches; unknown parts stay unchanged."""
        return self._find(sentence) or self._join(sentence) or self._tell(sentence)

    def _find(self, sentence: str, depth: int = 0) -> str | None:
        """Match one entry. Filled-in parts may be entries too."""
        if (said := self._whole.get(sentence)) is not None:
            return said
        for pattern in self._patterns if depth < _DEEPEST else ():
            if pattern.marker not in sentence or (found := pattern.shape.fullmatch(sentence)) is None:
                continue
            parts = found.groups()
            filled = [self._find(part, depth + 1) for part in parts]
            is_clear = all(said or " " not in part for said, part in zip(filled, parts, strict=True))
            if pattern.weight >= _SHORT or (is_clear and (depth or any(filled))):
                words = [said or part for said, part in zip(filled, parts, strict=True)]
                return _HOLE.sub(lambda hole, words=words: words[int(hole[1]) - 1], pattern.said)  # type: ignore[misc]
        return None

    def _join(self, sentence: str) -> str | None:
        """Two sentences, the second one of ours: "KeyError: 7. Retrying at 14:05", say."""
        for place in re.finditer(r"[.?](?= )", sentence):
            first, second = sentence[: place.end()], sentence[place.end() :]
            if (said := self._find(second)) is not None:
                return f"{self.say(first) or first}{said}"
            if (said := self._find(second[1:])) is not None:
                return f"{self.say(first) or first} {said}"
        return None

    def _tell(self, sentence: str) -> str | None:
        """A subject and a known predicate: "notes.txt is a folder", or "day: 40 is out of range"."""
        for place in _TOLD.finditer(sentence):
            whose, told, end = sentence[: place.end()], sentence[place.end() :], ""
            if told.endswith(").") and " (" in told:
                told, _, quoted = told.partition(" (")
                end = f" ({quoted}"
            elif told.endswith("."):
                told, end = told[:-1], "."
            if (said := self._find(told + end) or self._find(told)) is not None:
                return f"{whose}{said}" + ("" if self._find(told + end) else end)
        return None


@lru_cache(maxsize=1)
def read_catalogue(language: str) -> Catalogue:
    """The catalogue of a language such as `de`; empty if there is none."""
    try:
        text = find_resource(f"translations/engine_{language}.json").read_text(encoding="utf-8")
    except MissingResourceError:
        return Catalogue({})
    english, own = QLocale(QLocale.Language.English), QLocale(language)
    months = {english.monthName(number): own.monthName(number) for number in range(1, 13)}
    return Catalogue(json.loads(text) | months)


def _make(english: str, said: str) -> _Pattern:
    parts = _HOLE.split(english)[::2]
    weight = sum(letter.isalpha() for part in parts for letter in part)
    shape = re.compile("(.*?)".join(re.escape(part) for part in parts), re.DOTALL)
    return _Pattern(weight=weight, marker=max(parts, key=len), shape=shape, said=said)
