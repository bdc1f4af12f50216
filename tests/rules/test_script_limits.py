"""What one run may pass to the host: counted, refused with the limit, and reset by a checkpoint."""

import re
from pathlib import Path

import pytest
from dayhand import _protocol as protocol

from scheduler.rules.phases import HandlerKind
from scheduler.rules.script_limits import (
    MAX_BATCH_BYTES,
    MAX_EVENT_BYTES,
    MAX_EVENT_ID_CHARS,
    MAX_EVENTS,
    MAX_PEEK_BYTES,
    MAX_SUMMARY_CHARS,
    MAX_TOOL_RESULT_BYTES,
    PublishBatch,
    ScriptLimitError,
    truncate_summary,
)
from scheduler.workers.script import Limits

GUIDE = Path(__file__).parents[2] / "resources" / "guide.md"


def test_the_allowed_number_of_events_is_accepted_and_one_more_is_refused() -> None:
    batch = PublishBatch(HandlerKind.PRODUCER)
    for number in range(MAX_EVENTS):
        batch.add(str(number), 10)
    with pytest.raises(
        ScriptLimitError, match=r"more than 10,000 events or 16 MB without a checkpoint.*ctx.checkpoint"
    ):
        batch.add("one more", 10)


def test_events_are_refused_when_their_total_size_is_too_large() -> None:
    batch = PublishBatch(HandlerKind.PRODUCER)
    for number in range(MAX_BATCH_BYTES // MAX_EVENT_BYTES):
        batch.add(str(number), MAX_EVENT_BYTES)
    with pytest.raises(ScriptLimitError, match="16 MB without a checkpoint"):
        batch.add("one more", 1)


def test_a_checkpoint_resets_the_count() -> None:
    batch = PublishBatch(HandlerKind.PRODUCER)
    for number in range(3 * MAX_EVENTS):
        if number % MAX_EVENTS == 0:
            batch.clear()
        batch.add(str(number), 10)
    assert batch.events == MAX_EVENTS


def test_a_consumer_has_no_checkpoints_so_it_must_reserve_fewer_events() -> None:
    batch = PublishBatch(HandlerKind.CONSUMER, events=MAX_EVENTS)
    with pytest.raises(ScriptLimitError, match=r"at once. Reserve fewer events in prepare\."):
        batch.add("a", 1)


def test_the_size_of_an_event_and_the_length_of_its_id_are_limited() -> None:
    with pytest.raises(ScriptLimitError, match=r"The event 'a' is 2\.0 MB; the limit is 1 MB"):
        PublishBatch(HandlerKind.PRODUCER).add("a", 2 * MAX_EVENT_BYTES)
    with pytest.raises(ScriptLimitError, match="1,000 characters"):
        PublishBatch(HandlerKind.PRODUCER).add("a" * (MAX_EVENT_ID_CHARS + 1), 10)


def test_a_long_summary_is_cut() -> None:
    assert truncate_summary("Filed 3 receipts") == "Filed 3 receipts"
    assert truncate_summary("x" * 5000) == "x" * (MAX_SUMMARY_CHARS - 1) + "…"


def test_the_guide_names_every_limit() -> None:
    text = GUIDE.read_text(encoding="utf-8")
    table = text[text.index("| one run may pass |") :]
    table = table[: table.index("\n\n")]
    numbers = [row.split("|")[2].strip() for row in table.splitlines()[2:]]
    megabyte = protocol.MEGABYTE
    assert numbers == [
        f"{MAX_EVENT_BYTES // megabyte} MB, id {MAX_EVENT_ID_CHARS:,} characters",
        f"{MAX_EVENTS:,}, together {MAX_BATCH_BYTES // megabyte} MB",
        f"{MAX_PEEK_BYTES // megabyte} MB",
        f"{MAX_TOOL_RESULT_BYTES // megabyte} MB",
        f"{Limits().message // megabyte} MB, {protocol.MAX_VALUES:,} values",
        f"{Limits().output // megabyte} MB: the beginning and the last 64 KB; the rest is cut",
        f"{MAX_SUMMARY_CHARS:,} characters; the rest is cut",
        f"{Limits().memory // megabyte // 1024} GB",
    ]
    assert not re.search(r"one message between it and Dayhand may be", text)
