"""What runs, when, and what is recorded about it."""

import sys
import threading
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from scheduler.library import CommandRefusedError, DueRun, InvalidScheduleError
from tests.library.library_fixture import HOUR, MINUTE, SECOND, START, TIMEOUT_S, LibraryBench


def test_a_handler_learns_which_run_it_is(bench: LibraryBench) -> None:
    bench.scheduler.upsert_schedule("job", every="1h", jitter="+10m")
    bench.run(2 * HOUR - SECOND)
    [run] = bench.ran
    assert (run.name, run.planned, run.origin, run.is_late, run.attempt) == (
        "job",
        START + HOUR,
        "automatic",
        False,
        1,
    )
    assert START + HOUR < run.due <= START + 70 * MINUTE
    found = bench.scheduler.find_run(run.key)
    assert (found.state, found.planned, found.began) == ("succeeded", run.planned, run.due)
    with pytest.raises(AttributeError):
        run.name = "other"  # type: ignore[misc]


def test_a_schedule_with_its_own_handler_does_not_use_the_common_one(bench: LibraryBench) -> None:
    own: list[DueRun] = []

    @bench.scheduler.on_due(name="b")
    def keep(run: DueRun) -> None:
        own.append(run)

    for name in ("a", "b"):
        bench.scheduler.upsert_schedule(name, every="1h")
    bench.run(HOUR)
    assert ([run.name for run in bench.ran], [run.name for run in own]) == (["a"], ["b"])


def test_an_exception_is_a_failed_run_with_its_text(bench: LibraryBench) -> None:
    def fail(_: DueRun) -> None:
        raise ValueError("the disk is on fire")

    bench.scheduler.on_due(fail)
    bench.scheduler.upsert_schedule("job", every="1h", pause_on_failure=True)
    bench.run(HOUR)
    assert (bench.last().state, bench.last().reason) == ("failed", "error")
    assert bench.last().message == "ValueError: the disk is on fire"
    assert bench.scheduler.get("job").state == "paused"


def test_a_handler_that_exits_does_not_end_the_program(bench: LibraryBench) -> None:
    bench.scheduler.on_due(lambda _: sys.exit(3))
    bench.scheduler.upsert_schedule("job", every="1h")
    bench.run(2 * HOUR)
    assert [one.message for one in bench.scheduler.run_log("job")] == ["SystemExit: 3"] * 2


def test_missed_times_are_caught_up_as_the_policy_says(bench: LibraryBench) -> None:
    for name, catchup in (("none", "none"), ("one", "one"), ("all", "all")):
        bench.scheduler.upsert_schedule(name, every="1h", catchup=catchup)
    bench.reopen(off=3 * HOUR + 30 * MINUTE)
    bench.run(MINUTE)
    runs = sorted((run.name, run.planned - START, run.is_late) for run in bench.ran)
    assert runs == [("all", n * HOUR, True) for n in (1, 2, 3)] + [("one", 3 * HOUR, True)]
    [missed] = bench.scheduler.run_log("none")
    assert (missed.key, missed.times, missed.state, missed.reason) == (None, 3, "missed", "passed")
    assert (missed.planned, missed.until) == (START + HOUR, START + 3 * HOUR)


def test_a_schedule_ends_at_its_limit(bench: LibraryBench) -> None:
    bench.scheduler.upsert_schedule("job", every="1h", limit=2)
    bench.run(5 * HOUR)
    assert len(bench.ran) == 2
    found = bench.scheduler.get("job")
    assert (found.state, found.automatic_runs, found.next_times) == ("finished", 2, ())
    assert [one.name for one in bench.scheduler.list(state="finished")] == ["job"]


@pytest.mark.parametrize(
    ("overlap", "states"),
    [
        ("skip", ["succeeded", "skipped", "skipped"]),
        ("buffer_one", ["succeeded", "coalesced", "succeeded"]),
        ("buffer_all", ["succeeded", "succeeded", "succeeded"]),
        ("cancel_other", ["cancelled", "cancelled", "succeeded"]),
        ("allow_all", ["succeeded", "succeeded", "succeeded"]),
    ],
)
def test_overlap_policies(bench: LibraryBench, overlap: str, states: list[str]) -> None:
    bench.scheduler.on_due(bench.stay_busy)
    bench.scheduler.upsert_schedule("job", every="1h", overlap=overlap)
    for n in range(3):
        bench.clock.move(HOUR)
        bench.tick()
        if overlap == "cancel_other" and n > 0:
            bench.scheduler.wait(bench.ran[-1].key, TIMEOUT_S)
            bench.tick()
        if n == 0 or overlap in ("cancel_other", "allow_all"):
            bench.wait_for_begin()
    bench.release.set()
    bench.run()
    assert bench.states() == states


