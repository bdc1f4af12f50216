"""One-time codes: the test vectors of RFC 6238, and that each code counts once."""

import base64
from datetime import UTC, datetime, timedelta

import pytest

from scheduler.rules.one_time_codes import code_at, find_step, key_address, make_key, parse_code, parse_key, step_at

KEY = b"12345678901234567890"
NOW = datetime(2026, 11, 20, 12, 0, 10, tzinfo=UTC)


@pytest.mark.parametrize(
    ("seconds", "code"),
    [
        (59, "287082"),
        (1111111109, "081804"),
        (1111111111, "050471"),
        (1234567890, "005924"),
        (2000000000, "279037"),
        (20000000000, "353130"),
    ],
)
def test_codes_are_those_of_the_standard(seconds: int, code: str) -> None:
    assert code_at(KEY, step_at(datetime.fromtimestamp(seconds, UTC))) == code


def test_a_code_counts_a_step_early_or_late_and_no_more() -> None:
    code, now_step = code_at(KEY, step_at(NOW)), step_at(NOW)
    for steps, found in ((-2, None), (-1, now_step), (0, now_step), (1, now_step), (2, None)):
        assert find_step(KEY, code, NOW + steps * timedelta(seconds=30), None) == found, steps


def test_a_code_counts_once_and_none_before_it_counts_after_it() -> None:
    step = step_at(NOW)
    assert find_step(KEY, code_at(KEY, step), NOW, step) is None
    assert find_step(KEY, code_at(KEY, step - 1), NOW, step) is None
    assert find_step(KEY, code_at(KEY, step + 1), NOW, step) == step + 1


@pytest.mark.parametrize(
    ("text", "code"),
    [
        *(("123456", "123456"), (" 123 456\n", "123456"), ("123-456", "123456"), ("12345", None)),
        *(("1234567", None), ("code 123456", None), ("١٢٣٤٥٦", None), ("", None)),
    ],
)
def test_only_a_code_is_taken_for_one(text: str, code: str | None) -> None:
    assert parse_code(text) == code


@pytest.mark.parametrize("text", ["", "JBSWY3DP", "not base32!", "0189" * 8, "é" * 32])
def test_a_short_or_malformed_key_is_none(text: str) -> None:
    assert parse_key(text) is None


def test_a_key_can_be_typed_as_apps_show_it() -> None:
    key = make_key(bytes(range(20)))
    assert parse_key(key) == bytes(range(20))
    assert parse_key(" ".join(key.lower()[place : place + 4] for place in range(0, len(key), 4))) == bytes(range(20))
    assert base64.b32decode(key) == bytes(range(20))
    assert key_address(key, "ntfy:me") == f"otpauth://totp/Dayhand%3Antfy%3Ame?secret={key}&issuer=Dayhand"
