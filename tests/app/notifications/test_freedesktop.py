"""Notices over D-Bus. The daemon is a stand-in without a screen; tests/desktop has a real one."""

import logging
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from dayhand._brand import brand
from pytestqt.qtbot import QtBot

from app.notices.desktop import DesktopNotices
from app.notices.notice import Notice, Urgency
from app.platform.bus import NO_ANSWER, Bus, Reply
from tests.app.notices.recording import ABLE, NAME, PATH, RecordingNotices, StandInDaemon
from tests.desktop.buses import PrivateBus, StandIn, private_bus

LIMIT = 60_000
ASK = Notice(
    key="request:7",
    title="Receipts wants to add 3 rows",
    text="Expenses & <more>",
    actions=(("approve", "Approve"), ("reject", "Reject")),
)

Start = Callable[..., StandInDaemon]


@pytest.fixture
def start(daemon: PrivateBus) -> Iterator[Start]:
    made: list[StandInDaemon] = []

    def begin(*abilities: str) -> StandInDaemon:
        made.append(StandInDaemon(daemon.address, *(abilities or ABLE)))
        return made[-1]

    yield begin
    for one in made:
        one.leave()


@pytest.fixture
def notices(qtbot: QtBot, daemon: PrivateBus, otherwise: RecordingNotices) -> Iterator[DesktopNotices]:
    bus = Bus(daemon.address, pause=20)
    made = DesktopNotices(bus, otherwise)
    bus.open()
    yield made
    bus.close()


def show(qtbot: QtBot, notices: DesktopNotices, screen: StandInDaemon, notice: Notice = ASK) -> int:
    """The number under which it stands on the screen and is known here."""
    notices.send(notice)
    qtbot.waitUntil(lambda: notice.key in notices._open and notices._open[notice.key].number != 0, timeout=LIMIT)
    number = notices._open[notice.key].number
    assert number in screen.shown
    return number


def settle(qtbot: QtBot, notices: DesktopNotices) -> None:
    """All that the daemon said before has been heard."""
    answered: list[Any] = []
    notices._service.call("/", "org.example", "Unheard", then=answered.append)
    qtbot.waitUntil(lambda: bool(answered), timeout=LIMIT)


def test_a_notice_reaches_the_screen_with_its_buttons(qtbot: QtBot, notices: DesktopNotices, start: Start) -> None:
    screen = start()
    number = show(qtbot, notices, screen)
    sender, replaces, icon, title, text, actions, hints, expiry = screen.shown[number]
    assert (sender, replaces, icon) == ("Dayhand", 0, "dayhand")
    assert title == "Receipts wants to add 3 rows"
    assert text == "Expenses &amp; &lt;more&gt;"
    assert actions == ["approve", "Approve", "reject", "Reject"]
    assert (hints["urgency"], hints["desktop-entry"]) == (("y", 1), ("s", "dayhand"))
    kind, (width, height, line, alpha, bits, channels, pixels) = hints["image-data"]
    assert (kind, width, height, alpha, bits, channels) == ("(iiibiiay)", 48, 48, True, 8, 4)
    assert len(pixels) == line * height and any(pixels), "an icon where the theme knows none by our name"
    assert expiry == -1


@pytest.mark.parametrize(
    ("urgency", "number", "expiry"), [(Urgency.LOW, 0, -1), (Urgency.NORMAL, 1, -1), (Urgency.CRITICAL, 2, 0)]
)
def test_only_what_is_critical_stays_until_it_is_seen(
    qtbot: QtBot, notices: DesktopNotices, start: Start, urgency: Urgency, number: int, expiry: int
) -> None:
    screen = start()
    shown = screen.shown[show(qtbot, notices, screen, Notice(key="k", title="t", urgency=urgency))]
    assert shown[6]["urgency"] == ("y", number)
    assert shown[7] == expiry


