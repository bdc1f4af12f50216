"""Host names in the texts of a call: punycode forms and look-alikes."""

from typing import Any

import pytest

from app.widgets.server_names import LookAlike, add_punycode, find_look_alikes

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
def test_the_punycode_form_is_added(text: str, shown: str) -> None:
    assert add_punycode(text) == shown


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
def test_a_look_alike_is_found_anywhere(value: Any) -> None:
    checked = find_look_alikes(value)
    assert checked.look_alikes == (APPLE,)
    assert checked.is_complete


@pytest.mark.parametrize(
    "value", ["anna@example.org", {"a": "m\u00fcller.de"}, None, 1, [], {"a": {}}, "v1.25", "a.txt"]
)
def test_ordinary_values_raise_no_warning(value: Any) -> None:
    assert find_look_alikes(value).look_alikes == ()


def test_an_incomplete_check_is_reported() -> None:
    assert not find_look_alikes([[] for _ in range(11)], 10).is_complete
    assert not find_look_alikes({"a": [["x@\u0430pple.com"]] * 11}, 10).is_complete
    assert find_look_alikes([1] * 9, 10).is_complete


def test_too_many_look_alikes_are_truncated_and_reported() -> None:
    checked = find_look_alikes([f"a@\u0430pple{n}.com" for n in range(100)])
    assert len(checked.look_alikes) == 20
    assert not checked.is_complete


def test_deeply_nested_data_is_checked() -> None:
    deep: Any = "a@\u0430pple.com"
    for _ in range(5000):
        deep = [deep]
    assert find_look_alikes(deep).look_alikes == (APPLE,)
