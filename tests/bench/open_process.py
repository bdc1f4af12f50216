"""A separate process for opening and listing; prints seconds to open, seconds to list, peak memory in MB."""

import sys
import time
from datetime import UTC, datetime
from pathlib import Path


def main() -> None:
    who, path = sys.argv[1], Path(sys.argv[2])
    if who == "ours":
        from tests.bench import our_engine

        start = time.perf_counter()
        with our_engine.opened(path) as engine:
            engine.tick(datetime.now(UTC))
            opened = time.perf_counter() - start
            start = time.perf_counter()
            schedules = list(engine.schedule_queries.schedules())
            listed = time.perf_counter() - start
    else:
        from tests.bench import apscheduler_peer

        start = time.perf_counter()
        with apscheduler_peer.opened(path, paused=True) as scheduler:
            opened = time.perf_counter() - start
            start = time.perf_counter()
            schedules = scheduler.get_jobs()
            listed = time.perf_counter() - start
    assert len(schedules) >= 50_000
    print(opened, listed, _peak_memory())


def _peak_memory() -> float:
    """Of this process alone: getrusage includes the process that started it."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(float(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM"))


main()
