"""Command lines are split and joined as programs of each system do it; both rules are pure and run everywhere."""

import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scheduler.shell_words import join_for_windows, split_for_posix, split_for_windows


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (r"C:\tools\fix.exe --all", [r"C:\tools\fix.exe", "--all"]),
        (r'"C:\Program Files\fix.exe" a', [r"C:\Program Files\fix.exe", "a"]),
        (r'"C:\folder\\" b', ["C:\\folder\\", "b"]),
        (r"say \"hi\"", ["say", '"hi"']),
        ('a""b ""', ["ab", ""]),
        ("don't\tstop", ["don't", "stop"]),
        ("  ", []),
    ],
)
def test_words_of_windows(text: str, words: list[str]) -> None:
    assert split_for_windows(text) == words


@given(st.lists(st.text(st.sampled_from("ab \t\\\"'ä|&"))))
def test_what_is_joined_for_windows_is_split_into_the_same_words(words: list[str]) -> None:
    assert split_for_windows(join_for_windows(words)) == words


@given(st.lists(st.text(), min_size=1))
def test_what_is_joined_for_posix_is_split_into_the_same_words(words: list[str]) -> None:
    assert split_for_posix(shlex.join(words)) == words


@pytest.mark.parametrize("split", [split_for_posix, split_for_windows])
def test_quotes_that_do_not_match_are_an_error(split: object) -> None:
    with pytest.raises(ValueError, match="quotation"):
        split('say "hi')  # type: ignore[operator]


def test_operators_are_words_of_their_own() -> None:
    assert split_for_posix("a|b 'c|d'", operators="|") == ["a", "|", "b", "c|d"]
