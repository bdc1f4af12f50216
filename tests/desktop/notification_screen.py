"""A notice on a real desktop, and waiting until its screen shows it."""

from collections.abc import Callable

import pytest
from pytestqt.qtbot import QtBot

from app.notices.notice import Notice, Urgency
from tests.desktop.desktop import Desktop

DAEMON = "xfce4-notifyd"
LIMIT = 60_000
ASK = Notice(
    key="request:7",
    title="Receipts wants to add 3 rows",
    text="To the table Expenses",
    actions=(("approve", "Approve"), ("reject", "Reject")),
    urgency=Urgency.CRITICAL,
)

See = Callable[[str], None]


@pytest.fixture
def see(qtbot: QtBot, desk: Desktop) -> See:
    """Wait, with the event loop running, until the screen shows that text."""
    return lambda text: qtbot.waitUntil(lambda: text in desk.texts(DAEMON), timeout=LIMIT)


@pytest.fixture
def miss(qtbot: QtBot, desk: Desktop) -> See:
    """As above, until the screen shows it no longer."""
    return lambda text: qtbot.waitUntil(lambda: text not in desk.texts(DAEMON), timeout=LIMIT)
