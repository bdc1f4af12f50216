"""What one run may hand to the host: counted, refused with the limit, and counted anew after a checkpoint."""

import re
from pathlib import Path

import pytest
from dayhand import _protocol as protocol

from scheduler.rules.phases import HandlerKind
from scheduler.rules.script_limits import (
    LARGEST_ANSWER,
    LARGEST_BATCH,
    LARGEST_EVENT,
    LARGEST_PEEK,
    LONGEST_ID,
    LONGEST_SENTENCE,
    MOST_EVENTS,
    Batch,
    TooMuchError,
    cut_sentence,
)
from scheduler.workers.limits import Limits

GUIDE = Path(__file__).parents[2] / "resources" / "guide.md"


def test_as_many_events_as_are_allowed_are_taken_and_one_more_is_refused() -> None:
    batch = Batch(HandlerKind.PRODUCER)
    for number in range(MOST_EVENTS):
        batch.add(str(number), 10)
    with pytest.raises(TooMuchError, match=r"more than 10,000 events or 16 MB without a checkpoint.*ctx.checkpoint"):
        batch.add("one more", 10)


def test_large_events_are_refused_by_their_bytes() -> None:
    batch = Batch(HandlerKind.PRODUCER)
    for number in range(LARGEST_BATCH // LARGEST_EVENT):
        batch.add(str(number), LARGEST_EVENT)
    with pytest.raises(TooMuchError, match="16 MB without a checkpoint"):
        batch.add("one more", 1)


def test_a_checkpoint_makes_room() -> None:
    batch = Batch(HandlerKind.PRODUCER)
    for number in range(3 * MOST_EVENTS):
        if number % MOST_EVENTS == 0:
            batch.clear()
        batch.add(str(number), 10)
    assert batch.events == MOST_EVENTS


def test_next_has_no_checkpoints_so_it_is_told_to_take_fewer() -> None:
    batch = Batch(HandlerKind.CONSUMER, events=MOST_EVENTS)
    with pytest.raises(TooMuchError, match=r"at once. Reserve fewer events in prepare\."):
        batch.add("a", 1)


def test_one_event_has_a_limit_and_so_has_its_id() -> None:
    with pytest.raises(TooMuchError, match=r"The event 'a' has 2\.0 MB; one event may have 1 MB"):
        Batch(HandlerKind.PRODUCER).add("a", 2 * LARGEST_EVENT)
    with pytest.raises(TooMuchError, match="1,000 characters"):
        Batch(HandlerKind.PRODUCER).add("a" * (LONGEST_ID + 1), 10)


def test_a_long_sentence_is_cut() -> None:
    assert cut_sentence("Filed 3 receipts") == "Filed 3 receipts"
    assert cut_sentence("x" * 5000) == "x" * (LONGEST_SENTENCE - 1) + "…"


def test_the_guide_names_every_limit() -> None:
    """So that the table for authors and the program stay the same."""
    text = GUIDE.read_text(encoding="utf-8")
    table = text[text.index("| one run may hand over |") :]
    table = table[: table.index("\n\n")]
    numbers = [row.split("|")[2].strip() for row in table.splitlines()[2:]]
    megabyte = protocol.MEGABYTE
    assert numbers == [
        f"{LARGEST_EVENT // megabyte} MB, id {LONGEST_ID:,} characters",
        f"{MOST_EVENTS:,}, together {LARGEST_BATCH // megabyte} MB",
        f"{LARGEST_PEEK // megabyte} MB",
        f"{LARGEST_ANSWER // megabyte} MB",
        f"{Limits().message // megabyte} MB, {protocol.MOST_VALUES:,} values",
        f"{Limits().output // megabyte} MB; the rest is cut",
        f"{LONGEST_SENTENCE:,} characters; the rest is cut",
        f"{Limits().memory // megabyte // 1024} GB",
    ]
    assert not re.search(r"one message between it and Dayhand may be", text)
