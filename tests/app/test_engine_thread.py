"""The engine on its own thread under a real Qt event loop, without a display."""

import threading
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.engine_thread import AnnouncementQueue, EngineThread
from scheduler.engine.callable_launcher import CallableLauncher, Task
from scheduler.engine.errors import RefusedError
from scheduler.engine.scheduling.engine import Engine
from scheduler.engine.scheduling.launcher import Announce, Announcement, Work
from scheduler.store.errors import StoreBusyError
from scheduler.store.opening import open_store
from tests.clocks import ManualClock
from tests.engine.engine_fixture import MINUTE

NOON = datetime(2026, 11, 16, 12, 0, tzinfo=UTC)
TIMEOUT_S = 60


class RunningClock:
    """Starts at a chosen instant and runs in real time; tests may set the wall clock."""

    def __init__(self, start: datetime) -> None:
        self.offset = start - datetime.fromtimestamp(time.monotonic(), UTC)

    def now(self) -> datetime:
        return datetime.fromtimestamp(time.monotonic(), UTC) + self.offset

    def monotonic(self) -> float:
        return time.monotonic()


class EngineBench:
    """An engine thread on a real store, whose handlers are functions of the test."""

    def __init__(self, folder: Path, clock: RunningClock) -> None:
        self.clock = clock
        self.tasks: dict[str, Task] = {}
        self.database = open_store(folder, clock.now()).database
        self.launcher = CallableLauncher(lambda work: self.tasks[work.subject])
        self.engine_threads: set[int] = set()
        self.host = EngineThread(self._make_engine, clock)

    def _make_engine(self, announce: Announce) -> Engine:
        self.engine_threads.add(threading.get_ident())
        return Engine(self.database, self.launcher.attach, machine_zone="UTC", clock=self.clock, announce=announce)

    def close(self) -> None:
        self.host.stop()
        self.launcher.close()
        self.database.close()


@pytest.fixture
def bench(tmp_path: Path, qapp_args: list[str]) -> Iterator[EngineBench]:
    bench = EngineBench(tmp_path / "data", RunningClock(NOON - timedelta(seconds=2)))
    yield bench
    bench.close()


def test_a_schedule_fires_at_its_time_off_the_main_thread(qtbot: QtBot, bench: EngineBench) -> None:
    ran: list[tuple[Work, datetime, int]] = []
    bench.tasks["w/h"] = lambda work: ran.append((work, bench.clock.now(), threading.get_ident()))
    bench.host.start()
    bench.host.submit(lambda engine: engine.commands.add("w", "h", {"once": "2026-11-16T12:00:00Z"})).result(TIMEOUT_S)
    qtbot.waitUntil(lambda: len(ran) == 1, timeout=TIMEOUT_S * 1000)
    work, at, thread = ran[0]
    assert work.planned == NOON
    assert at >= NOON
    assert thread != threading.get_ident()
    assert bench.engine_threads.isdisjoint({threading.get_ident(), thread})


def test_a_command_wakes_the_engine_immediately(qtbot: QtBot, bench: EngineBench) -> None:
    """The timer sleeps for up to a minute; a command does not wait for it."""
    ran = threading.Event()
    bench.tasks["w/h"] = lambda _: ran.set()
    bench.host.start()
    bench.host.submit(lambda engine: engine.commands.add("w", "h", {"every": "1d"})).result(TIMEOUT_S)
    bench.host.submit(lambda engine: engine.commands.trigger("w/h")).result(TIMEOUT_S)
    assert ran.wait(TIMEOUT_S)


def test_a_run_that_ends_lets_the_next_one_start(qtbot: QtBot, bench: EngineBench) -> None:
    """Reports from another thread wake the engine."""
    ran: list[Work] = []
    bench.tasks["w/h"] = ran.append
    bench.host.start()
    bench.host.submit(lambda engine: engine.commands.add("w", "h", {"every": "1d"})).result(TIMEOUT_S)
    for _ in range(3):
        bench.host.submit(lambda engine: engine.commands.trigger("w/h"))
    qtbot.waitUntil(lambda: len(ran) == 3, timeout=TIMEOUT_S * 1000)


def test_an_error_reaches_the_caller(qtbot: QtBot, bench: EngineBench) -> None:
    bench.host.start()
    with pytest.raises(RefusedError, match="minute: 60 is out of range"):
        bench.host.submit(lambda engine: engine.commands.add("w", "h", {"cron": "60 * * * *"})).result(TIMEOUT_S)


