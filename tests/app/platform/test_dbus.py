"""One connection to a bus: a real bus daemon, and stand-ins for those who answer."""

import logging
import socket
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from pytestqt.qtbot import QtBot

from app.platform.bus import NO_ANSWER, THE_BUS, Bus, Match, Reply
from app.platform.wire import Heard, WireError
from tests.desktop.buses import PrivateBus, StandIn, private_bus
from tests.desktop.processes import until

NAME, PATH, FACE = "org.example.Clerk", "/org/example/Clerk", "org.example.Clerk"
UNKNOWN = "org.freedesktop.DBus.Error.ServiceUnknown"
LIMIT = 60_000

Play = Callable[..., StandIn]


@pytest.fixture
def connect(qtbot: QtBot) -> Iterator[Callable[[str | None], Bus]]:
    made: list[Bus] = []

    def make(address: str | None) -> Bus:
        made.append(Bus(address, pause=20))
        return made[-1]

    yield make
    for bus in made:
        bus.close()


@pytest.fixture
def bus(qtbot: QtBot, daemon: PrivateBus, connect: Callable[[str], Bus]) -> Bus:
    made = connect(daemon.address)
    with qtbot.waitSignal(made.opened, timeout=LIMIT):
        made.open()
    return made


@pytest.fixture
def clerk(play: Play) -> StandIn:
    """Stands in for any service."""
    return play(NAME, PATH, FACE)


def ask(qtbot: QtBot, bus: Bus, member: str, *values: Any, name: str = NAME, **settings: Any) -> Reply:
    replies: list[Reply] = []
    bus.call(name, PATH, FACE, member, *values, then=replies.append, **settings)
    assert replies == [], "the answer comes from the event loop, never during the call"
    qtbot.waitUntil(lambda: bool(replies), timeout=LIMIT)
    assert len(replies) == 1
    return replies[0]


def test_a_call_brings_back_the_values_of_its_answer(qtbot: QtBot, bus: Bus, clerk: StandIn) -> None:
    clerk.answers["Add"] = lambda one, two: ("us", (one + two, "Größe ✓"))
    assert ask(qtbot, bus, "Add", "uu", (40, 2)) == Reply((42, "Größe ✓"))


def test_an_error_is_an_answer_with_its_name(qtbot: QtBot, bus: Bus, clerk: StandIn) -> None:
    reply = ask(qtbot, bus, "Unheard")
    assert reply == Reply(("Unheard",), "org.freedesktop.DBus.Error.UnknownMethod")


def test_a_service_that_is_not_there_is_said_at_once(qtbot: QtBot, bus: Bus) -> None:
    assert ask(qtbot, bus, "Add", name="org.example.Nobody").error == UNKNOWN


def test_answers_find_their_calls_in_whatever_order_they_come(qtbot: QtBot, bus: Bus, clerk: StandIn) -> None:
    clerk.answers["Echo"] = lambda said: ("s", (said,))
    got: dict[str, str] = {}
    for number in range(50):
        bus.call(
            NAME,
            PATH,
            FACE,
            "Echo",
            "s",
            (str(number),),
            then=lambda reply, n=str(number): got.update({n: reply.body[0]}),
        )
    qtbot.waitUntil(lambda: len(got) == 50, timeout=LIMIT)
    assert all(asked == answered for asked, answered in got.items())


def test_one_that_never_answers_is_given_up(qtbot: QtBot, bus: Bus, clerk: StandIn) -> None:
    clerk.answers["Sleep"] = None
    assert ask(qtbot, bus, "Sleep", patience=0.05).error == NO_ANSWER


def test_an_answer_after_that_is_not_taken_for_another(qtbot: QtBot, bus: Bus, clerk: StandIn) -> None:
    clerk.answers["Sleep"] = None
    replies: list[Reply] = []
    bus.call(NAME, PATH, FACE, "Sleep", then=replies.append, patience=0.0)
    qtbot.waitUntil(lambda: bool(replies), timeout=LIMIT)
    clerk.answers["Sleep"] = ("s", ("awake",))
    assert ask(qtbot, bus, "Sleep") == Reply(("awake",))
    assert len(replies) == 1


