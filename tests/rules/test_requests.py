"""Every kind of request has one spec, and everything about a kind follows from it."""

import pytest

from scheduler.rules.failures import FailureClass
from scheduler.rules.requests import (
    REQUESTS,
    Block,
    RequestAction,
    RequestKind,
    list_commands,
    request_for_failure,
    unblock_hint,
)


@pytest.mark.parametrize("kind", RequestKind)
def test_every_kind_offers_something_that_can_be_typed(kind: RequestKind) -> None:
    assert list_commands(REQUESTS[kind].actions)


@pytest.mark.parametrize("kind", RequestKind)
def test_what_takes_no_yes_or_no_says_how_to_resolve_it(kind: RequestKind) -> None:
    spec = REQUESTS[kind]
    assert spec.takes_yes_or_no is not bool(spec.hint)


@pytest.mark.parametrize("block", Block)
def test_every_block_says_what_to_do_first(block: Block) -> None:
    assert "dayhand" in unblock_hint(block)


@pytest.mark.parametrize("failure", FailureClass)
def test_every_failure_but_a_transient_one_asks_the_user_once(failure: FailureClass) -> None:
    kinds = [kind for kind, spec in REQUESTS.items() if spec.raised_by is failure]
    assert len(kinds) == (0 if failure is FailureClass.TRANSIENT else 1)
    assert request_for_failure(failure) == (kinds[0] if kinds else None)


def test_a_failure_that_asks_the_user_blocks_the_lane() -> None:
    assert all(spec.blocks is not None for spec in REQUESTS.values() if spec.raised_by is not None)


def test_no_block_has_two_reasons() -> None:
    blocks = [spec.blocks for spec in REQUESTS.values() if spec.blocks is not None]
    assert sorted(blocks) == sorted(set(blocks))


def test_the_first_action_is_never_one_that_only_leads_elsewhere() -> None:
    assert all(spec.actions[0] is not RequestAction.OPEN for spec in REQUESTS.values())
