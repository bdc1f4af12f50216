"""logind, UPower and NetworkManager: stand-ins of all three on a private bus, as none of them runs in a test."""

import itertools
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from PySide6.QtCore import QObject, Signal
from pytestqt.qtbot import QtBot

from app.platform.bus import Bus
from app.platform.linux import tell_reachable
from app.platform.machine import session_bus, system_bus, watch_machine
from app.platform.moods import Moods
from app.platform.zone_watch import ZoneWatch
from scheduler.timing.policies import Need
from tests.desktop.buses import PrivateBus, StandIn

LIMIT = 60_000
ASLEEP, DISCONNECTED, CONNECTING, LOCAL, SITE, ONLINE = 10, 20, 40, 50, 60, 70
UNKNOWN, NONE, PORTAL, LIMITED, FULL = range(5)

Play = Callable[..., StandIn]


class StandInQtNetwork(QObject):
    """What Qt would tell of a network that is there and costs by volume."""

    changed = Signal()
    is_reachable = True
    is_metered = True


@pytest.fixture
def bus(qtbot: QtBot, daemon: PrivateBus) -> Iterator[Bus]:
    made = system_bus({"DBUS_SYSTEM_BUS_ADDRESS": daemon.address}, "linux")
    yield made
    made.close()


@pytest.fixture
def moods(bus: Bus, tmp_path: Path) -> Moods:
    (tmp_path / "etc").mkdir()
    made = watch_machine(bus, ZoneWatch({}, tmp_path), StandInQtNetwork)
    bus.open()
    return made


def manager(play: Play, state: int, connectivity: int = UNKNOWN, metered: int = 0) -> StandIn:
    return play(
        "org.freedesktop.NetworkManager",
        "/org/freedesktop/NetworkManager",
        "org.freedesktop.NetworkManager",
        State=("u", state),
        Connectivity=("u", connectivity),
        Metered=("u", metered),
        Version=("s", "1.42"),
    )


def upower(play: Play, *, on_battery: bool) -> StandIn:
    return play(
        "org.freedesktop.UPower", "/org/freedesktop/UPower", "org.freedesktop.UPower", OnBattery=("b", on_battery)
    )


def logind(play: Play) -> StandIn:
    return play("org.freedesktop.login1", "/org/freedesktop/login1", "org.freedesktop.login1.Manager")


def hold(qtbot: QtBot, moods: Moods, need: Need, *, expected: bool | None) -> None:
    qtbot.waitUntil(lambda: moods.holds(need) is expected, timeout=LIMIT)


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
def test_the_numbers_of_networkmanager_in_words(
    state: int | None, connectivity: int | None, *, expected: bool | None
) -> None:
    """Offline or behind a sign-in page: no. Only a local network: perhaps, and perhaps runs."""
    assert tell_reachable(state, connectivity) is expected


def test_the_network_is_read_and_followed(qtbot: QtBot, moods: Moods, play: Play) -> None:
    network = manager(play, DISCONNECTED)
    hold(qtbot, moods, Need.NETWORK, expected=False)
    with qtbot.waitSignal(moods.changed, timeout=LIMIT):
        network.change(State=("u", ONLINE))
    assert moods.holds(Need.NETWORK) is True


@pytest.mark.parametrize(("told", "unmetered"), [(0, None), (1, False), (2, True), (3, False), (4, True), (9, None)])
def test_a_guess_about_the_cost_counts_like_knowledge(
    qtbot: QtBot, moods: Moods, play: Play, told: int, *, unmetered: bool | None
) -> None:
    manager(play, DISCONNECTED, metered=told)
    hold(qtbot, moods, Need.NETWORK, expected=False)
    assert moods.holds(Need.UNMETERED) is unmetered


def test_without_networkmanager_qt_is_asked_and_only_then(qtbot: QtBot, bus: Bus, tmp_path: Path, play: Play) -> None:
    asked = itertools.count()

    def fall_back() -> StandInQtNetwork:
        next(asked)
        return StandInQtNetwork()

    network = manager(play, DISCONNECTED, metered=2)
    moods = watch_machine(bus, ZoneWatch({}, tmp_path), fall_back)
    bus.open()
    hold(qtbot, moods, Need.NETWORK, expected=False)
    assert moods.holds(Need.UNMETERED) is True
    assert next(asked) == 0
    network.leave()
    hold(qtbot, moods, Need.NETWORK, expected=True)
    assert moods.holds(Need.UNMETERED) is False
    network = manager(play, DISCONNECTED)
    hold(qtbot, moods, Need.NETWORK, expected=False)
    network.leave()
    hold(qtbot, moods, Need.NETWORK, expected=True)
    assert next(asked) == 2, "made once, kept after that"


