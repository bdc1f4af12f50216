"""Quitting ends the process even if something hangs; each test runs a real process."""

import signal
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[3]
_TIMEOUT_S = 60


def start(body: str) -> "subprocess.Popen[str]":
    return subprocess.Popen([sys.executable, "-c", body], cwd=ROOT, stdout=subprocess.PIPE, text=True)


def test_a_process_that_hangs_while_quitting_is_ended() -> None:
    body = "import threading\nfrom app.lifecycle.process_exit import QuitDeadline\n"
    with start(f"{body}QuitDeadline(0.2).start()\nthreading.Event().wait()") as process:
        assert process.wait(_TIMEOUT_S) == 1


def test_it_ends_even_if_stderr_is_blocked() -> None:
    body = """
import logging, os, threading
from app.lifecycle.process_exit import QuitDeadline
logging.basicConfig()
os.set_blocking(2, False)
try:
    while True:
        os.write(2, b"x" * 4096)
except BlockingIOError:
    os.set_blocking(2, True)
QuitDeadline(0.2).start()
threading.Event().wait()
"""
    process = subprocess.Popen([sys.executable, "-c", body], cwd=ROOT, stderr=subprocess.PIPE)
    try:
        assert process.wait(_TIMEOUT_S) == 1
    finally:
        process.kill()
        process.communicate()


def test_it_logs_the_stacks_without_a_terminal() -> None:
    body = """
import io, logging, sys, threading
from app.lifecycle.process_exit import QuitDeadline
sys.stderr = io.StringIO()
logging.basicConfig(stream=sys.stdout)
def hang_here():
    threading.Event().wait()
QuitDeadline(0.2).start()
hang_here()
"""
    process = start(body)
    try:
        output, _ = process.communicate(timeout=_TIMEOUT_S)
    finally:
        process.kill()
        process.wait()
    assert process.returncode == 1
    assert "Quitting took longer" in output and "hang_here" in output


def test_a_process_that_ends_in_time_exits_normally() -> None:
    body = "import threading, time\nfrom app.lifecycle.process_exit import QuitDeadline\n"
    with start(f"{body}one = QuitDeadline(30)\none.start()\none.cancel()\none._thread.join()") as process:
        assert process.wait(_TIMEOUT_S) == 0


def test_a_signal_starts_the_deadline_even_if_the_event_loop_is_busy() -> None:
    body = """
import time
from PySide6.QtCore import QCoreApplication
from app.lifecycle.process_exit import QuitDeadline
from app.lifecycle.process_exit import TerminationSignals
app = QCoreApplication([])
signals = TerminationSignals(app.quit, QuitDeadline(0.2))
print("ready", flush=True)
while True:
    sum(range(1000))
"""
    with start(body) as process:
        assert process.stdout is not None
        process.stdout.readline()
        process.send_signal(signal.SIGTERM)
        assert process.wait(_TIMEOUT_S) == 1


def test_a_signal_is_handled_in_the_event_loop() -> None:
    body = """
from PySide6.QtCore import QCoreApplication
from app.lifecycle.process_exit import TerminationSignals
app = QCoreApplication([])
signals = TerminationSignals(app.quit)
print("ready", flush=True)
app.exec()
signals.close()
"""
    with start(body) as process:
        assert process.stdout is not None
        process.stdout.readline()
        process.send_signal(signal.SIGTERM)
        assert process.wait(_TIMEOUT_S) == 0
