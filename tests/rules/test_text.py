"""What scripts and tools say is put beside sentences of ours."""

import pytest

from scheduler.rules.sentences import finish


@pytest.mark.parametrize(
    ("text", "sentence"),
    [("KeyError: 'b'", "KeyError: 'b'."), ("It rains. ", "It rains."), ("Is it?", "Is it?"), ("", "")],
)
def test_a_text_gets_one_end(text: str, sentence: str) -> None:
    assert finish(text) == sentence