def test_a_daemon_without_buttons_and_markup_gets_plain_text_only(
    qtbot: QtBot, notices: DesktopNotices, start: Start
) -> None:
    screen = start("body")
    shown = screen.shown[show(qtbot, notices, screen)]
    assert shown[4] == "Expenses & <more>"
    assert shown[5] == []


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
def test_text_of_any_kind_is_made_fit_to_show(
    qtbot: QtBot, notices: DesktopNotices, start: Start, written: str, read: str
) -> None:
    screen = start("body")
    assert screen.shown[show(qtbot, notices, screen, Notice(key="k", title="t", text=written))][4] == read


def test_a_title_is_one_line(qtbot: QtBot, notices: DesktopNotices, start: Start) -> None:
    screen = start()
    assert screen.shown[show(qtbot, notices, screen, Notice(key="k", title="one\n two\0"))][3] == "one two⟨0000⟩"


def test_the_same_key_takes_the_place_of_the_first(qtbot: QtBot, notices: DesktopNotices, start: Start) -> None:
    screen = start()
    number = show(qtbot, notices, screen)
    notices.send(Notice(key=ASK.key, title="Again"))
    qtbot.waitUntil(lambda: screen.titles() == ["Again"], timeout=LIMIT)
    assert list(screen.shown) == [number]


def test_many_at_once_under_one_key_end_as_one_with_the_last_words(
    qtbot: QtBot, notices: DesktopNotices, start: Start
) -> None:
    """While the daemon has not yet said its number, there is nothing that could be replaced."""
    screen = start()
    for count in range(20):
        notices.send(Notice(key="k", title=f"Failed {count} times"))
    qtbot.waitUntil(lambda: screen.titles() == ["Failed 19 times"], timeout=LIMIT)
    assert len(screen.called("Notify")) <= 2


def test_a_question_that_failed_earlier_does_not_undo_a_later_answer(
    qtbot: QtBot, notices: DesktopNotices, start: Start
) -> None:
    """One that was asked before the bus was open may be given up after the daemon was met."""
    screen = start()
    show(qtbot, notices, screen)
    notices._learn(notices._asked - 1, Reply((), NO_ANSWER))
    calls = len(screen.called("GetCapabilities"))
    notices.send(Notice(key=ASK.key, title="Again"))
    qtbot.waitUntil(lambda: screen.titles() == ["Again"], timeout=LIMIT)
    assert len(screen.called("GetCapabilities")) == calls


def test_what_changed_while_the_daemon_was_asked_again_is_shown_in_its_place(
    qtbot: QtBot, notices: DesktopNotices, start: Start
) -> None:
    screen = start()
    number = show(qtbot, notices, screen)
    notices._learn(notices._asked, Reply((), NO_ANSWER))
    notices.send(Notice(key=ASK.key, title="Again"))
    qtbot.waitUntil(lambda: screen.titles() == ["Again"], timeout=LIMIT)
    assert list(screen.shown) == [number]


def test_a_press_comes_back_with_key_and_action(
    qtbot: QtBot, notices: DesktopNotices, start: Start, heard: list[tuple[str, ...]]
) -> None:
    screen = start()
    number = show(qtbot, notices, screen)
    screen.press(number, "approve")
    screen.close(number)
    qtbot.waitUntil(lambda: len(heard) == 2, timeout=LIMIT)
    assert heard == [("pressed", "request:7", "approve"), ("closed", "request:7")]


def test_presses_on_notices_of_others_are_not_ours(
    qtbot: QtBot, notices: DesktopNotices, start: Start, heard: list[tuple[str, ...]]
) -> None:
    screen = start()
    number = show(qtbot, notices, screen)
    for other in (0, number + 1, number - 1):
        screen.press(other, "approve")
        screen.close(other)
    settle(qtbot, notices)
    assert heard == []


