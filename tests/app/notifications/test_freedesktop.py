"""Notifications over D-Bus. The daemon is a fake without a screen; tests/desktop has a real one."""

import json
import logging
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from dayhand._process_mark import mark_process
from pytestqt.qtbot import QtBot

from app.notifications.freedesktop import FreedesktopBackend
from app.notifications.notification import Notification, Urgency
from app.notifications.shown_file import ShownFile
from app.platform.dbus import NO_REPLY, Bus, DBusReply
from tests.app.notifications.recording_backend import ABLE, NAME, PATH, FakeDaemon, RecordingBackend
from tests.desktop.buses import FakeDBusService, PrivateBus, private_bus

LIMIT = 60_000
ASK = Notification(
    key="request:7",
    title="Receipts wants to add 3 rows",
    text="Expenses & <more>",
    actions=(("approve", "Approve"), ("reject", "Reject")),
)

Start = Callable[..., FakeDaemon]


@pytest.fixture
def start(daemon: PrivateBus) -> Iterator[Start]:
    made: list[FakeDaemon] = []

    def begin(*abilities: str) -> FakeDaemon:
        made.append(FakeDaemon(daemon.address, *(abilities or ABLE)))
        return made[-1]

    yield begin
    for one in made:
        one.leave()


@pytest.fixture
def backend(qtbot: QtBot, daemon: PrivateBus, fallback: RecordingBackend) -> Iterator[FreedesktopBackend]:
    bus = Bus(daemon.address, retry_ms=20)
    made = FreedesktopBackend(bus, fallback)
    bus.open()
    yield made
    bus.close()


def show(qtbot: QtBot, backend: FreedesktopBackend, screen: FakeDaemon, notification: Notification = ASK) -> int:
    """Show it and return the daemon's id."""
    backend.send(notification)
    qtbot.waitUntil(
        lambda: notification.key in backend._open and backend._open[notification.key].number != 0, timeout=LIMIT
    )
    number = backend._open[notification.key].number
    assert number in screen.shown
    return number


def wait_for_signals(qtbot: QtBot, backend: FreedesktopBackend) -> None:
    """Wait until all earlier signals of the daemon were handled."""
    answered: list[Any] = []
    backend._service.call("/", "org.example", "Unheard", callback=answered.append)
    qtbot.waitUntil(lambda: bool(answered), timeout=LIMIT)


def test_a_notification_is_shown_with_its_buttons(qtbot: QtBot, backend: FreedesktopBackend, start: Start) -> None:
    screen = start()
    number = show(qtbot, backend, screen)
    sender, replaces, icon, title, text, actions, hints, expiry = screen.shown[number]
    assert (sender, replaces, icon) == ("Dayhand", 0, "dayhand")
    assert title == "Receipts wants to add 3 rows"
    assert text == "Expenses &amp; &lt;more&gt;"
    assert actions == ["approve", "Approve", "reject", "Reject"]
    assert (hints["urgency"], hints["desktop-entry"]) == (("y", 1), ("s", "dayhand"))
    kind, (width, height, line, alpha, bits, channels, pixels) = hints["image-data"]
    assert (kind, width, height, alpha, bits, channels) == ("(iiibiiay)", 48, 48, True, 8, 4)
    assert len(pixels) == line * height and any(pixels), "the icon as pixels, since the theme has none"
    assert expiry == -1


@pytest.mark.parametrize(
    ("urgency", "number", "expiry"), [(Urgency.LOW, 0, -1), (Urgency.NORMAL, 1, -1), (Urgency.CRITICAL, 2, 0)]
)
def test_only_critical_notifications_never_expire(
    qtbot: QtBot, backend: FreedesktopBackend, start: Start, urgency: Urgency, number: int, expiry: int
) -> None:
    screen = start()
    shown = screen.shown[show(qtbot, backend, screen, Notification(key="k", title="t", urgency=urgency))]
    assert shown[6]["urgency"] == ("y", number)
    assert shown[7] == expiry


