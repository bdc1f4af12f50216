"""What the times behind a blocked lane are told."""

from datetime import UTC, datetime

import pytest

from scheduler.rules.hold_up import describe_hold_up
from scheduler.rules.requests import Block
from scheduler.user_text import UserText, format_instants, pack, unpack

FAILED, UNTIL = datetime(2026, 11, 16, 16, 34, tzinfo=UTC), datetime(2026, 11, 16, 16, 39, tzinfo=UTC)


def shown(text: str) -> str:
    """As a page shows it later, from the store."""
    stored = unpack(pack(text))
    assert stored is not None
    return format_instants(stored, lambda at: UserText("at {time}", time=f"{at:%H:%M}"))


@pytest.mark.parametrize("block", Block)
def test_every_block_has_a_sentence(block: Block) -> None:
    assert shown(describe_hold_up(block, failed_at=FAILED)).startswith("Held up: ")
    assert shown(describe_hold_up(block, failed_at=None)).startswith("Held up: ")


@pytest.mark.parametrize("block", Block)
def test_a_block_that_ends_without_the_user_says_when(block: Block) -> None:
    text = describe_hold_up(block, failed_at=FAILED, until=UNTIL)
    assert shown(text) == "Held up: failed at 16:34, next try at 16:39."


@pytest.mark.parametrize(
    ("block", "sentence"),
    [
        (Block.SCRIPT_ERROR, "Held up: failed at 16:34."),
        (Block.TOO_MANY_FAILURES, "Held up: failed at 16:34."),
        (Block.INTERNAL, "Held up: failed at 16:34."),
        (Block.RECONNECT, "Held up: waiting for you to connect an account."),
        (Block.PERMISSION, "Held up: waiting for your permission."),
        (Block.UNSURE, "Held up: waiting for your answer."),
        (Block.INTERRUPTED, "Held up: waiting for your answer."),
    ],
)
def test_the_sentence_of_a_block_that_the_user_ends(block: Block, sentence: str) -> None:
    assert shown(describe_hold_up(block, failed_at=FAILED)) == sentence


def test_while_a_tool_finds_out_nobody_is_asked() -> None:
    text = describe_hold_up(Block.UNSURE, failed_at=FAILED, is_checking=True)
    assert shown(text) == "Held up: checking whether the last action happened."


def test_another_handler_of_the_lane_is_named() -> None:
    assert shown(describe_hold_up(Block.SCRIPT_ERROR, failed_at=FAILED, handler="C")) == "Held up: C failed at 16:34."