@pytest.mark.parametrize("reason", [1, 2, 4])
def test_one_that_went_away_is_said_once_and_sent_afresh_later(
    qtbot: QtBot, notices: DesktopNotices, start: Start, heard: list[tuple[str, ...]], reason: int
) -> None:
    screen = start()
    screen.close(show(qtbot, notices, screen), reason)
    qtbot.waitUntil(lambda: heard == [("closed", ASK.key)], timeout=LIMIT)
    show(qtbot, notices, screen)
    assert screen.called("Notify")[-1][1] == 0


def test_withdrawn_means_gone_and_nothing_is_said(
    qtbot: QtBot, notices: DesktopNotices, start: Start, heard: list[tuple[str, ...]]
) -> None:
    screen = start()
    number = show(qtbot, notices, screen)
    notices.withdraw(ASK.key)
    qtbot.waitUntil(lambda: screen.shown == {}, timeout=LIMIT)
    screen.press(number, "approve")
    settle(qtbot, notices)
    assert heard == []


def test_withdrawn_before_the_daemon_answered_is_taken_away_when_it_does(
    qtbot: QtBot, notices: DesktopNotices, start: Start
) -> None:
    screen = start()
    show(qtbot, notices, screen, Notice(key="other", title="Other"))
    notices.send(ASK)
    notices.withdraw(ASK.key)
    qtbot.waitUntil(lambda: screen.called("CloseNotification") != [], timeout=LIMIT)
    assert screen.titles() == ["Other"]


def test_withdrawn_and_sent_again_in_one_breath_stays(qtbot: QtBot, notices: DesktopNotices, start: Start) -> None:
    screen = start()
    notices.send(ASK)
    notices.withdraw(ASK.key)
    notices.send(Notice(key=ASK.key, title="After all"))
    qtbot.waitUntil(lambda: screen.titles() == ["After all"], timeout=LIMIT)
    settle(qtbot, notices)
    assert screen.titles() == ["After all"]


def test_withdrawn_and_sent_again_while_the_daemon_answers_stays(
    qtbot: QtBot, notices: DesktopNotices, start: Start
) -> None:
    screen = start()
    show(qtbot, notices, screen, Notice(key="other", title="Other"))
    notices.send(ASK)
    notices.withdraw(ASK.key)
    notices.send(Notice(key=ASK.key, title="After all"))
    qtbot.waitUntil(lambda: screen.titles() == ["Other", "After all"], timeout=LIMIT)
    settle(qtbot, notices)
    assert screen.called("CloseNotification") == []


def test_a_press_that_comes_after_the_withdrawal_is_not_passed_on(
    qtbot: QtBot, notices: DesktopNotices, start: Start, heard: list[tuple[str, ...]]
) -> None:
    """Even while the daemon still owes the answer without which it cannot be taken away."""
    screen = start()
    number = show(qtbot, notices, screen)
    screen.answers["Notify"] = None
    notices.send(Notice(key=ASK.key, title="Again"))
    notices.withdraw(ASK.key)
    screen.press(number, "approve")
    settle(qtbot, notices)
    assert heard == []


def test_one_that_is_closed_while_it_is_being_replaced_is_not_given_up(
    qtbot: QtBot, notices: DesktopNotices, start: Start, heard: list[tuple[str, ...]]
) -> None:
    screen = start()
    number = show(qtbot, notices, screen)
    screen.answers["Notify"] = None
    notices.send(Notice(key=ASK.key, title="Again"))
    screen.close(number)
    settle(qtbot, notices)
    assert heard == []
    assert ASK.key in notices._open


def test_withdrawing_what_was_never_sent_does_nothing(qtbot: QtBot, notices: DesktopNotices, start: Start) -> None:
    screen = start()
    show(qtbot, notices, screen)
    notices.withdraw("nothing")
    settle(qtbot, notices)
    assert screen.called("CloseNotification") == []


def test_without_a_daemon_notices_go_elsewhere_until_one_starts(
    qtbot: QtBot, notices: DesktopNotices, otherwise: RecordingNotices, start: Start
) -> None:
    notices.send(ASK)
    qtbot.waitUntil(lambda: otherwise.shown == {ASK.key: ASK}, timeout=LIMIT)
    screen = start()
    qtbot.waitUntil(lambda: screen.titles() == [ASK.title], timeout=LIMIT)
    assert otherwise.shown == {}
    assert len(otherwise.sent) == 1


