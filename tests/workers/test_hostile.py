"""Whatever a script does, its run ends with a clear reason, and no process of it remains."""

import signal
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from dayhand._protocol import GarbageError

from scheduler.workers.outcomes import Cancelled, ExitCause, Fault, Finished, ScriptFailed, TimedOut, WorkerDied
from scheduler.workers.script import MEGABYTE, Limits
from scheduler.workers.script_messages import read_result
from scheduler.workers.worker import Worker
from tests.workers.conftest import QUICK
from tests.workers.worker_fixture import (
    FIRST_LINE,
    Recorder,
    eventually,
    job,
    list_processes,
    phase,
    processes_of,
    script,
)

Start = Callable[..., Worker]


def test_of_a_gigabyte_of_output_a_megabyte_is_kept_with_a_note(start: Start) -> None:
    worker = start(job("line = 'x' * (1 << 20)\nfor _ in range(1024): print(line)\nreturn 'printed'"))
    recorder = Recorder()
    assert worker.run(phase(), recorder) == Finished({"result": "printed"})
    note = "\n[Dayhand keeps the first 960 KB and the last 64 KB of a run's output; the rest was cut.]\n"
    assert recorder.text.count(note) == 1
    assert len(recorder.text) < MEGABYTE + 200
    assert worker.is_usable


def test_the_last_lines_of_much_output_are_kept(start: Start) -> None:
    """They usually say why something failed."""
    recorder = Recorder()
    start(job("for number in range(400_000): print(number)\nraise ValueError('last of all')")).run(phase(), recorder)
    assert recorder.text.startswith("0\n1\n2\n")
    _, note, end_text = recorder.text.partition("[Dayhand keeps")
    assert note and "\n399998\n399999\n" in end_text
    end_lines = [line for line in end_text.splitlines()[1:] if line.isdecimal()]
    assert end_lines == [str(number) for number in range(int(end_lines[0]), 400_000)], "no line is cut"


