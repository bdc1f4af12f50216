"""The whole app as a process without a screen: the metrics file follows the switch in Settings."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from app import headless
from app.data.metrics_file import FILE
from app.data.preferences import Preferences, save_preferences
from app.data.saved_settings import SavedSettings
from tests.app.cli.live_cli import running_session

ROOT = Path(__file__).parents[3]
PROGRAM = """
import sys
from pathlib import Path
from PySide6.QtCore import QTimer
from app.cli import command_line
from app.lifecycle import desktop_ui

folder, target = sys.argv[1], Path(sys.argv[2])
start, seen = desktop_ui.DesktopUi.start, []

class Clicks(QTimer):
    # Clicks the switch, and waits for the file each time.
    def __init__(self, ui):
        super().__init__(interval=20)
        self.ui = ui
        ui.window.open_page("settings")
        self.page = ui.window.pages["settings"]
        self.wanted = None
        self.timeout.connect(self.check)
        self.start()

    def check(self):
        if not self.page._has_read:
            return
        exists = (target / "dayhand.prom").exists()
        if self.wanted is None:
            seen.append(exists)
            self.page.metrics.folder.setText(str(target))
        elif exists != self.wanted:
            return
        else:
            seen.append(exists)
        if len(seen) == 4:
            self.stop()
            self.ui.quit_flow.start()
            return
        self.wanted = not exists
        self.page.metrics.box.click()

def watch(self, *arguments, **options):
    start(self, *arguments, **options)
    self.clicks = Clicks(self)

desktop_ui.DesktopUi.start = watch
code = command_line.run(["--data-dir", folder])
print(code, seen)
"""


def test_it_is_switched_on_and_off_while_the_app_runs(tmp_path: Path) -> None:
    target = tmp_path / "textfile"
    target.mkdir()
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen", "DISPLAY": ":none", "PYTHONPATH": str(ROOT)}
    for bus in ("DBUS_SESSION_BUS_ADDRESS", "DBUS_SYSTEM_BUS_ADDRESS"):
        environment[bus] = "unix:path=/nowhere"
    (tmp_path / "data").mkdir()
    save_preferences(tmp_path / "data", Preferences(welcomed=True))
    line = [sys.executable, "-c", PROGRAM, str(tmp_path / "data"), str(target)]
    ended = subprocess.run(line, env=environment, capture_output=True, text=True, timeout=120, check=False)
    assert ended.stdout.splitlines()[-1:] == ["0 [False, True, False, True]"], ended.stderr
    assert "dayhand_up 0\n" in (target / FILE).read_text(), "it has quit"


@pytest.mark.parametrize("is_on", [True, False])
def test_the_choice_applies_in_a_terminal_too(tmp_path: Path, *, is_on: bool) -> None:
    folder, target = tmp_path / "data", tmp_path / "textfile"
    for one in (folder, target):
        one.mkdir()
    save_preferences(folder, Preferences(writes_metrics=is_on, metrics_folder=str(target)))
    with running_session(folder) as session:
        metrics = headless._write_metrics(session, print)
        metrics.stop()
    assert (target / FILE).exists() is is_on


def test_a_terminal_notices_when_it_is_switched_on_by_a_command(tmp_path: Path) -> None:
    folder, target = tmp_path / "data", tmp_path / "textfile"
    for one in (folder, target):
        one.mkdir()
    with running_session(folder) as session:
        metrics = headless._write_metrics(session, print)
        assert metrics.isActive() and not (target / FILE).exists()
        saved = SavedSettings(folder)
        saved.save("metrics_folder", str(target))
        saved.save("writes_metrics", value=True)
        metrics.timeout.emit()
        metrics.stop()
        assert "dayhand_up 0\n" in (target / FILE).read_text()
