"""The engine reacts to sleep, a new time zone and a lost network. Fakes play the machine."""

import threading
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from pytestqt.qtbot import QtBot

from app.engine_thread import EngineThread
from app.lifecycle.restart_loop import connect_engine
from app.platform.dbus import Bus
from app.platform.detect import watch_machine
from app.platform.machine_conditions import UnknownNetwork
from app.platform.zone_watch import ZoneWatch
from scheduler.engine.callable_launcher import CallableLauncher, Task
from scheduler.engine.queries.schedules import ScheduleQueries
from scheduler.engine.scheduling.engine import Engine
from scheduler.engine.scheduling.launcher import Announce
from scheduler.store.opening import open_store
from scheduler.timing.policies import Need
from tests.clocks import ManualClock
from tests.desktop.buses import FakeDBusService, PrivateBus
from tests.desktop.processes import TIMEOUT_S as SECONDS

LIMIT = round(SECONDS * 1000)
NIGHT = datetime(2026, 11, 16, 22, 30, tzinfo=UTC)
ASLEEP, ONLINE = 10, 70

FakeService = Callable[..., FakeDBusService]


class Machine:
    """Engine thread and machine conditions over a real store, in a folder that also has the machine's zone."""

    def __init__(self, folder: Path, address: str) -> None:
        (folder / "etc").mkdir()
        self.folder = folder
        self.set_zone("Europe/Berlin")
        self.clock = ManualClock(NIGHT)
        self.tasks: dict[str, Task] = {}
        self.database = open_store(folder / "data", self.clock.now()).database
        self.launcher = CallableLauncher(lambda work: self.tasks[work.subject])
        self.bus = Bus(address, retry_ms=20)
        self.conditions = watch_machine(self.bus, ZoneWatch({}, folder), UnknownNetwork)
        self.host = EngineThread(self._make_engine, self.clock)
        connect_engine(self.host, self.conditions)
        self.bus.open()
        self.host.start()

    def set_zone(self, zone: str) -> None:
        fresh = self.folder / "etc/localtime.new"
        fresh.symlink_to(f"/usr/share/zoneinfo/{zone}")
        fresh.rename(self.folder / "etc/localtime")

    def ask(self, act: Callable[[Engine], Any]) -> Any:
        return self.host.submit(act).result(SECONDS)

    def _make_engine(self, announce: Announce) -> Engine:
        return Engine(
            self.database,
            self.launcher.attach,
            machine_zone="Europe/Berlin",
            clock=self.clock,
            conditions=self.conditions,
            announce=announce,
        )

    def close(self) -> None:
        self.bus.close()
        self.host.stop()
        self.launcher.close()
        self.database.close()


@pytest.fixture
def machine(qtbot: QtBot, tmp_path: Path, daemon: PrivateBus) -> Iterator[Machine]:
    made = Machine(tmp_path, daemon.address)
    yield made
    made.close()


def network_manager(fake_service: FakeService, state: int) -> FakeDBusService:
    name = "org.freedesktop.NetworkManager"
    return fake_service(name, "/org/freedesktop/NetworkManager", name, State=("u", state), Connectivity=("u", 0))


def test_after_resume_a_run_waits_for_the_network_and_then_starts_once(
    qtbot: QtBot, machine: Machine, fake_service: FakeService
) -> None:
    ran: list[datetime] = []
    machine.tasks["w/h"] = lambda work: ran.append(work.planned)
    network = network_manager(fake_service, ONLINE)
    logind = fake_service("org.freedesktop.login1", "/org/freedesktop/login1", "org.freedesktop.login1.Manager")
    qtbot.waitUntil(lambda: machine.conditions.holds(Need.NETWORK) is True, timeout=LIMIT)
    qtbot.waitUntil(lambda: machine.conditions._sleep._service.has_owner, timeout=LIMIT)
    machine.ask(
        lambda engine: engine.commands.add("w", "h", {"cron": "0 3 * * *", "timezone": "UTC"}, {"needs": ["network"]})
    )

    network.set_properties(State=("u", ASLEEP))
    qtbot.waitUntil(lambda: machine.conditions.holds(Need.NETWORK) is False, timeout=LIMIT)
    machine.clock.wall += timedelta(hours=9)
    with qtbot.waitSignal(machine.conditions.resumed, timeout=LIMIT):
        logind.emit("PrepareForSleep", "b", (False,))
    qtbot.waitUntil(
        lambda: (
            [
                row.state.value
                for row in machine.ask(lambda engine: ScheduleQueries(engine.context).describe("w/h").recent)
            ]
            == ["queued"]
        ),
        timeout=LIMIT,
    )
    assert ran == []

    network.set_properties(State=("u", ONLINE))
    qtbot.waitUntil(lambda: bool(ran), timeout=LIMIT)
    assert ran == [datetime(2026, 11, 17, 3, 0, tzinfo=UTC)]


def test_a_zone_change_moves_the_schedules_in_local_time(qtbot: QtBot, machine: Machine) -> None:
    machine.ask(lambda engine: engine.commands.add("w", "local", {"cron": "0 9 * * *", "timezone": "local"}))
    machine.ask(lambda engine: engine.commands.add("w", "fixed", {"cron": "0 9 * * *", "timezone": "Europe/Berlin"}))

    def next_time(name: str) -> datetime:
        return machine.ask(lambda engine: ScheduleQueries(engine.context).upcoming(f"w/{name}", 1))[0]

    assert next_time("local") == next_time("fixed") == datetime(2026, 11, 17, 8, 0, tzinfo=UTC)
    machine.set_zone("Asia/Tokyo")
    qtbot.waitUntil(lambda: next_time("local") == datetime(2026, 11, 17, 0, 0, tzinfo=UTC), timeout=LIMIT)
    assert next_time("fixed") == datetime(2026, 11, 17, 8, 0, tzinfo=UTC)


def test_the_engine_queries_conditions_in_its_own_thread(qtbot: QtBot, machine: Machine) -> None:
    threads: list[int] = []
    holds = machine.conditions.holds
    machine.conditions.holds = lambda need: (threads.append(threading.get_ident()), holds(need))[1]  # type: ignore[method-assign]
    machine.tasks["w/h"] = lambda _: None
    machine.ask(
        lambda engine: engine.commands.add("w", "h", {"cron": "0 3 * * *", "timezone": "UTC"}, {"needs": ["power"]})
    )
    machine.clock.wall += timedelta(hours=5)
    machine.conditions.resumed.emit()
    qtbot.waitUntil(lambda: bool(threads), timeout=LIMIT)
    assert threading.get_ident() not in threads
