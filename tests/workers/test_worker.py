"""Errors, failing tools, stopping, and the environment of a worker."""

import os
import re
import signal
import sys
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from scheduler.workers.outcomes import (
    Cancelled,
    ExitCause,
    Fault,
    Finished,
    ScriptFailed,
    TimedOut,
    WorkerDied,
    WorkerStartError,
)
from scheduler.workers.script import Limits
from scheduler.workers.spawn import worker_environment
from scheduler.workers.worker import Worker
from tests.killing import KILL
from tests.workers.conftest import QUICK
from tests.workers.worker_fixture import FIRST_LINE, OLD_PYTHON, Recorder, eventually, job, phase, processes_of, script

Start = Callable[..., Worker]


class OfflineError(Exception):
    pass


def fail() -> None:
    raise OfflineError


def load(source: str) -> object:
    worker = Worker(script(source), QUICK)
    try:
        return worker.load()
    finally:
        worker.end()


class TestErrors:
    def test_an_exception_is_reported_with_the_lines_of_the_script_only(self, start: Start) -> None:
        worker = start(job("import json\ndef deep(): return json.loads('{')\ndeep()"))
        outcome = worker.run(phase(), Recorder())
        assert isinstance(outcome, ScriptFailed)
        assert outcome.fault is Fault.SCRIPT_ERROR
        assert outcome.sentence.startswith(f"chore.py, line {FIRST_LINE + 1}: JSONDecodeError: Expecting")
        assert outcome.traceback.count("File ") == 2
        assert "def deep(): return json.loads('{')" in outcome.traceback
        assert "dayhand" not in outcome.traceback and "decoder.py" not in outcome.traceback

    def test_the_cause_of_an_exception_is_included(self, start: Start) -> None:
        worker = start(job("try: 1 / 0\nexcept ZeroDivisionError as error: raise ValueError('bad') from error"))
        outcome = worker.run(phase(), Recorder())
        assert isinstance(outcome, ScriptFailed)
        assert outcome.traceback.index("ZeroDivisionError") < outcome.traceback.index("ValueError: bad")

    def test_an_exception_that_cannot_be_printed_is_reported(self, start: Start) -> None:
        body = "class Odd(Exception):\n    def __str__(self): raise RuntimeError\nraise Odd"
        outcome = start(job(body)).run(phase(), Recorder())
        assert isinstance(outcome, ScriptFailed)
        assert "Odd" in outcome.message

    def test_a_syntax_error_has_its_line(self) -> None:
        outcome = load("import dayhand\nx = = 3")
        assert isinstance(outcome, ScriptFailed)
        assert outcome.sentence == "chore.py, line 2: SyntaxError: invalid syntax"

    def test_a_missing_package_is_reported_with_its_fix(self) -> None:
        outcome = load("import dayhand\nimport no_such_package.inner")
        assert isinstance(outcome, ScriptFailed)
        assert outcome.line == 2
        assert "# dependencies = ['no_such_package']" in outcome.message

    def test_a_misuse_at_the_top_level_has_its_line(self) -> None:
        outcome = load("import dayhand\nflow = dayhand.Workflow('A')\n@flow.job()\ndef work(ctx): ...")
        assert isinstance(outcome, ScriptFailed)
        assert outcome.sentence.startswith("chore.py, line 3: this job has no schedule")

    def test_a_worker_can_be_used_after_an_error(self, start: Start) -> None:
        worker = start(job("if ctx.attempt == 1: raise ValueError\nreturn ctx.attempt"))
        assert isinstance(worker.run(phase(facts={"attempt": 1}), Recorder()), ScriptFailed)
        assert worker.run(phase(facts={"attempt": 2}), Recorder()) == Finished({"result": 2})

    @pytest.mark.posix("runs sh")
    def test_a_command_that_fails_fails_the_job(self, start: Start) -> None:
        outcome = start(job("ctx.run(['sh', '-c', 'echo out; echo err >&2; exit 4'])")).run(phase(), Recorder())
        assert isinstance(outcome, ScriptFailed)
        assert outcome.message == "The command sh exited with code 4."
        assert outcome.line == FIRST_LINE

    @pytest.mark.posix("runs sh")
    def test_a_job_may_check_the_exit_code_itself(self, start: Start) -> None:
        assert start(job("return ctx.run(['false'], check=False)")).run(phase(), Recorder()) == Finished({"result": 1})

    def test_a_missing_command_is_reported(self, start: Start) -> None:
        outcome = start(job("ctx.run(['no-such-command'])")).run(phase(), Recorder())
        assert isinstance(outcome, ScriptFailed)
        assert "The command no-such-command was not found. Install it, or use its full path." in outcome.message

    @pytest.mark.posix("Wine ignores the limit on memory")
    def test_a_command_may_use_more_memory_than_the_script(self, start: Start) -> None:
        """Many programs reserve far more address space than they use."""
        worker = start(job("ctx.run(['sh', '-c', 'ulimit -v'])\nimport resource\nreturn resource.getrlimit(9)[0]"))
        recorder = Recorder()
        assert worker.run(phase(), recorder) == Finished({"result": QUICK.memory})
        assert recorder.text == "unlimited\n"