def test_more_than_the_socket_takes_at_once_is_sent_in_the_end(qtbot: QtBot, bus: Bus, clerk: StandIn) -> None:
    clerk.answers["Count"] = lambda text: ("u", (len(text),))
    assert ask(qtbot, bus, "Count", "s", ("ä" * 3_000_000,)).body == (3_000_000,)


def test_values_that_do_not_fit_are_refused_and_harm_nothing(qtbot: QtBot, bus: Bus, clerk: StandIn) -> None:
    clerk.answers["Add"] = ("u", (7,))
    for values in [("uu", ("one", "two")), ("u", (-1,)), ("s", (3,)), ("s", ("\ud800",))]:
        with pytest.raises(WireError):
            bus.call(NAME, PATH, FACE, "Add", *values)
    assert ask(qtbot, bus, "Add") == Reply((7,))


def hear(bus: Bus, **changes: Any) -> list[Heard]:
    heard: list[Heard] = []
    bus.listen(Match(**{"sender": NAME, "path": PATH, "interface": FACE, "member": "Rang"} | changes), heard.append)
    return heard


def test_signals_that_were_asked_for_arrive_in_order(qtbot: QtBot, bus: Bus, clerk: StandIn) -> None:
    heard = hear(bus)
    clerk.answers["Ready"] = ("", ())
    ask(qtbot, bus, "Ready")
    clerk.emit("Whispered", "u", (0,))
    for number in range(3):
        clerk.emit("Rang", "u", (number,))
    qtbot.waitUntil(lambda: len(heard) >= 3, timeout=LIMIT)
    assert [one.body for one in heard] == [(0,), (1,), (2,)]


def test_a_first_argument_narrows_what_is_heard(qtbot: QtBot, bus: Bus, clerk: StandIn) -> None:
    heard, everything = hear(bus, first="door"), hear(bus)
    clerk.answers["Ready"] = ("", ())
    ask(qtbot, bus, "Ready")
    clerk.emit("Rang", "s", ("phone",))
    clerk.emit("Rang", "s", ("door",))
    qtbot.waitUntil(lambda: len(everything) >= 2, timeout=LIMIT)
    assert [one.body for one in heard] == [("door",)]


