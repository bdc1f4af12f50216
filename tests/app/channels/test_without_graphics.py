"""A computer without a display may lack the libraries of Qt's graphics: Dayhand says what is missing."""

import subprocess
import sys

from pytestqt.qtbot import QtBot

from app.channels.service import ChannelService
from app.session import Session

BLOCKED = """
import sys


class Blocker:
    def find_spec(self, name, path=None, target=None):
        if name in ("PySide6.QtGui", "PySide6.QtWidgets"):
            raise ImportError("libGL.so.1: cannot open shared object file")


sys.meta_path.insert(0, Blocker())
"""


def test_the_app_in_a_terminal_needs_no_graphics() -> None:
    command = [sys.executable, "-c", f"{BLOCKED}\nimport app.headless"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_a_channel_that_cannot_word_its_messages_says_what_is_missing_once(qtbot: QtBot, empty: Session) -> None:
    said: list[str] = []
    empty.message_sent.connect(lambda _, text: said.append(text))
    service = ChannelService(empty)
    hidden = sys.modules.pop("app.channels.worker", None)
    sys.modules["app.channels.worker"] = None  # type: ignore[assignment]  # Python refuses to import it
    try:
        for _ in range(2):
            service._keep({"ntfy:me": "1"})
    finally:
        del sys.modules["app.channels.worker"]
        if hidden is not None:
            sys.modules["app.channels.worker"] = hidden
    qtbot.waitUntil(lambda: bool(said))
    service.stop()
    assert len(said) == 1 and said[0].startswith("Nothing can be sent to your phone or mailbox: install Qt's libraries")
