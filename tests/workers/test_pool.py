"""Warm workers, and their end when the host is gone."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from scheduler.workers.outcomes import Cancelled, Finished, ScriptFailed
from scheduler.workers.pool import Pool, ScriptLoadError
from scheduler.workers.worker_records import kill_orphans
from tests.clocks import MonotonicClock
from tests.killing import KILL, is_alive
from tests.workers.conftest import QUICK
from tests.workers.worker_fixture import Recorder, eventually, job, phase, processes_of, processes_with_command, script

GOOD = job("return os.getpid()")


@pytest.fixture
def clock() -> MonotonicClock:
    return MonotonicClock()


@pytest.fixture
def pool(tmp_path: Path, clock: MonotonicClock) -> Iterator[Pool]:
    pool = Pool(tmp_path, QUICK, max_workers=2, idle_seconds=60, monotonic=clock)
    yield pool
    pool.close()
    assert recorded(tmp_path) == []


def recorded(folder: Path) -> list[str]:
    return sorted(path.name for path in (folder / "workers").iterdir())


def test_a_released_worker_is_used_again(pool: Pool) -> None:
    first = pool.acquire(script(GOOD))
    pool.release(first)
    assert pool.acquire(script(GOOD)) is first


def test_concurrent_runs_get_different_workers(pool: Pool) -> None:
    first, second = pool.acquire(script(GOOD)), pool.acquire(script(GOOD))
    assert first is not second


def test_another_version_gets_its_own_worker(pool: Pool) -> None:
    first = pool.acquire(script(GOOD))
    pool.release(first)
    second = pool.acquire(script(GOOD, version=2))
    assert second is not first


def test_beyond_the_cap_the_longest_idle_worker_is_ended(pool: Pool) -> None:
    workers = [pool.acquire(script(GOOD, version=version)) for version in range(3)]
    for worker in workers:
        pool.release(worker)
    assert [is_alive(worker.pid) for worker in workers] == [False, True, True]


def test_an_idle_worker_expires(pool: Pool, clock: MonotonicClock) -> None:
    worker = pool.acquire(script(GOOD))
    pool.release(worker)
    clock.now = 59
    pool.expire()
    assert is_alive(worker.pid)
    clock.now = 60
    pool.expire()
    assert not is_alive(worker.pid)


def test_an_unusable_worker_is_ended(pool: Pool, tmp_path: Path) -> None:
    worker = pool.acquire(script(job("subprocess.Popen(['sleep', '1000'])")))
    worker.run(phase(), Recorder())
    pool.release(worker)
    assert processes_of(worker.mark) == []
    assert recorded(tmp_path) == []


@pytest.mark.parametrize(
    "body",
    [
        "os.chdir('/')",
        "os.environ['X'] = '1'",
        pytest.param(
            "import resource; resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))",
            marks=pytest.mark.posix("Windows has no such limits"),
        ),
        "sys.settrace(lambda *_: None)",
    ],
)
def test_process_wide_changes_of_a_handler_do_not_reach_the_next_run(pool: Pool, body: str) -> None:
    """A run must not depend on whether its worker is new."""
    worker = pool.acquire(script(job(body)))
    assert isinstance(worker.run(phase(), Recorder()), Finished)
    pool.release(worker)
    assert processes_of(worker.mark) == []


def test_a_worker_that_died_while_idle_is_not_reused(pool: Pool) -> None:
    worker = pool.acquire(script(GOOD))
    pool.release(worker)
    os.kill(worker.pid, KILL)
    assert eventually(lambda: not is_alive(worker.pid) and not worker.is_alive())
    second = pool.acquire(script(GOOD))
    assert second is not worker
    assert second.run(phase(), Recorder()) == Finished({"result": second.pid})


def test_workers_of_a_changed_workflow_are_ended(pool: Pool) -> None:
    worker = pool.acquire(script(GOOD))
    pool.release(worker)
    pool.end_workers_of("w")
    assert not is_alive(worker.pid)


def test_a_script_that_fails_to_load_leaves_no_worker(pool: Pool, tmp_path: Path) -> None:
    output: list[str] = []
    with pytest.raises(ScriptLoadError) as caught:
        pool.acquire(script("print('hello')\n1 / 0"), output.append)
    assert isinstance(caught.value.outcome, ScriptFailed)
    assert "line 2: ZeroDivisionError" in str(caught.value)
    assert output == ["hello\n"]
    assert recorded(tmp_path) == []


def test_closing_ends_busy_workers_too(tmp_path: Path) -> None:
    pool = Pool(tmp_path, QUICK)
    worker = pool.acquire(script(job("print('go')\nwhile True: pass")))
    outcome = worker.run(phase(), Recorder(on_log=lambda _: pool.close()))
    assert outcome == Cancelled()
    assert processes_of(worker.mark) == []
    assert recorded(tmp_path) == []


HOST = """
import sys
from pathlib import Path
from scheduler.workers.pool import Pool
from tests.workers.worker_fixture import Recorder, job, phase, script
pool = Pool(Path(sys.argv[1]))
worker = pool.acquire(script(job(sys.argv[2])))
print(worker.pid, worker.mark, flush=True)
worker.run(phase(), Recorder(on_log=lambda text: print(text, flush=True)))
"""
BUSY = "print('go')\nwhile True: pass"
CHILDREN = {
    "none": BUSY,
    "in a session of its own": f"subprocess.Popen(['sleep', 'NAP'], start_new_session=True)\n{BUSY}",
    "while stopped": """
os.fork() or os.execvp('sleep', ['sleep', 'NAP'])
print('go')
os.kill(os.getpid(), signal.SIGSTOP)""",
    "a daemon without an environment": f"""
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0: os.execve('/bin/sleep', ['sleep', 'NAP'], {{}})
    os._exit(0)
os.wait()
{BUSY}""",
}


@pytest.mark.posix("Windows ends them with their job object")
@pytest.mark.parametrize("children", CHILDREN)
def test_workers_of_a_killed_host_are_killed_at_the_next_start(tmp_path: Path, children: str) -> None:
    nap = f"1000.{os.getpid()}"
    host = subprocess.Popen(
        [sys.executable, "-c", HOST, str(tmp_path), CHILDREN[children].replace("NAP", nap)],
        stdout=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).parents[2],
    )
    assert host.stdout is not None
    pid, mark = host.stdout.readline().split()
    assert host.stdout.readline() == "go\n"
    assert recorded(tmp_path) == [mark]
    host.kill()
    host.communicate()
    assert eventually(lambda: not is_alive(int(pid))), "a worker dies with its host"
    kill_orphans(tmp_path)
    assert eventually(lambda: processes_of(mark) == [] and processes_with_command(nap) == [])
    assert recorded(tmp_path) == []


@pytest.mark.posix("runs sleep")
def test_a_record_with_a_reused_pid_kills_nothing(tmp_path: Path) -> None:
    bystander = subprocess.Popen(["sleep", "1000"], start_new_session=True)
    folder = tmp_path / "workers"
    folder.mkdir()
    (folder / ("a" * 32)).write_text(f'{{"pid": {bystander.pid}, "started": 1, "boot": "x"}}')
    (folder / ("b" * 32)).write_text("half a rec")
    assert kill_orphans(tmp_path) == 0
    assert bystander.poll() is None
    assert recorded(tmp_path) == []
    bystander.kill()
    bystander.wait()


def test_a_folder_without_records_is_accepted(tmp_path: Path) -> None:
    assert kill_orphans(tmp_path) == 0
