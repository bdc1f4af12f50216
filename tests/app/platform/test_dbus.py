"""A connection to a real bus daemon, with fake services."""

import logging
import socket
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from pytestqt.qtbot import QtBot

from app.platform.dbus import BUS_NAME, NO_REPLY, Bus, DBusReply, SignalMatch
from app.platform.dbus_wire import DBusMessage, WireError
from tests.desktop.buses import FakeDBusService, PrivateBus, private_bus
from tests.desktop.processes import wait_until

NAME, PATH, FACE = "org.example.Clerk", "/org/example/Clerk", "org.example.Clerk"
UNKNOWN = "org.freedesktop.DBus.Error.ServiceUnknown"
LIMIT = 60_000

FakeService = Callable[..., FakeDBusService]


@pytest.fixture
def connect(qtbot: QtBot) -> Iterator[Callable[[str | None], Bus]]:
    made: list[Bus] = []

    def make(address: str | None) -> Bus:
        made.append(Bus(address, retry_ms=20))
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
def service(fake_service: FakeService) -> FakeDBusService:
    """A fake service."""
    return fake_service(NAME, PATH, FACE)


def ask(qtbot: QtBot, bus: Bus, member: str, *values: Any, name: str = NAME, **settings: Any) -> DBusReply:
    replies: list[DBusReply] = []
    bus.call(name, PATH, FACE, member, *values, callback=replies.append, **settings)
    assert replies == [], "the reply comes from the event loop, never during the call"
    qtbot.waitUntil(lambda: bool(replies), timeout=LIMIT)
    assert len(replies) == 1
    return replies[0]


def test_a_call_returns_the_values_of_its_reply(qtbot: QtBot, bus: Bus, service: FakeDBusService) -> None:
    service.replies["Add"] = lambda one, two: ("us", (one + two, "Größe ✓"))
    assert ask(qtbot, bus, "Add", "uu", (40, 2)) == DBusReply((42, "Größe ✓"))


def test_an_error_reply_carries_its_name(qtbot: QtBot, bus: Bus, service: FakeDBusService) -> None:
    reply = ask(qtbot, bus, "Unheard")
    assert reply == DBusReply(("Unheard",), "org.freedesktop.DBus.Error.UnknownMethod")


def test_a_missing_service_is_an_immediate_error(qtbot: QtBot, bus: Bus) -> None:
    assert ask(qtbot, bus, "Add", name="org.example.Nobody").error == UNKNOWN


def test_replies_match_their_calls_in_any_order(qtbot: QtBot, bus: Bus, service: FakeDBusService) -> None:
    service.replies["Echo"] = lambda text: ("s", (text,))
    got: dict[str, str] = {}
    for number in range(50):
        bus.call(
            NAME,
            PATH,
            FACE,
            "Echo",
            "s",
            (str(number),),
            callback=lambda reply, n=str(number): got.update({n: reply.body[0]}),
        )
    qtbot.waitUntil(lambda: len(got) == 50, timeout=LIMIT)
    assert all(sent == answered for sent, answered in got.items())


def test_a_call_without_a_reply_times_out(qtbot: QtBot, bus: Bus, service: FakeDBusService) -> None:
    service.replies["Sleep"] = None
    assert ask(qtbot, bus, "Sleep", timeout_s=0.05).error == NO_REPLY


def test_a_late_reply_is_not_mistaken_for_another(qtbot: QtBot, bus: Bus, service: FakeDBusService) -> None:
    service.replies["Sleep"] = None
    replies: list[DBusReply] = []
    bus.call(NAME, PATH, FACE, "Sleep", callback=replies.append, timeout_s=0.0)
    qtbot.waitUntil(lambda: bool(replies), timeout=LIMIT)
    service.replies["Sleep"] = ("s", ("awake",))
    assert ask(qtbot, bus, "Sleep") == DBusReply(("awake",))
    assert len(replies) == 1


