"""The engine in its thread, and a machine that sleeps, travels and loses its network. Stand-ins play the machine."""

import threading
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from pytestqt.qtbot import QtBot

from app.host import Host
from app.platform.attuning import attune
from app.platform.bus import Bus
from app.platform.machine import watch_machine
from app.platform.seams import UnknownNetwork
from app.platform.zone_watch import ZoneWatch
from scheduler.engine.engine import Engine
from scheduler.engine.launcher import Announce
from scheduler.store.health import open_store
from scheduler.timing.policies import Need
from tests.bench.callables import Callables, Task
from tests.desktop.buses import PrivateBus, StandIn
from tests.desktop.processes import LIMIT as SECONDS

LIMIT = round(SECONDS * 1000)
NIGHT = datetime(2026, 11, 16, 22, 30, tzinfo=UTC)
ASLEEP, ONLINE = 10, 70

Play = Callable[..., StandIn]


class HeldClock:
    """Stands still until it is moved, like the clock of a machine that sleeps looks to its programs."""

    def __init__(self) -> None:
        self.wall = NIGHT

    def now(self) -> datetime:
        return self.wall

    def monotonic(self) -> float:
        return 0.0


class Home:
    """Host, engine and moods over a real store, in a folder that has the machine's zone too."""

    def __init__(self, folder: Path, address: str) -> None:
        (folder / "etc").mkdir()
        self.folder = folder
        self.move("Europe/Berlin")
        self.clock = HeldClock()
        self.tasks: dict[str, Task] = {}
        self.database = open_store(folder / "data", self.clock.now()).database
        self.launcher = Callables(self.database, self.tasks, clock=self.clock)
        self.bus = Bus(address, pause=20)
        self.moods = watch_machine(self.bus, ZoneWatch({}, folder), UnknownNetwork)
        self.host = Host(self._make_engine, self.clock)
        attune(self.host, self.moods)
        self.bus.open()
        self.host.start()

    def move(self, zone: str) -> None:
        fresh = self.folder / "etc/localtime.new"
        fresh.symlink_to(f"/usr/share/zoneinfo/{zone}")
        fresh.rename(self.folder / "etc/localtime")

    def ask(self, act: Callable[[Engine], Any]) -> Any:
        return self.host.ask(act).result(SECONDS)

    def _make_engine(self, announce: Announce) -> Engine:
        return Engine(
            self.database,
            self.launcher,
            machine_zone="Europe/Berlin",
            clock=self.clock,
            conditions=self.moods,
            announce=announce,
        )

    def close(self) -> None:
        self.bus.close()
        self.host.stop()
        self.launcher.close()
        self.database.close()


@pytest.fixture
def home(qtbot: QtBot, tmp_path: Path, daemon: PrivateBus) -> Iterator[Home]:
    made = Home(tmp_path, daemon.address)
    yield made
    made.close()


def manager(play: Play, state: int) -> StandIn:
    name = "org.freedesktop.NetworkManager"
    return play(name, "/org/freedesktop/NetworkManager", name, State=("u", state), Connectivity=("u", 0))


def test_after_waking_up_a_run_waits_for_the_network_and_then_starts_once(qtbot: QtBot, home: Home, play: Play) -> None:
    ran: list[datetime] = []
    home.tasks["w/h"] = lambda work: ran.append(work.planned)
    network = manager(play, ONLINE)
    logind = play("org.freedesktop.login1", "/org/freedesktop/login1", "org.freedesktop.login1.Manager")
    qtbot.waitUntil(lambda: home.moods.holds(Need.NETWORK) is True, timeout=LIMIT)
    qtbot.waitUntil(lambda: home.moods._sleep._service.is_there, timeout=LIMIT)
    home.ask(
        lambda engine: engine.commands.add("w", "h", {"cron": "0 3 * * *", "timezone": "UTC"}, {"needs": ["network"]})
    )

    network.change(State=("u", ASLEEP))
    qtbot.waitUntil(lambda: home.moods.holds(Need.NETWORK) is False, timeout=LIMIT)
    home.clock.wall += timedelta(hours=9)
    with qtbot.waitSignal(home.moods.resumed, timeout=LIMIT):
        logind.emit("PrepareForSleep", "b", (False,))
    qtbot.waitUntil(
        lambda: [row.state.value for row in home.ask(lambda engine: engine.views.describe("w/h").recent)] == ["queued"],
        timeout=LIMIT,
    )
    assert ran == []

    network.change(State=("u", ONLINE))
    qtbot.waitUntil(lambda: bool(ran), timeout=LIMIT)
    assert ran == [datetime(2026, 11, 17, 3, 0, tzinfo=UTC)]


def test_a_machine_that_travels_moves_the_schedules_that_follow_it(qtbot: QtBot, home: Home) -> None:
    home.ask(lambda engine: engine.commands.add("w", "local", {"cron": "0 9 * * *", "timezone": "local"}))
    home.ask(lambda engine: engine.commands.add("w", "fixed", {"cron": "0 9 * * *", "timezone": "Europe/Berlin"}))

    def next_time(name: str) -> datetime:
        return home.ask(lambda engine: engine.views.upcoming(f"w/{name}", 1))[0]

    assert next_time("local") == next_time("fixed") == datetime(2026, 11, 17, 8, 0, tzinfo=UTC)
    home.move("Asia/Tokyo")
    qtbot.waitUntil(lambda: next_time("local") == datetime(2026, 11, 17, 0, 0, tzinfo=UTC), timeout=LIMIT)
    assert next_time("fixed") == datetime(2026, 11, 17, 8, 0, tzinfo=UTC)


def test_the_engine_asks_the_moods_in_its_own_thread(qtbot: QtBot, home: Home) -> None:
    threads: list[int] = []
    holds = home.moods.holds
    home.moods.holds = lambda need: (threads.append(threading.get_ident()), holds(need))[1]  # type: ignore[method-assign]
    home.tasks["w/h"] = lambda _: None
    home.ask(
        lambda engine: engine.commands.add("w", "h", {"cron": "0 3 * * *", "timezone": "UTC"}, {"needs": ["power"]})
    )
    home.clock.wall += timedelta(hours=5)
    home.moods.resumed.emit()
    qtbot.waitUntil(lambda: bool(threads), timeout=LIMIT)
    assert threading.get_ident() not in threads