def test_what_is_sent_before_the_bus_is_there_waits_for_it_and_is_shown_once(
    qtbot: QtBot, daemon: PrivateBus, otherwise: RecordingNotices, start: Start
) -> None:
    """As at every start with something open: a bubble cannot be taken back when the daemon is met."""
    screen = start()
    bus = Bus(daemon.address, pause=20)
    notices = DesktopNotices(bus, otherwise)
    try:
        notices.send(ASK)
        settle(qtbot, notices)
        bus.open()
        qtbot.waitUntil(lambda: screen.titles() == [ASK.title], timeout=LIMIT)
    finally:
        bus.close()
    assert otherwise.sent == []


def test_what_was_solved_while_no_daemon_ran_is_not_shown_by_the_next(
    qtbot: QtBot, notices: DesktopNotices, otherwise: RecordingNotices, start: Start
) -> None:
    notices.send(ASK)
    qtbot.waitUntil(lambda: ASK.key in otherwise.shown, timeout=LIMIT)
    notices.withdraw(ASK.key)
    assert otherwise.shown == {}
    screen = start()
    show(qtbot, notices, screen, Notice(key="other", title="Other"))
    assert screen.titles() == ["Other"]


def test_news_of_what_is_shown_elsewhere_are_shown_there_too(
    qtbot: QtBot, notices: DesktopNotices, otherwise: RecordingNotices
) -> None:
    notices.send(ASK)
    qtbot.waitUntil(lambda: ASK.key in otherwise.shown, timeout=LIMIT)
    notices.send(Notice(key=ASK.key, title="Again"))
    qtbot.waitUntil(lambda: otherwise.shown[ASK.key].title == "Again", timeout=LIMIT)


def test_what_was_closed_elsewhere_is_not_shown_by_a_daemon_later(
    qtbot: QtBot, notices: DesktopNotices, otherwise: RecordingNotices, start: Start
) -> None:
    notices.send(ASK)
    qtbot.waitUntil(lambda: ASK.key in otherwise.shown, timeout=LIMIT)
    otherwise.closed.emit(ASK.key)
    screen = start()
    show(qtbot, notices, screen, Notice(key="other", title="Other"))
    assert screen.titles() == ["Other"]


def test_a_daemon_is_asked_once_for_all_that_waits_for_it(qtbot: QtBot, notices: DesktopNotices, start: Start) -> None:
    screen = start()
    show(qtbot, notices, screen)
    notices._learn(notices._asked, Reply((), NO_ANSWER))
    before = len(screen.called("GetCapabilities"))
    for number in range(20):
        notices.send(Notice(key=str(number), title=str(number)))
    qtbot.waitUntil(lambda: len(screen.shown) == 21, timeout=LIMIT)
    assert len(screen.called("GetCapabilities")) == before + 1


def test_presses_elsewhere_count_too(
    qtbot: QtBot, notices: DesktopNotices, otherwise: RecordingNotices, heard: list[tuple[str, ...]]
) -> None:
    notices.send(ASK)
    qtbot.waitUntil(lambda: ASK.key in otherwise.shown, timeout=LIMIT)
    otherwise.pressed.emit(ASK.key, "default")
    otherwise.closed.emit(ASK.key)
    assert heard == [("pressed", ASK.key, "default"), ("closed", ASK.key)]