def test_a_message_larger_than_the_socket_buffer_is_sent(qtbot: QtBot, bus: Bus, service: FakeDBusService) -> None:
    service.replies["Count"] = lambda text: ("u", (len(text),))
    assert ask(qtbot, bus, "Count", "s", ("ä" * 3_000_000,)).body == (3_000_000,)


def test_values_that_do_not_fit_the_signature_raise_and_harm_nothing(
    qtbot: QtBot, bus: Bus, service: FakeDBusService
) -> None:
    service.replies["Add"] = ("u", (7,))
    for values in [("uu", ("one", "two")), ("u", (-1,)), ("s", (3,)), ("s", ("\ud800",))]:
        with pytest.raises(WireError):
            bus.call(NAME, PATH, FACE, "Add", *values)
    assert ask(qtbot, bus, "Add") == DBusReply((7,))


def hear(bus: Bus, **changes: Any) -> list[DBusMessage]:
    messages: list[DBusMessage] = []
    bus.subscribe(
        SignalMatch(**{"sender": NAME, "path": PATH, "interface": FACE, "member": "Rang"} | changes), messages.append
    )
    return messages


def test_subscribed_signals_arrive_in_order(qtbot: QtBot, bus: Bus, service: FakeDBusService) -> None:
    messages = hear(bus)
    service.replies["Ready"] = ("", ())
    ask(qtbot, bus, "Ready")
    service.emit("Whispered", "u", (0,))
    for number in range(3):
        service.emit("Rang", "u", (number,))
    qtbot.waitUntil(lambda: len(messages) >= 3, timeout=LIMIT)
    assert [one.body for one in messages] == [(0,), (1,), (2,)]


def test_a_first_argument_filters_signals(qtbot: QtBot, bus: Bus, service: FakeDBusService) -> None:
    messages, everything = hear(bus, first_argument="door"), hear(bus)
    service.replies["Ready"] = ("", ())
    ask(qtbot, bus, "Ready")
    service.emit("Rang", "s", ("phone",))
    service.emit("Rang", "s", ("door",))
    qtbot.waitUntil(lambda: len(everything) >= 2, timeout=LIMIT)
    assert [one.body for one in messages] == [("door",)]


