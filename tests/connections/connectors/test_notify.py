"""Notifications are shown through the function that the app passes in."""

from PySide6.QtCore import QObject, Signal
from pytestqt.qtbot import QtBot
from shiboken6 import delete

from scheduler.connections.connectors.notify import notify
from scheduler.rules.failures import FailureClass
from tests.connections.http_failures import failure
from tests.connections.tool_calls import call, tool_of


def test_title_and_text_are_shown_as_given() -> None:
    shown_notifications: list[tuple[str, str]] = []
    send = tool_of(notify(lambda title, text: shown_notifications.append((title, text))), "send")
    assert send.run(call({}, "k", title="Done", text="3 files")) is None
    send.run(call({}, "k", title="Only this"))
    assert shown_notifications == [("Done", "3 files"), ("Only this", "")]


def test_a_notification_while_quitting_is_a_transient_error(qtbot: QtBot) -> None:
    """The app passes in a signal whose object may be gone while it quits."""

    class App(QObject):
        notified = Signal(str, str)

    app = App()
    shown: list[str] = []
    app.notified.connect(lambda title, _: shown.append(title))
    send = tool_of(notify(app.notified.emit), "send")
    send.run(call({}, "k", title="a"))
    delete(app)
    assert failure(lambda: send.run(call({}, "k", title="b"))).kind is FailureClass.TRANSIENT
    assert shown == ["a"]


def test_a_notification_needs_no_approval_and_has_no_checker() -> None:
    send = tool_of(notify(lambda *_: None), "send")
    assert (send.mutating, send.acts_on_others, send.check) == (True, False, None)


def test_testing_the_connection_shows_a_notification() -> None:
    shown_notifications: list[str] = []
    assert notify(lambda title, _: shown_notifications.append(title)).test(call({})) == "A notification was shown."
    assert shown_notifications == ["Dayhand"]
