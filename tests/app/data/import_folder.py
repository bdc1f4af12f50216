"""A data folder into which hostile exports are taken in, and what must hold after each."""

import hashlib
import shutil
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

from app import cli
from app.desk.desk import Desk
from app.desk.direct import WritingFloor
from app.keeping.bundle import BundleError
from app.keeping.export import read_export
from app.keeping.preferences import Preferences, keep_preferences, read_preferences
from scheduler.engine.moving import SCRIPTS
from scheduler.engine.settings import Settings
from scheduler.engine.tidying import Tidying
from scheduler.store import workflows
from scheduler.store.errors import StoreError
from scheduler.store.lock import hold
from tests.engine.workflows.views.shop import RECEIPTS, Shop
from tests.runs import invariants

REFUSED, TAKEN = "refused", "taken in"
_MINE = '"""Mine."""\nimport dayhand\nflow = dayhand.Workflow("Mine")\n@flow.job(every="1h")\ndef go(ctx):\n    pass\n'


def make_good(folder: Path) -> bytes:
    """An export with rows in every table that travels."""
    shop = Shop(folder / "old")
    shop.connect_table()
    shop.deploy(RECEIPTS)
    shop.settle()
    shop.house.answering.approve(shop.views.attention()[0].id, always=True)
    shop.settle()
    shop.house.schedules.edit("receipts/tidy", version=1, spec={"every": "1h"})
    shop.move(minutes=5)
    shop.house.commands.pause("receipts", "tidy")
    shop.move(days=3)
    shop.house.commands.resume("receipts", "tidy")
    shop.settle()
    shop.deploy(RECEIPTS.replace('always"', 'first"').replace('"always"', '"always"') + "\n# 2\n")
    now = shop.clock.wall
    shop.house.schedules.backfill("receipts/tidy", [(now - timedelta(hours=5), now)])
    shop.settle()
    shop.house.events.publish("receipts", "mails", "extra", title="Extra", data={"amount": 9})
    shop.settle()
    keep_preferences(shop.folder, Preferences(concurrency=7))
    shop.close()
    assert cli.run(["export", str(folder / "all.zip"), "--data-dir", str(folder / "old")]) == 0
    shutil.rmtree(folder / "old")  # so that scripts get files where they arrive
    return (folder / "all.zip").read_bytes()


class Home:
    """Has a workflow of its own, which must stay as it is unless an export takes its place."""

    def __init__(self, around: Path) -> None:
        self._around, self.folder, self._kept = around, around / "data", around.with_name(f"{around.name}-kept")
        around.mkdir(parents=True)
        shop = Shop(self.folder)
        shop.deploy(_MINE, "mine.py")
        shop.close()
        (self.folder / "workflows").mkdir()
        (self.folder / "workflows" / "receipts.py").write_text("# mine, and not to be written over\n")
        shutil.copytree(self.folder, self._kept)
        self._before = _fingerprints(around)

    def take_in(self, export: bytes) -> str:
        """How it ended; fails if it ended in any other way, or left something that does not work."""
        path = self._around.with_name(f"{self._around.name}.zip")
        path.write_bytes(export)
        shop = None
        try:
            with hold(self.folder):
                read_export(self.folder, path, _now())
        except (BundleError, StoreError) as error:
            sentence = str(error)
            assert sentence.strip() and "\n" not in sentence and "report" not in sentence, sentence
            assert _fingerprints(self._around) == self._before, "something was changed"
            return REFUSED
        try:
            self._nothing_is_outside()
            read_preferences(self.folder).settle(Settings())
            shop = Shop(self.folder)
            _works(shop)
        finally:
            if shop is not None:
                shop.close()
            shutil.rmtree(self.folder)
            shutil.copytree(self._kept, self.folder)
            self._before = _fingerprints(self._around)
        return TAKEN

    def _nothing_is_outside(self) -> None:
        assert {one.name for one in self._around.iterdir()} == {self.folder.name}
        new = {path for path in _fingerprints(self._around) if path not in self._before}
        allowed = {"preferences.json", "dayhand.db", "dayhand.lock"}
        for path in new:
            inside = path.relative_to(self.folder)
            is_script = inside.parent == Path(SCRIPTS) and inside.suffix == ".py"
            assert is_script or inside.name in allowed or inside.name.startswith("dayhand-replaced-"), inside
        mine = self.folder / "workflows" / "receipts.py"
        assert mine.read_text() == "# mine, and not to be written over\n"


def _now() -> Any:
    from tests.engine.harness import MovedClock

    return MovedClock().wall + timedelta(days=4)


def _fingerprints(folder: Path) -> dict[Path, str]:
    """Of every file but those that the system makes when a store is looked at."""
    files = [one for one in folder.rglob("*") if one.is_file() and not one.name.endswith(("-shm", "-wal", ".lock"))]
    return {one: hashlib.sha256(one.read_bytes()).hexdigest() for one in files}


def _works(shop: Shop) -> None:
    """It opens, passes the time, and shows every page."""
    db = shop.database.read()
    assert [row[0] for row in db.execute("PRAGMA integrity_check")] == ["ok"]
    assert db.execute("PRAGMA foreign_key_check").fetchone() is None
    invariants.one_active_run_per_lane(db)
    invariants.one_outside_action_at_a_time(db)
    invariants.reserved_events_have_a_run_that_goes_on(db)
    invariants.no_run_is_active(db)
    assert all(one.status != "active" for one in workflows.every_one(db)), "it arrives paused"
    tidying = Tidying(shop.house.engine.context)
    for _ in range(20):
        if not tidying.step():
            break
    for step in (0, 1, 24):
        shop.clock.move(timedelta(hours=step))
        shop.house.engine.tick(shop.clock.wall)
    desk = Desk(WritingFloor(shop.database, shop.house))
    for verb, arguments in _pages(shop):
        for message in desk.answer(verb, arguments):
            error = (message or {}).get("error")
            assert error is None or error["code"] != "internal", (verb, arguments, error)


def _pages(shop: Shop) -> Iterator[tuple[str, dict[str, Any]]]:
    yield from (("list", {}), ("next", {"count": 50}), ("history", {}), ("history", {"text": "receipt"}))
    yield from (("stats", {}), ("attention", {}), ("connections", {}))
    for name in shop.views.names():
        yield from ((verb, {"workflow": name}) for verb in ("show", "versions", "next", "stats", "history"))
        yield "diff", {"workflow": name}
    for row in shop.database.read().execute("SELECT id FROM runs").fetchall():
        yield "run_show", {"run": row[0]}
        yield "logs", {"run": row[0]}
    for row in shop.database.read().execute("SELECT name FROM connections").fetchall():
        yield "fields", {"name": row[0]}
