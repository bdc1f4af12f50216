"""A history query: its statuses and words."""

import pytest

from app.cli.formatting import format_status
from scheduler.rules.history_query import STATUS_WORDS, HistoryQuery, split_words
from scheduler.rules.phases import RunStatus
from scheduler.timing.occurrences import OccurrenceState


@pytest.mark.parametrize(
    ("given", "stored"),
    [
        ((), ()),
        (("waiting",), ("paused:approval", "paused:reconciliation")),
        (("done", "skipped"), ("committed", "skipped")),
        (("failed:logic",), ("failed:logic",)),
    ],
)
def test_words_stand_for_stored_statuses(given: tuple[str, ...], stored: tuple[str, ...]) -> None:
    assert HistoryQuery(statuses=given).stored_statuses == stored


def test_a_word_that_is_also_a_stored_status_includes_it() -> None:
    for word in {*STATUS_WORDS} & {*RunStatus, *OccurrenceState}:
        assert word in STATUS_WORDS[word]


@pytest.mark.parametrize(
    ("text", "words"),
    [("", ()), ("Filed 3_receipts!", ("filed", "3", "receipts")), ("Straßenfest KÖLN", ("strassenfest", "koln"))],
)
def test_a_text_is_split_into_words_without_case_and_accents(text: str, words: tuple[str, ...]) -> None:
    assert split_words(text) == words


@pytest.mark.parametrize(("text", "is_empty"), [("", False), ("***", True), ("*a", False)])
def test_a_text_without_words_matches_nothing(text: str, *, is_empty: bool) -> None:
    assert HistoryQuery(text=text).matches_nothing is is_empty


@pytest.mark.parametrize("status", [*RunStatus])
def test_every_word_for_a_status_finds_runs_with_that_status(status: RunStatus) -> None:
    """What the command line shows can be typed after --status."""
    word = format_status(status)
    assert status in HistoryQuery(statuses=(word,)).stored_statuses
