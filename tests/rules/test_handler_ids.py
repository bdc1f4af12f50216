"""Ids of handlers and lanes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scheduler.rules.handler_ids import (
    handler_id,
    handler_id_bounds,
    lane_id,
    lane_name,
    name_in_words,
    split_handler_id,
    split_target,
)

SLUGS = st.from_regex(r"[a-z0-9]+(-[a-z0-9]+)*", fullmatch=True)
HANDLERS = st.from_regex(r"[A-Za-z_][A-Za-z0-9_]*", fullmatch=True)


@given(SLUGS, HANDLERS)
def test_an_id_is_split_into_what_it_was_made_of(workflow: str, handler: str) -> None:
    assert split_handler_id(handler_id(workflow, handler)) == (workflow, handler)


@given(SLUGS, SLUGS, HANDLERS)
def test_only_the_ids_of_the_workflow_lie_within_its_bounds(workflow: str, other: str, handler: str) -> None:
    first, last = handler_id_bounds(workflow)
    assert (first < handler_id(other, handler) < last) is (other == workflow)
    assert first < handler_id(workflow, handler) < last


@pytest.mark.parametrize(("text", "target"), [("w", ("w", None)), ("w/", ("w", None)), ("w/h", ("w", "h"))])
def test_a_target_is_a_workflow_or_one_of_its_handlers(text: str, target: tuple[str, str | None]) -> None:
    assert split_target(text) == target


@pytest.mark.parametrize(("kind", "lane"), [("job", "h"), ("producer", ""), ("consumer", "")])
def test_a_job_has_its_own_lane(kind: str, lane: str) -> None:
    assert lane_name("h", kind) == lane
    assert lane_id("w", "h", kind) == f"w/{lane}"


@pytest.mark.parametrize(
    ("handler", "words"),
    [
        ("back_up", "Back up"),
        ("check", "Check"),
        ("FileReceipt", "File receipt"),
        ("syncNAS", "Sync NAS"),
        ("NASBackup", "NAS backup"),
        ("poll2", "Poll2"),
        ("_", "_"),
        ("größe_prüfen", "Größe prüfen"),
    ],
)
def test_a_name_reads_as_words(handler: str, words: str) -> None:
    assert name_in_words(handler) == words
