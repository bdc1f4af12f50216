"""DBOS with three-step workflows on SQLite, in a separate process: `python -m tests.bench.dbos_peer FILE NUMBER`.

With a file that is in WAL mode already it stays so; otherwise it is as shipped.
"""

import json
import logging
import statistics
import sys
import time

from dbos import DBOS

_counted: list[int] = []


@DBOS.step()
def prepare(number: int) -> dict[str, int]:
    return {"number": number}


@DBOS.step()
def act(prepared: dict[str, int]) -> int:
    _counted.append(prepared["number"])
    return len(_counted)


@DBOS.step()
def follow(prepared: dict[str, int], result: int) -> int:
    return prepared["number"] + result


@DBOS.workflow()
def three_steps(number: int) -> int:
    prepared = prepare(number)
    return follow(prepared, act(prepared))


def main(path: str, number: int) -> None:
    logging.disable(logging.CRITICAL)
    DBOS(config={"name": "bench", "system_database_url": f"sqlite:///{path}", "run_admin_server": False})
    DBOS.launch()
    for n in range(5):
        three_steps(n)
    taken = []
    begin = time.perf_counter()
    for n in range(number):
        start = time.perf_counter()
        three_steps(n)
        taken.append(time.perf_counter() - start)
    each = (time.perf_counter() - begin) / number
    DBOS.destroy()
    print(json.dumps({"each": each, "whole": statistics.median(taken)}))


main(sys.argv[1], int(sys.argv[2]))
