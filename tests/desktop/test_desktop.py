"""The desktop that other tests use: it starts empty and leaves nothing behind."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.desktop.desktop import NOTIFICATIONS, Desktop, desktop, missing_programs
from tests.desktop.processes import wait_until

ICON = """
import sys
from PySide6.QtGui import QColor, QIcon, QPixmap
from PySide6.QtWidgets import QApplication, QSystemTrayIcon

app = QApplication(sys.argv)
pixmap = QPixmap(32, 32)
pixmap.fill(QColor("teal"))
icon = QSystemTrayIcon(QIcon(pixmap))
icon.show()
app.exec()
"""


def test_a_new_desktop_has_no_notification_daemon_and_no_tray(desk: Desktop) -> None:
    assert not desk.bus.has_owner(NOTIFICATIONS)
    assert not desk.bus.has_owner("org.kde.StatusNotifierWatcher")
    assert desk.texts("xfce4-notifyd") == []


def test_the_tray_shows_an_icon_while_its_program_runs(desk: Desktop) -> None:
    desk.start_tray()
    program = desk.start([sys.executable, "-c", ICON])
    wait_until(desk.tray_items, "the icon in the tray")
    desk.processes.end(program)
    wait_until(lambda: desk.tray_items() == [], "the icon to go")


def test_the_tray_can_be_restarted(desk: Desktop) -> None:
    desk.start_tray()
    desk.stop_tray()
    desk.start_tray()
    assert desk.tray_items() == []


def test_a_screenshot_is_an_image(desk: Desktop, tmp_path: Path) -> None:
    desk.take_screenshot(tmp_path / "screen.png")
    assert (tmp_path / "screen.png").read_bytes().startswith(b"\x89PNG")


def test_no_process_outlives_the_desktop_not_even_a_daemonised_one() -> None:
    if lacking := missing_programs():
        pytest.skip(f"not installed: {', '.join(lacking)}")
    with desktop() as other:
        other.start_tray()
        away = ["sh", "-c", "setsid sleep 600 </dev/null >/dev/null 2>&1 & exit 0"]
        subprocess.run(away, env=other.environment | {"DAYHAND_TEST_DESKTOP": other.processes.mark}, check=True)
        folder, processes = other.folder, other.processes
        assert len(processes.marked()) > 5
    assert processes.marked() == []
    assert not folder.exists()
