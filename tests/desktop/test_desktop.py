"""The desktop that other tests build on: it starts, it is empty until told otherwise, and nothing of it stays."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.desktop.desktop import NOTIFICATIONS, Desktop, desktop, missing
from tests.desktop.processes import until

BUBBLE = """
import sys
from PySide6.QtCore import QTimer
from PySide6.QtGui import QColor, QIcon, QPixmap
from PySide6.QtWidgets import QApplication, QSystemTrayIcon
from app.notices.notice import Notice
from app.notices.tray import TrayNotices

app = QApplication(sys.argv)
app.setApplicationName("bubble")
pixmap = QPixmap(32, 32)
pixmap.fill(QColor("teal"))
icon = QSystemTrayIcon(QIcon(pixmap))
icon.show()
notices = TrayNotices(icon)
QTimer.singleShot(0, lambda: notices.send(Notice(key="k", title="Backup failed", text="The disk is full.")))
app.exec()
"""


def test_nobody_notifies_and_no_tray_is_there_until_it_is_started(desk: Desktop) -> None:
    assert not desk.bus.has(NOTIFICATIONS)
    assert not desk.bus.has("org.kde.StatusNotifierWatcher")
    assert desk.texts("xfce4-notifyd") == []


def test_a_bubble_of_the_tray_icon_is_seen(desk: Desktop) -> None:
    """The last resort, with the real icon in a real tray."""
    desk.start_notifications()
    desk.start_tray()
    program = desk.start([sys.executable, "-c", BUBBLE], PYTHONPATH=str(Path(__file__).parents[2]))
    until(desk.tray_items, "the icon in the tray")
    desk.wait_for_text("xfce4-notifyd", "Backup failed")
    desk.wait_for_text("xfce4-notifyd", "The disk is full.")
    desk.processes.end(program)
    until(lambda: desk.tray_items() == [], "the icon to go")


def test_a_tray_that_went_can_come_back(desk: Desktop) -> None:
    desk.start_tray()
    desk.stop_tray()
    desk.start_tray()
    assert desk.tray_items() == []


def test_a_picture_of_the_screen_is_a_picture(desk: Desktop, tmp_path: Path) -> None:
    desk.picture(tmp_path / "screen.png")
    assert (tmp_path / "screen.png").read_bytes().startswith(b"\x89PNG")


def test_nothing_outlives_a_desktop_not_even_what_forked_itself_away() -> None:
    if lacking := missing():
        pytest.skip(f"not installed: {', '.join(lacking)}")
    with desktop() as other:
        other.start_tray()
        away = ["sh", "-c", "setsid sleep 600 </dev/null >/dev/null 2>&1 & exit 0"]
        subprocess.run(away, env=other.environment | {"DAYHAND_TEST_DESKTOP": other.processes.mark}, check=True)
        folder, processes = other.folder, other.processes
        assert len(processes.marked()) > 5
    assert processes.marked() == []
    assert not folder.exists()
