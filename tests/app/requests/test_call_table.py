"""Several calls of the same action as a table with plain column names."""

from typing import Any

import pytest

from app.requests.call_table import make_call_table
from tests.app.requests.test_actions import ask, overview


def columns_of(parameters: dict[str, Any]) -> tuple[str, ...]:
    call = {"connection": "table:expenses", "tool": "append", "parameters": parameters}
    return make_call_table([ask("approval", call=call), ask("approval", id="q2", call=call)], overview()).columns


@pytest.mark.parametrize(
    ("parameters", "columns"),
    [
        ({"rows": [{"shop": "Corner Bakery", "amount": 7.4}]}, ("Shop", "Amount")),
        ({"rows": [{"shop": "Corner Bakery", "to": "ann@example.com"}], "to": "bob@example.com"}, None),
        ({"headers": {"Reply-To": "me"}, "subject": "Hi"}, ("Reply-To", "Subject")),
    ],
)
def test_a_column_is_named_by_its_key_where_that_is_unambiguous(
    parameters: dict[str, Any], columns: tuple[str, ...] | None
) -> None:
    found = columns_of(parameters)
    assert found == (columns or ("Shop", "Rows › To", "To")), found  # noqa: RUF001


def test_a_column_must_not_look_like_one_of_ours() -> None:
    """Its script chooses the keys of a row."""
    columns = columns_of({"rows": [{"currently_there": "a", "result": "b", "amount": 1}]})
    assert columns == ("Rows › Currently there", "Rows › Result", "Amount")  # noqa: RUF001
