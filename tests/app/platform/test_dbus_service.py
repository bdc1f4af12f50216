"""A well-known name on a bus, its signals and its properties; stand-ins own the name."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from jeepney import DBusAddress, HeaderFields, message_bus, new_signal
from pytestqt.qtbot import QtBot

from app.platform.bus import NO_ANSWER, Bus, Reply
from app.platform.services import Properties, Service
from tests.desktop.buses import PrivateBus, StandIn, connect, private_bus

NAME, PATH, FACE = "org.example.Lamp", "/org/example/Lamp", "org.example.Lamp"
LIMIT = 60_000

Play = Callable[..., StandIn]


@pytest.fixture
def bus(qtbot: QtBot, daemon: PrivateBus) -> Iterator[Bus]:
    made = Bus(daemon.address, pause=20)
    with qtbot.waitSignal(made.opened, timeout=LIMIT):
        made.open()
    yield made
    made.close()


@pytest.fixture
def service(qtbot: QtBot, bus: Bus) -> Service:
    made = Service(bus, NAME)
    with qtbot.waitSignals([made.missing], timeout=LIMIT):
        pass
    return made


def settle(qtbot: QtBot, service: Service) -> None:
    """The bus has dealt with all that was sent before."""
    answered: list[Any] = []
    service.call("/", "org.freedesktop.DBus.Peer", "Ping", then=answered.append)
    qtbot.waitUntil(lambda: bool(answered), timeout=LIMIT)


def test_a_name_that_somebody_has_is_there(qtbot: QtBot, bus: Bus, play: Play) -> None:
    play(NAME, PATH, FACE)
    service = Service(bus, NAME)
    with qtbot.waitSignal(service.appeared, timeout=LIMIT):
        assert not service.is_there
    assert service.is_there


def test_a_name_comes_goes_and_comes_back(qtbot: QtBot, service: Service, play: Play) -> None:
    for _ in range(2):
        with qtbot.waitSignal(service.appeared, timeout=LIMIT):
            lamp = play(NAME, PATH, FACE)
        assert service.is_there
        with qtbot.waitSignal(service.vanished, timeout=LIMIT):
            lamp.leave()
        assert not service.is_there


def test_signals_of_the_owner_are_heard(qtbot: QtBot, service: Service, play: Play) -> None:
    heard: list[tuple[Any, ...]] = []
    service.listen(PATH, FACE, "Lit", heard.append)
    with qtbot.waitSignal(service.appeared, timeout=LIMIT):
        lamp = play(NAME, PATH, FACE)
    settle(qtbot, service)
    lamp.emit("Lit", "b", (True,))
    qtbot.waitUntil(lambda: heard == [(True,)], timeout=LIMIT)


def test_a_stranger_who_sends_the_same_signal_is_not_believed(
    qtbot: QtBot, daemon: PrivateBus, bus: Bus, service: Service, play: Play
) -> None:
    """Nothing keeps another program from sending it straight to this connection."""
    heard: list[tuple[Any, ...]] = []
    service.listen(PATH, FACE, "Lit", heard.append)
    with qtbot.waitSignal(service.appeared, timeout=LIMIT):
        lamp = play(NAME, PATH, FACE)
    settle(qtbot, service)
    signal = new_signal(DBusAddress(PATH, interface=FACE), "Lit", "s", ("stranger",))
    signal.header.fields[HeaderFields.destination] = lamp.caller
    with connect(daemon.address) as stranger:
        stranger.send(signal)
        stranger.send_and_get_reply(message_bus.GetId(), timeout=30)
    settle(qtbot, service)
    lamp.emit("Lit", "s", ("owner",))
    qtbot.waitUntil(lambda: bool(heard), timeout=LIMIT)
    assert heard == [("owner",)]


def test_a_stranger_cannot_say_that_the_name_has_another_owner(
    qtbot: QtBot, daemon: PrivateBus, service: Service, play: Play
) -> None:
    with qtbot.waitSignal(service.appeared, timeout=LIMIT):
        lamp = play(NAME, PATH, FACE)
    settle(qtbot, service)
    owner = service._owner
    address = DBusAddress("/org/freedesktop/DBus", interface="org.freedesktop.DBus")
    with connect(daemon.address) as stranger:
        signal = new_signal(address, "NameOwnerChanged", "sss", (NAME, owner, stranger.unique_name))
        signal.header.fields[HeaderFields.destination] = lamp.caller
        stranger.send(signal)
        stranger.send_and_get_reply(message_bus.GetId(), timeout=30)
    settle(qtbot, service)
    assert service._owner == owner


def test_an_owner_that_is_named_twice_is_said_once(qtbot: QtBot, service: Service, play: Play) -> None:
    """The bus tells of a change, and also answers the question who it is."""
    with qtbot.waitSignal(service.appeared, timeout=LIMIT):
        play(NAME, PATH, FACE)
    said: list[str] = []
    service.appeared.connect(lambda: said.append("appeared"))
    service.vanished.connect(lambda: said.append("vanished"))
    service._look()
    settle(qtbot, service)
    assert said == []


def follow(qtbot: QtBot, service: Service) -> Properties:
    made = Properties(service, PATH, FACE)
    with qtbot.waitSignal(made.changed, timeout=LIMIT):
        pass
    return made


def test_properties_are_read_at_once_and_followed(qtbot: QtBot, bus: Bus, play: Play) -> None:
    lamp = play(NAME, PATH, FACE, Lit=("b", False), Hours=("u", 7))
    properties = follow(qtbot, Service(bus, NAME))
    assert properties.values == {"Lit": False, "Hours": 7}
    with qtbot.waitSignal(properties.changed, timeout=LIMIT):
        lamp.change(Lit=("b", True))
    assert properties.values == {"Lit": True, "Hours": 7}


def test_a_change_of_another_interface_is_not_ours(qtbot: QtBot, service: Service, play: Play) -> None:
    lamp = play(NAME, PATH, FACE, Lit=("b", False))
    properties = follow(qtbot, service)
    lamp._send(
        new_signal(
            DBusAddress(PATH, interface="org.freedesktop.DBus.Properties"),
            "PropertiesChanged",
            "sa{sv}as",
            ("org.example.Other", {"Lit": ("b", True)}, []),
        )
    )
    with qtbot.waitSignal(properties.changed, timeout=LIMIT):
        lamp.change(Hours=("u", 8))
    assert properties.values == {"Lit": False, "Hours": 8}


def test_a_change_without_a_value_is_read_again(qtbot: QtBot, service: Service, play: Play) -> None:
    lamp = play(NAME, PATH, FACE, Lit=("b", False))
    properties = follow(qtbot, service)
    lamp.properties["Lit"] = ("b", True)
    address = DBusAddress(PATH, interface="org.freedesktop.DBus.Properties")
    lamp._send(new_signal(address, "PropertiesChanged", "sa{sv}as", (FACE, {}, ["Lit"])))
    qtbot.waitUntil(lambda: properties.values == {"Lit": True}, timeout=LIMIT)


def test_with_its_service_the_values_go_and_come(qtbot: QtBot, service: Service, play: Play) -> None:
    lamp = play(NAME, PATH, FACE, Lit=("b", True))
    properties = follow(qtbot, service)
    with qtbot.waitSignal(properties.changed, timeout=LIMIT):
        lamp.leave()
    assert properties.values == {}
    with qtbot.waitSignal(properties.changed, timeout=LIMIT):
        play(NAME, PATH, FACE, Lit=("b", False))
    assert properties.values == {"Lit": False}


def test_a_reading_that_fails_late_does_not_undo_a_later_one(qtbot: QtBot, service: Service, play: Play) -> None:
    """One that was to start the service may be given up long after the service came by other ways."""
    play(NAME, PATH, FACE, Lit=("b", True))
    properties = follow(qtbot, service)
    properties._read()
    properties._take(properties._reads - 1, Reply((), NO_ANSWER))
    assert properties.values == {"Lit": True}


def test_nobody_there_is_said_with_no_values(qtbot: QtBot, bus: Bus) -> None:
    assert follow(qtbot, Service(bus, NAME)).values == {}


def test_a_bus_that_dies_takes_everything_with_it_and_brings_it_back(qtbot: QtBot) -> None:
    with private_bus() as daemon:
        bus = Bus(daemon.address, pause=20)
        service = Service(bus, NAME)
        properties = Properties(service, PATH, FACE)
        lamp = StandIn(daemon.address, NAME, PATH, FACE, Lit=("b", True))
        bus.open()
        qtbot.waitUntil(lambda: properties.values == {"Lit": True}, timeout=LIMIT)
        with qtbot.waitSignal(service.vanished, timeout=LIMIT):
            daemon.stop()
        assert properties.values == {}
        lamp.leave()
        daemon.start()
        lamp = StandIn(daemon.address, NAME, PATH, FACE, Lit=("b", False))
        qtbot.waitUntil(lambda: properties.values == {"Lit": False}, timeout=LIMIT)
        lamp.leave()
        bus.close()
