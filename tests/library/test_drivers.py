"""What drives a scheduler: its own thread, or the timer of a host."""

import logging
import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from scheduler import Scheduler
from scheduler.engine.scheduling.engine import Engine
from scheduler.library import DueRun, SchedulerStateError
from tests.library.library_fixture import HOUR, MINUTE, START, TIMEOUT_S, LibraryBench


class RunningClock:
    """Starts at a chosen instant and runs in real time."""

    def __init__(self, start: datetime) -> None:
        self.offset = start - datetime.fromtimestamp(time.monotonic(), UTC)

    def now(self) -> datetime:
        return datetime.fromtimestamp(time.monotonic(), UTC) + self.offset

    def monotonic(self) -> float:
        return time.monotonic()


def test_a_started_scheduler_runs_what_is_due(tmp_path: Path) -> None:
    ran = threading.Event()
    noon = START + 2 * HOUR
    with Scheduler(tmp_path / "jobs.db", timezone="UTC", clock=RunningClock(noon - timedelta(seconds=1))) as scheduler:
        scheduler.on_due(lambda _: ran.set())
        scheduler.start()
        scheduler.upsert_schedule("job", at=noon)
        assert ran.wait(TIMEOUT_S)
        assert scheduler.stop(TIMEOUT_S)
        [run] = scheduler.run_log("job")
    assert run.planned == noon
    assert run.began is not None and run.began >= noon