def test_a_triggered_run_waits_for_its_turn_or_is_refused(bench: LibraryBench) -> None:
    bench.scheduler.on_due(bench.stay_busy)
    bench.scheduler.upsert_schedule("job", every="1h")
    first = bench.scheduler.trigger("job")
    bench.tick()
    bench.wait_for_begin()
    second = bench.scheduler.trigger("job")
    with pytest.raises(CommandRefusedError, match="job is still running"):
        bench.scheduler.trigger("job", overlap="skip")
    with pytest.raises(InvalidScheduleError, match="overlap"):
        bench.scheduler.trigger("job", overlap="whatever")
    bench.release.set()
    bench.run()
    assert [run.key for run in bench.ran] == [first, second]
    assert bench.scheduler.get("job").next_time == START + HOUR


def test_what_runs_can_be_stopped(bench: LibraryBench) -> None:
    bench.scheduler.on_due(bench.stay_busy)
    bench.scheduler.upsert_schedule("job", every="1h")
    key = bench.scheduler.trigger("job")
    bench.tick()
    bench.wait_for_begin()
    bench.scheduler.stop_running("job")
    ended = bench.scheduler.wait(key, TIMEOUT_S)
    assert (ended.state, ended.reason) == ("cancelled", "stopped")
    with pytest.raises(CommandRefusedError, match="job is not running"):
        bench.scheduler.stop_running("job")


def test_at_most_so_many_run_at_once(tmp_path: Path) -> None:
    bench = LibraryBench(tmp_path, concurrency=2)
    most, running, lock = 0, 0, threading.Lock()
    together = threading.Barrier(2)

    def count(_: DueRun) -> None:
        nonlocal most, running
        with lock:
            running += 1
            most = max(most, running)
        together.wait(TIMEOUT_S)
        with lock:
            running -= 1

    bench.scheduler.on_due(count)
    for n in range(6):
        bench.scheduler.upsert_schedule(f"job{n}", every="1h")
    bench.run(HOUR)
    assert most == 2
    assert bench.scheduler.run_stats().succeeded == 6
    bench.close()


def test_a_run_without_a_handler_is_tried_again_and_then_fails(tmp_path: Path) -> None:
    bench = LibraryBench(tmp_path)
    bench.scheduler._runtime.handlers._by_name.clear()
    bench.scheduler.upsert_schedule("job", every="1h")
    bench.run(HOUR + MINUTE)
    assert (bench.last().state, bench.last().reason) == ("failed", "could_not_start")
    assert bench.last().message == "There is no handler for 'job'. Register one with on_due()."
    bench.clock.move(59 * MINUTE)
    bench.tick()
    assert bench.scheduler.stop(TIMEOUT_S)
    bench.scheduler.on_due(bench.ran.append, name="job")
    bench.run(MINUTE)
    assert [run.attempt for run in bench.ran] == [2]
    bench.close()


def test_a_command_finds_its_run_and_its_output_is_kept(bench: LibraryBench, tmp_path: Path) -> None:
    code = "import os; print(os.environ['SCHEDULE_NAME'], os.environ['SCHEDULE_PLANNED'], os.environ['X'], os.getcwd())"
    bench.scheduler.on_due([sys.executable, "-c", code], folder=tmp_path, environment={"X": "1"})
    bench.scheduler.upsert_schedule("job", every="1h")
    bench.run(HOUR)
    assert (bench.last().state, bench.last().message) == ("succeeded", None)
    assert bench.last().output == f"job 2026-11-16T11:00:00+00:00 1 {tmp_path}\n"


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("import sys; print('no'); sys.exit(4)", "exited with code 4"),
        pytest.param(
            "import os; print('no', flush=True); os.kill(os.getpid(), 9)",
            "was ended by signal 9",
            marks=pytest.mark.posix("Windows has no death by signal"),
        ),
    ],
)
def test_a_command_that_fails_is_a_failed_run(bench: LibraryBench, code: str, message: str) -> None:
    bench.scheduler.on_due([sys.executable, "-c", code])
    bench.scheduler.upsert_schedule("job", every="1h")
    bench.run(HOUR)
    assert bench.last().state == "failed"
    assert bench.last().message == f"The command {sys.executable} {message}."
    assert bench.last().output == "no\n"


