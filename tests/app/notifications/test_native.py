"""Native notifications, with a fake desktop-notifier; tests/desktop has the real one."""

import threading
from collections.abc import Callable, Iterator
from typing import Any

import desktop_notifier
import pytest
from desktop_notifier import Capability
from desktop_notifier import Notification as NativeNotification
from pytestqt.qtbot import QtBot

from app.notifications import native
from app.notifications.native import NativeBackend
from app.notifications.notification import Notification, Urgency
from tests.app.notifications.recording_backend import RecordingBackend

LIMIT = 60_000
ASK = Notification(
    key="request:7",
    title="Receipts wants to add 3 rows",
    text="To Expenses",
    actions=(("default", "Look"), ("approve", "Approve"), ("reject", "Reject")),
    urgency=Urgency.CRITICAL,
    group="receipts",
)


class FakeNotifier:
    """Like desktop-notifier: `send_notification` never raises, and only `on_dispatched` signals success."""

    def __init__(self, app_name: str, app_icon: object) -> None:
        self.name = app_name
        self.shown: dict[str, NativeNotification] = {"left by a killed app": NativeNotification("Old", "")}
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

    async def send_notification(self, notification: NativeNotification) -> str:
        self.threads.add(threading.current_thread())
        if self.takes:
            self.shown[notification.identifier] = notification
            assert notification.on_dispatched is not None
            notification.on_dispatched()
        return notification.identifier

    def named(self, title: str) -> str:
        return next((name for name, one in list(self.shown.items()) if one.title == title), "")


@pytest.fixture
def system(monkeypatch: pytest.MonkeyPatch) -> FakeNotifier:
    made = FakeNotifier("Dayhand", None)
    monkeypatch.setattr(desktop_notifier, "DesktopNotifier", lambda **_: made)
    return made


@pytest.fixture
def backend(qtbot: QtBot, system: FakeNotifier, fallback: RecordingBackend) -> Iterator[NativeBackend]:
    made = NativeBackend(fallback)
    yield made
    made.end()
    assert not made._notifier._thread.is_alive()


@pytest.fixture
def settle(qtbot: QtBot, backend: NativeBackend) -> Callable[[], None]:
    """Wait until all tasks ran and all their signals arrived."""

    def wait() -> None:
        marks: list[object] = []
        mark = Notification(key="mark", title="Mark")

        async def mark_done() -> None:
            backend._failed.emit(mark)

        backend._failed.connect(marks.append)
        backend._notifier._enqueue(mark_done)
        qtbot.waitUntil(lambda: any(one is mark for one in marks), timeout=LIMIT)

    return wait


Settle = Callable[[], None]


def test_a_notification_is_shown_from_another_thread_with_safe_text(
    system: FakeNotifier, backend: NativeBackend, settle: Settle
) -> None:
    backend.send(Notification(key="k", title="One\nline\0", text="\u202eturned", actions=ASK.actions, group="mail"))
    settle()
    [shown] = system.shown.values()
    assert (shown.title, shown.message, shown.thread) == ("One line⟨0000⟩", "⟨202E⟩turned", "mail")
    assert [button.title for button in shown.buttons] == ["Approve", "Reject"]
    assert threading.main_thread() not in system.threads


@pytest.mark.parametrize(("place", "action"), [(0, "approve"), (1, "reject")])
def test_a_button_emits_its_action_and_closes_the_notification(
    system: FakeNotifier,
    backend: NativeBackend,
    signals: list[tuple[str, ...]],
    settle: Settle,
    place: int,
    action: str,
) -> None:
    backend.send(ASK)
    settle()
    [(name, shown)] = system.shown.items()
    system.on_button_pressed(name, shown.buttons[place].identifier)
    settle()
    assert signals == [("pressed", ASK.key, action), ("closed", ASK.key)]


def test_equal_labels_of_two_notifications_keep_their_actions(
    system: FakeNotifier, backend: NativeBackend, signals: list[tuple[str, ...]], settle: Settle
) -> None:
    """MacOS stores buttons by label: those of the first notification come back for the second."""
    backend.send(Notification(key="1", title="1", actions=(("retry", "Yes"), ("open", "No"))))
    backend.send(Notification(key="2", title="2", actions=(("happened", "Yes"), ("not", "No"))))
    settle()
    first = system.shown[system.named("1")]
    system.on_button_pressed(system.named("2"), first.buttons[1].identifier)
    settle()
    assert signals[0] == ("pressed", "2", "not")


def test_a_click_and_a_dismissal_are_distinguished(
    system: FakeNotifier, backend: NativeBackend, signals: list[tuple[str, ...]], settle: Settle
) -> None:
    backend.send(ASK)
    backend.send(Notification(key="other", title="Other"))
    settle()
    system.on_clicked(system.named(ASK.title))
    system.on_dismissed(system.named("Other"))
    settle()
    assert signals == [("pressed", ASK.key, "default"), ("closed", ASK.key), ("closed", "other")]


def test_a_second_notification_replaces_the_first_and_its_buttons(
    system: FakeNotifier, backend: NativeBackend, signals: list[tuple[str, ...]], settle: Settle
) -> None:
    backend.send(ASK)
    settle()
    first = system.named(ASK.title)
    backend.send(Notification(key=ASK.key, title="Failed 2 times", actions=ASK.actions))
    settle()
    assert [one.title for one in system.shown.values()] == ["Failed 2 times"]
    system.on_button_pressed(first, "1")
    settle()
    assert signals == []