def test_a_daemon_that_dies_and_comes_back_shows_what_is_open(
    qtbot: QtBot, notices: DesktopNotices, start: Start, heard: list[tuple[str, ...]]
) -> None:
    first = start()
    closed = show(qtbot, notices, first, Notice(key="closed", title="Closed"))
    show(qtbot, notices, first)
    first.close(closed)
    qtbot.waitUntil(lambda: heard == [("closed", "closed")], timeout=LIMIT)
    first.leave()
    second = start()
    qtbot.waitUntil(lambda: second.titles() == [ASK.title], timeout=LIMIT)
    (number,) = second.shown
    qtbot.waitUntil(lambda: notices._open[ASK.key].number == number, timeout=LIMIT)
    second.press(number, "reject")
    qtbot.waitUntil(lambda: heard[1:] == [("pressed", ASK.key, "reject")], timeout=LIMIT)
    assert second.called("Notify")[0][1] == 0, "numbers of the first mean nothing to the second"


def test_a_daemon_that_dies_for_good_leaves_its_notices_to_others(
    qtbot: QtBot, notices: DesktopNotices, otherwise: RecordingNotices, start: Start
) -> None:
    screen = start()
    show(qtbot, notices, screen)
    screen.leave()
    qtbot.waitUntil(lambda: otherwise.shown == {ASK.key: ASK}, timeout=LIMIT)