def test_a_listener_that_fails_costs_the_others_nothing(
    qtbot: QtBot, bus: Bus, clerk: StandIn, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(_: Heard) -> None:
        raise ValueError("out of order")

    bus.listen(Match(sender=NAME, path=PATH, interface=FACE, member="Rang"), fail)
    heard = hear(bus)
    clerk.answers["Ready"] = ("", ())
    ask(qtbot, bus, "Ready")
    with caplog.at_level(logging.CRITICAL, logger="app.platform.bus"):
        clerk.emit("Rang")
        clerk.emit("Rang")
        qtbot.waitUntil(lambda: len(heard) == 2, timeout=LIMIT)


def test_a_bus_that_dies_fails_what_waits_and_is_found_again(qtbot: QtBot, connect: Callable[[str], Bus]) -> None:
    with private_bus() as daemon:
        bus = connect(daemon.address)
        heard = hear(bus)
        with qtbot.waitSignal(bus.opened, timeout=LIMIT):
            bus.open()
        clerk = StandIn(daemon.address, NAME, PATH, FACE)
        clerk.answers["Sleep"] = None
        replies: list[Reply] = []
        bus.call(NAME, PATH, FACE, "Sleep", then=replies.append)
        qtbot.waitUntil(lambda: clerk.called("Sleep") != [], timeout=LIMIT)
        with qtbot.waitSignal(bus.lost, timeout=LIMIT):
            daemon.stop()
        assert [reply.error for reply in replies] == [NO_ANSWER]
        assert not bus.is_open
        assert ask(qtbot, bus, "Sleep").error == NO_ANSWER
        with qtbot.waitSignal(bus.opened, timeout=LIMIT):
            daemon.start()
        clerk.leave()
        clerk = StandIn(daemon.address, NAME, PATH, FACE)
        clerk.answers["Ready"] = ("", ())
        assert ask(qtbot, bus, "Ready") == Reply()
        clerk.emit("Rang")
        qtbot.waitUntil(lambda: len(heard) == 1, timeout=LIMIT)
        clerk.leave()


@pytest.mark.parametrize(
    "address", [None, "", "unix:path=/nowhere/at/all", "tcp:host=localhost,port=1", "nonsense", "unix:", "unix:path"]
)
def test_without_a_bus_every_call_is_answered_with_an_error(
    qtbot: QtBot, connect: Callable[[str | None], Bus], address: str | None
) -> None:
    bus = connect(address)
    with qtbot.waitSignal(bus.lost, timeout=LIMIT):
        bus.open()
    assert ask(qtbot, bus, "Add").error == NO_ANSWER


def test_a_bus_that_stays_away_is_looked_for_less_and_less_until_it_is_back(
    qtbot: QtBot, connect: Callable[[str], Bus]
) -> None:
    with private_bus() as daemon:
        daemon.stop()
        bus = connect(daemon.address)
        bus.open()
        qtbot.waitUntil(lambda: bus._again.interval() >= 80, timeout=LIMIT)
        with qtbot.waitSignal(bus.opened, timeout=LIMIT):
            daemon.start()
        with qtbot.waitSignal(bus.lost, timeout=LIMIT):
            daemon.stop()
        assert bus._again.interval() == 20


def test_a_listener_that_closes_the_bus_hears_nothing_more(
    qtbot: QtBot, daemon: PrivateBus, bus: Bus, clerk: StandIn
) -> None:
    heard: list[Heard] = []

    def close(one: Heard) -> None:
        heard.append(one)
        bus.close()

    bus.listen(Match(sender=NAME, path=PATH, interface=FACE, member="Rang"), close)
    clerk.answers["Ready"] = ("", ())
    ask(qtbot, bus, "Ready")
    for _ in range(20):
        clerk.emit("Rang")
    assert daemon.has(NAME)  # answered after the bus has passed all of them on
    qtbot.waitUntil(lambda: bool(heard), timeout=LIMIT)
    assert len(heard) == 1


@pytest.mark.parametrize("said", [b"REJECTED EXTERNAL\r\n", b"x" * 9000, b"OK 1234\r\nmore\r\n", b""])
def test_somebody_who_is_no_bus_is_left_alone(
    qtbot: QtBot, connect: Callable[[str], Bus], tmp_path: Path, said: bytes
) -> None:
    """And tried again, since it may be one later."""
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(tmp_path / "s"))
        server.listen()
        server.settimeout(60)
        bus = connect(f"unix:path={tmp_path / 's'}")
        with qtbot.waitSignal(bus.lost, timeout=LIMIT):
            bus.open()
            first, _ = server.accept()
            first.sendall(said)
            first.shutdown(socket.SHUT_WR)
        first.close()
        with qtbot.waitSignal(bus._again.timeout, timeout=LIMIT):
            pass
        server.accept()[0].close()


def test_garbage_instead_of_a_message_breaks_the_connection(
    qtbot: QtBot, connect: Callable[[str], Bus], tmp_path: Path
) -> None:
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(tmp_path / "s"))
        server.listen()
        bus = connect(f"unix:path={tmp_path / 's'}")
        with qtbot.waitSignal(bus.lost, timeout=LIMIT):
            bus.open()
            line, _ = server.accept()
            line.sendall(b"OK 1234\r\n")
            qtbot.waitUntil(lambda: b"Hello" in line.recv(9999), timeout=LIMIT)
            line.sendall(b"\xff" * 64)
        line.close()


def test_nobody_is_called_back_by_a_closed_bus(qtbot: QtBot, daemon: PrivateBus, bus: Bus, clerk: StandIn) -> None:
    clerk.answers["Sleep"] = ("", ())
    replies: list[Reply] = []
    bus.call(NAME, PATH, FACE, "Sleep", then=replies.append)
    until(lambda: clerk.called("Sleep"), "the call")  # without the event loop, which would take the answer
    bus.close()
    other = Bus(daemon.address)
    with qtbot.waitSignal(other.opened, timeout=LIMIT):
        other.open()
    other.close()
    assert replies == []


def test_the_bus_itself_can_be_asked(qtbot: QtBot, bus: Bus, clerk: StandIn) -> None:
    replies: list[Reply] = []
    bus.call(THE_BUS, "/org/freedesktop/DBus", THE_BUS, "NameHasOwner", "s", (NAME,), then=replies.append)
    qtbot.waitUntil(lambda: bool(replies), timeout=LIMIT)
    assert replies == [Reply((True,))]
