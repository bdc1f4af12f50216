"""Durable three-step runs compared with DBOS, and the overhead of a warm run before the script's first line."""

import json
import sqlite3
import statistics
import subprocess
import sys
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from tests.bench.measure import REPEATS, Figure, measure_seconds

NUMBER = 300


def runs(folder: Path) -> list[Figure]:
    measures = {"ours": _ours, "DBOS WAL": _dbos_wal, "DBOS as shipped": _dbos}
    results: dict[str, list[dict[str, float]]] = {name: [] for name in measures}
    for _ in range(REPEATS):
        for name, measure in measures.items():
            results[name].append(measure(Path(mkdtemp(dir=folder))))

    def median(name: str, part: str) -> float:
        return statistics.median(one[part] for one in results[name]) * 1000

    peers = [name for name in measures if name != "ours"]
    return [
        Figure(
            name="three durable steps, one lane, a run",
            unit="ms",
            ours=median("ours", "each"),
            peers={name: median(name, "each") for name in peers},
            against="DBOS WAL",
            target=4,
        ),
        Figure(
            name="one run, due to committed, p50",
            unit="ms",
            ours=median("ours", "whole"),
            peers={name: median(name, "whole") for name in peers},
            against="DBOS WAL",
            target=2,
        ),
        Figure(name="warm, due to the script's first line, p50", unit="ms", ours=median("ours", "first"), target=5),
        Figure(name="an interpreter, started for comparison", unit="ms", ours=_interpreter() * 1000),
    ]


def _ours(folder: Path) -> dict[str, float]:
    return _tell("tests.bench.our_runs", str(folder), str(NUMBER))


def _dbos(folder: Path) -> dict[str, float]:
    return _tell("tests.bench.dbos_peer", str(folder / "dbos.db"), str(NUMBER))


def _dbos_wal(folder: Path) -> dict[str, float]:
    connection = sqlite3.connect(folder / "dbos.db")
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("CREATE TABLE kept (word)")
    connection.close()
    return _dbos(folder)


def _tell(module: str, *arguments: str) -> dict[str, float]:
    command = [sys.executable, "-m", module, *arguments]
    output = subprocess.run(command, check=True, capture_output=True, text=True, timeout=300).stdout
    result: Any = json.loads(output.strip().splitlines()[-1])
    return dict(result)


def _interpreter() -> float:
    command = [sys.executable, "-I", "-c", "pass"]
    return statistics.median(measure_seconds(lambda: subprocess.run(command, check=True)) for _ in range(20))
