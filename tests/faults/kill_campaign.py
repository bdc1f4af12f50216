"""Kills the app repeatedly, at random instants and at every transaction, and checks that nothing is lost.

python -m tests.faults.kill_campaign --kills 5000 --seed 1 [--folder DIR] [--minutes N]
"""

import argparse
import os
import random
import shutil
import signal
import sqlite3
import sys
import tempfile
import time
from collections import Counter
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

from scheduler.store.backups import STORE_FILE
from scheduler.workers.processes import MARK_VARIABLE, has_mark
from tests.faults.app_process import AppProcess, start_app
from tests.faults.kill_target import COUNTED, EDITED, KillPoint, is_done, is_edited, lines
from tests.killing import KILLED
from tests.packaging.windows_programs import list_programs
from tests.runs import invariants
from tests.workers.worker_fixture import list_processes

_START_TIMEOUT_S = 120.0
"""By then a start that is not killed must have finished its work, on a busy machine."""
_MAX_FINAL_STARTS = 5
_MAX_KILL_DELAY_S = 0.9
_NEW_IDS_PER_START = 3
_KILLS_PER_ROUND = 25
"""After so many kills the work is finished and everything is checked."""


@dataclass
class Campaign:
    folder: Path
    chance: random.Random
    kills: int = 0
    starts: int = 0
    ids: int = 0
    at: Counter[tuple[str, str]] = field(default_factory=Counter)
    """How often it was killed, by place and side; "any instant" is a place too."""
    others: list[int] = field(default_factory=lambda: find_orphans(set()))
    """Processes that have nothing to do with it."""
    marks: set[str] = field(default_factory=set)
    """The marks of all workers seen."""

    def run(self, kills: int, until: float) -> None:
        while self.kills < kills and time.monotonic() < until:
            for _ in range(min(_KILLS_PER_ROUND, kills - self.kills)):
                self._add_work()
                self._start_and_kill()
            self._finish()
        self._check_processes()

    def _add_work(self) -> None:
        with (self.folder / "ids.txt").open("a") as file:
            for _ in range(_NEW_IDS_PER_START):
                self.ids += 1
                file.write(f"e{self.ids}\n")

    def _start_and_kill(self) -> None:
        place, side = self._choose()
        if place == "any instant":
            self._kill_later(
                self._start(KillPoint(places_file=self._places_file)), self.chance.uniform(0, _MAX_KILL_DELAY_S), side
            )
        else:
            times = self.chance.choice([1, 1, 2, 3])
            status = self._await(
                self._start(KillPoint(place=place, side=side, times=times, places_file=self._places_file)),
                _START_TIMEOUT_S,
            )
            if status != KILLED:
                assert status == 0, f"it exited with {status} before it reached {place}"
                self.at[place, side] += 1  # not reached in this start; others are tried first
                return
            self._count(place, side)

    def _choose(self) -> tuple[str, str]:
        """The place where it was killed least often so far."""
        if self.chance.random() < 0.35:
            return "any instant", self.chance.choice(["app", "family"])
        places = sorted({*self._places_file.read_text().split("\n")} - {""}) if self._places_file.exists() else []
        targets = [(place, side) for place in places for side in ("before", "after")]
        if not targets:
            return "any instant", "app"
        self.chance.shuffle(targets)
        return min(targets, key=lambda target: self.at[target])

    @property
    def _places_file(self) -> Path:
        return self.folder / "places.txt"

    def _start(self, doom: KillPoint) -> AppProcess:
        self.starts += 1
        return start_app(self.folder, doom)

    def _kill_later(self, app: AppProcess, seconds: float, whom: str) -> None:
        status = self._await(app, seconds, kill=False)
        if status is not None:
            assert status == 0, f"it exited with {status}"
            return
        self._record_workers()
        if whom == "family" and sys.platform != "win32":  # Windows ends workers with their app
            os.kill(app.pid, signal.SIGSTOP)
            for process in list_processes():
                if any(has_mark(process.pid, f"{MARK_VARIABLE}={mark}".encode()) for mark in self.marks):
                    os.kill(process.pid, signal.SIGKILL)
        app.kill()
        self._count("any instant", whom)

    def _await(self, app: AppProcess, seconds: float, *, kill: bool = True) -> int | None:
        """The exit status; None if it is still running by then."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            status = app.poll()
            if status is not None:
                self._record_workers()
                return status
            time.sleep(0.003)
        if kill:
            app.kill()
            with closing(sqlite3.connect(self.folder / STORE_FILE)) as db:
                left = db.execute("SELECT handler, phase, status FROM runs WHERE status <> 'committed'").fetchall()
            raise AssertionError(f"the work is not done after {seconds} seconds: {left[-20:]}")
        return None

    def _record_workers(self) -> None:
        self.marks |= {path.name for path in (self.folder / "workers").glob("*")}

    def _count(self, place: str, side: str) -> None:
        self.kills += 1
        self.at[place, side] += 1

    def _finish(self) -> None:
        """Without kills: all work gets done, and was done exactly once."""
        for _ in range(_MAX_FINAL_STARTS):  # a run that had just started when all was done continues in the next start
            status = self._await(self._start(KillPoint(places_file=self._places_file)), _START_TIMEOUT_S)
            assert status == 0, f"it exited with {status}"
            with closing(sqlite3.connect(self.folder / STORE_FILE)) as db:
                if is_done(self.folder, db):
                    break
        with closing(sqlite3.connect(self.folder / STORE_FILE)) as db:
            assert is_done(self.folder, db)
            invariants.check(db)
            invariants.no_run_is_active(db)
            self._check_done_once(db)
            # Everything in it is finished; the next round does not need it.
            db.execute("DELETE FROM change_log")
            db.commit()

    def _check_done_once(self, db: sqlite3.Connection) -> None:
        expected = Counter((self.folder / "ids.txt").read_text().split())
        ledger = dict(db.execute("SELECT key, status FROM mutations WHERE connection = 'counter:x'").fetchall())
        for name in COUNTED:
            appended = lines(self.folder, name)
            by_key = Counter(line["key"] for line in appended)
            assert set(by_key.values()) <= {1}, f"{name}: appended twice: {by_key.most_common(3)}"
            assert all(ledger[key] == "applied" for key in by_key), f"{name}: done, but not recorded as applied"
            assert Counter(one for line in appended for one in line["ids"]) == expected, f"{name}: lost or done twice"
        for line in lines(self.folder, "sent"):
            expected_text = EDITED if is_edited(line["ids"]) else "asked"
            assert line["text"] == expected_text, f"it is not what the user approved: {line}"
        keys = {line["key"] for name in COUNTED for line in lines(self.folder, name)}
        invented = {key for key, status in ledger.items() if status == "applied"} - keys
        assert not invented, f"recorded as applied, but never happened: {invented}"
        rows = Counter((self.folder / "rows.csv").read_text().split()[1:])
        assert rows == expected, "rows: lost or done twice"
        open_events = db.execute("SELECT count(*) FROM events WHERE state IN ('pending', 'reserved')").fetchone()[0]
        assert open_events == 0, f"{open_events} events are still open"

    def _check_processes(self) -> None:
        assert self.marks or sys.platform == "win32", "no worker was ever seen"
        orphans = [pid for pid in find_orphans(self.marks) if pid not in self.others]
        assert not orphans, f"workers that outlived the app: {orphans}"
        left = list((self.folder / "workers").glob("*"))
        assert not left, f"records of workers that are gone: {left}"


def find_orphans(worker_marks: set[str]) -> list[int]:
    if sys.platform == "win32":  # workers run the same Python
        return list_programs(Path(sys.executable).parent)
    marks = [f"{MARK_VARIABLE}={mark}".encode() for mark in worker_marks]
    return [one.pid for one in list_processes() if any(has_mark(one.pid, mark) for mark in marks)]


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--minutes", type=float, default=600.0, help="stop after the round in which this time is up")
    parser.add_argument("--folder", type=Path)
    options = parser.parse_args(arguments)
    folder = options.folder or Path(tempfile.mkdtemp(prefix="campaign"))
    folder.mkdir(exist_ok=True)
    campaign = Campaign(folder, random.Random(options.seed))
    began = time.monotonic()
    try:
        campaign.run(options.kills, began + options.minutes * 60)
    except BaseException:
        print(f"after {campaign.kills} kills; data left in {folder}", file=sys.stderr)  # noqa: T201
        raise
    seconds = time.monotonic() - began
    print(f"{campaign.kills} kills in {campaign.starts} starts, {seconds:.0f} s, {campaign.ids} done once")  # noqa: T201
    for (place, side), number in sorted(campaign.at.items()):
        print(f"{number:6} {side} {place}")  # noqa: T201
    if options.folder is None:
        shutil.rmtree(folder)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
