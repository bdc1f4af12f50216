"""Kills the app or the command line during a command and checks that it happened once or not at all.

python -m tests.faults.command_kills --rounds 100 [--only approve] [--seed 1]
"""

import argparse
import os
import random
import shutil
import signal
import sqlite3
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from app import headless
from app.cli import command_line
from app.ipc import client
from app.lifecycle.startup import StartOptions
from scheduler.store.backups import STORE_FILE
from scheduler.store.database import Transaction
from scheduler.store.lock import hold
from tests.connections.secret_service import SecretService
from tests.faults.command_cases import CASES, Case
from tests.runs import invariants

_TIMEOUT_S = 120.0
_STEPS_OF_APP, _STEPS_OF_COMMAND = 40, 10
"""Two for each transaction or renamed file that can be chosen; the app has some at its start."""
_LEFT_OVER = (".dayhand-scratch-*", "dayhand.db.part*", "dayhand.db.next*")


@contextmanager
def open_keyring() -> Iterator[None]:
    """A separate keyring for commands that store a secret."""
    with tempfile.TemporaryDirectory() as folder:
        service = SecretService(Path(folder), dict(os.environ))
        kept = {name: os.environ.get(name) for name in ("DBUS_SESSION_BUS_ADDRESS", "XDG_CACHE_HOME")}
        os.environ |= {"DBUS_SESSION_BUS_ADDRESS": service.address, "XDG_CACHE_HOME": f"{folder}/cache"}
        try:
            with service.bus(), service.keyring("pw"):
                yield
        finally:
            for name, value in kept.items():
                if value is None:
                    del os.environ[name]
                else:
                    os.environ[name] = value


def attack(case: Case, kills: int, seed: int, folder: Path) -> Counter[str]:
    """How often it happened or not, by what was killed and when. Processes that exited before the kill do not count."""
    chance, outcomes = random.Random(seed), Counter[str]()
    template, place = (
        folder / "template",
        folder / "data",
    )  # always the same path: an approval is valid for that table only
    assert _end(_fork(lambda: case.prepare(place) or 0)) == 0, "it could not be prepared"
    assert _end(_fork(lambda: _start_app(place, until_idle=True))) == 0
    facts = case.find(place)
    shutil.copytree(place, template)
    _, seconds = _carry_out(case, facts, place, None, 0.0)
    assert case.check(place, facts) == "done", f"{case.verb} does not work at all"
    shutil.rmtree(place)
    while outcomes.total() < kills:
        shutil.copytree(template, place)
        victim = chance.choice(("app", "command")) if case.needs_app else "command"
        how, _ = _carry_out(case, facts, place, victim, chance.uniform(0, 1.2 * seconds), chance)
        outcome = case.check(place, facts)
        if how:
            outcomes[f"{victim} killed {how}: {outcome}"] += 1
        shutil.rmtree(place)
    return outcomes


def _carry_out(
    case: Case,
    facts: dict[str, str],
    folder: Path,
    victim: str | None,
    delay: float,
    chance: random.Random | None = None,
) -> tuple[str, float]:
    """Run the command with a kill after that delay or at a step, then start the app once without kills.

    Returns how it was killed, empty if it had exited before, and how long the command took.
    """
    steps = _STEPS_OF_APP if victim == "app" else _STEPS_OF_COMMAND
    step = 0 if chance is None or chance.random() < 0.5 else chance.randrange(1, steps)
    if victim == "command" and case.needs_app:  # the app makes all the changes
        step = 0
    app = command = None
    if case.needs_app:
        app = _fork(lambda: _start_app(folder, doom=step if victim == "app" else 0))
        _wait_for(lambda: _is_reachable(folder) or _has_ended(app))
    command = _fork(lambda: _run_command(case.words(facts, folder), doom=step if victim == "command" else 0))
    began = time.monotonic()
    doomed = {"app": app, "command": command, None: None}[victim]
    if doomed is not None and not step:
        time.sleep(delay)
        _kill(doomed)
    if victim == "app" and step:
        _wait_for(lambda: _has_ended(command))
        _kill(app)
    ends = {"command": _end(command)}
    seconds = time.monotonic() - began
    if app is not None:
        if not _has_ended(app):
            os.kill(app, signal.SIGTERM)
        ends["app"] = _end(app)
    assert _end(_fork(lambda: _start_app(folder, until_idle=True))) == 0, "the next start failed"
    _check_store(folder)
    was_killed = victim is not None and ends[victim] == -signal.SIGKILL
    return ("at a step" if step else "at an instant") if was_killed else "", seconds