def test_a_daemon_that_dies_over_a_notice_is_revived_only_once(
    qtbot: QtBot, notices: DesktopNotices, start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Calling one that is not there lets the bus start it again, only to die over the same notice."""
    revivals: list[str] = []
    call = notices._service.call

    def counted(path: str, interface: str, member: str, *values: Any, **settings: Any) -> None:
        if not notices._service.is_there:
            revivals.append(member)
        call(path, interface, member, *values, **settings)

    screen = start()
    show(qtbot, notices, screen)
    monkeypatch.setattr(notices._service, "call", counted)
    for _ in range(3):
        with qtbot.waitSignal(notices._service.vanished, timeout=LIMIT):
            screen.leave()
        screen = start()
        qtbot.waitUntil(lambda s=screen: s.titles() == [ASK.title], timeout=LIMIT)
    assert revivals == ["GetCapabilities"]


def test_a_daemon_that_does_not_take_it_leaves_it_to_others(
    qtbot: QtBot,
    notices: DesktopNotices,
    otherwise: RecordingNotices,
    start: Start,
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.CRITICAL, logger="app.notices.desktop")
    screen = start()
    del screen.answers["Notify"]
    notices.send(ASK)
    qtbot.waitUntil(lambda: otherwise.shown == {ASK.key: ASK}, timeout=LIMIT)


def test_a_frozen_daemon_holds_nobody_up(
    qtbot: QtBot,
    notices: DesktopNotices,
    otherwise: RecordingNotices,
    start: Start,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.CRITICAL, logger="app.notices.desktop")
    monkeypatch.setattr("app.notices.desktop._PATIENCE", 0.1)
    screen = start()
    show(qtbot, notices, screen, Notice(key="before", title="Before"))
    screen.answers["Notify"] = None
    notices.send(ASK)
    qtbot.waitUntil(lambda: otherwise.shown == {ASK.key: ASK}, timeout=LIMIT)


def test_the_whole_bus_dies_and_comes_back(qtbot: QtBot, otherwise: RecordingNotices) -> None:
    with private_bus() as daemon:
        bus = Bus(daemon.address, pause=20)
        notices = DesktopNotices(bus, otherwise)
        first = StandInDaemon(daemon.address, *ABLE)
        bus.open()
        show(qtbot, notices, first)
        daemon.stop()
        qtbot.waitUntil(lambda: otherwise.shown == {ASK.key: ASK}, timeout=LIMIT)
        first.leave()
        daemon.start()
        second = StandInDaemon(daemon.address, *ABLE)
        qtbot.waitUntil(lambda: second.titles() == [ASK.title], timeout=LIMIT)
        assert otherwise.shown == {}
        second.leave()
        bus.close()


def test_nothing_that_is_sent_can_raise(
    qtbot: QtBot, notices: DesktopNotices, start: Start, caplog: pytest.LogCaptureFixture
) -> None:
    """Even what is no notice at all: it is recorded, and the next one is shown."""
    screen = start()
    show(qtbot, notices, screen)
    wrong: Any = SimpleNamespace(key="wrong", title=None)
    with caplog.at_level(logging.ERROR, logger="app.notices.desktop"):
        notices.send(wrong)
        notices.withdraw(wrong)
    assert "A notice could not be sent" in caplog.text
    screen.leave()
    second = start()
    qtbot.waitUntil(lambda: second.titles() == [ASK.title], timeout=LIMIT)
    show(qtbot, notices, second, Notice(key="right", title="Right"))


def test_nonsense_from_the_daemon_changes_nothing(
    qtbot: QtBot,
    notices: DesktopNotices,
    start: Start,
    heard: list[tuple[str, ...]],
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.CRITICAL, logger="app.platform.bus")
    screen = start()
    number = show(qtbot, notices, screen)
    screen.emit("ActionInvoked", "s", ("?",))
    screen.emit("NotificationClosed")
    screen.press(number, "approve")
    qtbot.waitUntil(lambda: heard == [("pressed", ASK.key, "approve")], timeout=LIMIT)


def test_another_program_cannot_press_our_buttons(
    qtbot: QtBot, daemon: PrivateBus, notices: DesktopNotices, start: Start, heard: list[tuple[str, ...]]
) -> None:
    screen = start()
    number = show(qtbot, notices, screen)
    stranger = StandIn(daemon.address, "org.example.Stranger", PATH, NAME)
    stranger.emit("ActionInvoked", "us", (number, "approve"))
    stranger.leave()
    settle(qtbot, notices)
    screen.press(number, "reject")
    qtbot.waitUntil(lambda: bool(heard), timeout=LIMIT)
    assert heard == [("pressed", ASK.key, "reject")]


def test_only_a_button_that_was_offered_can_be_pressed(
    qtbot: QtBot, notices: DesktopNotices, start: Start, heard: list[tuple[str, ...]]
) -> None:
    screen = start()
    number = show(qtbot, notices, screen, Notice(key="k", title="t", actions=(("look", "Review"),)))
    screen.press(number, "approve")
    screen.press(number, "look")
    qtbot.waitUntil(lambda: bool(heard), timeout=LIMIT)
    assert heard == [("pressed", "k", "look")]


PRESSING = """
import sys
from tests.app.notices.recording import ABLE, StandInDaemon

class Pressing(StandInDaemon):
    def notify(self, *body):
        kind, (number,) = super().notify(*body)
        self.answers["Press"] = lambda: (self.press(number, "approve"), ("", ()))[1]
        print("shown", len(body[5]), flush=True)
        return kind, (number,)

Pressing(sys.argv[1], *ABLE)
print("ready", flush=True)
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="another system hands on no mark")
@pytest.mark.parametrize("marked", [False, True], ids=["another program", "a script"])
def test_a_script_that_plays_the_daemon_gets_no_buttons_and_presses_none(
    qtbot: QtBot, daemon: PrivateBus, notices: DesktopNotices, heard: list[tuple[str, ...]], *, marked: bool
) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", PRESSING, daemon.address],
        cwd=Path(__file__).parents[3],
        stdout=subprocess.PIPE,
        text=True,
        preexec_fn=brand if marked else None,  # noqa: PLW1509  as the app does it
    )
    try:
        assert process.stdout is not None and process.stdout.readline() == "ready\n"
        notices.send(ASK)
        qtbot.waitUntil(lambda: ASK.key in notices._open and notices._open[ASK.key].number != 0, timeout=LIMIT)
        assert process.stdout.readline() == f"shown {0 if marked else 4}\n"
        answered: list[Any] = []
        notices._service.call(PATH, NAME, "Press", then=answered.append)
        qtbot.waitUntil(lambda: bool(answered), timeout=LIMIT)
        settle(qtbot, notices)
        assert heard == ([] if marked else [("pressed", ASK.key, "approve")])
    finally:
        process.kill()
        process.communicate()
