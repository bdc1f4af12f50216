"""Notifications in windows of our own on a real desktop that has no notification daemon."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.desktop.desktop import Desktop
from tests.desktop.processes import wait_until

PROGRAM = """
import sys
from pathlib import Path
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication, QLineEdit
from app.notifications.backend import choose_backend
from app.notifications.notification import Notification, Urgency
from app.notifications.popup import PopupBackend
from app.platform.detect import session_bus
from app.theme.stylesheet import Theme
from app.theme.tokens import Appearance

app = QApplication(sys.argv)
app.setApplicationName("popups")
app.setQuitOnLastWindowClosed(False)
theme = Theme(app, Appearance.LIGHT)
typing = QLineEdit()
typing.setAccessibleName("typing")
typing.show()
typing.activateWindow()
bus = session_bus()
popups = PopupBackend()
backend = choose_backend(bus, popups, Path(sys.argv[1]))


def tell(answer):
    Path(sys.argv[1], "part").write_text(answer)
    Path(sys.argv[1], "part").rename(Path(sys.argv[1], "pressed"))


backend.pressed.connect(lambda key, action: tell(f"{key} {action}"))
bus.open()
for number in (1, 2):
    backend.send(Notification(
        key=f"request:{number}", title=f"Receipts wants to add {number} rows", text="To the table Expenses",
        actions=(("approve", f"Approve {number}"), ("reject", f"Reject {number}")), urgency=Urgency.CRITICAL,
    ))


def tell_armed():
    if all(window.is_armed for window in popups._windows.values()):
        Path(sys.argv[1], "armed").touch()


timer = QTimer(interval=20)
timer.timeout.connect(tell_armed)
timer.start()
app.exec()
"""


@pytest.fixture
def pressed(desk: Desktop, tmp_path: Path) -> Iterator[Path]:
    """Where the program writes the last answer. It shows two questions."""
    (tmp_path / "program.py").write_text(PROGRAM)
    program = desk.start(
        [sys.executable, str(tmp_path / "program.py"), str(tmp_path)], PYTHONPATH=str(Path(__file__).parents[2])
    )
    desk.wait_for_text("popups", "Receipts wants to add 2 rows")
    wait_until((tmp_path / "armed").exists, "presses to count")
    yield tmp_path / "pressed"
    desk.processes.end(program)


def test_a_screen_reader_reads_and_answers_the_question(desk: Desktop, pressed: Path) -> None:
    assert {"To the table Expenses", "Approve 1", "Reject 1", "Close"} <= set(desk.texts("popups"))
    desk.press("popups", "Approve 1")
    wait_until(pressed.exists, "the answer")
    assert pressed.read_text() == "request:1 approve"
    wait_until(lambda: "Approve 1" not in desk.texts("popups"), "the answered question to go")
    assert "Approve 2" in desk.texts("popups")


def test_a_mouse_click_answers(desk: Desktop, pressed: Path) -> None:
    desk.click("popups", "Reject 2")
    wait_until(pressed.exists, "the answer")
    assert pressed.read_text() == "request:2 reject"
    assert "Approve 1" in desk.texts("popups")
