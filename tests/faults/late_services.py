"""Services that act late, in real time: many approved actions, each behind a gateway that times out at once.

python -m tests.faults.late_services --rounds 50
"""

import argparse
import base64
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

from scheduler.connections.connectors.google.connector import google
from scheduler.connections.connectors.slack.connector import slack
from scheduler.connections.registry import Registry
from scheduler.engine.clock import SystemClock
from scheduler.engine.runtime import Runtime
from scheduler.engine.settings import Settings
from scheduler.engine.workflows.deployment import DeployOptions
from scheduler.rules.requests import RequestKind
from scheduler.store import requests
from scheduler.store.opening import close_store, open_store
from tests.connections.emulator import running_emulator
from tests.connections.emulator_proxy import running_proxy
from tests.connections.late_gateway import LateGateway, late_gateway
from tests.connections.late_service_workflows import ACTIONS, connect, write_workflow
from tests.connections.test_web_workflows import Pocket

_DELAYS_S = (1, 10, 50)
_TIMEOUT_S = 900.0
_MAX_MAILS = 15


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=50, help="approved actions of each service at each delay")
    rounds = parser.parse_args().rounds
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        applied = Counter[str]()
        for delay_s in _DELAYS_S:
            own = Path(folder) / f"emulator {delay_s}"
            own.mkdir()
            emulator = stack.enter_context(running_emulator(own))
            fronts = {
                "slack": stack.enter_context(running_proxy(emulator.slack)),
                "google": stack.enter_context(running_proxy(emulator.google)),
            }
            data = Path(folder) / f"data {delay_s}"
            data.mkdir()
            gateways = {
                kind: stack.enter_context(late_gateway(front.url, _after(delay_s), closes=kind == "slack"))
                for kind, front in fronts.items()
            }
            _act(data, gateways, rounds)
            for name in ACTIONS:
                kind = "slack" if name.startswith("slack") else "google"
                for mark in _marks(name, rounds):
                    times = sum(_holds(body, mark) for body in gateways[kind].applied)
                    applied[f"{name}, {delay_s} s late: done {times} times"] += 1
    for line, count in sorted(applied.items()):
        sys.stdout.write(f"{line}: {count} actions\n")
    sys.exit(any("done 1 times" not in line for line in applied))


def _after(seconds: float) -> Callable[[Callable[[], None]], None]:
    def defer(hand_over: Callable[[], None]) -> None:
        timer = threading.Timer(seconds, hand_over)
        timer.daemon = True
        timer.start()

    return defer


def _marks(name: str, rounds: int) -> list[str]:
    if name == "gmail send":  # the emulator cannot find a mail by its Message-ID, so all must be among the latest
        rounds = min(rounds, _MAX_MAILS)
    return [f"{name.replace(' ', '-')}-{number}-end" for number in range(rounds)]


def _holds(body: bytes, mark: str) -> bool:
    """Mails are sent in base64."""
    if mark.encode() in body:
        return True
    try:
        raw = body.split(b'"raw": "', 1)[1].split(b'"', 1)[0]
        return mark.encode() in base64.urlsafe_b64decode(raw + b"==")
    except (IndexError, ValueError):
        return False


def _act(data: Path, gateways: dict[str, LateGateway], rounds: int) -> None:
    secrets, clock = Pocket(), SystemClock()
    store = open_store(data, clock.now())
    registry = Registry([google, slack])
    runtime = Runtime(
        store.database,
        data,
        machine_zone="UTC",
        clock=clock,
        settings=Settings(concurrency=8),
        registry=registry,
        secrets=secrets,
    )
    runtime.recover()
    try:
        for name, action in ACTIONS.items():
            connect(runtime, secrets, action, gateways[action.connection.partition(":")[0]].url)
            for mark in _marks(name, rounds):
                validated = runtime.validation.validate(f"{mark}.py", write_workflow(action, mark))
                runtime.workflow_commands.deploy(validated, DeployOptions(grant=True))
                runtime.event_commands.publish(mark, "t", "a", title="a", data=None)
        _run(runtime, clock, sum(len(_marks(name, rounds)) for name in ACTIONS))
    finally:
        runtime.close()
        close_store(store.database)


def _run(runtime: Runtime, clock: SystemClock, actions: int) -> None:
    end, pause = time.monotonic() + _TIMEOUT_S, threading.Event()
    while time.monotonic() < end:
        runtime.engine.tick(clock.now())
        db = runtime.database.read()
        for one in requests.read_open(db):
            if one.kind is not RequestKind.APPROVAL:
                raise SystemExit(f"{one.workflow} asks: {one.sentence}")
            runtime.request_commands.approve(one.id)
        [done] = db.execute("SELECT count(*) FROM events WHERE state = 'consumed'").fetchone()
        if done == actions:
            pause.wait(5)  # time for a duplicate to arrive
            return
        pause.wait(0.05)
    raise SystemExit("It did not finish in time.")


if __name__ == "__main__":
    main()