def test_what_qt_says_later_is_followed(qtbot: QtBot, bus: Bus, tmp_path: Path) -> None:
    qt = StandInQtNetwork()
    moods = watch_machine(bus, ZoneWatch({}, tmp_path), lambda: qt)
    bus.open()
    hold(qtbot, moods, Need.NETWORK, expected=True)
    qt.is_reachable = False
    with qtbot.waitSignal(moods.changed, timeout=LIMIT):
        qt.changed.emit()
    assert moods.holds(Need.NETWORK) is False


@pytest.mark.parametrize("on_battery", [True, False])
def test_battery_is_read_and_followed(qtbot: QtBot, moods: Moods, play: Play, *, on_battery: bool) -> None:
    power = upower(play, on_battery=on_battery)
    hold(qtbot, moods, Need.POWER, expected=not on_battery)
    power.change(OnBattery=("b", not on_battery))
    hold(qtbot, moods, Need.POWER, expected=on_battery)
    power.leave()
    hold(qtbot, moods, Need.POWER, expected=None)


def test_values_of_another_type_are_not_believed(qtbot: QtBot, moods: Moods, play: Play) -> None:
    power = upower(play, on_battery=True)
    hold(qtbot, moods, Need.POWER, expected=False)
    power.change(OnBattery=("s", "no"))
    hold(qtbot, moods, Need.POWER, expected=None)


def test_waking_up_is_said_and_falling_asleep_is_not(qtbot: QtBot, moods: Moods, bus: Bus, play: Play) -> None:
    resumed: list[datetime] = []
    moods.resumed.connect(lambda: resumed.append(datetime.now(UTC)))
    upower(play, on_battery=False)
    system = logind(play)
    hold(qtbot, moods, Need.POWER, expected=True)
    qtbot.waitUntil(lambda: moods._sleep._service.is_there, timeout=LIMIT)
    system.emit("PrepareForSleep", "b", (True,))
    system.emit("PrepareForSleep", "b", (False,))
    qtbot.waitUntil(lambda: bool(resumed), timeout=LIMIT)
    assert len(resumed) == 1


def test_after_waking_up_the_network_is_missing_until_it_is_back(qtbot: QtBot, moods: Moods, play: Play) -> None:
    """NetworkManager falls asleep with the machine, so a run that needs it waits from the first moment on."""
    network, system = manager(play, ONLINE), logind(play)
    hold(qtbot, moods, Need.NETWORK, expected=True)
    qtbot.waitUntil(lambda: moods._sleep._service.is_there, timeout=LIMIT)
    system.emit("PrepareForSleep", "b", (True,))
    network.change(State=("u", ASLEEP))
    hold(qtbot, moods, Need.NETWORK, expected=False)
    with qtbot.waitSignal(moods.resumed, timeout=LIMIT):
        system.emit("PrepareForSleep", "b", (False,))
    assert moods.holds(Need.NETWORK) is False
    network.change(State=("u", CONNECTING))
    network.change(State=("u", ONLINE))
    hold(qtbot, moods, Need.NETWORK, expected=True)


def test_a_bad_signal_changes_nothing(qtbot: QtBot, moods: Moods, play: Play, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(100, logger="app.platform.bus")
    network, system = manager(play, DISCONNECTED), logind(play)
    hold(qtbot, moods, Need.NETWORK, expected=False)
    qtbot.waitUntil(lambda: moods._sleep._service.is_there, timeout=LIMIT)
    system.emit("PrepareForSleep")
    with qtbot.waitSignal(moods.resumed, timeout=LIMIT):
        system.emit("PrepareForSleep", "b", (False,))
    assert moods.holds(Need.NETWORK) is False
    assert network.is_there


def test_no_system_bus_means_that_only_qt_is_asked(qtbot: QtBot, tmp_path: Path) -> None:
    bus = system_bus({"DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/nowhere"}, "linux")
    moods = watch_machine(bus, ZoneWatch({}, tmp_path), StandInQtNetwork)
    bus.open()
    hold(qtbot, moods, Need.NETWORK, expected=True)
    assert moods.holds(Need.POWER) is None
    bus.close()


@pytest.mark.parametrize("platform", ["win32", "darwin"])
def test_elsewhere_there_is_no_bus_and_qt_tells_of_the_network(qtbot: QtBot, tmp_path: Path, platform: str) -> None:
    """Not run on those systems: this shows only that nothing of Linux is asked there."""
    environment = {"DBUS_SESSION_BUS_ADDRESS": "unix:path=/somewhere", "DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/else"}
    for bus in (system_bus(environment, platform), session_bus(environment, platform)):
        moods = watch_machine(bus, ZoneWatch({}, tmp_path), StandInQtNetwork)
        with qtbot.waitSignal(bus.lost, timeout=LIMIT):
            bus.open()
        hold(qtbot, moods, Need.NETWORK, expected=True)
        assert bus._again.isActive() is False
        bus.close()
