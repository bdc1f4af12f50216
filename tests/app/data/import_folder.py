"""A data folder that imports hostile exports, and checks what must hold after each."""

import hashlib
import shutil
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

from app.api.dispatcher import Dispatcher
from app.api.offline_backend import WritableBackend
from app.cli import command_line
from app.data.atomic_file import DataFileError
from app.data.export import import_export
from app.data.preferences import Preferences, read_preferences, save_preferences
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
    runtime = QueryRuntimeFixture(folder / "old")
    runtime.connect_table()
    runtime.deploy(RECEIPTS)
    runtime.run_until_idle()
    runtime.services.request_commands.approve(runtime.queries.attention()[0].id, always=True)
    runtime.run_until_idle()
    runtime.services.schedule_commands.edit("receipts/tidy", version=1, spec={"every": "1h"})
    runtime.move(minutes=5)
    runtime.services.workflow_commands.pause("receipts", "tidy")
    runtime.move(days=3)
    runtime.services.workflow_commands.resume("receipts", "tidy")
    runtime.run_until_idle()
    runtime.deploy(RECEIPTS.replace('always"', 'first"').replace('"always"', '"always"') + "\n# 2\n")
    now = runtime.clock.wall
    runtime.services.schedule_commands.backfill("receipts/tidy", [(now - timedelta(hours=5), now)])
    runtime.run_until_idle()
    runtime.services.event_commands.publish("receipts", "mails", "extra", title="Extra", data={"amount": 9})
    runtime.run_until_idle()
    save_preferences(runtime.folder, Preferences(concurrency=7))
    runtime.close()
    assert command_line.run(["export", str(folder / "all.zip"), "--data-dir", str(folder / "old")]) == 0
    shutil.rmtree(folder / "old")  # so that the import writes the scripts' files
    return (folder / "all.zip").read_bytes()


class Home:
    """Has a workflow of its own, which must not change unless an import replaces it."""

    def __init__(self, around: Path) -> None:
        self._around, self.folder, self._kept = around, around / "data", around.with_name(f"{around.name}-kept")
        around.mkdir(parents=True)
        runtime = QueryRuntimeFixture(self.folder)
        runtime.deploy(_MINE, "mine.py")
        runtime.close()
        (self.folder / "workflows").mkdir()
        (self.folder / "workflows" / "receipts.py").write_text("# mine, do not overwrite\n")
        shutil.copytree(self.folder, self._kept)
        self._before = _fingerprints(around)

    def take_in(self, export: bytes) -> str:
        """The outcome; fails on any other error, or if something does not work afterwards."""
        path = self._around.with_name(f"{self._around.name}.zip")
        path.write_bytes(export)
        runtime = None
        try:
            with hold(self.folder):
                import_export(self.folder, path, _now())
        except (DataFileError, StoreError) as error:
            sentence = str(error)
            assert sentence.strip() and "\n" not in sentence and "report" not in sentence, sentence
            assert _fingerprints(self._around) == self._before, "something was changed"
            return REFUSED
        try:
            self._check_files()
            read_preferences(self.folder).apply_to(Settings())
            runtime = QueryRuntimeFixture(self.folder)
            _check_it_works(runtime)
        finally:
            if runtime is not None:
                runtime.close()
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
    from tests.engine.engine_fixture import ManualClock

    return ManualClock().wall + timedelta(days=4)


def _fingerprints(folder: Path) -> dict[Path, str]:
    """Of every file except those that SQLite creates when a store is read."""
    files = [one for one in folder.rglob("*") if one.is_file() and not one.name.endswith(("-shm", "-wal", ".lock"))]
    return {one: hashlib.sha256(one.read_bytes()).hexdigest() for one in files}


def _check_it_works(runtime: QueryRuntimeFixture) -> None:
    """The store is sound, time passes, and every query answers."""
    db = runtime.database.read()
    assert [row[0] for row in db.execute("PRAGMA integrity_check")] == ["ok"]
    assert db.execute("PRAGMA foreign_key_check").fetchone() is None
    invariants.one_active_run_per_lane(db)
    invariants.one_outside_action_at_a_time(db)
    invariants.reserved_events_have_an_open_run(db)
    invariants.no_run_is_active(db)
    assert all(one.status != "active" for one in workflows.list_all(db)), "it arrives paused"
    tidying = Maintenance(runtime.services.engine.context)
    for _ in range(20):
        if not tidying.step():
            break
    for step in (0, 1, 24):
        runtime.clock.move(timedelta(hours=step))
        runtime.services.engine.tick(runtime.clock.wall)
    dispatcher = Dispatcher(WritableBackend(runtime.database, runtime.services))
    for verb, arguments in _queries(runtime):
        for message in dispatcher.dispatch(verb, arguments):
            error = (message or {}).get("error")
            assert error is None or error["code"] != "internal", (verb, arguments, error)


def _queries(runtime: QueryRuntimeFixture) -> Iterator[tuple[str, dict[str, Any]]]:
    yield from (("list", {}), ("next", {"count": 50}), ("history", {}), ("history", {"text": "receipt"}))
    yield from (("stats", {}), ("attention", {}), ("connections", {}))
    for name in runtime.queries.names():
        yield from ((verb, {"workflow": name}) for verb in ("show", "versions", "next", "stats", "history"))
        yield "diff", {"workflow": name}
    for row in runtime.database.read().execute("SELECT id FROM runs").fetchall():
        yield "run_show", {"run": row[0]}
        yield "logs", {"run": row[0]}
    for row in runtime.database.read().execute("SELECT name FROM connections").fetchall():
        yield "fields", {"name": row[0]}
