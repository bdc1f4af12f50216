"""logind, UPower and NetworkManager: fakes of all three on a private bus."""

import itertools
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from PySide6.QtCore import QObject, Signal
from pytestqt.qtbot import QtBot

from app.platform.dbus import Bus
from app.platform.detect import session_bus, system_bus, watch_machine
from app.platform.linux import read_reachability
from app.platform.machine_conditions import MachineConditions
from app.platform.zone_watch import ZoneWatch
from scheduler.timing.policies import Need
from tests.desktop.buses import FakeDBusService, PrivateBus

LIMIT = 60_000
ASLEEP, DISCONNECTED, CONNECTING, LOCAL, SITE, ONLINE = 10, 20, 40, 50, 60, 70
UNKNOWN, NONE, PORTAL, LIMITED, FULL = range(5)

FakeService = Callable[..., FakeDBusService]


class FakeQtNetwork(QObject):
    """A reachable, metered network."""

    changed = Signal()
    is_reachable = True
    is_metered = True


@pytest.fixture
def bus(qtbot: QtBot, daemon: PrivateBus) -> Iterator[Bus]:
    made = system_bus({"DBUS_SYSTEM_BUS_ADDRESS": daemon.address}, "linux")
    yield made
    made.close()


@pytest.fixture
def conditions(bus: Bus, tmp_path: Path) -> MachineConditions:
    (tmp_path / "etc").mkdir()
    made = watch_machine(bus, ZoneWatch({}, tmp_path), FakeQtNetwork)
    bus.open()
    return made


def network_manager(
    fake_service: FakeService, state: int, connectivity: int = UNKNOWN, metered: int = 0
) -> FakeDBusService:
    return fake_service(
        "org.freedesktop.NetworkManager",
        "/org/freedesktop/NetworkManager",
        "org.freedesktop.NetworkManager",
        State=("u", state),
        Connectivity=("u", connectivity),
        Metered=("u", metered),
        Version=("s", "1.42"),
    )


def upower(fake_service: FakeService, *, on_battery: bool) -> FakeDBusService:
    return fake_service(
        "org.freedesktop.UPower", "/org/freedesktop/UPower", "org.freedesktop.UPower", OnBattery=("b", on_battery)
    )


def logind(fake_service: FakeService) -> FakeDBusService:
    return fake_service("org.freedesktop.login1", "/org/freedesktop/login1", "org.freedesktop.login1.Manager")


def wait_for(qtbot: QtBot, conditions: MachineConditions, need: Need, *, expected: bool | None) -> None:
    qtbot.waitUntil(lambda: conditions.holds(need) is expected, timeout=LIMIT)


@pytest.mark.parametrize(
    ("state", "connectivity", "expected"),
    [
        (None, None, None),
        (0, UNKNOWN, None),
        *((state, check, False) for state in (10, 20, 30, 40) for check in (UNKNOWN, NONE, PORTAL, LIMITED, FULL)),
        *((state, PORTAL, False) for state in (LOCAL, SITE, ONLINE)),
        *((state, FULL, True) for state in (LOCAL, SITE, ONLINE)),
        *((ONLINE, check, True) for check in (UNKNOWN, LIMITED)),
        *((state, check, None) for state in (LOCAL, SITE) for check in (UNKNOWN, NONE, LIMITED)),
    ],
)
def test_networkmanager_codes_are_read_as_reachability(
    state: int | None, connectivity: int | None, *, expected: bool | None
) -> None:
    """Offline or behind a sign-in page: no. Only a local network: unknown, so runs start."""
    assert read_reachability(state, connectivity) is expected


def test_the_network_is_read_and_updated(
    qtbot: QtBot, conditions: MachineConditions, fake_service: FakeService
) -> None:
    network = network_manager(fake_service, DISCONNECTED)
    wait_for(qtbot, conditions, Need.NETWORK, expected=False)
    with qtbot.waitSignal(conditions.changed, timeout=LIMIT):
        network.set_properties(State=("u", ONLINE))
    assert conditions.holds(Need.NETWORK) is True


@pytest.mark.parametrize(("metered", "unmetered"), [(0, None), (1, False), (2, True), (3, False), (4, True), (9, None)])
def test_a_guessed_metered_value_counts(
    qtbot: QtBot, conditions: MachineConditions, fake_service: FakeService, metered: int, *, unmetered: bool | None
) -> None:
    network_manager(fake_service, DISCONNECTED, metered=metered)
    wait_for(qtbot, conditions, Need.NETWORK, expected=False)
    assert conditions.holds(Need.UNMETERED) is unmetered


def test_qt_is_used_only_without_network_manager(
    qtbot: QtBot, bus: Bus, tmp_path: Path, fake_service: FakeService
) -> None:
    queries = itertools.count()

    def fall_back() -> FakeQtNetwork:
        next(queries)
        return FakeQtNetwork()

    network = network_manager(fake_service, DISCONNECTED, metered=2)
    conditions = watch_machine(bus, ZoneWatch({}, tmp_path), fall_back)
    bus.open()
    wait_for(qtbot, conditions, Need.NETWORK, expected=False)
    assert conditions.holds(Need.UNMETERED) is True
    assert next(queries) == 0
    network.leave()
    wait_for(qtbot, conditions, Need.NETWORK, expected=True)
    assert conditions.holds(Need.UNMETERED) is False
    network = network_manager(fake_service, DISCONNECTED)
    wait_for(qtbot, conditions, Need.NETWORK, expected=False)
    network.leave()
    wait_for(qtbot, conditions, Need.NETWORK, expected=True)
    assert next(queries) == 2, "created once and kept"