class TestFailingTools:
    @pytest.mark.parametrize(
        "body",
        [
            "ctx.call('files:home', 'list')",
            "try: ctx.call('files:home', 'list')\nexcept Exception: return 'caught'",
            "try: ctx.call('files:home', 'list')\nexcept BaseException: return 'caught'",
            "try: ctx.call('files:home', 'list')\nfinally: ctx.done('not sent')",
        ],
    )
    def test_the_attempt_ends_and_the_worker_stays_usable(self, start: Start, body: str) -> None:
        worker = start(job(body))
        for _ in range(2):
            recorder = Recorder(tools={"list": fail})
            with pytest.raises(OfflineError):
                worker.run(phase(), recorder)
            assert [message[0] for message in recorder.messages] == ["call"]
        assert worker.is_usable

    def test_a_script_that_continues_anyway_is_killed(self, start: Start) -> None:
        worker = start(job("while True:\n    try: ctx.call('files:home', 'list')\n    except BaseException: pass"))
        with pytest.raises(OfflineError):
            worker.run(phase(), Recorder(tools={"list": fail}))
        assert processes_of(worker.mark) == []

    def test_a_note_that_cannot_be_stored_ends_the_attempt(self, start: Start) -> None:
        worker = start(job("while True: ctx.progress(1)"))
        recorder = Recorder()
        recorder.progress = lambda *_: fail()  # type: ignore[method-assign]
        with pytest.raises(OfflineError):
            worker.run(phase(), recorder)
        assert worker.is_usable

    def test_output_that_cannot_be_stored_ends_the_worker(self, start: Start) -> None:
        worker = start(job("print('x', flush=True)\nwhile True: pass"))
        with pytest.raises(OfflineError):
            worker.run(phase(), Recorder(on_log=lambda _: fail()))
        assert processes_of(worker.mark) == []


