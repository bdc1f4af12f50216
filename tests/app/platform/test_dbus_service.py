"""A well-known name on a bus, its signals and properties; fakes own the name."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from jeepney import DBusAddress, HeaderFields, message_bus, new_signal
from pytestqt.qtbot import QtBot

from app.platform.dbus import NO_REPLY, Bus, DBusReply
from app.platform.dbus_service import DBusProperties, DBusService
from tests.desktop.buses import FakeDBusService, PrivateBus, connect, private_bus

NAME, PATH, FACE = "org.example.Lamp", "/org/example/Lamp", "org.example.Lamp"
LIMIT = 60_000

FakeService = Callable[..., FakeDBusService]


@pytest.fixture
def bus(qtbot: QtBot, daemon: PrivateBus) -> Iterator[Bus]:
    made = Bus(daemon.address, retry_ms=20)
    with qtbot.waitSignal(made.opened, timeout=LIMIT):
        made.open()
    yield made
    made.close()


@pytest.fixture
def service(qtbot: QtBot, bus: Bus) -> DBusService:
    made = DBusService(bus, NAME)
    with qtbot.waitSignals([made.missing], timeout=LIMIT):
        pass
    return made


def wait_for_bus(qtbot: QtBot, service: DBusService) -> None:
    """Wait until the bus has processed everything sent before."""
    answered: list[Any] = []
    service.call("/", "org.freedesktop.DBus.Peer", "Ping", callback=answered.append)
    qtbot.waitUntil(lambda: bool(answered), timeout=LIMIT)


def test_a_name_with_an_owner_is_found(qtbot: QtBot, bus: Bus, fake_service: FakeService) -> None:
    fake_service(NAME, PATH, FACE)
    service = DBusService(bus, NAME)
    with qtbot.waitSignal(service.appeared, timeout=LIMIT):
        assert not service.has_owner
    assert service.has_owner


def test_a_name_appears_vanishes_and_reappears(qtbot: QtBot, service: DBusService, fake_service: FakeService) -> None:
    for _ in range(2):
        with qtbot.waitSignal(service.appeared, timeout=LIMIT):
            lamp = fake_service(NAME, PATH, FACE)
        assert service.has_owner
        with qtbot.waitSignal(service.vanished, timeout=LIMIT):
            lamp.leave()
        assert not service.has_owner


def test_signals_of_the_owner_are_received(qtbot: QtBot, service: DBusService, fake_service: FakeService) -> None:
    received: list[tuple[Any, ...]] = []
    service.subscribe(PATH, FACE, "Lit", received.append)
    with qtbot.waitSignal(service.appeared, timeout=LIMIT):
        lamp = fake_service(NAME, PATH, FACE)
    wait_for_bus(qtbot, service)
    lamp.emit("Lit", "b", (True,))
    qtbot.waitUntil(lambda: received == [(True,)], timeout=LIMIT)


def test_the_same_signal_from_another_sender_is_ignored(
    qtbot: QtBot, daemon: PrivateBus, bus: Bus, service: DBusService, fake_service: FakeService
) -> None:
    """Any program can send it directly to this connection."""
    received: list[tuple[Any, ...]] = []
    service.subscribe(PATH, FACE, "Lit", received.append)
    with qtbot.waitSignal(service.appeared, timeout=LIMIT):
        lamp = fake_service(NAME, PATH, FACE)
    wait_for_bus(qtbot, service)
    signal = new_signal(DBusAddress(PATH, interface=FACE), "Lit", "s", ("stranger",))
    signal.header.fields[HeaderFields.destination] = lamp.caller
    with connect(daemon.address) as stranger:
        stranger.send(signal)
        stranger.send_and_get_reply(message_bus.GetId(), timeout=30)
    wait_for_bus(qtbot, service)
    lamp.emit("Lit", "s", ("owner",))
    qtbot.waitUntil(lambda: bool(received), timeout=LIMIT)
    assert received == [("owner",)]


def test_only_the_bus_can_report_a_new_owner(
    qtbot: QtBot, daemon: PrivateBus, service: DBusService, fake_service: FakeService
) -> None:
    with qtbot.waitSignal(service.appeared, timeout=LIMIT):
        lamp = fake_service(NAME, PATH, FACE)
    wait_for_bus(qtbot, service)
    owner = service._owner
    address = DBusAddress("/org/freedesktop/DBus", interface="org.freedesktop.DBus")
    with connect(daemon.address) as stranger:
        signal = new_signal(address, "NameOwnerChanged", "sss", (NAME, owner, stranger.unique_name))
        signal.header.fields[HeaderFields.destination] = lamp.caller
        stranger.send(signal)
        stranger.send_and_get_reply(message_bus.GetId(), timeout=30)
    wait_for_bus(qtbot, service)
    assert service._owner == owner


def test_an_owner_reported_twice_is_emitted_once(qtbot: QtBot, service: DBusService, fake_service: FakeService) -> None:
    """The bus both signals the change and replies to the query."""
    with qtbot.waitSignal(service.appeared, timeout=LIMIT):
        fake_service(NAME, PATH, FACE)
    owners: list[str] = []
    service.appeared.connect(lambda: owners.append("appeared"))
    service.vanished.connect(lambda: owners.append("vanished"))
    service._query_owner()
    wait_for_bus(qtbot, service)
    assert owners == []


def follow(qtbot: QtBot, service: DBusService) -> DBusProperties:
    made = DBusProperties(service, PATH, FACE)
    with qtbot.waitSignal(made.changed, timeout=LIMIT):
        pass
    return made


def test_properties_are_read_and_updated(qtbot: QtBot, bus: Bus, fake_service: FakeService) -> None:
    lamp = fake_service(NAME, PATH, FACE, Lit=("b", False), Hours=("u", 7))
    properties = follow(qtbot, DBusService(bus, NAME))
    assert properties.values == {"Lit": False, "Hours": 7}
    with qtbot.waitSignal(properties.changed, timeout=LIMIT):
        lamp.set_properties(Lit=("b", True))
    assert properties.values == {"Lit": True, "Hours": 7}


def test_changes_of_another_interface_are_ignored(
    qtbot: QtBot, service: DBusService, fake_service: FakeService
) -> None:
    lamp = fake_service(NAME, PATH, FACE, Lit=("b", False))
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
        lamp.set_properties(Hours=("u", 8))
    assert properties.values == {"Lit": False, "Hours": 8}


def test_an_invalidated_property_is_read_again(qtbot: QtBot, service: DBusService, fake_service: FakeService) -> None:
    lamp = fake_service(NAME, PATH, FACE, Lit=("b", False))
    properties = follow(qtbot, service)
    lamp.properties["Lit"] = ("b", True)
    address = DBusAddress(PATH, interface="org.freedesktop.DBus.Properties")
    lamp._send(new_signal(address, "PropertiesChanged", "sa{sv}as", (FACE, {}, ["Lit"])))
    qtbot.waitUntil(lambda: properties.values == {"Lit": True}, timeout=LIMIT)


def test_values_vanish_and_return_with_the_service(
    qtbot: QtBot, service: DBusService, fake_service: FakeService
) -> None:
    lamp = fake_service(NAME, PATH, FACE, Lit=("b", True))
    properties = follow(qtbot, service)
    with qtbot.waitSignal(properties.changed, timeout=LIMIT):
        lamp.leave()
    assert properties.values == {}
    with qtbot.waitSignal(properties.changed, timeout=LIMIT):
        fake_service(NAME, PATH, FACE, Lit=("b", False))
    assert properties.values == {"Lit": False}


def test_a_late_failed_read_does_not_undo_a_later_one(
    qtbot: QtBot, service: DBusService, fake_service: FakeService
) -> None:
    """A call that should start the service may time out long after the service was started otherwise."""
    fake_service(NAME, PATH, FACE, Lit=("b", True))
    properties = follow(qtbot, service)
    properties._read()
    properties._handle_values(properties._reads - 1, DBusReply((), NO_REPLY))
    assert properties.values == {"Lit": True}


def test_a_missing_service_has_no_values(qtbot: QtBot, bus: Bus) -> None:
    assert follow(qtbot, DBusService(bus, NAME)).values == {}


def test_services_and_values_survive_a_bus_restart(qtbot: QtBot) -> None:
    with private_bus() as daemon:
        bus = Bus(daemon.address, retry_ms=20)
        service = DBusService(bus, NAME)
        properties = DBusProperties(service, PATH, FACE)
        lamp = FakeDBusService(daemon.address, NAME, PATH, FACE, Lit=("b", True))
        bus.open()
        qtbot.waitUntil(lambda: properties.values == {"Lit": True}, timeout=LIMIT)
        with qtbot.waitSignal(service.vanished, timeout=LIMIT):
            daemon.stop()
        assert properties.values == {}
        lamp.leave()
        daemon.start()
        lamp = FakeDBusService(daemon.address, NAME, PATH, FACE, Lit=("b", False))
        qtbot.waitUntil(lambda: properties.values == {"Lit": False}, timeout=LIMIT)
        lamp.leave()
        bus.close()
