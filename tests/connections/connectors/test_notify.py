"""Notifications go through what the app hands in."""

from PySide6.QtCore import QObject, Signal
from pytestqt.qtbot import QtBot
from shiboken6 import delete

from scheduler.connections.connectors.notify import notify
from scheduler.rules.failures import FailureClass
from tests.connections.calls import call, tool_of
from tests.connections.trouble import failure


def test_title_and_text_are_shown_as_given() -> None:
    told: list[tuple[str, str]] = []
    send = tool_of(notify(lambda title, text: told.append((title, text))), "send")
    assert send.run(call({}, "k", title="Done", text="3 files")) is None
    send.run(call({}, "k", title="Only this"))
    assert told == [("Done", "3 files"), ("Only this", "")]


def test_what_is_not_handed_over_is_not_shown(qtbot: QtBot) -> None:
    """The app hands in a signal, whose object may be gone while it quits."""

    class App(QObject):
        told = Signal(str, str)

    app = App()
    shown: list[str] = []
    app.told.connect(lambda title, _: shown.append(title))
    send = tool_of(notify(app.told.emit), "send")
    send.run(call({}, "k", title="a"))
    delete(app)
    assert failure(lambda: send.run(call({}, "k", title="b"))).kind is FailureClass.TRANSIENT
    assert shown == ["a"]


def test_telling_oneself_asks_for_no_approval_and_cannot_be_checked() -> None:
    send = tool_of(notify(lambda *_: None), "send")
    assert (send.mutating, send.acts_on_others, send.check) == (True, False, None)


def test_trying_it_shows_one() -> None:
    told: list[str] = []
    assert notify(lambda title, _: told.append(title)).test(call({})) == "A notification was shown."
    assert told == ["Dayhand"]
