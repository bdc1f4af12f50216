"""Quitting ends, whatever hangs: in a process of its own, which really ends."""

import signal
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[3]
_PATIENCE = 60


def start(body: str) -> "subprocess.Popen[str]":
    return subprocess.Popen([sys.executable, "-c", body], cwd=ROOT, stdout=subprocess.PIPE, text=True)


def test_a_process_that_hangs_while_it_quits_is_ended() -> None:
    body = "import threading\nfrom app.life.quit_deadline import QuitDeadline\n"
    with start(f"{body}QuitDeadline(0.2).begin()\nthreading.Event().wait()") as process:
        assert process.wait(_PATIENCE) == 1


def test_it_ends_although_nobody_reads_what_it_says() -> None:
    body = """
import logging, os, threading
from app.life.quit_deadline import QuitDeadline
logging.basicConfig()
os.set_blocking(2, False)
try:
    while True:
        os.write(2, b"x" * 4096)
except BlockingIOError:
    os.set_blocking(2, True)
QuitDeadline(0.2).begin()
threading.Event().wait()
"""
    process = subprocess.Popen([sys.executable, "-c", body], cwd=ROOT, stderr=subprocess.PIPE)
    try:
        assert process.wait(_PATIENCE) == 1
    finally:
        process.kill()
        process.communicate()


def test_it_ends_and_says_where_it_hung_without_a_terminal() -> None:
    body = """
import io, logging, sys, threading
from app.life.quit_deadline import QuitDeadline
sys.stderr = io.StringIO()
logging.basicConfig(stream=sys.stdout)
def hang_here():
    threading.Event().wait()
QuitDeadline(0.2).begin()
hang_here()
"""
    process = start(body)
    try:
        said, _ = process.communicate(timeout=_PATIENCE)
    finally:
        process.kill()
        process.wait()
    assert process.returncode == 1
    assert "Quitting took longer" in said and "hang_here" in said


def test_one_that_ends_in_time_ends_as_usual() -> None:
    body = "import threading, time\nfrom app.life.quit_deadline import QuitDeadline\n"
    with start(f"{body}one = QuitDeadline(30)\none.begin()\none.met()\none._thread.join()") as process:
        assert process.wait(_PATIENCE) == 0


def test_a_signal_begins_it_although_the_event_loop_never_gets_a_turn() -> None:
    body = """
import time
from PySide6.QtCore import QCoreApplication
from app.life.quit_deadline import QuitDeadline
from app.life.signals import EndSignals
app = QCoreApplication([])
signals = EndSignals(app.quit, QuitDeadline(0.2))
print("ready", flush=True)
while True:
    sum(range(1000))
"""
    with start(body) as process:
        assert process.stdout is not None
        process.stdout.readline()
        process.send_signal(signal.SIGTERM)
        assert process.wait(_PATIENCE) == 1


def test_a_signal_is_heard_in_the_event_loop() -> None:
    body = """
from PySide6.QtCore import QCoreApplication
from app.life.signals import EndSignals
app = QCoreApplication([])
signals = EndSignals(app.quit)
print("ready", flush=True)
app.exec()
signals.close()
"""
    with start(body) as process:
        assert process.stdout is not None
        process.stdout.readline()
        process.send_signal(signal.SIGTERM)
        assert process.wait(_PATIENCE) == 0
