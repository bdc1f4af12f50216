"""The whole app, as its own process without a screen: an import ends it and it goes on with the data from the file."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.demo import prepare_demo
from app.keeping.export import write_export
from app.life.installation import Installation

ROOT = Path(__file__).parents[3]
PROGRAM = """
import sys
from pathlib import Path
from PySide6.QtCore import QTimer
from app import cli
from app.life import lives as lives_module, shell
from app.life.installation import Installation
from app.life.quit_deadline import QuitDeadline

if "slow" in sys.argv:
    import threading
    end = Installation.end
    lives_module.QuitDeadline = lambda: QuitDeadline(60 if lives else 0.1)

    def end_late(self):
        end(self)
        if len(lives) == 1:
            threading.Event().wait(2)

    Installation.end = end_late

start, lives = shell.Shell.start, []

def watch(self, *what, **how):
    start(self, *what, **how)
    lives.append([one.name for one in self._installation.views.workflows()])
    if len(lives) == 1:
        QTimer.singleShot(0, lambda: self.take_in(sys.argv[2]))
    else:
        lives.append(self.window.toast)
        QTimer.singleShot(200, self.leaving.leave)

shell.Shell.start = watch
code = cli.run(["--data-dir", sys.argv[1]])
import json
print(json.dumps([code, lives[:2], len(lives)]))
"""


@pytest.fixture
def export(qtbot: QtBot, tmp_path: Path) -> Path:
    made = Installation(tmp_path / "old")
    prepare_demo(made.house, tmp_path / "old")
    made.house.close()
    made.close()
    write_export(tmp_path / "old", tmp_path / "all.zip", made.house.engine.context.clock.now())
    return tmp_path / "all.zip"


def live(folder: Path, export: Path, *how: str) -> list[object]:
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen", "DISPLAY": ":none", "PYTHONPATH": str(ROOT)}
    for bus in ("DBUS_SESSION_BUS_ADDRESS", "DBUS_SYSTEM_BUS_ADDRESS"):
        environment[bus] = "unix:path=/nowhere"
    line = [sys.executable, "-c", PROGRAM, str(folder), str(export), *how]
    ended = subprocess.run(line, env=environment, capture_output=True, text=True, timeout=120, check=False)
    assert ended.stdout, ended.stderr
    answer: list[object] = json.loads(ended.stdout.splitlines()[-1])
    return answer


def test_it_goes_on_with_what_is_in_the_file(export: Path, tmp_path: Path) -> None:
    assert live(tmp_path / "new", export) == [0, [[], ["Receipts"]], 3]
    assert not list((tmp_path / "new").glob("dayhand-damaged*"))


def test_an_import_comes_however_long_ending_takes(export: Path, tmp_path: Path) -> None:
    """Cut off there, it would never happen, and nobody would say so."""
    assert live(tmp_path / "new", export, "slow") == [0, [[], ["Receipts"]], 3]


def test_a_file_that_broke_meanwhile_leaves_everything_as_it_was(export: Path, tmp_path: Path) -> None:
    export.write_bytes(export.read_bytes()[:500])
    assert live(tmp_path / "old", export) == [0, [["Receipts"], ["Receipts"]], 3]
