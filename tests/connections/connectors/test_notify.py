"""Notifications go through what the app hands in."""

from scheduler.connections.connectors.notify import notify
from tests.connections.calls import call, tool_of


def test_title_and_text_are_shown_as_given() -> None:
    told: list[tuple[str, str]] = []
    send = tool_of(notify(lambda title, text: told.append((title, text))), "send")
    assert send.run(call({}, "k", title="Done", text="3 files")) is None
    send.run(call({}, "k", title="Only this"))
    assert told == [("Done", "3 files"), ("Only this", "")]


def test_telling_oneself_asks_for_no_approval_and_cannot_be_checked() -> None:
    send = tool_of(notify(lambda *_: None), "send")
    assert (send.mutating, send.acts_on_others, send.check) == (True, False, None)


def test_trying_it_shows_one() -> None:
    told: list[str] = []
    assert notify(lambda title, _: told.append(title)).test(call({})) == "A notification was shown."
    assert told == ["Dayhand"]