@pytest.mark.posix("runs sleep")
def test_a_command_is_stopped_at_its_time_limit(bench: LibraryBench) -> None:
    bench.scheduler.on_due(["sleep", "600"], time_limit=timedelta(seconds=0.2))
    bench.scheduler.upsert_schedule("job", every="1h")
    bench.run(HOUR)
    assert bench.last().state == "failed"
    assert "was stopped after its time limit" in (bench.last().message or "")


@pytest.mark.posix("runs sh")
def test_a_command_is_killed_for_a_newer_run(bench: LibraryBench, tmp_path: Path) -> None:
    mark = tmp_path / "begun"
    endless = f"trap '' TERM; touch {mark}; while :; do sleep 0.05; done"
    bench.scheduler.on_due(["sh", "-c", endless], name="job")
    bench.scheduler.upsert_schedule("job", every="1h", overlap="terminate_other")
    bench.clock.move(HOUR)
    bench.tick()
    while not mark.exists():
        pass
    bench.scheduler.on_due(["true"], name="job")
    bench.clock.move(HOUR)
    bench.tick()
    bench.run()
    assert bench.states() == ["cancelled", "succeeded"]
    assert bench.scheduler.run_log("job")[1].reason == "overtaken"


def test_a_command_that_does_not_exist_could_not_start(bench: LibraryBench) -> None:
    bench.scheduler.on_due(["no-such-program"])
    bench.scheduler.upsert_schedule("job", every="1h")
    bench.run(HOUR + MINUTE)
    assert (bench.last().state, bench.last().reason) == ("failed", "could_not_start")
    assert "no-such-program was not found" in (bench.last().message or "")


def test_the_output_is_cut_at_its_beginning(bench: LibraryBench) -> None:
    bench.scheduler.on_due([sys.executable, "-c", "print('x' * 200_000); print('end')"])
    bench.scheduler.upsert_schedule("job", every="1h")
    bench.run(HOUR)
    assert len(bench.last().output) == 64_000
    assert bench.last().output.endswith("x\nend\n")


async def _coroutine(_: DueRun) -> None: ...


@pytest.mark.parametrize(
    ("handler", "options", "message"),
    [
        ("rsync -a", {}, "write the command as a list"),
        ([], {}, "is not a list of texts"),
        ([1], {}, "is not a list of texts"),
        (5, {}, "neither a callable nor a list"),
        (_coroutine, {}, "coroutine functions are not supported"),
        (print, {"time_limit": SECOND}, "are for commands"),
        (["true"], {"time_limit": timedelta()}, "is not positive"),
    ],
)
def test_a_handler_that_cannot_work_is_refused(
    bench: LibraryBench, handler: Any, options: dict[str, Any], message: str
) -> None:
    with pytest.raises(InvalidScheduleError, match=message):
        bench.scheduler.on_due(handler, **options)


def test_statistics_add_up(bench: LibraryBench) -> None:
    bench.scheduler.upsert_schedule("job", every="1h")
    bench.run(3 * HOUR)
    bench.scheduler.trigger("job")
    bench.run()
    stats = bench.scheduler.run_stats("job")
    assert (stats.due, stats.emitted, stats.succeeded) == (3, 4, 4)
    assert bench.scheduler.run_stats("job", since=START + 2 * HOUR).due == 2
    assert bench.scheduler.get("job").counters == stats


def test_old_runs_are_deleted_with_their_output(tmp_path: Path) -> None:
    bench = LibraryBench(tmp_path, keep=timedelta(days=2))
    bench.scheduler.on_due(["echo", "hello"])
    bench.scheduler.upsert_schedule("job", every="12h")
    bench.run(timedelta(days=8))
    kept = bench.scheduler.run_log("job")
    assert 4 <= len(kept) < 12
    db = bench.scheduler._runtime.database.read()
    assert db.execute("SELECT count(*) FROM logs").fetchone()[0] == len(kept)
    assert min(one.planned for one in kept) >= bench.clock.wall - timedelta(days=4)
    bench.close()