def _check_store(folder: Path) -> None:
    with closing(sqlite3.connect(folder / STORE_FILE)) as db:
        assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert db.execute("PRAGMA foreign_key_check").fetchone() is None
        for rule in (
            invariants.one_active_run_per_lane, invariants.one_outside_action_at_a_time,
            invariants.reserved_events_have_an_open_run, invariants.no_run_is_active,
        ):  # fmt: skip
            rule(db)
    left = [one.name for pattern in _LEFT_OVER for one in folder.glob(pattern)]
    assert not left, f"left over after the next start: {left}"


def _start_app(folder: Path, *, until_idle: bool = False, doom: int = 0) -> int:
    if doom:
        _die_at(doom)
    with hold(folder):
        headless.run(folder, StartOptions(until_idle=until_idle))
    return 0


def _run_command(words: list[str], *, doom: int) -> int:
    if doom:
        _die_at(doom)
    return command_line.run(words)


def _die_at(step: int) -> None:
    """At the nth step of this process: odd before, even after a transaction or a rename of a file."""
    left = [step]

    def around(act: Callable[..., object]) -> Callable[..., object]:
        def call(*arguments: object, **named: object) -> object:
            for_this = left[0]
            left[0] -= 2
            if for_this == 1:
                os.kill(os.getpid(), signal.SIGKILL)
            answer = act(*arguments, **named)
            if for_this == 2:
                os.kill(os.getpid(), signal.SIGKILL)
            return answer

        return call

    Transaction.__exit__ = around(Transaction.__exit__)  # type: ignore[method-assign]
    Path.rename = around(Path.rename)  # type: ignore[method-assign]
    Path.replace = around(Path.replace)  # type: ignore[method-assign]


def _fork(act: Callable[[], int]) -> int:
    """Run it in a forked process; everything is imported already, so it starts at once."""
    child = os.fork()
    if child:
        return child
    try:
        os.setsid()
        nowhere = os.open(os.devnull, os.O_RDWR)
        for descriptor in (0, 1) if os.environ.get("DAYHAND_LOUD") else (0, 1, 2):
            os.dup2(nowhere, descriptor)
        os._exit(act())
    except BaseException:  # noqa: BLE001  the outermost frame of that process
        traceback.print_exc()
        os._exit(70)


_ended: dict[int, int] = {}


def _has_ended(child: int | None) -> bool:
    if child is None or child in _ended:
        return True
    pid, status = os.waitpid(child, os.WNOHANG)
    if pid:
        _ended[child] = os.waitstatus_to_exitcode(status)
    return bool(pid)


def _end(child: int | None) -> int:
    """Wait for it to exit; returns its status."""
    assert child is not None
    _wait_for(lambda: _has_ended(child))
    return _ended.pop(child)


def _kill(child: int | None) -> None:
    if not _has_ended(child):
        assert child is not None
        os.kill(child, signal.SIGKILL)


def _is_reachable(folder: Path) -> bool:
    end = client.connect(folder)
    if end is None:
        return False
    end.close()
    return True


def _wait_for(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + _TIMEOUT_S
    while not holds():
        assert time.monotonic() < deadline, "it never happened"
        time.sleep(0.005)


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", choices=[case.verb for case in CASES], action="append")
    options = parser.parse_args(arguments)
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    with tempfile.TemporaryDirectory(prefix="kills") as folder, open_keyring():
        for case in CASES:
            if options.only is None or case.verb in options.only:
                began = time.monotonic()
                outcomes = attack(case, options.rounds, options.seed, Path(folder) / case.verb)
                summary = ", ".join(f"{number} {what}" for what, number in sorted(outcomes.items()))
                sys.stdout.write(f"{case.verb}: {summary} ({time.monotonic() - began:.0f} s)\n")
                sys.stdout.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
