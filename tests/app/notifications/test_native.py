"""Toasts, with a stand-in that fails as desktop-notifier does; tests/desktop has the real one."""

import threading
from collections.abc import Callable, Iterator
from typing import Any

import desktop_notifier
import pytest
from desktop_notifier import Capability, Notification
from pytestqt.qtbot import QtBot

from app.notices import toaster
from app.notices.notice import Notice, Urgency
from app.notices.toasts import ToastNotices
from tests.app.notices.recording import RecordingNotices

LIMIT = 60_000
ASK = Notice(
    key="request:7",
    title="Receipts wants to add 3 rows",
    text="To Expenses",
    actions=(("default", "Look"), ("approve", "Approve"), ("reject", "Reject")),
    urgency=Urgency.CRITICAL,
    group="receipts",
)


class StandIn:
    """As desktop-notifier: `send_notification` never raises, and only `on_dispatched` tells that it succeeded."""

    def __init__(self, app_name: str, app_icon: object) -> None:
        self.name = app_name
        self.shown: dict[str, Notification] = {"left by one that was killed": Notification("Old", "")}
        self.abilities = frozenset({Capability.TITLE, Capability.BUTTONS})
        self.permission: Callable[[], Any] = lambda: True
        self.takes = True
        self.threads: set[threading.Thread] = set()
        self.on_clicked: Callable[[str], Any] = print
        self.on_dismissed: Callable[[str], Any] = print
        self.on_button_pressed: Callable[[str, str], Any] = print

    async def clear_all(self) -> None:
        self.shown.clear()

    async def clear(self, identifier: str) -> None:
        del self.shown[identifier]

    async def get_capabilities(self) -> frozenset[Capability]:
        return self.abilities

    async def request_authorisation(self) -> bool:
        answer = self.permission()
        return bool(await answer if hasattr(answer, "__await__") else answer)

    async def send_notification(self, notification: Notification) -> str:
        self.threads.add(threading.current_thread())
        if self.takes:
            self.shown[notification.identifier] = notification
            assert notification.on_dispatched is not None
            notification.on_dispatched()
        return notification.identifier

    def named(self, title: str) -> str:
        return next((name for name, one in list(self.shown.items()) if one.title == title), "")


@pytest.fixture
def system(monkeypatch: pytest.MonkeyPatch) -> StandIn:
    made = StandIn("Dayhand", None)
    monkeypatch.setattr(desktop_notifier, "DesktopNotifier", lambda **_: made)
    return made


@pytest.fixture
def notices(qtbot: QtBot, system: StandIn, otherwise: RecordingNotices) -> Iterator[ToastNotices]:
    made = ToastNotices(otherwise)
    yield made
    made.end()
    assert not made._toaster._thread.is_alive()


@pytest.fixture
def settle(qtbot: QtBot, notices: ToastNotices) -> Callable[[], None]:
    """All orders were carried out, and all that they led to has arrived."""

    def wait() -> None:
        marks: list[object] = []
        mark = Notice(key="mark", title="Mark")

        async def pass_by() -> None:
            notices._failed.emit(mark)

        notices._failed.connect(marks.append)
        notices._toaster._order(pass_by)
        qtbot.waitUntil(lambda: any(one is mark for one in marks), timeout=LIMIT)

    return wait


Settle = Callable[[], None]


def test_a_notice_is_shown_in_the_words_of_the_system_and_off_the_thread_of_the_window(
    system: StandIn, notices: ToastNotices, settle: Settle
) -> None:
    notices.send(Notice(key="k", title="One\nline\0", text="\u202eturned", actions=ASK.actions, group="mail"))
    settle()
    [shown] = system.shown.values()
    assert (shown.title, shown.message, shown.thread) == ("One line⟨0000⟩", "⟨202E⟩turned", "mail")
    assert [button.title for button in shown.buttons] == ["Approve", "Reject"]
    assert threading.main_thread() not in system.threads


@pytest.mark.parametrize(("place", "action"), [(0, "approve"), (1, "reject")])
def test_a_button_brings_back_its_action_and_the_notice_goes(
    system: StandIn, notices: ToastNotices, heard: list[tuple[str, ...]], settle: Settle, place: int, action: str
) -> None:
    notices.send(ASK)
    settle()
    [(name, shown)] = system.shown.items()
    system.on_button_pressed(name, shown.buttons[place].identifier)
    settle()
    assert heard == [("pressed", ASK.key, action), ("closed", ASK.key)]


def test_labels_that_another_notice_has_too_do_not_change_what_they_mean(
    system: StandIn, notices: ToastNotices, heard: list[tuple[str, ...]], settle: Settle
) -> None:
    """MacOS keeps buttons by their labels: those of the first notice come back for the second."""
    notices.send(Notice(key="1", title="1", actions=(("retry", "Yes"), ("open", "No"))))
    notices.send(Notice(key="2", title="2", actions=(("happened", "Yes"), ("not", "No"))))
    settle()
    first = system.shown[system.named("1")]
    system.on_button_pressed(system.named("2"), first.buttons[1].identifier)
    settle()
    assert heard[0] == ("pressed", "2", "not")


def test_a_click_and_a_dismissal_are_told_apart(
    system: StandIn, notices: ToastNotices, heard: list[tuple[str, ...]], settle: Settle
) -> None:
    notices.send(ASK)
    notices.send(Notice(key="other", title="Other"))
    settle()
    system.on_clicked(system.named(ASK.title))
    system.on_dismissed(system.named("Other"))
    settle()
    assert heard == [("pressed", ASK.key, "default"), ("closed", ASK.key), ("closed", "other")]


