"""The engine in its own thread under a real Qt event loop, without a display."""

import threading
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.host import Host
from scheduler.engine.engine import Engine
from scheduler.engine.launcher import Announce, Announcement, Work
from scheduler.engine.refusal import RefusedError
from scheduler.store.errors import StoreBusyError
from scheduler.store.health import open_store
from tests.bench.callables import Callables, Task

NOON = datetime(2026, 11, 16, 12, 0, tzinfo=UTC)
PATIENCE = 60


class RunningClock:
    """Starts at a chosen instant and goes on in real time; tests may set the wall clock."""

    def __init__(self, start: datetime) -> None:
        self.offset = start - datetime.fromtimestamp(time.monotonic(), UTC)

    def now(self) -> datetime:
        return datetime.fromtimestamp(time.monotonic(), UTC) + self.offset

    def monotonic(self) -> float:
        return time.monotonic()


class Home:
    """A host over a real store, with tasks that report in which thread they ran."""

    def __init__(self, folder: Path, clock: RunningClock) -> None:
        self.clock = clock
        self.tasks: dict[str, Task] = {}
        self.database = open_store(folder, clock.now()).database
        self.launcher = Callables(self.database, self.tasks, clock=clock)
        self.engine_threads: set[int] = set()
        self.host = Host(self._make_engine, clock)

    def _make_engine(self, announce: Announce) -> Engine:
        self.engine_threads.add(threading.get_ident())
        return Engine(self.database, self.launcher, machine_zone="UTC", clock=self.clock, announce=announce)

    def close(self) -> None:
        self.host.stop()
        self.launcher.close()
        self.database.close()


@pytest.fixture
def home(tmp_path: Path, qapp_args: list[str]) -> Iterator[Home]:
    home = Home(tmp_path / "data", RunningClock(NOON - timedelta(seconds=2)))
    yield home
    home.close()


def test_a_schedule_fires_at_its_time_off_the_main_thread(qtbot: QtBot, home: Home) -> None:
    ran: list[tuple[Work, datetime, int]] = []
    home.tasks["w/h"] = lambda work: ran.append((work, home.clock.now(), threading.get_ident()))
    home.host.start()
    home.host.ask(lambda engine: engine.commands.add("w", "h", {"once": "2026-11-16T12:00:00Z"})).result(PATIENCE)
    qtbot.waitUntil(lambda: len(ran) == 1, timeout=PATIENCE * 1000)
    work, at, thread = ran[0]
    assert work.planned == NOON
    assert at >= NOON
    assert thread != threading.get_ident()
    assert home.engine_threads.isdisjoint({threading.get_ident(), thread})


def test_a_command_wakes_the_engine_at_once(qtbot: QtBot, home: Home) -> None:
    """The timer sleeps for up to a minute; a trigger does not wait for it."""
    ran = threading.Event()
    home.tasks["w/h"] = lambda _: ran.set()
    home.host.start()
    home.host.ask(lambda engine: engine.commands.add("w", "h", {"every": "1d"})).result(PATIENCE)
    home.host.ask(lambda engine: engine.commands.trigger("w/h")).result(PATIENCE)
    assert ran.wait(PATIENCE)


def test_a_run_that_ends_lets_the_next_one_start(qtbot: QtBot, home: Home) -> None:
    """Reports come from the task's thread and still wake the engine."""
    ran: list[Work] = []
    home.tasks["w/h"] = ran.append
    home.host.start()
    home.host.ask(lambda engine: engine.commands.add("w", "h", {"every": "1d"})).result(PATIENCE)
    for _ in range(3):
        home.host.ask(lambda engine: engine.commands.trigger("w/h"))
    qtbot.waitUntil(lambda: len(ran) == 3, timeout=PATIENCE * 1000)


def test_a_refusal_reaches_whoever_asked(qtbot: QtBot, home: Home) -> None:
    home.host.start()
    with pytest.raises(RefusedError, match="minute: 60 is out of range"):
        home.host.ask(lambda engine: engine.commands.add("w", "h", {"cron": "60 * * * *"})).result(PATIENCE)


def test_a_tick_that_fails_is_said_and_the_engine_goes_on(
    qtbot: QtBot, home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    tick = Engine.tick
    failures = iter([RuntimeError("the disk is full")])

    def fail_once(engine: Engine, now: datetime) -> datetime:
        for failure in failures:
            raise failure
        return tick(engine, now)

    monkeypatch.setattr(Engine, "tick", fail_once)
    said: list[Announcement] = []
    home.host.announced.connect(said.append)
    ran = threading.Event()
    home.tasks["w/h"] = lambda _: ran.set()
    home.host.start()
    qtbot.waitUntil(lambda: any("the disk is full" in one.sentence for one in said), timeout=PATIENCE * 1000)
    home.host.ask(lambda engine: engine.commands.add("w", "h", {"every": "1d"})).result(PATIENCE)
    home.host.ask(lambda engine: engine.commands.trigger("w/h")).result(PATIENCE)
    assert ran.wait(PATIENCE)


def test_announcements_arrive_in_the_thread_that_made_the_host(qtbot: QtBot, home: Home) -> None:
    threads: set[int] = set()
    home.host.announced.connect(lambda _: threads.add(threading.get_ident()))
    home.host.start()
    home.host.ask(lambda engine: engine.commands.add("w", "h", {"every": "1d"})).result(PATIENCE)
    qtbot.waitUntil(lambda: bool(threads), timeout=PATIENCE * 1000)
    assert threads == {threading.get_ident()}


def test_a_clock_set_forward_is_noticed_without_waiting_for_the_timer(qtbot: QtBot, home: Home) -> None:
    """A jump of the wall clock against monotonic time makes the next look a full one."""
    ran = threading.Event()
    home.tasks["w/h"] = lambda _: ran.set()
    home.host.start()
    home.host.ask(lambda engine: engine.commands.add("w", "h", {"once": "2026-11-16T15:00:00Z"})).result(PATIENCE)
    home.clock.offset += timedelta(hours=3)
    home.host.ask(lambda _: None).result(PATIENCE)
    assert ran.wait(PATIENCE)


def test_a_start_that_the_store_refuses_is_said_and_tried_again(
    qtbot: QtBot, home: Home, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Another program may hold the file at that moment; nothing runs before it was taken up where it was left."""
    tries: list[int] = []
    recover = Engine.recover

    def refuse_twice(engine: Engine) -> None:
        tries.append(1)
        if len(tries) < 3:
            raise StoreBusyError(Path("dayhand.db"))
        recover(engine)

    monkeypatch.setattr(Engine, "recover", refuse_twice)
    heard: list[Announcement] = []
    home.host.announced.connect(heard.append)
    home.host.start()
    with pytest.raises(StoreBusyError):
        home.host.ask(lambda engine: engine.commands.add("w", "h", {"every": "1d"})).result(PATIENCE)
    home.host.ask(lambda engine: engine.commands.add("w", "h", {"every": "1d"})).result(PATIENCE)
    qtbot.waitUntil(lambda: any("keeps dayhand.db locked" in one.sentence for one in heard), timeout=PATIENCE * 1000)


def test_one_that_never_could_start_can_be_stopped(
    qtbot: QtBot, home: Home, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def refuse(engine: Engine) -> None:
        raise StoreBusyError(Path("dayhand.db"))

    monkeypatch.setattr(Engine, "recover", refuse)
    home.host.start()
    home.host.stop()
    assert home.host._thread.isFinished()
