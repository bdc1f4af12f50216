"""A program that uses the library and kills itself at a chosen point.

python -m tests.library.crash_process FILE SECONDS LOG POINT
"""

import os
import sys
from datetime import timedelta
from pathlib import Path

from scheduler import Scheduler
from scheduler.library import DueRun
from tests.clocks import ManualClock
from tests.killing import KILL


def main(file: str, seconds: str, log: str, point: str) -> None:
    clock = ManualClock()
    clock.move(timedelta(seconds=int(seconds)))
    scheduler = Scheduler(file, timezone="UTC", clock=clock)
    lines = Path(log)

    def handle(run: DueRun) -> None:
        if point == "before the work":
            os.kill(os.getpid(), KILL)
        with lines.open("a") as out:
            out.write(f"{run.planned:%H:%M} {run.key}\n")
        if point == "after the work":
            os.kill(os.getpid(), KILL)

    scheduler.on_due(handle)
    scheduler.upsert_schedule("job", every="1h", overlap="buffer_all", anchor="2026-11-16T10:00Z")
    if point == "before the tick":
        os.kill(os.getpid(), KILL)
    while True:
        wake = scheduler.tick()
        if point == "after the tick":
            os.kill(os.getpid(), KILL)
        scheduler.stop(60)
        if wake > clock.now() and scheduler.run_stats().underway == 0:
            break
    if point == "after the run":
        os.kill(os.getpid(), KILL)
    scheduler.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
