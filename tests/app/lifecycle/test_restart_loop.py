"""The whole app as a process without a screen: after an import it restarts with the imported data."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.data.export import write_export
from app.demo import prepare_demo
from app.session import Session

ROOT = Path(__file__).parents[3]
PROGRAM = """
import sys
from pathlib import Path
from PySide6.QtCore import QTimer
from app.cli import command_line
from app.lifecycle import desktop_ui, restart_loop
from app.session import Session
from app.lifecycle.process_exit import QuitDeadline

if "slow" in sys.argv:
    import threading
    end = Session.stop
    restart_loop.QuitDeadline = lambda: QuitDeadline(60 if starts else 0.1)

    def end_late(self):
        end(self)
        if len(starts) == 1:
            threading.Event().wait(2)

    Session.stop = end_late

start, starts = desktop_ui.DesktopUi.start, []

def watch(self, *arguments, **options):
    start(self, *arguments, **options)
    starts.append([one.name for one in self._session.queries.workflows()])
    if len(starts) == 1:
        QTimer.singleShot(0, lambda: self.import_and_restart(sys.argv[2]))
    else:
        starts.append(self.window.snackbar)
        QTimer.singleShot(200, self.quit_flow.start)

desktop_ui.DesktopUi.start = watch
code = command_line.run(["--data-dir", sys.argv[1]])
import json
print(json.dumps([code, starts[:2], len(starts)]))
"""


@pytest.fixture
def export(qtbot: QtBot, tmp_path: Path) -> Path:
    made = Session(tmp_path / "old")
    prepare_demo(made, tmp_path / "old")
    made._runtime.close()
    made.close()
    write_export(tmp_path / "old", tmp_path / "all.zip", made.now())
    return tmp_path / "all.zip"


def run_app(folder: Path, export: Path, *options: str) -> list[object]:
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen", "DISPLAY": ":none", "PYTHONPATH": str(ROOT)}
    for bus in ("DBUS_SESSION_BUS_ADDRESS", "DBUS_SYSTEM_BUS_ADDRESS"):
        environment[bus] = "unix:path=/nowhere"
    line = [sys.executable, "-c", PROGRAM, str(folder), str(export), *options]
    ended = subprocess.run(line, env=environment, capture_output=True, text=True, timeout=120, check=False)
    assert ended.stdout, ended.stderr
    answer: list[object] = json.loads(ended.stdout.splitlines()[-1])
    return answer


def test_the_app_restarts_with_the_imported_data(export: Path, tmp_path: Path) -> None:
    assert run_app(tmp_path / "new", export) == [0, [[], ["Receipts"]], 3]
    assert not list((tmp_path / "new").glob("dayhand-damaged*"))


def test_an_import_happens_however_long_closing_takes(export: Path, tmp_path: Path) -> None:
    """The quit deadline would lose the import silently."""
    assert run_app(tmp_path / "new", export, "slow") == [0, [[], ["Receipts"]], 3]


def test_a_damaged_file_changes_nothing(export: Path, tmp_path: Path) -> None:
    export.write_bytes(export.read_bytes()[:500])
    assert run_app(tmp_path / "old", export) == [0, [["Receipts"], ["Receipts"]], 3]
