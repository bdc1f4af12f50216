"""A data folder that imports hostile exports, and checks what must hold after each."""

import hashlib
import shutil
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

from app.cli import command_line
from app.data.atomic_file import DataFileError
from app.data.export import import_export
from app.data.preferences import Preferences, SavedFixer, read_preferences, save_preferences
from app.data.saved_settings import SavedSettings
from scheduler.engine.api.dispatcher import Dispatcher
from scheduler.engine.api.offline_backend import WritableBackend
from scheduler.engine.data_import import SCRIPTS_FOLDER
from scheduler.engine.maintenance import Maintenance
from scheduler.engine.settings import Settings
from scheduler.store import workflows
from scheduler.store.errors import StoreError
from scheduler.store.lock import hold
from tests.engine.queries.runtime_fixture import RECEIPTS, QueryRuntimeFixture
from tests.runs import invariants

REFUSED, TAKEN = "refused", "taken in"
_MINE = '"""Mine."""\nimport dayhand\nflow = dayhand.Workflow("Mine")\n@flow.job(every="1h")\ndef go(ctx):\n    pass\n'


def make_good(folder: Path) -> bytes:
    """An export with rows in every exported table."""
    shop = QueryRuntimeFixture(folder / "old")
    shop.connect_table()
    shop.deploy(RECEIPTS)
    shop.run_until_idle()
    shop.services.request_commands.approve(shop.queries.attention()[0].id, always=True)
    shop.run_until_idle()
    shop.services.schedule_commands.edit("receipts/tidy", version=1, spec={"every": "1h"})
    shop.move(minutes=5)
    shop.services.workflow_commands.pause("receipts", "tidy")
    shop.move(days=3)
    shop.services.workflow_commands.resume("receipts", "tidy")
    shop.run_until_idle()
    shop.deploy(RECEIPTS.replace('always"', 'first"').replace('"always"', '"always"') + "\n# 2\n")
    now = shop.clock.wall
    shop.services.schedule_commands.backfill("receipts/tidy", [(now - timedelta(hours=5), now)])
    shop.run_until_idle()
    shop.services.event_commands.publish("receipts", "mails", "extra", title="Extra", data={"amount": 9})
    shop.run_until_idle()
    save_preferences(shop.folder, Preferences(concurrency=7))
    shop.close()
    assert command_line.run(["export", str(folder / "all.zip"), "--data-dir", str(folder / "old")]) == 0
    shutil.rmtree(folder / "old")  # so that the import writes the scripts' files
    return (folder / "all.zip").read_bytes()


class Home:
    """Has a workflow of its own, which must not change unless an import replaces it."""

    def __init__(self, around: Path) -> None:
        self._around, self.folder, self._kept = around, around / "data", around.with_name(f"{around.name}-kept")
        around.mkdir(parents=True)
        shop = QueryRuntimeFixture(self.folder)
        shop.deploy(_MINE, "mine.py")
        shop.close()
        (self.folder / "workflows").mkdir()
        (self.folder / "workflows" / "receipts.py").write_text("# mine, do not overwrite\n")
        shutil.copytree(self.folder, self._kept)
        self._before = _fingerprints(around)

    def take_in(self, export: bytes) -> str:
        """The outcome; fails on any other error, or if something does not work afterwards."""
        path = self._around.with_name(f"{self._around.name}.zip")
        path.write_bytes(export)
        shop = None
        try:
            with hold(self.folder):
                import_export(self.folder, path, _now(), "UTC")
        except (DataFileError, StoreError) as error:
            sentence = str(error)
            assert sentence.strip() and "\n" not in sentence and "report" not in sentence, sentence
            assert _fingerprints(self._around) == self._before, "something was changed"
            return REFUSED
        try:
            self._check_files()
            read_preferences(self.folder).apply_to(Settings())
            shop = QueryRuntimeFixture(self.folder)
            _check_it_works(shop)
        finally:
            if shop is not None:
                shop.close()
            shutil.rmtree(self.folder)
            shutil.copytree(self._kept, self.folder)
            self._before = _fingerprints(self._around)
        return TAKEN

    def _check_files(self) -> None:
        assert {one.name for one in self._around.iterdir()} == {self.folder.name}
        new = {path for path in _fingerprints(self._around) if path not in self._before}
        allowed = {"preferences.json", "dayhand.db", "dayhand.lock"}
        for path in new:
            inside = path.relative_to(self.folder)
            is_script = inside.parent == Path(SCRIPTS_FOLDER) and inside.suffix == ".py"
            assert is_script or inside.name in allowed or inside.name.startswith("dayhand-replaced-"), inside
        mine = self.folder / "workflows" / "receipts.py"
        assert mine.read_text() == "# mine, do not overwrite\n"


def _now() -> Any:
    from tests.clocks import ManualClock

    return ManualClock().wall + timedelta(days=4)


def _fingerprints(folder: Path) -> dict[Path, str]:
    """Of every file except those that SQLite creates when a store is read."""
    files = [one for one in folder.rglob("*") if one.is_file() and not one.name.endswith(("-shm", "-wal", ".lock"))]
    return {one: hashlib.sha256(one.read_bytes()).hexdigest() for one in files}


def _check_it_works(shop: QueryRuntimeFixture) -> None:
    """The store is sound, time passes, and every query answers."""
    db = shop.database.read()
    assert [row[0] for row in db.execute("PRAGMA integrity_check")] == ["ok"]
    assert db.execute("PRAGMA foreign_key_check").fetchone() is None
    invariants.one_active_run_per_lane(db)
    invariants.one_outside_action_at_a_time(db)
    invariants.reserved_events_have_an_open_run(db)
    invariants.no_run_is_active(db)
    assert all(one.status != "active" for one in workflows.list_all(db)), "it arrives paused"
    tidying = Maintenance(shop.services.engine.context)
    for _ in range(20):
        if not tidying.step():
            break
    for step in (0, 1, 24):
        shop.clock.move(timedelta(hours=step))
        shop.services.engine.tick(shop.clock.wall)
    desk = Dispatcher(WritableBackend(shop.services, SavedFixer, SavedSettings(shop.folder)))
    for verb, arguments in _queries(shop):
        for message in desk.dispatch(verb, arguments):
            error = (message or {}).get("error")
            assert error is None or error["code"] != "internal", (verb, arguments, error)


def _queries(shop: QueryRuntimeFixture) -> Iterator[tuple[str, dict[str, Any]]]:
    yield from (("list", {}), ("next", {"count": 50}), ("history", {}), ("history", {"text": "receipt"}))
    yield from (("stats", {}), ("attention", {}), ("connections", {}))
    for name in shop.queries.names():
        yield from ((verb, {"workflow": name}) for verb in ("show", "versions", "next", "stats", "history"))
        yield "diff", {"workflow": name}
    for row in shop.database.read().execute("SELECT id FROM runs").fetchall():
        yield "run_show", {"run": row[0]}
        yield "logs", {"run": row[0]}
    for row in shop.database.read().execute("SELECT name FROM connections").fetchall():
        yield "fields", {"name": row[0]}