def test_a_failed_tick_is_reported_and_retried(
    qtbot: QtBot, bench: EngineBench, monkeypatch: pytest.MonkeyPatch
) -> None:
    tick = Engine.tick
    failures = iter([RuntimeError("the disk is full")])

    def fail_once(engine: Engine, now: datetime) -> datetime:
        for failure in failures:
            raise failure
        return tick(engine, now)

    monkeypatch.setattr(Engine, "tick", fail_once)
    announced: list[Announcement] = []
    bench.host.announced.connect(announced.append)
    ran = threading.Event()
    bench.tasks["w/h"] = lambda _: ran.set()
    bench.host.start()
    qtbot.waitUntil(lambda: any("the disk is full" in one.sentence for one in announced), timeout=TIMEOUT_S * 1000)
    bench.host.submit(lambda engine: engine.commands.add("w", "h", {"every": "1d"})).result(TIMEOUT_S)
    bench.host.submit(lambda engine: engine.commands.trigger("w/h")).result(TIMEOUT_S)
    assert ran.wait(TIMEOUT_S)


def test_announcements_arrive_in_the_creating_thread(qtbot: QtBot, bench: EngineBench) -> None:
    threads: set[int] = set()
    bench.host.announced.connect(lambda _: threads.add(threading.get_ident()))
    bench.host.start()
    bench.host.submit(lambda engine: engine.commands.add("w", "h", {"every": "1d"})).result(TIMEOUT_S)
    qtbot.waitUntil(lambda: bool(threads), timeout=TIMEOUT_S * 1000)
    assert threads == {threading.get_ident()}


def test_a_clock_set_forward_is_noticed_at_the_next_tick(qtbot: QtBot, bench: EngineBench) -> None:
    """A jump of the wall clock against monotonic time makes the next tick a full one."""
    ran = threading.Event()
    bench.tasks["w/h"] = lambda _: ran.set()
    bench.host.start()
    bench.host.submit(lambda engine: engine.commands.add("w", "h", {"once": "2026-11-16T15:00:00Z"})).result(TIMEOUT_S)
    bench.clock.offset += timedelta(hours=3)
    bench.host.submit(lambda _: None).result(TIMEOUT_S)
    assert ran.wait(TIMEOUT_S)


def test_a_failed_recovery_is_reported_and_retried(
    qtbot: QtBot, bench: EngineBench, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Another program may lock the file at that moment; nothing runs before the recovery."""
    attempts: list[int] = []
    recover = Engine.recover

    def refuse_twice(engine: Engine) -> None:
        attempts.append(1)
        if len(attempts) < 3:
            raise StoreBusyError(Path("dayhand.db"))
        recover(engine)

    monkeypatch.setattr(Engine, "recover", refuse_twice)
    announced: list[Announcement] = []
    bench.host.announced.connect(announced.append)
    bench.host.start()
    with pytest.raises(StoreBusyError):
        bench.host.submit(lambda engine: engine.commands.add("w", "h", {"every": "1d"})).result(TIMEOUT_S)
    bench.host.submit(lambda engine: engine.commands.add("w", "h", {"every": "1d"})).result(TIMEOUT_S)
    qtbot.waitUntil(lambda: any("has locked dayhand.db" in one.sentence for one in announced), timeout=TIMEOUT_S * 1000)


def test_an_engine_that_never_recovered_can_be_stopped(
    qtbot: QtBot, bench: EngineBench, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def refuse(engine: Engine) -> None:
        raise StoreBusyError(Path("dayhand.db"))

    monkeypatch.setattr(Engine, "recover", refuse)
    bench.host.start()
    bench.host.stop()
    assert bench.host._thread.isFinished()


def test_equal_announcements_are_queued_once() -> None:
    announcements = AnnouncementQueue(ManualClock())
    assert announcements.add(Announcement("a"))
    for _ in range(1_000):
        assert not announcements.add(Announcement("a"))
        assert not announcements.add(Announcement("b"))
    assert announcements.take() == [Announcement("a"), Announcement("b")]
    assert announcements.add(Announcement("a")), "the receiver must be woken again"


def test_the_number_of_queued_announcements_is_limited() -> None:
    announcements = AnnouncementQueue(ManualClock())
    for number in range(5_000):
        announcements.add(Announcement(str(number)))
    taken = announcements.take()
    assert len(taken) == 1_000
    assert taken[-1] == Announcement("4999")


def test_the_same_warning_is_repeated_only_after_ten_minutes() -> None:
    clock = ManualClock()
    announcements = AnnouncementQueue(clock)
    warning = Announcement("store", "The disk is full.", is_warning=True)
    sentences = []
    for _ in range(25):
        announcements.add(warning)
        sentences += [one.sentence for one in announcements.take() if one.sentence]
        clock.move(MINUTE)
    assert sentences == ["The disk is full."] * 3