@pytest.mark.parametrize("size", [75, 76, 99, 100])
def test_output_up_to_the_limit_is_kept_whole(start: Start, size: int) -> None:
    recorder = Recorder()
    start(job(f"print('ä' * {size // 2} + 'x' * {size % 2}, end='')"), Limits(output=100)).run(phase(), recorder)
    assert recorder.text == "ä" * (size // 2) + "x" * (size % 2)


def test_the_output_limit_applies_per_run(start: Start) -> None:
    worker = start(job("print('x' * 60)"), Limits(output=100))
    for _ in range(3):
        recorder = Recorder()
        worker.run(phase(), recorder)
        assert recorder.text == "x" * 60 + "\n"


@pytest.mark.posix("Wine ignores the limit on memory")
@pytest.mark.parametrize(
    "body",
    ["kept = bytearray(10 << 30)", "kept = []\nwhile True: kept.append(bytes(1 << 20))", "kept = list(range(10**9))"],
)
def test_allocating_ten_gigabytes_runs_out_of_memory(start: Start, body: str) -> None:
    worker = start(job(body))
    outcome = worker.run(phase(), Recorder())
    assert isinstance(outcome, WorkerDied)
    assert outcome.cause is ExitCause.MEMORY
    assert "ran out of memory; it may use 512 MB" in outcome.sentence
    assert outcome.line is not None
    assert not worker.is_usable


@pytest.mark.posix("Windows has no fork")
def test_forked_children_are_killed_with_their_worker(start: Start) -> None:
    worker = start(job("for _ in range(5):\n    if os.fork() == 0:\n        time.sleep(1000)\nreturn 'forked'"))
    assert worker.run(phase(), Recorder()) == Finished({"result": "forked"})
    assert len(processes_of(worker.mark)) == 6
    assert not worker.is_usable, "its children would still be there in the next run"
    worker.end()
    assert processes_of(worker.mark) == []


ESCAPES = {
    "a new session": "subprocess.Popen(['sleep', '1000'], start_new_session=True)",
    "a new session and no environment": "subprocess.Popen(['sleep', '1000'], start_new_session=True, env={})",
    "a daemon": (
        "if os.fork() == 0:\n    os.setsid()\n    if os.fork() == 0:\n        os.execvp('sleep', ['sleep', '1000'])\n"
        "    os._exit(0)\nos.wait()"
    ),
}


@pytest.mark.posix("Windows has no process groups of that kind")
@pytest.mark.parametrize("escape", ESCAPES)
def test_children_that_leave_the_process_group_are_killed(start: Start, escape: str) -> None:
    worker = start(job(ESCAPES[escape] + "\nprint('go')\nwhile True: time.sleep(1)"))
    recorder = Recorder(on_log=lambda text: worker.stop())
    assert isinstance(worker.run(phase(), recorder), Cancelled)
    assert eventually(lambda: processes_of(worker.mark) == [])
    assert _sleepers_of(worker) == []


@pytest.mark.posix("Windows finds them by their job object")
def test_children_of_a_dead_worker_are_killed_by_their_mark(start: Start) -> None:
    worker = start(job("subprocess.Popen(['sleep', '1000'], start_new_session=True)\nos._exit(3)"))
    assert isinstance(worker.run(phase(), Recorder()), WorkerDied)
    assert processes_of(worker.mark) == []


@pytest.mark.posix("Windows has no fork")
def test_a_fork_that_returns_from_the_handler_sends_nothing(start: Start) -> None:
    worker = start(job("child = os.fork()\nif child: os.waitpid(child, 0)\nreturn os.getpid()"))
    assert worker.run(phase(), Recorder()) == Finished({"result": worker.pid})
    assert worker.run(phase(), Recorder()) == Finished({"result": worker.pid})


@pytest.mark.posix("Windows has no fork")
def test_a_fork_cannot_use_ctx(start: Start) -> None:
    worker = start(
        job("""
            child = os.fork()
            if child == 0:
                try:
                    ctx.done("twice")
                except dayhand.Misuse as misuse:
                    print(misuse, flush=True)
                os._exit(0)
            os.waitpid(child, 0)
        """)
    )
    recorder = Recorder()
    assert isinstance(worker.run(phase(), recorder), Finished)
    assert recorder.messages == []
    assert f"chore.py, line {FIRST_LINE + 3}: a forked process cannot use ctx" in recorder.text


@pytest.mark.parametrize("close", ["sys.stdout.close(); sys.stderr.close()", "os.close(0); os.close(1); os.close(2)"])
def test_closing_the_standard_streams_is_harmless(start: Start, close: str) -> None:
    worker = start(job(f"print('before')\n{close}\nreturn 'closed'"))
    for _ in range(2):
        recorder = Recorder()
        assert worker.run(phase(), recorder) == Finished({"result": "closed"})
        assert recorder.text == "before\n"


def test_garbage_on_every_descriptor_is_detected(start: Start) -> None:
    worker = start(
        job("""
            for name in os.listdir('/proc/self/fd'):
                try: os.write(int(name), b'garbage garbage')
                except OSError: pass
            time.sleep(1000)
        """)
    )
    outcome = worker.run(phase(), Recorder())
    assert isinstance(outcome, WorkerDied)
    assert outcome.cause is ExitCause.GARBAGE
    assert "sent Dayhand an invalid message" in outcome.sentence


@pytest.mark.parametrize(
    "message",
    [
        {"type": "result", "run": 1, "value": 3},
        {"type": "result", "run": 1, "value": {"state": {}}},
        {"type": "call", "connection": "x", "tool": "y", "parameters": 3, "question": 1},
        {"type": "publish", "topic": "t", "id": "i", "title": "", "data": None},
        {"type": "progress", "done": "x", "text": ""},
        {"type": "loaded", "run": 1},
        {"type": "result", "run": 7, "value": {}},
        {"type": "failed", "run": 1, "kind": "unknown"},
        {"type": "unknown"},
    ],
)
def test_a_malformed_message_is_garbage(start: Start, message: dict[str, object]) -> None:
    worker = start(job(f"ctx._link.send({message!r})\ntime.sleep(1000)"))
    outcome = worker.run(phase(), Recorder())
    assert isinstance(outcome, WorkerDied)
    assert outcome.cause is ExitCause.GARBAGE


FORGED: dict[str, str | bytes] = {
    "half a character": r'{"type":"publish","topic":"t","id":"\ud800","title":"","data":null}',
    "half a character as a name": r'{"type":"checkpoint","question":1,"state":{"\uDFFF":1}}',
    "half a character in bytes": b'{"type":"publish","topic":"t","id":"\xed\xa0\x80","title":"","data":null}',
    "not a number": '{"type":"publish","topic":"t","id":"i","title":"","data":NaN}',
    "infinity": '{"type":"checkpoint","question":1,"state":{"a":-Infinity}}',
    "an endless number": '{"type":"checkpoint","question":1,"state":{"a":1e999}}',
    "a limit beyond all limits": '{"type":"peek","question":1,"topic":"t","limit":10000000000000000000000000000}',
    "a negative one": '{"type":"peek","question":1,"topic":"t","limit":-10000000000000000000000000000}',
    "progress without end": f'{{"type":"progress","done":1,"total":{10**400},"text":""}}',
    "another encoding": '{"type":"done","text":"x"}'.encode("utf-16"),
    "thousands of digits": f'{{"type":"publish","topic":"t","id":"i","title":"","data":{"9" * 5000}}}',
}
FORGER = """
import dayhand, os, time
flow = dayhand.Workflow("Hostile")
topic = flow.topic("t")

def send(ctx):
    body = {body!r}
    os.write(ctx._link._writing, len(body).to_bytes(4, "big") + body)
    time.sleep(1000)

@flow.producer(every="1h", publishes=[topic])
def producer(ctx, state):
    send(ctx)

@flow.consumer(subscribe=[topic])
class prepare:
    def prepare(self, ctx, state):
        send(ctx)

@flow.job(every="1h")
def job(ctx):
    send(ctx)
"""
SENDERS = {"publish": "producer", "checkpoint": "producer", "peek": "prepare", "progress": "job", "done": "job"}


@pytest.mark.parametrize("what", FORGED)
def test_a_forged_message_is_garbage(start: Start, what: str) -> None:
    """Whatever JSON parsers accept; a value that no database takes would count as a mistake of Dayhand."""
    forged = FORGED[what]
    body = forged if isinstance(forged, bytes) else forged.encode()
    kind = next(kind for kind in SENDERS if kind.encode() in body.replace(b"\0", b""))
    worker = start(FORGER.format(body=body))
    outcome = worker.run(phase(SENDERS[kind], SENDERS[kind], state={}), Recorder())
    assert isinstance(outcome, WorkerDied)
    assert outcome.cause is ExitCause.GARBAGE, outcome


def test_ordinary_messages_that_look_alike_are_not_garbage(start: Start) -> None:
    text = r"\\ud800 C:\\users NaN -Infinity 1e999 " + "\U0001f600"
    worker = start(job(f"ctx.done({text!r})\nreturn [{text!r}, 1.5e300, 10**30]"))
    recorder = Recorder()
    assert worker.run(phase(), recorder) == Finished({"result": [text, 1.5e300, 10**30]})
    assert recorder.messages == [("done", text)]


@pytest.mark.parametrize("line", [10**30, -1, 0, 1.5, "3", None])
def test_a_forged_line_of_a_failure_is_left_out(start: Start, line: object) -> None:
    message = {"type": "failed", "run": 1, "kind": "script error", "message": "x", "line": line}
    outcome = start(job(f"ctx._link.send({message!r})\ntime.sleep(1000)")).run(phase(), Recorder())
    assert isinstance(outcome, ScriptFailed)
    assert outcome.line is None


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("producer", {}),
        ("producer", {"state": [1]}),
        ("next", {"state": "x"}),
        ("mutate", ["call"]),
        ("mutate", {"call": 3}),
        ("mutate", {"call": {"connection": "files:home", "tool": 3, "parameters": {}}}),
        ("mutate", {"call": {"connection": "files:home", "tool": "write"}}),
        ("prepare", {"nothing": 1, "wake_at": None}),
        ("prepare", {"nothing": True}),
        ("prepare", {"nothing": False, "wake_at": None}),
        ("prepare", {"nothing": False, "wake_at": None, "say": "", "data": 1, "ui": [], "reserve": []}),
        ("prepare", {"nothing": False, "wake_at": None, "say": "", "data": 1, "ui": None, "reserve": [3]}),
    ],
)
def test_a_malformed_result_of_a_phase_is_garbage(name: str, value: object) -> None:
    """It counts as an error of the script, not of Dayhand, which would stop the workflow and offer a report."""
    with pytest.raises(GarbageError):
        read_result(name, {"type": "result", "value": value})


