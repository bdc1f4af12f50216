"""Appends rows in processes that are killed at random instants or one step later each time, and checks the table.

python -m tests.connections.connectors.table.kill_steps FOLDER random FILE ROUNDS
python -m tests.connections.connectors.table.kill_steps FOLDER steps
"""

import itertools
import os
import random
import signal
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from scheduler.connections.connectors.table import safe_append
from scheduler.connections.connectors.table.ledger import Ledger
from tests.connections.connectors.table.table_tools import append, check, read

_LONG_TEXT = 'a "quoted", text\r\n' * 700
_ROWS_PER_BATCH = 3
_ROUNDS_PER_TABLE = 8
"""Rounds per table; with more, checking would take longer than killing."""


def batch(number: int) -> list[dict[str, Any]]:
    """Several pages of data, so that a kill can come between them; sometimes with a new column."""
    more = {f"column {number}": number} if number % 4 == 3 else {}
    return [{"n": number, "part": part, "text": _LONG_TEXT, **more} for part in range(_ROWS_PER_BATCH)]


def verify(path: Path, count: int) -> None:
    """No row is duplicated, torn, or missing although the checker reports it."""
    happened = {number for number in range(count) if check(path, str(number)).happened}
    if not path.exists():
        assert not happened
        return
    rows = read(path, limit=100_000)
    assert all(row["text"] == _LONG_TEXT for row in rows), "a torn row"
    actual = Counter(int(row["n"]) for row in rows)
    assert actual == dict.fromkeys(happened, _ROWS_PER_BATCH), f"found {actual}, the checker says {happened}"


def run_and_kill(act: Callable[[int], None], delay: Callable[[], float]) -> int:
    """Run it in a child that reports its progress through a pipe, kill it some time after its first report, and return
    the last one."""
    reading, writing_end = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        act(writing_end)
        os._exit(0)
    os.close(writing_end)
    with os.fdopen(reading, "rb") as progress:
        first = progress.readline()
        time.sleep(delay())  # a random instant, not a wait
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        return int((first + progress.read()).split()[-1])


def kill_at_random(folder: Path, name: str, rounds: int) -> None:
    seed = random.randrange(1 << 32)
    rng = random.Random(seed)
    print("seed", seed)  # noqa: T201  needed to reproduce a failure
    interrupted = 0
    for table in range(rounds // _ROUNDS_PER_TABLE):
        path = folder / str(table) / name
        path.parent.mkdir()
        count = 0
        for _ in range(_ROUNDS_PER_TABLE):
            start = count

            def add(progress: int, start: int = start, path: Path = path) -> None:
                for number in itertools.count(start):
                    os.write(progress, f"{number}\n".encode())
                    append(path, batch(number), str(number))

            last = run_and_kill(add, lambda: rng.uniform(0, 0.04))
            count = last + 1
            verify(path, count)
            if not check(path, str(last)).happened:
                interrupted += 1
            if rng.random() < 0.5:  # like a retry
                append(path, batch(last), str(last))
                assert check(path, str(last)).happened
                verify(path, count)
    assert interrupted, "no kill interrupted an addition"


def kill_at(step: int) -> None:
    """Kill this process at that step; a write may be half done."""
    left = itertools.count(step, -1)

    def die() -> None:
        if next(left) == 0:
            os.kill(os.getpid(), signal.SIGKILL)

    def wrap(owner: Any, name: str) -> None:
        real = getattr(owner, name)

        def stepped(*arguments: Any, **named: Any) -> Any:
            die()
            result = real(*arguments, **named)
            die()
            return result

        setattr(owner, name, stepped)

    def write_by_halves(descriptor: int, content: bytes) -> None:
        for part in (content[: len(content) // 2], content[len(content) // 2 :]):
            os.write(descriptor, part)
            die()

    safe_append.write_all = write_by_halves
    for owner, name in [
        (Ledger, "begin"),
        (Ledger, "finish"),
        (Ledger, "remove"),
        (os, "fsync"),
        (os, "ftruncate"),
        (os, "open"),
        (safe_append, "swap_files"),
        (Path, "replace"),
        (Path, "unlink"),
    ]:
        wrap(owner, name)


def kill_at_each_step(folder: Path) -> None:
    """Killed while adding, then killed again during recovery, then not interrupted."""
    for number in (1, 3):  # appended, and with a new column
        for step in itertools.count():
            path = folder / f"{number}-{step}" / "t.csv"
            path.parent.mkdir()
            append(path, batch(0), "0")
            if not dies(lambda: append(path, batch(number), str(number)), step):  # noqa: B023  called at once
                assert step > 10
                break
            dies(lambda: check(path, str(number)), step % 7)  # noqa: B023
            verify(path, number + 1)
            append(path, batch(number), str(number))
            assert check(path, str(number)).happened
            verify(path, number + 1)


def dies(act: Callable[[], Any], step: int) -> bool:
    child = os.fork()
    if child == 0:
        kill_at(step)
        act()
        os._exit(0)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    assert code in (0, -signal.SIGKILL)
    return code != 0


if __name__ == "__main__":
    place = Path(sys.argv[1])
    if sys.argv[2] == "steps":
        kill_at_each_step(place)
    else:
        kill_at_random(place, sys.argv[3], int(sys.argv[4]))
