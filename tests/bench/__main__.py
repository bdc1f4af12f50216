"""`./packaging/bench`: our figures and those of the peers, measured in one run."""

import argparse
import json
import platform
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from tests.bench import (
    apscheduler_peer,
    cron,
    desktop,
    frozen,
    idle,
    lateness,
    our_engine,
    runs,
    scale,
    schedules,
    window,
)
from tests.bench.measure import Figure
from tests.bench.options import PARTS, read_options


def main() -> None:
    options = read_options()
    with tempfile.TemporaryDirectory(prefix="dayhand-bench-") as name:
        figures = measure(Path(name), options)
    if options.json:
        print(json.dumps({"machine": _machine(), "figures": [_as_json(figure) for figure in figures]}, indent=2))
    else:
        print(_table(figures))


def measure(folder: Path, options: argparse.Namespace) -> list[Figure]:
    def stored() -> list[Figure]:
        (folder / "peer").mkdir()
        our_engine.fill(folder / "ours", schedules.STORED)
        apscheduler_peer.fill(folder / "peer" / "jobs.db", schedules.STORED)
        return schedules.ticking(folder) + schedules.listing(folder)

    parts: dict[str, Callable[[], list[Figure]]] = {
        "cron": cron.next_times,
        "missed": schedules.missed,
        "add": lambda: schedules.adding(folder / "add", 10_000),
        "stored": stored,
        "late": lambda: lateness.lateness(folder),
        "runs": lambda: runs.runs(folder),
        "scale": lambda: scale.scale(folder),
        "desktop": desktop.against_vorta,
        "frozen": frozen.against_clone,
        "window": lambda: window.busy_window(folder),
        "idle": lambda: idle.idle(folder, options.idle_seconds),
    }
    figures = []
    for part in options.only or PARTS:
        print(f"measuring: {part} …", file=sys.stderr)
        figures += parts[part]()
    return figures


def _table(figures: list[Figure]) -> str:
    rows = [("measure", "ours", "peers", "ratio", "target", "")]
    for figure in figures:
        peers = ", ".join(f"{name} {value:.3g}" for name, value in figure.peers.items())
        ratio = "" if figure.ratio is None else f"{figure.ratio:.1f}x {figure.against}"
        sign = "<=" if figure.ratio is None else ">="
        target = "" if figure.target is None else f"{sign} {figure.target:g}"
        verdict = {True: "met", False: "MISSED", None: ""}[figure.met]
        rows.append((figure.name, f"{figure.ours:.3g} {figure.unit}", peers, ratio, target, verdict))
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in rows)


def _as_json(figure: Figure) -> dict[str, object]:
    return {
        "name": figure.name,
        "unit": figure.unit,
        "ours": figure.ours,
        "peers": figure.peers,
        "against": figure.against,
        "ratio": figure.ratio,
        "target": figure.target,
        "met": figure.met,
    }


def _machine() -> dict[str, str]:
    return {"python": platform.python_version(), "system": platform.system(), "machine": platform.machine()}


main()
