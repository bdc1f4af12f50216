"""Adds rows to a table in processes that are killed, at random instants or one step later each time, and looks.

python -m tests.connections.connectors.table.killing FOLDER random FILE ROUNDS
python -m tests.connections.connectors.table.killing FOLDER steps
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

from scheduler.connections.connectors.table import writing
from scheduler.connections.connectors.table.ledger import Ledger
from tests.connections.connectors.table.tables import append, check, read

_LONG = 'a "quoted", text\r\n' * 700
_ROWS = 3
_EACH = 8
"""Rounds until a new table is begun; otherwise looking takes longer than killing."""


def batch(number: int) -> list[dict[str, Any]]:
    """Several pages, so that a kill can come between them; now and then with a new column."""
    more = {f"column {number}": number} if number % 4 == 3 else {}
    return [{"n": number, "part": part, "text": _LONG, **more} for part in range(_ROWS)]


def look(path: Path, count: int) -> None:
    """No row twice, none torn, none missing that the checker knows."""
    happened = {number for number in range(count) if check(path, str(number)).happened}
    if not path.exists():
        assert not happened
        return
    rows = read(path, limit=100_000)
    assert all(row["text"] == _LONG for row in rows), "a torn row"
    found = Counter(int(row["n"]) for row in rows)
    assert found == dict.fromkeys(happened, _ROWS), f"found {found}, the checker says {happened}"


def killed(act: Callable[[int], None], delay: Callable[[], float]) -> int:
    """Run it in a child with a pipe to say how far it is; kill it some time after its first word. Its last word."""
    reading, writing_end = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        act(writing_end)
        os._exit(0)
    os.close(writing_end)
    with os.fdopen(reading, "rb") as told:
        first = told.readline()
        time.sleep(delay())  # the instant itself: nothing is waited for
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        return int((first + told.read()).split()[-1])


def kill_at_random(folder: Path, name: str, rounds: int) -> None:
    seed = random.randrange(1 << 32)
    chance = random.Random(seed)
    print("seed", seed)  # noqa: T201  what a failure needs
    interrupted = 0
    for table in range(rounds // _EACH):
        path = folder / str(table) / name
        path.parent.mkdir()
        count = 0
        for _ in range(_EACH):
            start = count

            def add(told: int, start: int = start, path: Path = path) -> None:
                for number in itertools.count(start):
                    os.write(told, f"{number}\n".encode())
                    append(path, batch(number), str(number))

            last = killed(add, lambda: chance.uniform(0, 0.04))
            count = last + 1
            look(path, count)
            if not check(path, str(last)).happened:
                interrupted += 1
            if chance.random() < 0.5:  # as a retry would
                append(path, batch(last), str(last))
                assert check(path, str(last)).happened
                look(path, count)
    assert interrupted, "no kill ever came between"


def kill_at(step: int) -> None:
    """This process dies at its so-manyth step; of a write only half is done."""
    left = itertools.count(step, -1)

    def die() -> None:
        if next(left) == 0:
            os.kill(os.getpid(), signal.SIGKILL)

    def around(owner: Any, name: str) -> None:
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

    writing.write_all = write_by_halves
    for owner, name in [
        (Ledger, "begin"),
        (Ledger, "finish"),
        (Ledger, "forget"),
        (os, "fsync"),
        (os, "ftruncate"),
        (os, "open"),
        (writing, "exchange"),
        (Path, "replace"),
        (Path, "unlink"),
    ]:
        around(owner, name)


def kill_at_each_step(folder: Path) -> None:
    """Killed at a step while adding, then killed again at a step while tidying up after that, then left alone."""
    for number in (1, 3):  # appended, and with a new column
        for step in itertools.count():
            path = folder / f"{number}-{step}" / "t.csv"
            path.parent.mkdir()
            append(path, batch(0), "0")
            if not dies(lambda: append(path, batch(number), str(number)), step):  # noqa: B023  called at once
                assert step > 10
                break
            dies(lambda: check(path, str(number)), step % 7)  # noqa: B023
            look(path, number + 1)
            append(path, batch(number), str(number))
            assert check(path, str(number)).happened
            look(path, number + 1)


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
