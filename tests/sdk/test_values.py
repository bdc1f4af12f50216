"""Values that are not JSON are reported by their path."""

from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any

import dayhand
import pytest
from dayhand._values import check
from hypothesis import given
from hypothesis import strategies as st

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=10,
)


def nested(depth: int) -> Any:
    return [nested(depth - 1)] if depth else 1


def test_json_is_accepted() -> None:
    check({"a": [1, 2.5, None, True, ("x", "é")], "b": {}}, "data")
    check(nested(90), "data")


@pytest.mark.parametrize(
    ("value", "sentence"),
    [
        ({"rows": [1, 2, 3, {"when": datetime.now(UTC)}]}, "data.rows[3].when is a datetime; write .isoformat()."),
        ({"a b": date.today()}, "data['a b'] is a date; write .isoformat()."),  # noqa: DTZ011
        ([{1}], "data[0] is a set; write sorted(…) or list(…)."),
        (b"x", "data is a bytes; write .decode(), or the path of a file."),
        (Decimal(1), "data is a Decimal; write str(…) or float(…)."),
        ({3: 1}, "data has the key 3, an int; keys are strings: write str(3)."),
        ([float("nan")], "data[0] is nan, which JSON does not have; write None."),
        ("\ud800", "data is a string with an invalid character; write .encode(errors='replace').decode()."),
        ({"\ud800": 1}, "data has the key '\\ud800' with an invalid character"),
        (10**400, "data is too large for a JSON number; write str(…)."),
        (object(), "data is an object; JSON has strings, numbers, True, False, None, lists and dicts."),
        (nested(200), "is nested too deeply, or contains itself; make it flatter."),
    ],
)
def test_anything_else_is_rejected_with_its_path(value: Any, sentence: str) -> None:
    with pytest.raises(dayhand.Misuse) as caught:
        check(value, "data")
    assert sentence in str(caught.value)


def test_a_list_that_contains_itself_is_rejected() -> None:
    endless: list[Any] = []
    endless.append(endless)
    with pytest.raises(dayhand.Misuse, match="contains itself"):
        check(endless, "data")


@given(JSON)
def test_accepted_values_survive_the_protocol(value: Any) -> None:
    from dayhand import _protocol as protocol

    try:
        check(value, "data")
    except dayhand.Misuse:
        return
    framed = protocol.encode({"type": "x", "value": value}, 1 << 20)
    (message,) = protocol.Inbox(1 << 20).feed(framed)
    assert message["value"] == value


class TestPrepared:
    def test_reserve_must_contain_events(self) -> None:
        with pytest.raises(dayhand.Misuse, match=r"reserve\[0\] is not an event; reserve events from ctx.peek"):
            dayhand.prepared(reserve=["a"])  # type: ignore[list-item]

    def test_one_event_is_not_a_list(self) -> None:
        event = dayhand.Event(id="a", title="", data=None, topic=dayhand.Topic("t"), published_at=None)
        with pytest.raises(dayhand.Misuse, match=r"write reserve=\[event\]"):
            dayhand.prepared(reserve=event)  # type: ignore[arg-type]

    @pytest.mark.parametrize(
        ("settings", "sentence"),
        [
            ({"reserve": 3}, "write reserve=ctx.peek"),
            ({"say": 3}, "say is not a string"),
            ({"ui": 3}, "ui is not a dict"),
            ({"data": {1, 2}}, "data is a set"),
            ({"ui": {"Total": Decimal(1)}}, "ui.Total is a Decimal"),
        ],
    )
    def test_other_mistakes(self, settings: dict[str, Any], sentence: str) -> None:
        with pytest.raises(dayhand.Misuse) as caught:
            dayhand.prepared(**settings)
        assert sentence in str(caught.value)

    def test_wake_times_become_text_and_the_host_checks_them(self) -> None:
        at = datetime(2026, 11, 16, 9, tzinfo=UTC)
        text = dayhand.nothing(wake_at=at).wake_at
        assert text is not None and datetime.fromisoformat(text) == at
        assert dayhand.nothing(wake_at="soon").wake_at == "soon"
        in_an_hour: Any = timedelta(hours=1)
        assert dayhand.nothing(wake_at=in_an_hour).wake_at == "datetime.timedelta(seconds=3600) (a timedelta)"
        assert dayhand.nothing().wake_at is None