def test_a_press_during_a_replacement_keeps_the_new_one_working(
    system: FakeNotifier, backend: NativeBackend, signals: list[tuple[str, ...]], settle: Settle
) -> None:
    backend.send(ASK)
    settle()
    system.on_button_pressed(system.named(ASK.title), "1")
    # The press reached the other thread, but not this one yet.
    backend.send(Notification(key=ASK.key, title="Again", actions=ASK.actions))
    settle()
    system.on_button_pressed(system.named("Again"), "2")
    settle()
    assert signals == [("pressed", ASK.key, "approve"), ("pressed", ASK.key, "reject"), ("closed", ASK.key)]


def test_a_withdrawn_notification_is_removed_and_its_presses_ignored(
    system: FakeNotifier, backend: NativeBackend, signals: list[tuple[str, ...]], settle: Settle
) -> None:
    backend.send(ASK)
    settle()
    system.on_button_pressed(system.named(ASK.title), "1")
    backend.withdraw(ASK.key)
    backend.withdraw("never sent")
    settle()
    assert signals == []
    backend.send(ASK)
    backend.withdraw(ASK.key)
    settle()
    assert [one.title for one in system.shown.values()] == [ASK.title], "only the pressed one"


def test_a_notification_that_was_not_shown_goes_to_the_fallback(
    system: FakeNotifier, backend: NativeBackend, fallback: RecordingBackend, settle: Settle
) -> None:
    system.takes = False
    backend.send(ASK)
    settle()
    assert fallback.shown == {ASK.key: ASK}
    system.takes = True
    backend.send(ASK)
    settle()
    assert fallback.shown == {}
    assert system.named(ASK.title)


def test_withdrawn_before_it_failed_it_is_not_shown(
    system: FakeNotifier, backend: NativeBackend, fallback: RecordingBackend, settle: Settle
) -> None:
    system.takes = False
    backend.send(ASK)
    backend.withdraw(ASK.key)
    settle()
    assert fallback.sent == []


def test_a_system_without_notifications_uses_the_fallback(
    system: FakeNotifier, backend: NativeBackend, fallback: RecordingBackend, settle: Settle
) -> None:
    """Outside a bundle, macOS accepts everything and shows nothing."""
    system.abilities = frozenset()
    backend.send(ASK)
    settle()
    assert fallback.shown == {ASK.key: ASK}
    assert system.shown == {}


def test_presses_in_the_fallback_are_forwarded(
    system: FakeNotifier,
    backend: NativeBackend,
    fallback: RecordingBackend,
    signals: list[tuple[str, ...]],
    settle: Settle,
) -> None:
    system.takes = False
    backend.send(ASK)
    settle()
    fallback.pressed.emit(ASK.key, "default")
    fallback.closed.emit(ASK.key)
    assert signals == [("pressed", ASK.key, "default"), ("closed", ASK.key)]


def test_without_permission_nothing_is_shown_until_it_is_granted(
    system: FakeNotifier, backend: NativeBackend, fallback: RecordingBackend, settle: Settle
) -> None:
    system.permission = lambda: False
    backend.send(ASK)
    settle()
    assert (system.shown, fallback.sent) == ({}, [])
    system.permission = lambda: True
    backend.send(ASK)
    settle()
    assert system.named(ASK.title)


def test_an_unanswered_permission_dialog_opens_once_and_blocks_nothing_for_long(
    system: FakeNotifier,
    backend: NativeBackend,
    fallback: RecordingBackend,
    settle: Settle,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from asyncio import Event

    monkeypatch.setattr(native, "_SEND_TIMEOUT_S", 0.01)
    answered, requests = Event(), []

    def ask() -> Any:
        requests.append(None)
        return answered.wait()

    system.permission = ask
    backend.send(ASK)
    backend.send(Notification(key="other", title="Other"))
    settle()
    assert set(fallback.shown) == {ASK.key, "other"}
    assert len(requests) == 1
    backend._notifier._loop.call_soon_threadsafe(answered.set)
    settle()
    monkeypatch.setattr(native, "_SEND_TIMEOUT_S", 20.0)
    backend.send(ASK)
    settle()
    assert system.named(ASK.title)
    assert set(fallback.shown) == {"other"}


def test_leftovers_of_a_killed_app_are_removed_at_the_start(
    system: FakeNotifier, backend: NativeBackend, settle: Settle
) -> None:
    settle()
    assert system.shown == {}


def test_at_the_end_only_notifications_with_buttons_are_removed(
    system: FakeNotifier, backend: NativeBackend, settle: Settle
) -> None:
    backend.send(ASK)
    backend.send(Notification(key="told:1", title="Backed up"))
    settle()
    backend.end()
    assert [one.title for one in system.shown.values()] == ["Backed up"]
    backend.send(ASK)
    backend.end()


def test_without_the_library_the_fallback_is_used(
    qtbot: QtBot, fallback: RecordingBackend, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def refuse(**_: object) -> None:
        raise RuntimeError("Could not get ToastNotificationManagerForUser")

    monkeypatch.setattr(desktop_notifier, "DesktopNotifier", refuse)
    backend = NativeBackend(fallback)
    backend.send(ASK)
    qtbot.waitUntil(lambda: fallback.shown == {ASK.key: ASK}, timeout=LIMIT)
    backend.end()
    assert "Could not get ToastNotificationManagerForUser" in caplog.text