def test_a_daemon_without_markup_gets_plain_text(qtbot: QtBot, backend: FreedesktopBackend, start: Start) -> None:
    screen = start("body")
    shown = screen.shown[show(qtbot, backend, screen, replace(ASK, actions=()))]
    assert shown[4] == "Expenses & <more>"


def test_a_daemon_without_buttons_gets_nothing_that_asks(
    qtbot: QtBot, backend: FreedesktopBackend, fallback: RecordingBackend, start: Start
) -> None:
    screen = start("body")
    news = Notification(key="news", title="Backup done")
    backend.send(ASK)
    show(qtbot, backend, screen, news)
    assert fallback.shown == {ASK.key: ASK}
    assert screen.titles() == [news.title]
    backend.withdraw(ASK.key)
    assert fallback.shown == {}


def test_a_notification_that_asks_now_leaves_a_daemon_without_buttons(
    qtbot: QtBot, backend: FreedesktopBackend, fallback: RecordingBackend, start: Start
) -> None:
    screen = start("body")
    show(qtbot, backend, screen, replace(ASK, actions=()))
    backend.send(ASK)
    qtbot.waitUntil(lambda: screen.titles() == [], timeout=LIMIT)
    assert fallback.shown == {ASK.key: ASK}


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("nul\0, bell\a", "nul⟨0000⟩, bell⟨0007⟩"),
        ("half a \ud83d pair", "half a ⟨D83D⟩ pair"),
        ("two\nlines\tand tabs", "two\nlines and tabs"),
        ("Größe\u00a0✓ 👩\u200d💻", "Größe\u00a0✓ 👩⟨200D⟩💻"),
        ("pay \u202e001\u202c now", "pay ⟨202E⟩001⟨202C⟩ now"),
        ("x" * 1000, "x" * 1000),
        ("x" * 1001, "x" * 999 + "…"),
    ],
)
def test_any_text_is_made_safe_to_show(
    qtbot: QtBot, backend: FreedesktopBackend, start: Start, written: str, read: str
) -> None:
    screen = start("body")
    assert screen.shown[show(qtbot, backend, screen, Notification(key="k", title="t", text=written))][4] == read


def test_a_title_is_one_line(qtbot: QtBot, backend: FreedesktopBackend, start: Start) -> None:
    screen = start()
    assert screen.shown[show(qtbot, backend, screen, Notification(key="k", title="one\n two\0"))][3] == "one two⟨0000⟩"


def test_the_same_key_replaces_the_first(qtbot: QtBot, backend: FreedesktopBackend, start: Start) -> None:
    screen = start()
    number = show(qtbot, backend, screen)
    backend.send(Notification(key=ASK.key, title="Again"))
    qtbot.waitUntil(lambda: screen.titles() == ["Again"], timeout=LIMIT)
    assert list(screen.shown) == [number]


def test_many_updates_of_one_key_end_as_one_with_the_last_text(
    qtbot: QtBot, backend: FreedesktopBackend, start: Start
) -> None:
    """Before the daemon has replied with an id, nothing can be replaced."""
    screen = start()
    for count in range(20):
        backend.send(Notification(key="k", title=f"Failed {count} times"))
    qtbot.waitUntil(lambda: screen.titles() == ["Failed 19 times"], timeout=LIMIT)
    assert len(screen.calls_of("Notify")) <= 2


def test_an_earlier_failed_query_does_not_undo_a_later_one(
    qtbot: QtBot, backend: FreedesktopBackend, start: Start
) -> None:
    """A query sent before the bus was open may fail after the daemon has replied to the next."""
    screen = start()
    show(qtbot, backend, screen)
    backend._receive_capabilities(backend._last_query - 1, DBusReply((), NO_REPLY))
    calls = len(screen.calls_of("GetCapabilities"))
    backend.send(Notification(key=ASK.key, title="Again"))
    qtbot.waitUntil(lambda: screen.titles() == ["Again"], timeout=LIMIT)
    assert len(screen.calls_of("GetCapabilities")) == calls