def test_a_failing_listener_does_not_affect_others(
    qtbot: QtBot, bus: Bus, service: FakeDBusService, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(_: DBusMessage) -> None:
        raise ValueError("out of order")

    bus.subscribe(SignalMatch(sender=NAME, path=PATH, interface=FACE, member="Rang"), fail)
    messages = hear(bus)
    service.replies["Ready"] = ("", ())
    ask(qtbot, bus, "Ready")
    with caplog.at_level(logging.CRITICAL, logger="app.platform.dbus"):
        service.emit("Rang")
        service.emit("Rang")
        qtbot.waitUntil(lambda: len(messages) == 2, timeout=LIMIT)


def test_a_lost_bus_fails_pending_calls_and_is_reconnected(qtbot: QtBot, connect: Callable[[str], Bus]) -> None:
    with private_bus() as daemon:
        bus = connect(daemon.address)
        messages = hear(bus)
        with qtbot.waitSignal(bus.opened, timeout=LIMIT):
            bus.open()
        service = FakeDBusService(daemon.address, NAME, PATH, FACE)
        service.replies["Sleep"] = None
        replies: list[DBusReply] = []
        bus.call(NAME, PATH, FACE, "Sleep", callback=replies.append)
        qtbot.waitUntil(lambda: service.calls_of("Sleep") != [], timeout=LIMIT)
        with qtbot.waitSignal(bus.lost, timeout=LIMIT):
            daemon.stop()
        assert [reply.error for reply in replies] == [NO_REPLY]
        assert not bus.is_open
        assert ask(qtbot, bus, "Sleep").error == NO_REPLY
        with qtbot.waitSignal(bus.opened, timeout=LIMIT):
            daemon.start()
        service.leave()
        service = FakeDBusService(daemon.address, NAME, PATH, FACE)
        service.replies["Ready"] = ("", ())
        assert ask(qtbot, bus, "Ready") == DBusReply()
        service.emit("Rang")
        qtbot.waitUntil(lambda: len(messages) == 1, timeout=LIMIT)
        service.leave()


@pytest.mark.parametrize(
    "address", [None, "", "unix:path=/nowhere/at/all", "tcp:host=localhost,port=1", "nonsense", "unix:", "unix:path"]
)
def test_without_a_bus_every_call_fails(
    qtbot: QtBot, connect: Callable[[str | None], Bus], address: str | None
) -> None:
    bus = connect(address)
    with qtbot.waitSignal(bus.lost, timeout=LIMIT):
        bus.open()
    assert ask(qtbot, bus, "Add").error == NO_REPLY


def test_reconnecting_backs_off_until_the_bus_is_back(qtbot: QtBot, connect: Callable[[str], Bus]) -> None:
    with private_bus() as daemon:
        daemon.stop()
        bus = connect(daemon.address)
        bus.open()
        qtbot.waitUntil(lambda: bus._retry_timer.interval() >= 80, timeout=LIMIT)
        with qtbot.waitSignal(bus.opened, timeout=LIMIT):
            daemon.start()
        with qtbot.waitSignal(bus.lost, timeout=LIMIT):
            daemon.stop()
        assert bus._retry_timer.interval() == 20


def test_a_listener_that_closes_the_bus_gets_no_more_signals(
    qtbot: QtBot, daemon: PrivateBus, bus: Bus, service: FakeDBusService
) -> None:
    messages: list[DBusMessage] = []

    def close(one: DBusMessage) -> None:
        messages.append(one)
        bus.close()

    bus.subscribe(SignalMatch(sender=NAME, path=PATH, interface=FACE, member="Rang"), close)
    service.replies["Ready"] = ("", ())
    ask(qtbot, bus, "Ready")
    for _ in range(20):
        service.emit("Rang")
    assert daemon.has_owner(NAME)  # replied after the bus has delivered all of them
    qtbot.waitUntil(lambda: bool(messages), timeout=LIMIT)
    assert len(messages) == 1


@pytest.mark.parametrize("data", [b"REJECTED EXTERNAL\r\n", b"x" * 9000, b"OK 1234\r\nmore\r\n", b""])
def test_a_socket_that_is_not_a_bus_is_disconnected(
    qtbot: QtBot, connect: Callable[[str], Bus], tmp_path: Path, data: bytes
) -> None:
    """And retried, since it may be one later."""
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(tmp_path / "s"))
        server.listen()
        server.settimeout(60)
        bus = connect(f"unix:path={tmp_path / 's'}")
        with qtbot.waitSignal(bus.lost, timeout=LIMIT):
            bus.open()
            first, _ = server.accept()
            first.sendall(data)
            first.shutdown(socket.SHUT_WR)
        first.close()
        with qtbot.waitSignal(bus._retry_timer.timeout, timeout=LIMIT):
            pass
        server.accept()[0].close()


def test_an_invalid_message_closes_the_connection(qtbot: QtBot, connect: Callable[[str], Bus], tmp_path: Path) -> None:
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


def test_a_closed_bus_runs_no_callbacks(qtbot: QtBot, daemon: PrivateBus, bus: Bus, service: FakeDBusService) -> None:
    service.replies["Sleep"] = ("", ())
    replies: list[DBusReply] = []
    bus.call(NAME, PATH, FACE, "Sleep", callback=replies.append)
    wait_until(lambda: service.calls_of("Sleep"), "the call")  # without the event loop, which would read the reply
    bus.close()
    other = Bus(daemon.address)
    with qtbot.waitSignal(other.opened, timeout=LIMIT):
        other.open()
    other.close()
    assert replies == []


def test_the_bus_itself_can_be_called(qtbot: QtBot, bus: Bus, service: FakeDBusService) -> None:
    replies: list[DBusReply] = []
    bus.call(BUS_NAME, "/org/freedesktop/DBus", BUS_NAME, "NameHasOwner", "s", (NAME,), callback=replies.append)
    qtbot.waitUntil(lambda: bool(replies), timeout=LIMIT)
    assert replies == [DBusReply((True,))]
