"""Messages and output of a script are read in limited parts, so that nothing piles up in the host."""

import os
from pathlib import Path

import pytest
from dayhand import _protocol as protocol

from scheduler.workers.channel import Channel, OutputReader
from scheduler.workers.script import MEGABYTE, Limits


def never_empty(path: Path, content: bytes) -> int:
    """The read end of a script that writes faster than it is read: a file, which never blocks."""
    path.write_bytes(content)
    return os.open(path, os.O_RDONLY)


@pytest.mark.posix("reads a file in place of a pipe")
def test_messages_are_read_one_megabyte_at_a_time(tmp_path: Path) -> None:
    one = protocol.encode({"type": "publish", "data": "x" * 1000}, MEGABYTE)
    channel = Channel(never_empty(tmp_path / "messages", one * 5000), os.dup(1), Limits())
    received = [len(channel.receive()) for _ in range(5)]
    assert sum(received) == 5000
    assert max(received) * len(one) <= MEGABYTE + len(one)
    channel.close()


@pytest.mark.posix("reads a file in place of a pipe")
def test_output_is_read_in_parts_so_that_a_stop_gets_through(tmp_path: Path) -> None:
    descriptor = never_empty(tmp_path / "printed", b"x" * (5 * MEGABYTE))
    kept: list[str] = []
    output = OutputReader(descriptor)
    output.start_phase(100 * MEGABYTE, kept.append)
    assert output.drain()
    assert sum(map(len, kept)) == 2 * MEGABYTE
    os.close(descriptor)
