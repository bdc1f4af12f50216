"""Kills the app again and again, at random instants and at every transaction, and looks whether anything is lost.

python -m tests.faults.campaign --kills 5000 --seed 1 [--folder DIR] [--minutes N]
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
import traceback
from collections import Counter
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

from scheduler.store.backups import FILE
from scheduler.workers.processes import MARK, carries, living
from tests.faults.victim import COUNTED, Doom, is_done, lines, live
from tests.runs import invariants

_A_LIFE = 120.0
"""Seconds in which a life that nobody ends must have done its work, on a busy machine."""
_LAST_LIVES = 5
_LONGEST = 0.9
"""Seconds after which a life is ended at the latest, if it is to be ended at a random instant."""
_AT_ONCE = 3
"""Pieces of work that each life finds new."""
_A_ROUND = 25
"""Kills after which the work is brought to its end and everything is looked at."""


@dataclass
class Campaign:
    folder: Path
    chance: random.Random
    kills: int = 0
    lives: int = 0
    ids: int = 0
    at: Counter[tuple[str, str]] = field(default_factory=Counter)
    """How often it was killed, by place and side; a random instant is a place too."""
    marks: set[str] = field(default_factory=set)
    """Of every worker that was seen."""

    def fight(self, kills: int, until: float) -> None:
        while self.kills < kills and time.monotonic() < until:
            for _ in range(min(_A_ROUND, kills - self.kills)):
                self._bring_work()
                self._live_and_die()
            self._finish()
        self._look_at_the_machine()

    def _bring_work(self) -> None:
        with (self.folder / "ids.txt").open("a") as file:
            for _ in range(_AT_ONCE):
                self.ids += 1
                file.write(f"e{self.ids}\n")

    def _live_and_die(self) -> None:
        place, side = self._choose()
        if place == "any instant":
            self._kill_later(self._fork(Doom(book=self._book)), self.chance.uniform(0, _LONGEST), side)
        else:
            times = self.chance.choice([1, 1, 2, 3])
            status = self._await(self._fork(Doom(place=place, side=side, times=times, book=self._book)), _A_LIFE)
            if status != -signal.SIGKILL:
                assert status == 0, f"it ended with {status} before it came to {place}"
                self.at[place, side] += 1  # not met in this life; others are tried first
                return
            self._count(place, side)

    def _choose(self) -> tuple[str, str]:
        """The place where it has died the least so far."""
        if self.chance.random() < 0.35:
            return "any instant", self.chance.choice(["app", "family"])
        places = sorted({*self._book.read_text().split("\n")} - {""}) if self._book.exists() else []
        fates = [(place, side) for place in places for side in ("before", "after")]
        if not fates:
            return "any instant", "app"
        self.chance.shuffle(fates)
        return min(fates, key=lambda fate: self.at[fate])

    @property
    def _book(self) -> Path:
        return self.folder / "places.txt"

    def _fork(self, doom: Doom) -> int:
        """A process of its own; everything it needs is loaded already, so that it is there at once."""
        self.lives += 1
        child = os.fork()
        if child:
            return child
        try:
            os.setsid()
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            live(self.folder, doom)
            os._exit(0)
        except BaseException:  # noqa: BLE001  the outermost frame of that process
            traceback.print_exc()
            os._exit(1)

    def _kill_later(self, child: int, seconds: float, whom: str) -> None:
        status = self._await(child, seconds, kill=False)
        if status is not None:
            assert status == 0, f"it ended by itself with {status}"
            return
        self._remember_workers()
        if whom == "family":
            os.kill(child, signal.SIGSTOP)
            for process in living():
                if any(carries(process.pid, f"{MARK}={mark}".encode()) for mark in self.marks):
                    os.kill(process.pid, signal.SIGKILL)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        self._count("any instant", whom)

    def _await(self, child: int, seconds: float, *, kill: bool = True) -> int | None:
        """How it ended; None if it still lives by then."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            pid, status = os.waitpid(child, os.WNOHANG)
            if pid:
                self._remember_workers()
                return os.waitstatus_to_exitcode(status)
            time.sleep(0.003)
        if kill:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            with closing(sqlite3.connect(self.folder / FILE)) as db:
                left = db.execute("SELECT handler, phase, status FROM runs WHERE status <> 'committed'").fetchall()
            raise AssertionError(f"the work is not done after {seconds} seconds: {left[-20:]}")
        return None

    def _remember_workers(self) -> None:
        self.marks |= {path.name for path in (self.folder / "workers").glob("*")}

    def _count(self, place: str, side: str) -> None:
        self.kills += 1
        self.at[place, side] += 1

    def _finish(self) -> None:
        """Nobody interferes: the work is done, and it was done once."""
        for _ in range(_LAST_LIVES):  # a look that had just begun when all was done goes on in the next life
            status = self._await(self._fork(Doom(book=self._book)), _A_LIFE)
            assert status == 0, f"it ended with {status}"
            with closing(sqlite3.connect(self.folder / FILE)) as db:
                if is_done(self.folder, db):
                    break
        with closing(sqlite3.connect(self.folder / FILE)) as db:
            assert is_done(self.folder, db)
            invariants.check(db)
            invariants.no_run_is_active(db)
            self._nothing_is_lost_or_done_twice(db)
            # Everything in it is over; the next round needs none of it.
            db.execute("DELETE FROM witness")
            db.commit()

    def _nothing_is_lost_or_done_twice(self, db: sqlite3.Connection) -> None:
        wanted = Counter((self.folder / "ids.txt").read_text().split())
        ledger = dict(db.execute("SELECT key, status FROM mutations WHERE connection = 'counter:x'").fetchall())
        for name in COUNTED:
            appended = lines(self.folder, name)
            by_key = Counter(line["key"] for line in appended)
            assert set(by_key.values()) <= {1}, f"{name}: appended twice: {by_key.most_common(3)}"
            assert all(ledger[key] == "applied" for key in by_key), f"{name}: done, and the ledger denies it"
            assert Counter(one for line in appended for one in line["ids"]) == wanted, f"{name}: lost or done twice"
        keys = {line["key"] for name in COUNTED for line in lines(self.folder, name)}
        invented = {key for key, status in ledger.items() if status == "applied"} - keys
        assert not invented, f"the ledger says applied of what never happened: {invented}"
        rows = Counter((self.folder / "rows.csv").read_text().split()[1:])
        assert rows == wanted, "rows: lost or done twice"
        open_events = db.execute("SELECT count(*) FROM events WHERE state IN ('pending', 'reserved')").fetchone()[0]
        assert open_events == 0, f"{open_events} events were left lying"

    def _look_at_the_machine(self) -> None:
        assert self.marks, "no worker was ever seen"
        marks = [f"{MARK}={mark}".encode() for mark in self.marks]
        orphans = [one.pid for one in living() if any(carries(one.pid, mark) for mark in marks)]
        assert not orphans, f"workers that outlived the app: {orphans}"
        left = list((self.folder / "workers").glob("*"))
        assert not left, f"records of workers that are gone: {left}"


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--minutes", type=float, default=600.0, help="end after the round in which they have passed")
    parser.add_argument("--folder", type=Path)
    options = parser.parse_args(arguments)
    folder = options.folder or Path(tempfile.mkdtemp(prefix="campaign"))
    folder.mkdir(exist_ok=True)
    campaign = Campaign(folder, random.Random(options.seed))
    began = time.monotonic()
    try:
        campaign.fight(options.kills, began + options.minutes * 60)
    except BaseException:
        print(f"after {campaign.kills} kills; what is left lies in {folder}", file=sys.stderr)  # noqa: T201
        raise
    seconds = time.monotonic() - began
    print(f"{campaign.kills} kills in {campaign.lives} lives, {seconds:.0f} s, {campaign.ids} done once")  # noqa: T201
    for (place, side), number in sorted(campaign.at.items()):
        print(f"{number:6} {side} {place}")  # noqa: T201
    if options.folder is None:
        shutil.rmtree(folder)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
