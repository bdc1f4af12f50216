"""What the values of a call are called on a card: readable, never two alike, and never like a label of ours. Pure."""

import json
import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Mapping, Sequence

from app.widgets.plain import MORE, cut
from app.widgets.value_text import say_line

Path = tuple[str, ...]
"""The keys that lead to a value."""
MAX_KEY = 120
_INSIDE = " \N{SINGLE RIGHT-POINTING ANGLE QUOTATION MARK} "
_WORDS = re.compile(r"[A-Za-z0-9]+(?:[_ -][A-Za-z0-9]+)*", re.ASCII)
_MAX_WORDS = 40


def say_key(key: str) -> str:
    """`Message id` of message_id; what is no plain name is shown as it is written."""
    if len(key) <= _MAX_WORDS and _WORDS.fullmatch(key):
        words = key.replace("_", " ")
        return words[:1].upper() + words[1:]
    return say_line(key, MAX_KEY)


def make_labels(paths: Sequence[Path], words: Mapping[str, str], taken: Collection[str] = ()) -> list[str]:
    """One for each path. `words` are for keys at the top, `taken` are labels of others.

    Where two would read alike, or like one that is taken, the exact keys stand beside the words.
    """
    labels = [_INSIDE.join([words.get(path[0]) or say_key(path[0]), *map(say_key, path[1:])]) for path in paths]
    labels = _distinguish(
        labels, [f"{label} ({_write(path)})" for label, path in zip(labels, paths, strict=True)], taken
    )
    numbered = [f"{label} #{place}" for place, label in enumerate(labels, 1)]
    return _distinguish(labels, numbered, taken)


def is_cut(path: Path) -> bool:
    """Whether its label does not say all of it."""
    return any(len(key) > MAX_KEY for key in path)


def _distinguish(labels: Sequence[str], longer: Sequence[str], taken: Collection[str]) -> list[str]:
    number = Counter(map(_fold, (*labels, *taken)))
    return [second if number[_fold(first)] > 1 else first for first, second in zip(labels, longer, strict=True)]


def _write(path: Path) -> str:
    """The exact keys; a letter of another script is written as its number."""
    return _INSIDE.join(cut(json.dumps(key[: MAX_KEY + 1]), MAX_KEY) for key in path)


def _fold(label: str) -> str:
    """The same for labels that somebody could take for one another."""
    return " ".join(unicodedata.normalize("NFKC", label).casefold().replace("_", " ").split()).removesuffix(MORE)
