"""Framed JSON, in pieces of any size."""

import pytest
from dayhand import _protocol as protocol


def test_messages_come_out_whole_however_the_bytes_arrive() -> None:
    framed = protocol.encode({"type": "a", "text": "é" * 50}, 1000) + protocol.encode({"type": "b"}, 1000)
    inbox = protocol.Inbox(1000)
    came = [message for number in range(len(framed)) for message in inbox.feed(framed[number : number + 1])]
    assert [message["type"] for message in came] == ["a", "b"]


def test_a_message_over_the_limit_is_refused_in_megabytes() -> None:
    with pytest.raises(protocol.TooLargeError, match=r"refused: a message of 3\.0 MB; at most 2 MB may pass"):
        protocol.encode({"type": "a", "text": "x" * (3 << 20)}, 2 << 20)


@pytest.mark.parametrize(
    "garbage",
    [
        b"hello world",
        protocol.HEADER.pack(3) + b"abc",
        protocol.HEADER.pack(2) + b"[]",
        protocol.HEADER.pack(2) + b"{}",
        protocol.HEADER.pack(8) + b'{"a": 1}',
        protocol.HEADER.pack(100_000) + b"[" * 100_000,
        protocol.HEADER.pack(2) + b"\xff\xff",
    ],
)
def test_what_is_no_message_is_garbage(garbage: bytes) -> None:
    with pytest.raises(protocol.GarbageError):
        protocol.Inbox(1 << 20).feed(garbage)


def test_every_phase_says_what_it_allows() -> None:
    known = protocol.QUESTIONS | protocol.NOTES
    assert all(allowed <= known for allowed in protocol.ALLOWED.values())


def encode(value: object, most: int) -> bytes:
    return protocol.encode({"type": "a", "value": value}, 1 << 20, most)


def test_a_message_with_more_values_than_allowed_is_refused() -> None:
    encode([0] * 9, 12)
    for many in ([0] * 20, [[]] * 20, [{"a": 1}] * 10, {str(n): n for n in range(20)}, [["a", "b"]] * 10):
        with pytest.raises(protocol.TooManyValuesError, match="more than 12 values"):
            encode(many, 12)


def test_commas_and_brackets_inside_a_text_are_no_values() -> None:
    for text in (",[{" * 100, '\\",[{' * 100, '"' * 100 + "," * 100, "\\" * 99 + ",,,,"):
        encode([text, text], 12)


def test_a_forged_message_with_too_many_values_is_garbage_before_it_is_parsed() -> None:
    with pytest.raises(protocol.GarbageError, match="more than 12 values"):
        protocol.Inbox(1 << 20, 12).feed(protocol.encode({"type": "a", "value": [[]] * 20}, 1 << 20))
    with pytest.raises(protocol.GarbageError):
        protocol.Inbox(1 << 20, 12).feed(protocol.HEADER.pack(10_000) + b'\\"' * 5_000)