class TestStopping:
    def test_a_script_that_checks_cancelled_ends_without_a_kill(self, start: Start) -> None:
        worker = start(job("print('go')\nwhile not ctx.cancelled: pass\nprint('bye')"), Limits())
        recorder = Recorder(on_log=lambda _: worker.stop())
        assert worker.run(phase(), recorder) == Cancelled()
        assert recorder.text == "go\nbye\n"
        assert worker.is_usable
        assert worker.run(phase(seconds=0.1), Recorder()) == TimedOut(
            "It took longer than 0.1 seconds and was stopped."
        )
        assert worker.is_usable, "asking was enough"

    def test_a_script_that_takes_too_long_logs_where_it_was(self, start: Start, tmp_path: Path) -> None:
        told = tmp_path / "told"
        body = f"import os\nwhile not (ctx.cancelled and os.path.exists({str(told)!r})):\n    pass"
        recorder = Recorder(on_log=lambda _: told.touch())
        assert isinstance(start(job(body), Limits(grace=60)).run(phase(seconds=0.1), recorder), TimedOut)
        assert re.fullmatch(r"Its time was over in chore\.py, line \d+\.\n", recorder.text)

    def test_a_script_that_waits_for_a_tool_is_unwound_at_once(self, start: Start) -> None:
        """The call continues in the host; the script does not wait for it."""
        worker = start(job("try: ctx.call('files:home', 'list')\nfinally: print('unwound', flush=True)"))

        def hang() -> str:
            worker.stop()
            return "late"

        recorder = Recorder(tools={"list": hang})
        assert worker.run(phase(), recorder) == Cancelled()
        assert recorder.text == "unwound\n"
        assert worker.is_usable

    def test_a_tool_that_fails_after_a_stop_does_not_change_the_outcome(self, start: Start) -> None:
        worker = start(job("ctx.call('files:home', 'list')"))

        def hang() -> None:
            worker.stop()
            fail()

        assert worker.run(phase(), Recorder(tools={"list": hang})) == Cancelled()
        assert worker.run(phase(), Recorder(tools={"list": list})) == Finished({"result": None})

    @pytest.mark.posix("Windows has no signals")
    def test_a_command_gets_sigterm(self, start: Start) -> None:
        worker = start(job("ctx.run(['sh', '-c', 'trap \"echo asked; exit\" TERM; echo go; sleep 1000 & wait'])"))
        stops = iter([worker.stop])
        recorder = Recorder(on_log=lambda _: next(stops, lambda: None)())
        assert worker.run(phase(), recorder) == Cancelled()
        assert recorder.text == "go\nasked\n"

    def test_kill_ends_it_at_once(self, start: Start) -> None:
        worker = start(job("print('go')\nwhile not ctx.cancelled: pass\nprint('bye')"), Limits())
        recorder = Recorder(on_log=lambda _: worker.stop(kill=True))
        assert worker.run(phase(), recorder) == Cancelled()
        assert processes_of(worker.mark) == []

    def test_a_stop_without_a_run_has_no_effect(self, start: Start) -> None:
        worker = start(job("return 1"))
        worker.stop()
        assert worker.run(phase(), Recorder()) == Finished({"result": 1})

    def test_an_ended_worker_runs_nothing(self, start: Start) -> None:
        worker = start(job("return 1"))
        worker.end()
        assert worker.run(phase(), Recorder()) == Cancelled("It was stopped before it started.")
        worker.end()

    def test_a_worker_that_died_while_idle_is_reported(self, start: Start) -> None:
        worker = start(job("return 1"))
        os.kill(worker.pid, KILL)
        outcome = worker.run(phase(), Recorder())
        assert isinstance(outcome, WorkerDied)
        assert outcome.cause is ExitCause.SIGNAL

    def test_a_stop_does_not_affect_the_next_run(self, start: Start) -> None:
        worker = start(
            job("if ctx.attempt == 1:\n    print('go')\n    while not ctx.cancelled: pass\nreturn ctx.cancelled")
        )
        assert worker.run(phase(), Recorder(on_log=lambda _: worker.stop())) == Cancelled()
        assert worker.run(phase(facts={"attempt": 2}), Recorder()) == Finished({"result": False})

    @pytest.mark.posix("Windows has no signals")
    def test_a_stop_before_the_script_starts_counts(self, start: Start) -> None:
        worker = start(job("while not ctx.cancelled: pass"), Limits(grace=20))
        outcomes: list[object] = []
        thread = threading.Thread(target=lambda: outcomes.append(worker.run(phase(), Recorder())))
        os.kill(worker.pid, signal.SIGSTOP)
        thread.start()
        assert eventually(lambda: worker._is_busy)
        worker.stop()
        os.kill(worker.pid, signal.SIGCONT)
        thread.join(10)
        assert outcomes == [Cancelled()]
        assert worker.is_usable

    def test_leftover_threads_make_the_worker_unusable(self, start: Start) -> None:
        worker = start(job("threading.Thread(target=time.sleep, args=[1000], daemon=True).start()"))
        assert isinstance(worker.run(phase(), Recorder()), Finished)
        assert not worker.is_usable

    def test_threads_may_use_ctx_while_the_handler_waits(self, start: Start) -> None:
        worker = start(
            job("""
                from concurrent.futures import ThreadPoolExecutor
                with ThreadPoolExecutor(4) as pool:
                    return sorted(pool.map(lambda n: ctx.call('files:home', 'list', n=n), range(20)))
            """)
        )
        outcome = worker.run(phase(), Recorder(tools={"list": lambda n: n * 2}))
        assert outcome == Finished({"result": [n * 2 for n in range(20)]})