def test_a_command_of_any_thread_takes_effect_at_once(tmp_path: Path) -> None:
    """The timer sleeps for up to a minute, and a change wakes it."""
    with Scheduler(tmp_path / "jobs.db") as scheduler:
        scheduler.on_due(lambda _: None)
        scheduler.start()
        failures: list[BaseException] = []

        def use(number: int) -> None:
            try:
                scheduler.upsert_schedule(f"job{number}", every="1h")
                for _ in range(5):
                    assert scheduler.wait(scheduler.trigger(f"job{number}"), TIMEOUT_S).state == "succeeded"
                    assert scheduler.get(f"job{number}").counters.failed == 0
                    scheduler.list()
            except BaseException as error:  # noqa: BLE001  raised in the test's thread below
                failures.append(error)

        threads = [threading.Thread(target=use, args=(number,)) for number in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(TIMEOUT_S)
        assert failures == []
        assert scheduler.run_stats().succeeded == 30


def test_a_handler_may_use_the_scheduler(tmp_path: Path) -> None:
    with Scheduler(tmp_path / "jobs.db", concurrency=1) as scheduler:
        keys: list[str] = []
        scheduler.on_due(lambda _: keys.append(scheduler.trigger("b")), name="a")
        scheduler.on_due(lambda _: None, name="b")
        for name in ("a", "b"):
            scheduler.upsert_schedule(name, every="1h")
        scheduler.start()
        scheduler.wait(scheduler.trigger("a"), TIMEOUT_S)
        assert scheduler.wait(keys[0], TIMEOUT_S).state == "succeeded"


def test_it_can_be_stopped_and_started_again(tmp_path: Path) -> None:
    with Scheduler(tmp_path / "jobs.db") as scheduler:
        scheduler.on_due(lambda _: None)
        scheduler.upsert_schedule("job", every="1h")
        scheduler.start()
        with pytest.raises(SchedulerStateError, match="already been started"):
            scheduler.start()
        assert scheduler.stop()
        key = scheduler.trigger("job")
        with pytest.raises(TimeoutError):
            scheduler.wait(key, 0.01)
        scheduler.start()
        assert scheduler.wait(key, TIMEOUT_S).state == "succeeded"


def test_stop_waits_for_what_runs_and_starts_nothing_more(tmp_path: Path) -> None:
    bench = LibraryBench(tmp_path, concurrency=1)
    bench.scheduler.on_due(bench.stay_busy)
    keys = []
    for name in ("a", "b"):
        bench.scheduler.upsert_schedule(name, every="1h")
        keys.append(bench.scheduler.trigger(name))
    bench.tick()
    bench.wait_for_begin()
    assert not bench.scheduler.stop(0.01)
    bench.release.set()
    assert bench.scheduler.stop(TIMEOUT_S)
    assert {bench.scheduler.find_run(key).state.value for key in keys} == {"succeeded", "queued"}
    bench.close()


def test_a_handler_cannot_wait_for_itself(bench: LibraryBench) -> None:
    bench.scheduler.on_due(lambda _: bench.scheduler.stop())
    bench.scheduler.upsert_schedule("job", every="1h")
    bench.run(HOUR)
    assert "Call stop() from another thread" in (bench.last().message or "")


@pytest.mark.posix("runs sleep")
def test_closing_stops_a_command_that_does_not_end(bench: LibraryBench) -> None:
    bench.scheduler.on_due(["sleep", "600"])
    bench.scheduler.upsert_schedule("job", every="1h")
    bench.scheduler.start()
    key = bench.scheduler.trigger("job")
    assert bench.scheduler._runtime.wait_until(lambda: bench.scheduler.find_run(key).state == "started", TIMEOUT_S)
    bench.scheduler.close(0.01)
    bench.open()
    ended = bench.scheduler.find_run(key)
    assert (ended.state, ended.reason) == ("cancelled", "stopped")


def test_closing_asks_a_callable_to_stop(bench: LibraryBench) -> None:
    bench.scheduler.on_due(bench.stay_busy)
    bench.scheduler.upsert_schedule("job", every="1h")
    bench.scheduler.start()
    key = bench.scheduler.trigger("job")
    bench.wait_for_begin()
    bench.scheduler.close(0.01)
    bench.open()
    assert bench.scheduler.find_run(key).state == "cancelled"


def test_a_host_ticks_until_it_is_woken(bench: LibraryBench) -> None:
    woken: list[int] = []
    bench.scheduler.on_wake(lambda: woken.append(threading.get_ident()))
    bench.scheduler.upsert_schedule("job", every="1h")
    assert woken
    assert bench.tick() == START + MINUTE
    bench.clock.move(HOUR - 30 * timedelta(seconds=1))
    assert bench.tick() == START + HOUR
    woken.clear()
    bench.clock.move(30 * timedelta(seconds=1))
    bench.tick()
    assert bench.scheduler.stop(TIMEOUT_S)
    assert [thread for thread in woken if thread != threading.get_ident()]
    assert [run.planned for run in bench.ran] == [START + HOUR]


def test_only_one_of_both_drives_it(bench: LibraryBench) -> None:
    bench.scheduler.start()
    with pytest.raises(SchedulerStateError, match="Call either start or tick"):
        bench.scheduler.tick()
    bench.scheduler.stop()
    assert bench.scheduler.tick() > bench.clock.wall


def test_a_failed_tick_is_logged_and_repeated(
    bench: LibraryBench, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    tick, failures = Engine.tick, iter([RuntimeError("the disk is full")])

    def fail_once(engine: Engine, now: datetime) -> datetime:
        for failure in failures:
            raise failure
        return tick(engine, now)

    monkeypatch.setattr(Engine, "tick", fail_once)
    bench.scheduler.upsert_schedule("job", every="1h")
    bench.clock.move(HOUR)
    with caplog.at_level(logging.WARNING):
        assert bench.scheduler.tick() == bench.clock.wall + timedelta(seconds=5)
    assert "the disk is full" in caplog.text
    bench.run()
    assert len(bench.ran) == 1


def test_the_zone_of_the_machine_is_followed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "Europe/Berlin")
    bench = LibraryBench(tmp_path, timezone=None)
    bench.scheduler.upsert_schedule("fixed", cron="0 9 * * *")
    bench.scheduler.upsert_schedule("local", cron="0 9 * * *", timezone="local")
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    bench.run(2 * MINUTE)
    at = [one.next_time for one in bench.scheduler.list()]
    assert at == [datetime(2026, 11, 17, 8, tzinfo=UTC), datetime(2026, 11, 17, 0, tzinfo=UTC)]
    bench.close()


def test_disk_errors_of_a_run_do_not_end_its_thread(bench: LibraryBench, monkeypatch: pytest.MonkeyPatch) -> None:
    """The end of a run is written again until the store takes it."""
    from scheduler.store.errors import DiskFullError

    write: Callable[..., object] = bench.scheduler._runtime.database.write
    failures = iter([DiskFullError(bench.path)] * 2)

    def fail(_: DueRun) -> None:
        def write_or_fail(**how: bool) -> object:
            for failure in failures:
                raise failure
            return write(**how)

        monkeypatch.setattr(bench.scheduler._runtime.database, "write", write_or_fail)

    bench.scheduler.on_due(fail)
    bench.scheduler.upsert_schedule("job", every="1h")
    bench.run(2 * HOUR)
    assert bench.states() == ["succeeded", "succeeded"]