def test_a_change_during_a_query_replaces_the_notification(
    qtbot: QtBot, backend: FreedesktopBackend, start: Start
) -> None:
    screen = start()
    number = show(qtbot, backend, screen)
    backend._receive_capabilities(backend._last_query, DBusReply((), NO_REPLY))
    backend.send(Notification(key=ASK.key, title="Again"))
    qtbot.waitUntil(lambda: screen.titles() == ["Again"], timeout=LIMIT)
    assert list(screen.shown) == [number]


def test_a_press_is_emitted_with_key_and_action(
    qtbot: QtBot, backend: FreedesktopBackend, start: Start, signals: list[tuple[str, ...]]
) -> None:
    screen = start()
    number = show(qtbot, backend, screen)
    screen.press(number, "approve")
    screen.close(number)
    qtbot.waitUntil(lambda: len(signals) == 2, timeout=LIMIT)
    assert signals == [("pressed", "request:7", "approve"), ("closed", "request:7")]


def test_presses_on_other_programs_notifications_are_ignored(
    qtbot: QtBot, backend: FreedesktopBackend, start: Start, signals: list[tuple[str, ...]]
) -> None:
    screen = start()
    number = show(qtbot, backend, screen)
    for other in (0, number + 1, number - 1):
        screen.press(other, "approve")
        screen.close(other)
    wait_for_signals(qtbot, backend)
    assert signals == []


@pytest.mark.parametrize("reason", [1, 2, 4])
def test_a_closed_notification_is_reported_once_and_can_be_sent_again(
    qtbot: QtBot, backend: FreedesktopBackend, start: Start, signals: list[tuple[str, ...]], reason: int
) -> None:
    screen = start()
    screen.close(show(qtbot, backend, screen), reason)
    qtbot.waitUntil(lambda: signals == [("closed", ASK.key)], timeout=LIMIT)
    show(qtbot, backend, screen)
    assert screen.calls_of("Notify")[-1][1] == 0


def test_withdrawing_removes_it_without_a_signal(
    qtbot: QtBot, backend: FreedesktopBackend, start: Start, signals: list[tuple[str, ...]]
) -> None:
    screen = start()
    number = show(qtbot, backend, screen)
    backend.withdraw(ASK.key)
    qtbot.waitUntil(lambda: screen.shown == {}, timeout=LIMIT)
    screen.press(number, "approve")
    wait_for_signals(qtbot, backend)
    assert signals == []


def test_withdrawn_before_the_reply_it_is_closed_after_the_reply(
    qtbot: QtBot, backend: FreedesktopBackend, start: Start
) -> None:
    screen = start()
    show(qtbot, backend, screen, Notification(key="other", title="Other"))
    backend.send(ASK)
    backend.withdraw(ASK.key)
    qtbot.waitUntil(lambda: screen.calls_of("CloseNotification") != [], timeout=LIMIT)
    assert screen.titles() == ["Other"]


def test_withdrawn_and_immediately_sent_again_it_stays(qtbot: QtBot, backend: FreedesktopBackend, start: Start) -> None:
    screen = start()
    backend.send(ASK)
    backend.withdraw(ASK.key)
    backend.send(Notification(key=ASK.key, title="After all"))
    qtbot.waitUntil(lambda: screen.titles() == ["After all"], timeout=LIMIT)
    wait_for_signals(qtbot, backend)
    assert screen.titles() == ["After all"]


def test_withdrawn_and_sent_again_before_the_reply_it_stays(
    qtbot: QtBot, backend: FreedesktopBackend, start: Start
) -> None:
    screen = start()
    show(qtbot, backend, screen, Notification(key="other", title="Other"))
    backend.send(ASK)
    backend.withdraw(ASK.key)
    backend.send(Notification(key=ASK.key, title="After all"))
    qtbot.waitUntil(lambda: screen.titles() == ["Other", "After all"], timeout=LIMIT)
    wait_for_signals(qtbot, backend)
    assert screen.calls_of("CloseNotification") == []