class TestEnvironment:
    def test_ctx_has_the_facts_of_the_run(self, start: Start) -> None:
        worker = start(
            job(
                "return [ctx.planned.isoformat(), ctx.key, ctx.origin, ctx.attempt, ctx.last, ctx.now.isoformat()[:16]]"
            )
        )
        facts = {
            "planned": "2026-11-16T08:00:00Z",
            "now": "2026-11-16T08:00:01+00:00",
            "key": "k",
            "origin": "schedule",
            "attempt": 2,
            "last": {"a": 1},
        }
        assert worker.run(phase(facts=facts), Recorder()) == Finished(
            {"result": ["2026-11-16T08:00:00+00:00", "k", "schedule", 2, {"a": 1}, "2026-11-16T08:00"]}
        )

    def test_print_and_log_come_in_order(self, start: Start) -> None:
        worker = start(job("print('one')\nctx.log('two', 2)\nprint('three', file=sys.stderr)\nctx.log('four é')"))
        recorder = Recorder()
        worker.run(phase(), recorder)
        assert recorder.text == "one\ntwo 2\nthree\nfour é\n"

    @pytest.mark.posix("Windows has no nice values")
    def test_a_worker_and_its_children_have_a_lower_priority(self, start: Start) -> None:
        command = "[sys.executable, '-c', 'import os; print(os.nice(0))']"
        worker = start(job(f"import os, subprocess, sys\nprint(os.nice(0), flush=True)\nsubprocess.run({command})"))
        recorder = Recorder()
        assert isinstance(worker.run(phase(), recorder), Finished)
        assert recorder.text.split() == [str(min(19, os.nice(0) + 5))] * 2

    def test_only_a_few_variables_are_passed(self) -> None:
        given = {"PATH": "/bin", "LC_TIME": "C", "AWS_SECRET": "x", "PYTHONPATH": "/x", "SSH_AUTH_SOCK": "/s"}
        assert worker_environment(given, "m") == {"PATH": "/bin", "LC_TIME": "C", "DAYHAND_WORKER": "m"}

    @pytest.mark.posix("Windows needs variables of its own")
    def test_a_script_sees_no_other_variable(self, start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("DAYHAND_TEST_SECRET", "x")
        outcome = start(job("return sorted(os.environ)")).run(phase(), Recorder())
        assert isinstance(outcome, Finished)
        known = {"PATH", "HOME", "LANG", "TZ", "TMPDIR", "USER", "DAYHAND_WORKER"}
        assert {name for name in outcome.value["result"] if not name.startswith("LC_")} <= known

    @pytest.mark.posix("the embeddable Python for Windows is not to be copied")
    def test_a_script_can_import_only_dayhand_from_the_host(self, start: Start) -> None:
        """Neither the folder of the package nor that of the script is on its path."""
        python = Path(sys.base_prefix) / "bin/python3"
        worker = start(
            job("import importlib.util as u\nreturn [u.find_spec(n) is None for n in ('scheduler', 'croniter')]"),
            python=python,
        )
        assert worker.run(phase(), Recorder()) == Finished({"result": [True, True]})

    @pytest.mark.posix("Windows has no such sessions")
    def test_a_worker_is_the_leader_of_its_own_session(self, start: Start) -> None:
        worker = start(job("return [os.getpid(), os.getsid(0), os.getpgid(0), os.path.realpath('/proc/self/fd/0')]"))
        outcome = worker.run(phase(), Recorder())
        assert outcome == Finished({"result": [worker.pid, worker.pid, worker.pid, "/dev/null"]})
        assert worker.pid != os.getpid()

    def test_a_worker_outlives_the_thread_that_made_it(self, start: Start) -> None:
        """The parent death signal of Linux belongs to the thread, not to the process."""
        made: list[Worker] = []
        thread = threading.Thread(target=lambda: made.append(start(job("return 1"))))
        thread.start()
        thread.join()
        assert made[0].run(phase(), Recorder()) == Finished({"result": 1})

    def test_a_missing_python_is_reported(self) -> None:
        nowhere = script("", python=Path("/no/python"))
        sentence = "The Python for this script, .no.python, could not be started: (No|File not found)"
        with pytest.raises(WorkerStartError, match=sentence):
            Worker(replace(nowhere, is_sandboxed=False))
        worker = Worker(nowhere)
        with pytest.raises(WorkerStartError, match=sentence):
            worker.load()
        worker.end()

    def test_a_python_that_is_too_old_is_reported(self) -> None:
        old = OLD_PYTHON.parents[2] / "3.8.18/bin/python"
        if not old.exists():
            pytest.skip(f"there is no {old}")
        worker = Worker(script("", python=old))
        with pytest.raises(WorkerStartError, match=r"Python 3\.8 is too old; Dayhand's scripts need 3\.9 or later"):
            worker.load()
        worker.end()
