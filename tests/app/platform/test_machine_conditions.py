"""The machine's conditions for the engine, with fake sources."""

import itertools
import threading

import pytest
from PySide6.QtCore import QObject, Signal
from pytestqt.qtbot import QtBot

from app.platform.machine_conditions import MachineConditions
from scheduler.engine.scheduling.conditions import Conditions, list_unmet
from scheduler.timing.policies import Need

KNOWN = (True, False, None)


class FakeNetwork(QObject):
    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.is_reachable: bool | None = None
        self.is_metered: bool | None = None

    def update(self, *, reachable: bool | None = None, metered: bool | None = None) -> None:
        self.is_reachable, self.is_metered = reachable, metered
        self.changed.emit()


class FakePower(QObject):
    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.is_on_battery: bool | None = None

    def update(self, *, on_battery: bool | None) -> None:
        self.is_on_battery = on_battery
        self.changed.emit()


class FakeSleep(QObject):
    resumed = Signal()


class FakeZone(QObject):
    changed = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.checks = 0

    def check(self) -> None:
        self.checks += 1


@pytest.fixture
def network(qtbot: QtBot) -> FakeNetwork:
    return FakeNetwork()


@pytest.fixture
def power(qtbot: QtBot) -> FakePower:
    return FakePower()


@pytest.fixture
def conditions(network: FakeNetwork, power: FakePower) -> MachineConditions:
    return MachineConditions(network=network, power=power)


def test_unknown_conditions_block_nothing(qtbot: QtBot) -> None:
    conditions: Conditions = MachineConditions()
    assert [conditions.holds(need) for need in Need] == [None, None, None]
    assert list_unmet(conditions, Need) == []


@pytest.mark.parametrize(("reachable", "metered", "battery"), list(itertools.product(KNOWN, repeat=3)))
def test_each_need_follows_its_own_source(
    conditions: MachineConditions,
    network: FakeNetwork,
    power: FakePower,
    *,
    reachable: bool | None,
    metered: bool | None,
    battery: bool | None,
) -> None:
    """A need is the opposite of battery and metered; unknown stays unknown."""
    network.update(reachable=reachable, metered=metered)
    power.update(on_battery=battery)
    opposite = {True: False, False: True, None: None}
    assert conditions.holds(Need.NETWORK) is reachable
    assert conditions.holds(Need.UNMETERED) is opposite[metered]
    assert conditions.holds(Need.POWER) is opposite[battery]


def test_values_known_at_the_start_count(network: FakeNetwork) -> None:
    network.is_reachable = False
    assert MachineConditions(network=network).holds(Need.NETWORK) is False


def test_changed_is_emitted_once_and_only_for_a_new_value(
    conditions: MachineConditions, network: FakeNetwork, power: FakePower
) -> None:
    emitted: list[bool | None] = []
    conditions.changed.connect(lambda: emitted.append(conditions.holds(Need.NETWORK)))
    network.update(reachable=False)
    network.update(reachable=False)
    network.changed.emit()
    power.changed.emit()
    assert emitted == [False]
    network.update(reachable=True)
    assert emitted == [False, True]


def test_a_resume_checks_zone_and_network_before_it_is_emitted(qtbot: QtBot, network: FakeNetwork) -> None:
    sleep, zone = FakeSleep(), FakeZone()
    conditions = MachineConditions(network=network, sleep=sleep, zone=zone)
    seen: list[tuple[int, bool | None]] = []
    conditions.resumed.connect(lambda: seen.append((zone.checks, conditions.holds(Need.NETWORK))))
    network.is_reachable = False
    sleep.resumed.emit()
    assert seen == [(1, False)]


def test_a_new_zone_is_emitted_by_name(qtbot: QtBot) -> None:
    zone = FakeZone()
    conditions = MachineConditions(zone=zone)
    emitted: list[str] = []
    conditions.zone_changed.connect(emitted.append)
    zone.changed.emit("Asia/Tokyo")
    assert emitted == ["Asia/Tokyo"]


def test_another_thread_never_sees_a_partial_update(conditions: MachineConditions, network: FakeNetwork) -> None:
    """Reachable and metered change together; a reader in another thread never sees only one of them."""
    partial: list[dict[Need, bool | None]] = []
    done = threading.Event()

    def read() -> None:
        while not done.is_set():
            known = conditions._known
            if known[Need.NETWORK] is not known[Need.UNMETERED]:
                partial.append(known)

    reader = threading.Thread(target=read)
    reader.start()
    for number in range(2000):
        network.update(reachable=number % 2 == 0, metered=number % 2 == 1)
    done.set()
    reader.join()
    assert partial == []