def test_a_second_notice_takes_the_place_of_the_first_and_only_its_buttons_count(
    system: StandIn, notices: ToastNotices, heard: list[tuple[str, ...]], settle: Settle
) -> None:
    notices.send(ASK)
    settle()
    first = system.named(ASK.title)
    notices.send(Notice(key=ASK.key, title="Failed 2 times", actions=ASK.actions))
    settle()
    assert [one.title for one in system.shown.values()] == ["Failed 2 times"]
    system.on_button_pressed(first, "1")
    settle()
    assert heard == []


def test_a_press_that_crosses_with_a_replacement_leaves_the_new_one_working(
    system: StandIn, notices: ToastNotices, heard: list[tuple[str, ...]], settle: Settle
) -> None:
    notices.send(ASK)
    settle()
    system.on_button_pressed(system.named(ASK.title), "1")
    # The press was heard on the other thread, and not here yet.
    notices.send(Notice(key=ASK.key, title="Again", actions=ASK.actions))
    settle()
    system.on_button_pressed(system.named("Again"), "2")
    settle()
    assert heard == [("pressed", ASK.key, "approve"), ("pressed", ASK.key, "reject"), ("closed", ASK.key)]


def test_what_was_withdrawn_is_taken_away_and_not_heard_any_longer(
    system: StandIn, notices: ToastNotices, heard: list[tuple[str, ...]], settle: Settle
) -> None:
    notices.send(ASK)
    settle()
    system.on_button_pressed(system.named(ASK.title), "1")
    notices.withdraw(ASK.key)
    notices.withdraw("never sent")
    settle()
    assert heard == []
    notices.send(ASK)
    notices.withdraw(ASK.key)
    settle()
    assert [one.title for one in system.shown.values()] == [ASK.title], "only the one that was pressed"


def test_a_notice_that_was_swallowed_is_shown_elsewhere_until_it_is_solved(
    system: StandIn, notices: ToastNotices, otherwise: RecordingNotices, settle: Settle
) -> None:
    system.takes = False
    notices.send(ASK)
    settle()
    assert otherwise.shown == {ASK.key: ASK}
    system.takes = True
    notices.send(ASK)
    settle()
    assert otherwise.shown == {}
    assert system.named(ASK.title)


def test_one_that_was_withdrawn_before_it_failed_is_shown_nowhere(
    system: StandIn, notices: ToastNotices, otherwise: RecordingNotices, settle: Settle
) -> None:
    system.takes = False
    notices.send(ASK)
    notices.withdraw(ASK.key)
    settle()
    assert otherwise.sent == []


def test_a_system_that_only_pretends_to_show_notices_is_found_out(
    system: StandIn, notices: ToastNotices, otherwise: RecordingNotices, settle: Settle
) -> None:
    """Outside a bundle on macOS everything is taken and nothing is shown."""
    system.abilities = frozenset()
    notices.send(ASK)
    settle()
    assert otherwise.shown == {ASK.key: ASK}
    assert system.shown == {}


def test_presses_elsewhere_are_passed_on(
    system: StandIn, notices: ToastNotices, otherwise: RecordingNotices, heard: list[tuple[str, ...]], settle: Settle
) -> None:
    system.takes = False
    notices.send(ASK)
    settle()
    otherwise.pressed.emit(ASK.key, "default")
    otherwise.closed.emit(ASK.key)
    assert heard == [("pressed", ASK.key, "default"), ("closed", ASK.key)]


def test_a_person_who_wants_none_gets_none_by_another_way_and_may_change_their_mind(
    system: StandIn, notices: ToastNotices, otherwise: RecordingNotices, settle: Settle
) -> None:
    system.permission = lambda: False
    notices.send(ASK)
    settle()
    assert (system.shown, otherwise.sent) == ({}, [])
    system.permission = lambda: True
    notices.send(ASK)
    settle()
    assert system.named(ASK.title)


def test_a_question_that_nobody_answers_is_asked_once_and_holds_up_nothing_for_long(
    system: StandIn,
    notices: ToastNotices,
    otherwise: RecordingNotices,
    settle: Settle,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from asyncio import Event

    monkeypatch.setattr(toaster, "_PATIENCE", 0.01)
    answered, asked = Event(), []

    def ask() -> Any:
        asked.append(None)
        return answered.wait()

    system.permission = ask
    notices.send(ASK)
    notices.send(Notice(key="other", title="Other"))
    settle()
    assert set(otherwise.shown) == {ASK.key, "other"}
    assert len(asked) == 1
    notices._toaster._loop.call_soon_threadsafe(answered.set)
    settle()
    monkeypatch.setattr(toaster, "_PATIENCE", 20.0)
    notices.send(ASK)
    settle()
    assert system.named(ASK.title)
    assert set(otherwise.shown) == {"other"}


def test_what_an_app_that_was_killed_left_there_is_taken_away_at_once(
    system: StandIn, notices: ToastNotices, settle: Settle
) -> None:
    settle()
    assert system.shown == {}


def test_at_the_end_buttons_go_and_messages_stay(system: StandIn, notices: ToastNotices, settle: Settle) -> None:
    notices.send(ASK)
    notices.send(Notice(key="told:1", title="Backed up"))
    settle()
    notices.end()
    assert [one.title for one in system.shown.values()] == ["Backed up"]
    notices.send(ASK)
    notices.end()


def test_a_system_without_the_library_has_bubbles(
    qtbot: QtBot, otherwise: RecordingNotices, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def refuse(**_: object) -> None:
        raise RuntimeError("Could not get ToastNotificationManagerForUser")

    monkeypatch.setattr(desktop_notifier, "DesktopNotifier", refuse)
    notices = ToastNotices(otherwise)
    notices.send(ASK)
    qtbot.waitUntil(lambda: otherwise.shown == {ASK.key: ASK}, timeout=LIMIT)
    notices.end()
    assert "Could not get ToastNotificationManagerForUser" in caplog.text
