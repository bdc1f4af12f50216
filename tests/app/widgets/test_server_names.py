"""Names of servers in the texts of a call: the form that goes over the wire, and those that look like others."""

from typing import Any

import pytest

from app.widgets.server_names import LookAlike, add_wire_forms, find_look_alikes

APPLE = LookAlike("\u0430pple.com", "xn--pple-43d.com", "apple.com")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("anna@example.org", "anna@example.org"),
        ("Gr\u00fc\u00dfe aus K\u00f6ln.Morgen mehr", "Gr\u00fc\u00dfe aus K\u00f6ln.Morgen mehr"),
        ("Anna <anna@m\u00fcller.de>, Bo", "Anna <anna@m\u00fcller.de⟨xn--mller-kva.de⟩>, Bo"),
        ("at https://m\u00fcller.de:8080/a?b.", "at https://m\u00fcller.de⟨xn--mller-kva.de⟩:8080/a?b."),
        ("m\u00fcller.de", "m\u00fcller.de⟨xn--mller-kva.de⟩"),
        ("https://apple.com@\u0435vil.com/", "https://apple.com@\u0435vil.com⟨xn--vil-qdd.com⟩/"),
        ("a@m\u00fc\u200bller.de", "a@m\u00fc\u200bller.de"),
    ],
)
def test_the_form_of_a_name_that_goes_over_the_wire_stands_beside_it(text: str, shown: str) -> None:
    assert add_wire_forms(text) == shown


@pytest.mark.parametrize(
    "value",
    [
        "\u0430pple.com",
        {"to": ["anna@\u0430pple.com"]},
        {"body": "see https://\u0430pple.com/pay now"},
        [[[{"\u0430pple.com": 1}]]],
        {"rows": [{"a": n} for n in range(1000)] + [{"a": "x@\u0430pple.com"}]},
    ],
)
def test_a_name_that_looks_like_another_is_found_wherever_it_is(value: Any) -> None:
    checked = find_look_alikes(value)
    assert checked.look_alikes == (APPLE,)
    assert checked.is_whole


@pytest.mark.parametrize(
    "value", ["anna@example.org", {"a": "m\u00fcller.de"}, None, 1, [], {"a": {}}, "v1.25", "a.txt"]
)
def test_ordinary_values_raise_no_alarm(value: Any) -> None:
    assert find_look_alikes(value).look_alikes == ()


def test_what_was_not_looked_at_is_not_called_checked() -> None:
    assert not find_look_alikes([[] for _ in range(11)], 10).is_whole
    assert not find_look_alikes({"a": [["x@\u0430pple.com"]] * 11}, 10).is_whole
    assert find_look_alikes([1] * 9, 10).is_whole


def test_many_are_cut_off_and_that_is_said() -> None:
    checked = find_look_alikes([f"a@\u0430pple{n}.com" for n in range(100)])
    assert len(checked.look_alikes) == 20
    assert not checked.is_whole


def test_data_that_is_nested_deeply_is_looked_through() -> None:
    deep: Any = "a@\u0430pple.com"
    for _ in range(5000):
        deep = [deep]
    assert find_look_alikes(deep).look_alikes == (APPLE,)