def test_later_changes_from_qt_are_followed(qtbot: QtBot, bus: Bus, tmp_path: Path) -> None:
    qt = FakeQtNetwork()
    conditions = watch_machine(bus, ZoneWatch({}, tmp_path), lambda: qt)
    bus.open()
    wait_for(qtbot, conditions, Need.NETWORK, expected=True)
    qt.is_reachable = False
    with qtbot.waitSignal(conditions.changed, timeout=LIMIT):
        qt.changed.emit()
    assert conditions.holds(Need.NETWORK) is False


@pytest.mark.parametrize("on_battery", [True, False])
def test_battery_is_read_and_updated(
    qtbot: QtBot, conditions: MachineConditions, fake_service: FakeService, *, on_battery: bool
) -> None:
    power = upower(fake_service, on_battery=on_battery)
    wait_for(qtbot, conditions, Need.POWER, expected=not on_battery)
    power.set_properties(OnBattery=("b", not on_battery))
    wait_for(qtbot, conditions, Need.POWER, expected=on_battery)
    power.leave()
    wait_for(qtbot, conditions, Need.POWER, expected=None)


def test_values_of_the_wrong_type_are_unknown(
    qtbot: QtBot, conditions: MachineConditions, fake_service: FakeService
) -> None:
    power = upower(fake_service, on_battery=True)
    wait_for(qtbot, conditions, Need.POWER, expected=False)
    power.set_properties(OnBattery=("s", "no"))
    wait_for(qtbot, conditions, Need.POWER, expected=None)


def test_only_waking_up_is_reported(
    qtbot: QtBot, conditions: MachineConditions, bus: Bus, fake_service: FakeService
) -> None:
    resumed: list[datetime] = []
    conditions.resumed.connect(lambda: resumed.append(datetime.now(UTC)))
    upower(fake_service, on_battery=False)
    system = logind(fake_service)
    wait_for(qtbot, conditions, Need.POWER, expected=True)
    qtbot.waitUntil(lambda: conditions._sleep._service.has_owner, timeout=LIMIT)
    system.emit("PrepareForSleep", "b", (True,))
    system.emit("PrepareForSleep", "b", (False,))
    qtbot.waitUntil(lambda: bool(resumed), timeout=LIMIT)
    assert len(resumed) == 1


def test_after_resume_the_network_is_missing_until_it_is_back(
    qtbot: QtBot, conditions: MachineConditions, fake_service: FakeService
) -> None:
    """NetworkManager sleeps with the machine, so a run that needs the network waits from the start."""
    network, system = network_manager(fake_service, ONLINE), logind(fake_service)
    wait_for(qtbot, conditions, Need.NETWORK, expected=True)
    qtbot.waitUntil(lambda: conditions._sleep._service.has_owner, timeout=LIMIT)
    system.emit("PrepareForSleep", "b", (True,))
    network.set_properties(State=("u", ASLEEP))
    wait_for(qtbot, conditions, Need.NETWORK, expected=False)
    with qtbot.waitSignal(conditions.resumed, timeout=LIMIT):
        system.emit("PrepareForSleep", "b", (False,))
    assert conditions.holds(Need.NETWORK) is False
    network.set_properties(State=("u", CONNECTING))
    network.set_properties(State=("u", ONLINE))
    wait_for(qtbot, conditions, Need.NETWORK, expected=True)


def test_a_malformed_signal_changes_nothing(
    qtbot: QtBot, conditions: MachineConditions, fake_service: FakeService, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(100, logger="app.platform.dbus")
    network, system = network_manager(fake_service, DISCONNECTED), logind(fake_service)
    wait_for(qtbot, conditions, Need.NETWORK, expected=False)
    qtbot.waitUntil(lambda: conditions._sleep._service.has_owner, timeout=LIMIT)
    system.emit("PrepareForSleep")
    with qtbot.waitSignal(conditions.resumed, timeout=LIMIT):
        system.emit("PrepareForSleep", "b", (False,))
    assert conditions.holds(Need.NETWORK) is False
    assert network.is_running


def test_without_a_system_bus_only_qt_is_used(qtbot: QtBot, tmp_path: Path) -> None:
    bus = system_bus({"DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/nowhere"}, "linux")
    conditions = watch_machine(bus, ZoneWatch({}, tmp_path), FakeQtNetwork)
    bus.open()
    wait_for(qtbot, conditions, Need.NETWORK, expected=True)
    assert conditions.holds(Need.POWER) is None
    bus.close()


@pytest.mark.parametrize("platform", ["win32", "darwin"])
def test_other_systems_have_no_bus_and_use_qt(qtbot: QtBot, tmp_path: Path, platform: str) -> None:
    """Not run on those systems: shows only that no Linux service is used there."""
    environment = {"DBUS_SESSION_BUS_ADDRESS": "unix:path=/somewhere", "DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/else"}
    for bus in (system_bus(environment, platform), session_bus(environment, platform)):
        conditions = watch_machine(bus, ZoneWatch({}, tmp_path), FakeQtNetwork)
        with qtbot.waitSignal(bus.lost, timeout=LIMIT):
            bus.open()
        wait_for(qtbot, conditions, Need.NETWORK, expected=True)
        assert bus._retry_timer.isActive() is False
        bus.close()