def test_a_press_after_the_withdrawal_is_ignored(
    qtbot: QtBot, backend: FreedesktopBackend, start: Start, signals: list[tuple[str, ...]]
) -> None:
    """Even while the daemon has not replied yet, so that it cannot be closed."""
    screen = start()
    number = show(qtbot, backend, screen)
    screen.replies["Notify"] = None
    backend.send(Notification(key=ASK.key, title="Again"))
    backend.withdraw(ASK.key)
    screen.press(number, "approve")
    wait_for_signals(qtbot, backend)
    assert signals == []


def test_closed_while_being_replaced_it_stays_open(
    qtbot: QtBot, backend: FreedesktopBackend, start: Start, signals: list[tuple[str, ...]]
) -> None:
    screen = start()
    number = show(qtbot, backend, screen)
    screen.replies["Notify"] = None
    backend.send(Notification(key=ASK.key, title="Again"))
    screen.close(number)
    wait_for_signals(qtbot, backend)
    assert signals == []
    assert ASK.key in backend._open


def test_withdrawing_an_unknown_key_does_nothing(qtbot: QtBot, backend: FreedesktopBackend, start: Start) -> None:
    screen = start()
    show(qtbot, backend, screen)
    backend.withdraw("nothing")
    wait_for_signals(qtbot, backend)
    assert screen.calls_of("CloseNotification") == []


def test_without_a_daemon_the_fallback_is_used_until_one_starts(
    qtbot: QtBot, backend: FreedesktopBackend, fallback: RecordingBackend, start: Start
) -> None:
    backend.send(ASK)
    qtbot.waitUntil(lambda: fallback.shown == {ASK.key: ASK}, timeout=LIMIT)
    screen = start()
    qtbot.waitUntil(lambda: screen.titles() == [ASK.title], timeout=LIMIT)
    assert fallback.shown == {}
    assert len(fallback.sent) == 1


def test_sent_before_the_bus_is_open_it_waits_and_is_shown_once(
    qtbot: QtBot, daemon: PrivateBus, fallback: RecordingBackend, start: Start
) -> None:
    """As at every start with open problems: a bubble cannot be removed once the daemon is found."""
    screen = start()
    bus = Bus(daemon.address, retry_ms=20)
    backend = FreedesktopBackend(bus, fallback)
    try:
        backend.send(ASK)
        wait_for_signals(qtbot, backend)
        bus.open()
        qtbot.waitUntil(lambda: screen.titles() == [ASK.title], timeout=LIMIT)
    finally:
        bus.close()
    assert fallback.sent == []


@pytest.mark.parametrize("file", ["kept", "of another daemon", "damaged"])
def test_buttons_that_a_killed_app_left_behind_are_withdrawn_at_the_next_start(
    qtbot: QtBot, daemon: PrivateBus, start: Start, tmp_path: Path, file: str
) -> None:
    """They would do nothing. Ids of another daemon are left alone: they may belong to other apps by now."""
    screen, path = start(), tmp_path / "notifications.json"
    killed_bus = Bus(daemon.address, retry_ms=20)
    killed = FreedesktopBackend(killed_bus, None, ShownFile(path))
    killed_bus.open()
    solved = Notification(key="solved", title="Solved", actions=ASK.actions)
    for notification in (ASK, solved, Notification(key="news", title="News")):
        show(qtbot, killed, screen, notification)
    killed.withdraw("solved")
    qtbot.waitUntil(lambda: screen.titles() == [ASK.title, "News"], timeout=LIMIT)
    killed_bus.close()
    content = path.read_text()
    other = json.dumps({**json.loads(content), "daemon": "1 1"})
    path.write_text({"kept": content, "of another daemon": other, "damaged": "{"}[file])
    bus = Bus(daemon.address, retry_ms=20)
    backend = FreedesktopBackend(bus, None, ShownFile(path))
    try:
        backend.send(Notification(key="request:7", title="Asked again", actions=ASK.actions))
        bus.open()
        qtbot.waitUntil(lambda: "Asked again" in screen.titles(), timeout=LIMIT)
        wait_for_signals(qtbot, backend)
        left = [] if file == "kept" else [ASK.title]
        assert screen.titles() == [*left, "News", "Asked again"]
    finally:
        bus.close()


