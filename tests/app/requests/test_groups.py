"""Requests are grouped by workflow and by what they ask, broken things first; a table marks what it cannot show."""

from dataclasses import replace
from typing import Any

import pytest

from app.requests.call_table import CallRow, make_call_table
from app.requests.groups import can_answer_in_group, count_others_in_scope, group_requests
from app.requests.presentation import make_card
from scheduler.connections.registry import builtin_registry
from scheduler.engine.queries.requests import RequestView
from scheduler.rules.requests import RequestKind
from tests.app.window.request_samples import (
    RECEIPT,
    make_approval,
    make_failure,
    make_mail,
    make_overview,
    make_request,
)


def make_rows(*parameters: dict[str, Any]) -> tuple[CallRow, ...]:
    requests = [make_approval(number, parameters=one) for number, one in enumerate(parameters)]
    return make_call_table(requests, make_overview(requests)).rows


def test_a_group_has_its_requests_oldest_first() -> None:
    [group] = group_requests([make_approval(1), make_approval(7), make_approval(3)])
    assert [one.sentence for one in group.requests] == ["Add receipt 7", "Add receipt 3", "Add receipt 1"]
    assert (group.oldest, group.newest) == (group.requests[0].created, group.requests[2].created)
    assert group.is_table


def test_broken_things_come_first_then_approvals_by_age() -> None:
    given = [
        make_approval(100, "oldest-approval"),
        make_approval(2),
        make_failure(1),
        make_request(50, RequestKind.RECONNECT, "mail"),
        make_request(60, RequestKind.PERMISSION, "permission"),
        make_request(40, RequestKind.UNSURE, "invoices"),
    ]
    order = [group.workflow for group in group_requests(given)]
    assert order == ["mail", "invoices", "backup", "oldest-approval", "permission", "receipts"]


@pytest.mark.parametrize(
    "other",
    [
        make_approval(1, "other"),
        make_approval(1, handler="Another"),
        make_approval(1, call={"connection": "table:other"}),
        make_approval(1, call={"tool": "replace"}),
        make_approval(1, call={"endpoint": {"path": "/home/ann/other.csv"}}),
        make_request(1, RequestKind.RUN_FAILED),
        make_request(1, RequestKind.APPROVAL),
    ],
    ids=["workflow", "consumer", "connection", "tool", "account", "kind", "no call"],
)
def test_a_table_has_one_action_of_one_consumer_on_one_account(other: RequestView) -> None:
    """The scope of "Always allow this", which answers the others in it."""
    same = [make_approval(2), make_approval(3)]
    assert sorted(len(group.requests) for group in group_requests([*same, other])) == [1, 2]
    assert count_others_in_scope(same[0], [*same, other]) == 1
    assert count_others_in_scope(other, [*same, other]) == 0


def test_the_card_says_how_many_others_always_allow_answers() -> None:
    def label(number: int) -> str:
        requests = [make_approval(one) for one in range(number)]
        card = make_card(requests[0], make_overview(requests), builtin_registry(lambda *_: None))
        return next(action.label for action in card.actions if action.id == "always")

    assert label(1) == "Always allow this"
    assert label(2) == "Always allow this, and approve 1 other"
    assert label(4) == "Always allow this, and approve 3 others"


@pytest.mark.parametrize("call", [None, "text", {}, {"connection": 7, "tool": "append", "parameters": {}}])
def test_a_request_without_a_readable_call_needs_its_card(call: Any) -> None:
    assert not can_answer_in_group(replace(make_approval(1), call=call))


def test_every_parameter_has_a_column_and_a_batch_of_one_is_opened() -> None:
    requests = [make_approval(1), make_approval(2, parameters={"rows": [{**RECEIPT, "tip": 1}]})]
    table = make_call_table(requests, make_overview(requests))
    assert table.columns == ("Shop", "Date", "Amount", "Tip")
    assert [row.cells for row in table.rows] == [
        ("Corner Bakery", "2026-11-17", "1.5", ""),
        ("Corner Bakery", "2026-11-17", "12.5", "1"),
    ]
    assert table.numeric == {2, 3}
    assert all(row.is_complete for row in table.rows)


def test_what_is_there_now_has_a_column() -> None:
    call = {"connection": "files:inbox", "tool": "delete", "target": {"kind": "folder"}}
    requests = [make_approval(1, call=call, parameters={"path": "a"}), make_approval(2, call=call)]
    table = make_call_table(requests, make_overview(requests))
    assert table.columns[-1] == "Currently there" and table.rows[0].cells[-1] == "Folder"


@pytest.mark.parametrize(
    "parameters",
    [
        {"text": "x" * 500},
        {"rows": [RECEIPT, RECEIPT, RECEIPT]},
        {f"p{number}": number for number in range(20)},
        {"to": "ann@ex\u0430mple.com"},
        {"k" * 500: 1},
    ],
    ids=["long text", "list", "many parameters", "look-alike address", "long name"],
)
def test_a_row_that_does_not_show_its_whole_call_is_marked(parameters: dict[str, Any]) -> None:
    assert [row.is_complete for row in make_rows({"text": "short"}, parameters)] == [True, False]


def test_hidden_characters_are_visible_in_cells() -> None:
    [row] = make_rows({"path": "a\u202eb"})
    assert row.cells == ("a⟨202E⟩b",)


def test_mails_to_several_customers_differ_in_their_columns() -> None:
    requests = [make_mail(1), make_mail(2)]
    assert make_call_table(requests, make_overview(requests)).columns == ("To", "Subject", "Text")