def test_closing_every_descriptor_is_reported(start: Start) -> None:
    worker = start(job("os.closerange(3, 100000)\nctx.done('hello?')"))
    outcome = worker.run(phase(), Recorder())
    assert isinstance(outcome, WorkerDied)
    assert outcome.cause is ExitCause.HUNG_UP
    assert "closed its connection to Dayhand" in outcome.sentence


@pytest.mark.posix("daemons do not exist on Windows")
def test_closing_low_descriptors_as_daemons_do_is_harmless(start: Start) -> None:
    worker = start(job("os.closerange(3, 256)\nreturn 1"))
    assert worker.run(phase(), Recorder()) == Finished({"result": 1})


@pytest.mark.posix("Windows has no death by signal")
@pytest.mark.parametrize("name", ["SIGSEGV", "SIGKILL", "SIGTERM", "SIGABRT"])
def test_death_by_a_signal_is_reported(start: Start, name: str) -> None:
    number = signal.Signals[name]
    worker = start(job(f"os.kill(os.getpid(), {number.value})\ntime.sleep(1000)"))
    outcome = worker.run(phase(), Recorder())
    assert isinstance(outcome, WorkerDied)
    assert outcome.cause is ExitCause.SIGNAL
    assert f"was killed by {number.name}" in outcome.sentence