def test_withdrawn_without_a_daemon_it_is_not_shown_by_the_next(
    qtbot: QtBot, backend: FreedesktopBackend, fallback: RecordingBackend, start: Start
) -> None:
    backend.send(ASK)
    qtbot.waitUntil(lambda: ASK.key in fallback.shown, timeout=LIMIT)
    backend.withdraw(ASK.key)
    assert fallback.shown == {}
    screen = start()
    show(qtbot, backend, screen, Notification(key="other", title="Other"))
    assert screen.titles() == ["Other"]


def test_updates_of_a_notification_in_the_fallback_go_there_too(
    qtbot: QtBot, backend: FreedesktopBackend, fallback: RecordingBackend
) -> None:
    backend.send(ASK)
    qtbot.waitUntil(lambda: ASK.key in fallback.shown, timeout=LIMIT)
    backend.send(Notification(key=ASK.key, title="Again"))
    qtbot.waitUntil(lambda: fallback.shown[ASK.key].title == "Again", timeout=LIMIT)


def test_closed_in_the_fallback_it_is_not_shown_by_a_later_daemon(
    qtbot: QtBot, backend: FreedesktopBackend, fallback: RecordingBackend, start: Start
) -> None:
    backend.send(ASK)
    qtbot.waitUntil(lambda: ASK.key in fallback.shown, timeout=LIMIT)
    fallback.closed.emit(ASK.key)
    screen = start()
    show(qtbot, backend, screen, Notification(key="other", title="Other"))
    assert screen.titles() == ["Other"]


def test_capabilities_are_queried_once_for_all_waiting_notifications(
    qtbot: QtBot, backend: FreedesktopBackend, start: Start
) -> None:
    screen = start()
    show(qtbot, backend, screen)
    backend._receive_capabilities(backend._last_query, DBusReply((), NO_REPLY))
    before = len(screen.calls_of("GetCapabilities"))
    for number in range(20):
        backend.send(Notification(key=str(number), title=str(number)))
    qtbot.waitUntil(lambda: len(screen.shown) == 21, timeout=LIMIT)
    assert len(screen.calls_of("GetCapabilities")) == before + 1


def test_presses_in_the_fallback_are_forwarded(
    qtbot: QtBot, backend: FreedesktopBackend, fallback: RecordingBackend, signals: list[tuple[str, ...]]
) -> None:
    backend.send(ASK)
    qtbot.waitUntil(lambda: ASK.key in fallback.shown, timeout=LIMIT)
    fallback.pressed.emit(ASK.key, "default")
    fallback.closed.emit(ASK.key)
    assert signals == [("pressed", ASK.key, "default"), ("closed", ASK.key)]


def test_a_restarted_daemon_shows_what_is_open(
    qtbot: QtBot, backend: FreedesktopBackend, start: Start, signals: list[tuple[str, ...]]
) -> None:
    first = start()
    closed = show(qtbot, backend, first, Notification(key="closed", title="Closed"))
    show(qtbot, backend, first)
    first.close(closed)
    qtbot.waitUntil(lambda: signals == [("closed", "closed")], timeout=LIMIT)
    first.leave()
    second = start()
    qtbot.waitUntil(lambda: second.titles() == [ASK.title], timeout=LIMIT)
    (number,) = second.shown
    qtbot.waitUntil(lambda: backend._open[ASK.key].number == number, timeout=LIMIT)
    second.press(number, "reject")
    qtbot.waitUntil(lambda: signals[1:] == [("pressed", ASK.key, "reject")], timeout=LIMIT)
    assert second.calls_of("Notify")[0][1] == 0, "ids of the first mean nothing to the second"


