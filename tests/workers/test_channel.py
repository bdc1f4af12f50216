"""What comes from a script is taken in parts, however much of it there is: nothing piles up in the host."""

import os
from pathlib import Path

from dayhand import _protocol as protocol

from scheduler.workers.channel import Channel
from scheduler.workers.limits import MEGABYTE, Limits
from scheduler.workers.output import Output


def never_empty(path: Path, content: bytes) -> int:
    """The reading end of a script that writes faster than anybody reads: a file, which never makes a reader wait."""
    path.write_bytes(content)
    return os.open(path, os.O_RDONLY)


def test_messages_are_taken_a_megabyte_at_a_time(tmp_path: Path) -> None:
    one = protocol.encode({"type": "publish", "data": "x" * 1000}, MEGABYTE)
    channel = Channel(never_empty(tmp_path / "said", one * 5000), os.dup(1), Limits())
    came = [len(channel.receive()) for _ in range(5)]
    assert sum(came) == 5000
    assert max(came) * len(one) <= MEGABYTE + len(one)
    channel.close()


def test_what_is_printed_is_taken_in_parts_so_that_a_stop_is_heard(tmp_path: Path) -> None:
    descriptor = never_empty(tmp_path / "printed", b"x" * (5 * MEGABYTE))
    kept: list[str] = []
    output = Output(descriptor)
    output.begin(100 * MEGABYTE, kept.append)
    assert output.drain()
    assert sum(map(len, kept)) == 2 * MEGABYTE
    os.close(descriptor)