@pytest.mark.parametrize("code", [0, 3])
def test_exiting_the_process_is_reported(start: Start, code: int) -> None:
    outcome = start(job(f"os._exit({code})")).run(phase(), Recorder())
    assert outcome == WorkerDied(
        ExitCause.EXIT,
        f"The script exited its own process with code {code}. Return from the handler, or raise an error.",
    )


def test_sys_exit_is_a_script_error(start: Start) -> None:
    worker = start(job("sys.exit(0)"))
    outcome = worker.run(phase(), Recorder())
    assert isinstance(outcome, ScriptFailed)
    assert outcome.sentence.startswith(f"chore.py, line {FIRST_LINE}: the script called sys.exit; return")
    assert worker.is_usable


def test_replacing_dayhand_at_the_top_level_leaves_no_workflow() -> None:
    source = "import sys, types\nsys.modules['dayhand'] = types.SimpleNamespace(Workflow=print)\nimport dayhand\n"
    worker = Worker(script(source + "flow = dayhand.Workflow('x')"), QUICK)
    outcome = worker.load()
    worker.end()
    assert isinstance(outcome, ScriptFailed)
    assert outcome.sentence.startswith("chore.py, line 1: this file defines no workflow")


def test_replacing_dayhand_in_a_handler_has_no_effect(start: Start) -> None:
    worker = start(job("import types\nsys.modules['dayhand'] = types.ModuleType('x')\nctx.done('fine')\nreturn 1"))
    for _ in range(2):
        recorder = Recorder()
        assert worker.run(phase(), recorder) == Finished({"result": 1})
        assert recorder.messages == [("done", "fine")]


def test_an_endless_loop_ends_at_its_time_limit(start: Start) -> None:
    worker = start(job("while True: pass"))
    outcome = worker.run(phase(seconds=0.2), Recorder())
    assert outcome == TimedOut("It took longer than 0.2 seconds and was stopped.")
    assert processes_of(worker.mark) == []


