"""Text from scripts and tools stands beside our own sentences."""

import pytest

from scheduler.rules.text import add_full_stop


@pytest.mark.parametrize(
    ("text", "sentence"),
    [("KeyError: 'b'", "KeyError: 'b'."), ("It rains. ", "It rains."), ("Is it?", "Is it?"), ("", "")],
)
def test_a_full_stop_is_added_only_where_it_is_missing(text: str, sentence: str) -> None:
    assert add_full_stop(text) == sentence