def test_after_a_daemon_is_gone_for_good_the_fallback_is_used(
    qtbot: QtBot, backend: FreedesktopBackend, fallback: RecordingBackend, start: Start
) -> None:
    screen = start()
    show(qtbot, backend, screen)
    screen.leave()
    qtbot.waitUntil(lambda: fallback.shown == {ASK.key: ASK}, timeout=LIMIT)


def test_a_daemon_that_crashes_on_a_notification_is_restarted_only_once(
    qtbot: QtBot, backend: FreedesktopBackend, start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Calling a missing daemon lets the bus start it again, only to crash on the same notification."""
    revivals: list[str] = []
    call = backend._service.call

    def counted(path: str, interface: str, member: str, *values: Any, **settings: Any) -> None:
        if not backend._service.has_owner:
            revivals.append(member)
        call(path, interface, member, *values, **settings)

    screen = start()
    show(qtbot, backend, screen)
    monkeypatch.setattr(backend._service, "call", counted)
    for _ in range(3):
        with qtbot.waitSignal(backend._service.vanished, timeout=LIMIT):
            screen.leave()
        screen = start()
        qtbot.waitUntil(lambda s=screen: s.titles() == [ASK.title], timeout=LIMIT)
    assert revivals == ["GetCapabilities"]


def test_a_rejected_notification_goes_to_the_fallback(
    qtbot: QtBot,
    backend: FreedesktopBackend,
    fallback: RecordingBackend,
    start: Start,
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.CRITICAL, logger="app.notifications.freedesktop")
    screen = start()
    del screen.replies["Notify"]
    backend.send(ASK)
    qtbot.waitUntil(lambda: fallback.shown == {ASK.key: ASK}, timeout=LIMIT)


def test_a_frozen_daemon_blocks_nothing(
    qtbot: QtBot,
    backend: FreedesktopBackend,
    fallback: RecordingBackend,
    start: Start,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.CRITICAL, logger="app.notifications.freedesktop")
    monkeypatch.setattr("app.notifications.freedesktop._TIMEOUT_S", 0.1)
    screen = start()
    show(qtbot, backend, screen, Notification(key="before", title="Before"))
    screen.replies["Notify"] = None
    backend.send(ASK)
    qtbot.waitUntil(lambda: fallback.shown == {ASK.key: ASK}, timeout=LIMIT)


def test_notifications_survive_a_bus_restart(qtbot: QtBot, fallback: RecordingBackend) -> None:
    with private_bus() as daemon:
        bus = Bus(daemon.address, retry_ms=20)
        backend = FreedesktopBackend(bus, fallback)
        first = FakeDaemon(daemon.address, *ABLE)
        bus.open()
        show(qtbot, backend, first)
        daemon.stop()
        qtbot.waitUntil(lambda: fallback.shown == {ASK.key: ASK}, timeout=LIMIT)
        first.leave()
        daemon.start()
        second = FakeDaemon(daemon.address, *ABLE)
        qtbot.waitUntil(lambda: second.titles() == [ASK.title], timeout=LIMIT)
        assert fallback.shown == {}
        second.leave()
        bus.close()


def test_send_never_raises(
    qtbot: QtBot, backend: FreedesktopBackend, start: Start, caplog: pytest.LogCaptureFixture
) -> None:
    """Even a value of the wrong type is only logged, and the next notification is shown."""
    screen = start()
    show(qtbot, backend, screen)
    wrong: Any = SimpleNamespace(key="wrong", title=None)
    with caplog.at_level(logging.ERROR, logger="app.notifications.freedesktop"):
        backend.send(wrong)
        backend.withdraw(wrong)
    assert "A notification could not be sent" in caplog.text
    screen.leave()
    second = start()
    qtbot.waitUntil(lambda: second.titles() == [ASK.title], timeout=LIMIT)
    show(qtbot, backend, second, Notification(key="right", title="Right"))


def test_malformed_signals_of_the_daemon_change_nothing(
    qtbot: QtBot,
    backend: FreedesktopBackend,
    start: Start,
    signals: list[tuple[str, ...]],
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.CRITICAL, logger="app.platform.dbus")
    screen = start()
    number = show(qtbot, backend, screen)
    screen.emit("ActionInvoked", "s", ("?",))
    screen.emit("NotificationClosed")
    screen.press(number, "approve")
    qtbot.waitUntil(lambda: signals == [("pressed", ASK.key, "approve")], timeout=LIMIT)


def test_another_program_cannot_press_our_buttons(
    qtbot: QtBot, daemon: PrivateBus, backend: FreedesktopBackend, start: Start, signals: list[tuple[str, ...]]
) -> None:
    screen = start()
    number = show(qtbot, backend, screen)
    stranger = FakeDBusService(daemon.address, "org.example.Stranger", PATH, NAME)
    stranger.emit("ActionInvoked", "us", (number, "approve"))
    stranger.leave()
    wait_for_signals(qtbot, backend)
    screen.press(number, "reject")
    qtbot.waitUntil(lambda: bool(signals), timeout=LIMIT)
    assert signals == [("pressed", ASK.key, "reject")]


def test_only_offered_buttons_can_be_pressed(
    qtbot: QtBot, backend: FreedesktopBackend, start: Start, signals: list[tuple[str, ...]]
) -> None:
    screen = start()
    number = show(qtbot, backend, screen, Notification(key="k", title="t", actions=(("look", "Review"),)))
    screen.press(number, "approve")
    screen.press(number, "look")
    qtbot.waitUntil(lambda: bool(signals), timeout=LIMIT)
    assert signals == [("pressed", "k", "look")]


PRESSING = """
import sys
from tests.app.notifications.recording_backend import ABLE, FakeDaemon

class Pressing(FakeDaemon):
    def notify(self, *body):
        kind, (number,) = super().notify(*body)
        if "Press" not in self.replies:
            self.replies["Press"] = lambda: (self.press(number, "approve"), ("", ()))[1]
        print("shown", len(body[5]), flush=True)
        return kind, (number,)

Pressing(sys.argv[1], *ABLE)
print("ready", flush=True)
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="another system hands on no mark")
@pytest.mark.parametrize("marked", [False, True], ids=["another program", "a script"])
def test_a_script_posing_as_the_daemon_gets_no_buttons(
    qtbot: QtBot,
    daemon: PrivateBus,
    backend: FreedesktopBackend,
    fallback: RecordingBackend,
    signals: list[tuple[str, ...]],
    *,
    marked: bool,
) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", PRESSING, daemon.address],
        cwd=Path(__file__).parents[3],
        stdout=subprocess.PIPE,
        text=True,
        preexec_fn=mark_process if marked else None,  # noqa: PLW1509  as the app does it
    )
    try:
        assert process.stdout is not None and process.stdout.readline() == "ready\n"
        news = replace(ASK, key="news", actions=())
        for notification in (ASK, news):
            backend.send(notification)
        qtbot.waitUntil(lambda: "news" in backend._open and backend._open["news"].number != 0, timeout=LIMIT)
        assert fallback.shown == ({ASK.key: ASK} if marked else {})
        assert process.stdout.readline() == f"shown {0 if marked else 4}\n"
        answered: list[Any] = []
        backend._service.call(PATH, NAME, "Press", callback=answered.append)
        qtbot.waitUntil(lambda: bool(answered), timeout=LIMIT)
        wait_for_signals(qtbot, backend)
        assert signals == ([] if marked else [("pressed", ASK.key, "approve")])
    finally:
        process.kill()
        process.communicate()