def test_an_endless_loop_at_the_top_level_ends_at_its_time_limit() -> None:
    worker = Worker(script("while True: pass"), Limits(start=0.5, grace=0.1))
    assert isinstance(worker.load(), TimedOut)
    assert processes_of(worker.mark) == []


@pytest.mark.parametrize(
    "body",
    [
        "signal.signal(signal.SIGTERM, signal.SIG_IGN)\nprint('go')\nwhile True: pass",
        "subprocess.run(['sh', '-c', 'trap \"\" TERM; echo go; sleep 1000 & wait; sleep 1000'])",
        "ctx.run(['sh', '-c', 'trap \"\" TERM; echo go; sleep 1000 & wait; sleep 1000'])",
        "def loop():\n    while True: pass\nthreading.Thread(target=loop).start()\nprint('go')\nloop()",
        "print('go')\nwhile True:\n    try: ctx.call('files:home', 'list')\n    except BaseException: pass",
    ],
)
def test_a_script_that_ignores_everything_is_killed_on_stop(start: Start, body: str) -> None:
    worker = start(job(body))
    recorder = Recorder(tools={"list": list}, on_log=lambda text: worker.stop())
    assert worker.run(phase(), recorder) == Cancelled()
    assert processes_of(worker.mark) == []


def test_a_script_that_stops_reading_does_not_block_the_host(start: Start) -> None:
    """A reply larger than a pipe, to a process that no longer reads."""
    worker = start(job("ctx.call('files:home', 'list')"), Limits(grace=0.2, start=0.5))

    def freeze() -> str:
        import os

        os.kill(worker.pid, signal.SIGSTOP)
        return "x" * (4 << 20)

    outcome = worker.run(phase(), Recorder(tools={"list": freeze}))
    assert isinstance(outcome, WorkerDied)
    assert processes_of(worker.mark) == []


def test_returning_100_megabytes_is_rejected_with_the_reason(start: Start) -> None:
    worker = start(job("return 'x' * (100 << 20)"))
    outcome = worker.run(phase(), Recorder())
    assert isinstance(outcome, ScriptFailed)
    assert outcome.fault is Fault.TOO_LARGE
    assert "chore.py, line 4: the return value was too large: 100.0 MB; at most 16 MB" in outcome.sentence
    assert worker.is_usable


def test_sending_100_megabytes_is_rejected_at_its_line(start: Start) -> None:
    worker = start(job("try: ctx.done('x' * (100 << 20))\nexcept Exception: return 'caught'"))
    outcome = worker.run(phase(), Recorder())
    assert isinstance(outcome, ScriptFailed)
    assert f"chore.py, line {FIRST_LINE}: ctx.done: too large: 100.0 MB" in outcome.sentence


def test_a_tool_result_of_100_megabytes_is_rejected(start: Start) -> None:
    worker = start(job("ctx.call('files:home', 'read')"))
    outcome = worker.run(phase(), Recorder(tools={"read": lambda: "x" * (100 << 20)}))
    assert isinstance(outcome, ScriptFailed)
    assert outcome.fault is Fault.TOO_LARGE
    assert isinstance(worker.run(phase(), Recorder(tools={"read": list})), Finished), "the worker stays usable"


@pytest.mark.posix("counts open files in /proc")
def test_the_host_leaks_neither_descriptors_nor_threads(start: Start) -> None:
    def count() -> tuple[int, int]:
        return len(list(Path("/proc/self/fd").iterdir())), threading.active_count()

    start(job("pass")).end()
    before = count()
    for body in ("os._exit(1)", "while True: pass", "os.write(ctx._link._writing, b'garbage!')"):
        start(job(body)).run(phase(seconds=0.2), Recorder())
    assert eventually(lambda: count() == before), (before, count())


def _sleepers_of(worker: Worker) -> list[int]:
    return [process.pid for process in list_processes() if worker.pid in (process.session, process.parent)]
