"""What the engine is told about the machine. The providers here are stand-ins that a test moves."""

import itertools
import threading

import pytest
from PySide6.QtCore import QObject, Signal
from pytestqt.qtbot import QtBot

from app.platform.moods import Moods
from scheduler.engine.conditions import Conditions, unmet
from scheduler.timing.policies import Need

KNOWN = (True, False, None)


class StandInNetwork(QObject):
    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.is_reachable: bool | None = None
        self.is_metered: bool | None = None

    def become(self, *, reachable: bool | None = None, metered: bool | None = None) -> None:
        self.is_reachable, self.is_metered = reachable, metered
        self.changed.emit()


class StandInPower(QObject):
    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.is_on_battery: bool | None = None

    def become(self, *, on_battery: bool | None) -> None:
        self.is_on_battery = on_battery
        self.changed.emit()


class StandInSleep(QObject):
    resumed = Signal()


class StandInZone(QObject):
    changed = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.looks = 0

    def look(self) -> None:
        self.looks += 1


@pytest.fixture
def network(qtbot: QtBot) -> StandInNetwork:
    return StandInNetwork()


@pytest.fixture
def power(qtbot: QtBot) -> StandInPower:
    return StandInPower()


@pytest.fixture
def moods(network: StandInNetwork, power: StandInPower) -> Moods:
    return Moods(network=network, power=power)


def test_a_machine_of_which_nothing_is_known_keeps_nobody_waiting(qtbot: QtBot) -> None:
    moods: Conditions = Moods()
    assert [moods.holds(need) for need in Need] == [None, None, None]
    assert unmet(moods, Need) == []


@pytest.mark.parametrize(("reachable", "metered", "battery"), list(itertools.product(KNOWN, repeat=3)))
def test_each_need_is_read_off_its_own_fact(
    moods: Moods,
    network: StandInNetwork,
    power: StandInPower,
    *,
    reachable: bool | None,
    metered: bool | None,
    battery: bool | None,
) -> None:
    """A need is the opposite of battery and metered; not knowing stays not knowing."""
    network.become(reachable=reachable, metered=metered)
    power.become(on_battery=battery)
    opposite = {True: False, False: True, None: None}
    assert moods.holds(Need.NETWORK) is reachable
    assert moods.holds(Need.UNMETERED) is opposite[metered]
    assert moods.holds(Need.POWER) is opposite[battery]


def test_what_is_known_at_the_start_counts_at_once(network: StandInNetwork) -> None:
    network.is_reachable = False
    assert Moods(network=network).holds(Need.NETWORK) is False


def test_a_change_is_said_once_and_only_if_an_answer_changed(
    moods: Moods, network: StandInNetwork, power: StandInPower
) -> None:
    said: list[bool | None] = []
    moods.changed.connect(lambda: said.append(moods.holds(Need.NETWORK)))
    network.become(reachable=False)
    network.become(reachable=False)
    network.changed.emit()
    power.changed.emit()
    assert said == [False]
    network.become(reachable=True)
    assert said == [False, True]


def test_a_resume_looks_at_zone_and_network_first_and_is_then_said(qtbot: QtBot, network: StandInNetwork) -> None:
    sleep, zone = StandInSleep(), StandInZone()
    moods = Moods(network=network, sleep=sleep, zone=zone)
    seen: list[tuple[int, bool | None]] = []
    moods.resumed.connect(lambda: seen.append((zone.looks, moods.holds(Need.NETWORK))))
    network.is_reachable = False
    sleep.resumed.emit()
    assert seen == [(1, False)]


def test_another_zone_is_passed_on_by_name(qtbot: QtBot) -> None:
    zone = StandInZone()
    moods = Moods(zone=zone)
    said: list[str] = []
    moods.zone_changed.connect(said.append)
    zone.changed.emit("Asia/Tokyo")
    assert said == ["Asia/Tokyo"]


def test_another_thread_sees_whole_answers_only(moods: Moods, network: StandInNetwork) -> None:
    """Reachable and metered change together here; a reader in the engine's thread never sees half of it."""
    halves: list[dict[Need, bool | None]] = []
    done = threading.Event()

    def read() -> None:
        while not done.is_set():
            known = moods._known
            if known[Need.NETWORK] is not known[Need.UNMETERED]:
                halves.append(known)

    reader = threading.Thread(target=read)
    reader.start()
    for number in range(2000):
        network.become(reachable=number % 2 == 0, metered=number % 2 == 1)
    done.set()
    reader.join()
    assert halves == []
