"""Framed JSON in chunks of any size."""

import pytest
from dayhand import _protocol as protocol


def test_messages_are_assembled_from_chunks_of_any_size() -> None:
    framed = protocol.encode({"type": "a", "text": "é" * 50}, 1000) + protocol.encode({"type": "b"}, 1000)
    inbox = protocol.Inbox(1000)
    received = [message for number in range(len(framed)) for message in inbox.feed(framed[number : number + 1])]
    assert [message["type"] for message in received] == ["a", "b"]


def test_a_message_over_the_limit_is_rejected_with_its_size() -> None:
    with pytest.raises(protocol.TooLargeError, match=r"too large: 3\.0 MB; at most 2 MB can be passed"):
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
def test_invalid_bytes_are_garbage(garbage: bytes) -> None:
    with pytest.raises(protocol.GarbageError):
        protocol.Inbox(1 << 20).feed(garbage)


def test_phases_allow_only_known_messages() -> None:
    known = protocol.QUESTIONS | protocol.NOTES
    assert all(allowed <= known for allowed in protocol.ALLOWED.values())


def encode(value: object, most: int) -> bytes:
    return protocol.encode({"type": "a", "value": value}, 1 << 20, most)


def test_a_message_with_too_many_values_is_rejected() -> None:
    encode([0] * 9, 12)
    for many in ([0] * 20, [[]] * 20, [{"a": 1}] * 10, {str(n): n for n in range(20)}, [["a", "b"]] * 10):
        with pytest.raises(protocol.TooManyValuesError, match="more than 12 values"):
            encode(many, 12)


def test_commas_and_brackets_inside_a_string_are_not_counted() -> None:
    for text in (",[{" * 100, '\\",[{' * 100, '"' * 100 + "," * 100, "\\" * 99 + ",,,,"):
        encode([text, text], 12)


def test_too_many_values_are_garbage_before_parsing() -> None:
    with pytest.raises(protocol.GarbageError, match="more than 12 values"):
        protocol.Inbox(1 << 20, 12).feed(protocol.encode({"type": "a", "value": [[]] * 20}, 1 << 20))
    with pytest.raises(protocol.GarbageError):
        protocol.Inbox(1 << 20, 12).feed(protocol.HEADER.pack(10_000) + b'\\"' * 5_000)
