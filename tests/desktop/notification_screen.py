"""A notification on a real desktop, and waiting until the screen shows it."""

from collections.abc import Callable

import pytest
from pytestqt.qtbot import QtBot

from app.notifications.notification import Notification, Urgency
from tests.desktop.desktop import Desktop

DAEMON = "xfce4-notifyd"
LIMIT = 60_000
ASK = Notification(
    key="request:7",
    title="Receipts wants to add 3 rows",
    text="To the table Expenses",
    actions=(("approve", "Approve"), ("reject", "Reject")),
    urgency=Urgency.CRITICAL,
)

WaitForText = Callable[[str], None]


@pytest.fixture
def wait_until_shown(qtbot: QtBot, desk: Desktop) -> WaitForText:
    """Wait, with the event loop running, until the screen shows that text."""
    return lambda text: qtbot.waitUntil(lambda: text in desk.texts(DAEMON), timeout=LIMIT)


@pytest.fixture
def wait_until_gone(qtbot: QtBot, desk: Desktop) -> WaitForText:
    """As above, until the screen no longer shows it."""
    return lambda text: qtbot.waitUntil(lambda: text not in desk.texts(DAEMON), timeout=LIMIT)
