"""A monitoring service on loopback counts what it is told, also over kills, restarts, outages and hung services."""

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from scheduler.connections.connectors.ping import ping
from scheduler.connections.registry import Registry
from scheduler.connections.secrets import NoSecrets
from scheduler.engine.dry_run.dry_run import DryRunEnvironment, dry_run_script
from scheduler.engine.monitoring import ping_sender
from scheduler.engine.monitoring.monitoring import Monitoring
from scheduler.rules.requests import RequestKind
from scheduler.store import connections
from scheduler.timing.policies import Need
from tests.connections.web_servers import HttpServer, ReceivedRequest, Reply, http_server
from tests.engine.engine_fixture import DAY, HOUR, MINUTE
from tests.runs.runtime_fixture import TIMEOUT_S, RuntimeFixture
from tests.runs.scripts import consumer, job

EXITS = "ctx.run(['sh', '-c', 'echo lost; exit 3'])"


class Addresses(NoSecrets):
    """In place of the keyring: the address of each check."""

    def __init__(self) -> None:
        self.known: dict[str, str] = {}

    def read(self, connection: str) -> Mapping[str, Any]:
        return {"address": self.known[connection]}


class Monitor:
    """A monitoring service, and a runtime whose scripts tell it."""

    def __init__(self, runtime: RuntimeFixture, server: HttpServer) -> None:
        self.runtime = runtime
        self.server = server
        self.answer: Callable[[ReceivedRequest], Reply] = lambda _: Reply()
        self.addresses = Addresses()
        self.slow: set[str] = set()
        """Connections that no move of the clock waits for."""
        move = runtime.clock.move

        def move_when_sent(step: timedelta) -> None:
            """Time passes much faster than pings are sent, which would be too old then."""
            runtime.wait(self._is_all_sent)
            move(step)

        runtime.clock.move = move_when_sent  # type: ignore[method-assign]
        registry = runtime.service.registry

        def with_pings() -> Registry:
            return Registry([*(registry().connector(kind) for kind in registry().kinds()), ping])

        runtime.service.registry = with_pings  # type: ignore[method-assign]
        runtime.secrets = self.addresses
        runtime.close()
        runtime.open()

    def connect(self, name: str, url: str = "", **settings: Any) -> None:
        self.addresses.known[name] = url or f"{self.server.url}/{name.partition(':')[2]}"
        with self.runtime.database.write() as db:
            connections.save(db, name, {"service": "healthchecks", **settings}, self.runtime.clock.wall)

    @property
    def sender(self) -> ping_sender.PingSender:
        monitoring = self.runtime.services.monitoring
        assert isinstance(monitoring, Monitoring)
        return monitoring.pings

    def _is_all_sent(self) -> bool:
        queues = self.sender._queues.values()
        return not any(one.waiting for one in queues if one.connection not in self.slow)

    def told(self, name: str = "x") -> list[str]:
        """What a check was told, in order."""
        paths = [urlsplit(one.path).path.split("/") for one in self.server.requests]
        return [(path[2:] or ["success"])[0] for path in paths if path[1] == name]

    def wait_for(self, number: int, name: str = "x") -> list[str]:
        self.runtime.wait(lambda: len(self.told(name)) >= number)
        return self.told(name)


@pytest.fixture
def monitor(runtime: RuntimeFixture, monkeypatch: pytest.MonkeyPatch) -> Iterator[Monitor]:
    monkeypatch.setattr(ping_sender, "RETRY_DELAYS_S", (0.01, 0.01))
    with _monitor(runtime) as running:
        yield running


@contextmanager
def _monitor(runtime: RuntimeFixture) -> Iterator[Monitor]:
    with http_server(lambda received: running.answer(received)) as server:  # noqa: PLW0108  the answer changes
        running = Monitor(runtime, server)
        yield running


def fails_while(runtime: RuntimeFixture, **options: Any) -> str:
    """A job that exits with 3 while the file `broken` exists."""
    broken = runtime.folder / "broken"
    broken.touch()
    return job(f"import os\nif os.path.exists({str(broken)!r}):\n    {EXITS}", **{"ping": "ping:x", **options})


def problems(runtime: RuntimeFixture) -> list[str]:
    return [one.sentence for one in runtime.requests() if one.kind is RequestKind.PING_FAILED]


def test_the_start_and_the_end_of_each_run_are_told(monitor: Monitor) -> None:
    monitor.connect("ping:x")
    runtime = monitor.runtime
    runtime.deploy(fails_while(runtime))
    runtime.pass_time(HOUR)
    assert monitor.wait_for(2) == ["start", "3"]
    (runtime.folder / "broken").unlink()
    runtime.pass_time(HOUR)
    assert monitor.wait_for(4) == ["start", "3", "start", "success"]
    ids = [parse_qs(urlsplit(one.path).query)["rid"] for one in monitor.server.requests]
    assert ids[0] == ids[1] != ids[2] == ids[3]
    assert [one.body for one in monitor.server.requests] == [b""] * 4, "nothing that was printed leaves the computer"
    assert not problems(runtime)


def test_the_output_is_sent_only_if_the_user_wants_it(monitor: Monitor) -> None:
    monitor.connect("ping:x", output=True)
    monitor.runtime.deploy(fails_while(monitor.runtime))
    monitor.runtime.pass_time(HOUR)
    monitor.wait_for(2)
    start, end = monitor.server.requests
    assert start.body == b"" and end.body.startswith(b"lost\n") and b"exited with code 3" in end.body


def test_retries_are_not_told_before_the_last_one_failed(monitor: Monitor) -> None:
    monitor.connect("ping:x")
    monitor.runtime.deploy(fails_while(monitor.runtime, retries=2))
    monitor.runtime.pass_time(HOUR + 10 * MINUTE)
    assert monitor.wait_for(2) == ["start", "3"]
    assert len(monitor.runtime.runs()) == 3


def test_a_run_that_waits_for_an_approval_is_told_when_it_is_done(monitor: Monitor) -> None:
    monitor.connect("ping:x")
    runtime = monitor.runtime
    runtime.deploy(consumer(approve="always").replace('["world:x"]', '["world:x"], ping="ping:x"'))
    runtime.tick()
    before = monitor.wait_for(2)  # its first check found nothing
    runtime.clock.move(MINUTE)
    runtime.publish("a")
    runtime.tick()
    assert monitor.wait_for(3) == [*before, "start"]
    [request] = runtime.requests()
    runtime.request_commands.approve(request.id)
    runtime.tick()
    assert monitor.wait_for(4) == [*before, "start", "success"]


def test_the_success_of_one_job_does_not_hide_the_failure_of_another(monitor: Monitor) -> None:
    monitor.connect("ping:x")
    other = '\n@flow.job(cron="30 * * * *")\ndef fine(ctx):\n    pass\n'
    source = fails_while(monitor.runtime, ping=None).replace('["world:x"]', '["world:x"], ping="ping:x"') + other
    monitor.runtime.deploy(source)
    monitor.runtime.pass_time(HOUR + 45 * MINUTE)
    assert monitor.wait_for(5) == ["start", "success", "start", "3", "start"]
    assert monitor.runtime.states("fine") == ["succeeded"] * 2


def test_a_run_that_was_killed_is_told_as_failed_at_the_next_start(monitor: Monitor) -> None:
    monitor.connect("ping:x")
    runtime = monitor.runtime
    runtime.deploy(job("import time\nwhile not ctx.cancelled:\n    time.sleep(0.01)", ping="ping:x"))
    for number in range(1, 4):
        runtime.clock.move(HOUR)
        runtime.tick_until_active()
        assert monitor.wait_for(2 * number - 1)[-1] == "start"
        runtime.crash(off=MINUTE)
        assert monitor.wait_for(2 * number)[-1] == "fail"
    assert monitor.told() == ["start", "fail"] * 3


def test_a_run_that_continues_after_a_kill_is_told_once(monitor: Monitor) -> None:
    monitor.connect("ping:x")
    runtime = monitor.runtime
    flag = runtime.folder / "go"
    wait = f"import os, time\nwhile not ctx.cancelled and not os.path.exists({str(flag)!r}):\n    time.sleep(0.01)"
    runtime.deploy(job(wait, ping="ping:x", after_crash="again"))
    runtime.clock.move(HOUR)
    runtime.tick_until_active()
    monitor.wait_for(1)
    runtime.crash()
    flag.touch()
    runtime.tick()
    assert monitor.wait_for(2) == ["start", "success"]


def test_a_service_that_is_down_is_reported_once_until_it_is_back(monitor: Monitor) -> None:
    monitor.connect("ping:x")
    runtime = monitor.runtime
    monitor.answer = lambda _: Reply(503)
    runtime.deploy(job("pass", ping="ping:x"))
    runtime.pass_time(HOUR)
    runtime.wait(lambda: bool(problems(runtime)))
    assert problems(runtime) == [
        "The ping ping:x could not be sent. 127.0.0.1 is not available right now (503 Service Unavailable)."
    ]
    runtime.request_commands.dismiss(runtime.requests()[0].id)
    runtime.pass_time(HOUR)
    monitor.wait_for(12)  # three tries each
    assert not problems(runtime), "dismissed, and still the same problem"
    monitor.answer = lambda _: Reply()
    runtime.pass_time(HOUR)
    monitor.wait_for(14)
    monitor.answer = lambda _: Reply(404)
    runtime.pass_time(HOUR)
    runtime.wait(lambda: bool(problems(runtime)))
    monitor.answer = lambda _: Reply()
    runtime.pass_time(HOUR)
    runtime.wait(lambda: not problems(runtime))
    assert runtime.states("j") == ["succeeded"] * 5


def test_a_check_that_is_not_connected_is_reported(monitor: Monitor) -> None:
    monitor.runtime.deploy(job("pass", ping="ping:x"))
    monitor.runtime.pass_time(HOUR)
    monitor.runtime.wait(lambda: bool(problems(monitor.runtime)))
    assert problems(monitor.runtime) == ["The ping ping:x could not be sent. ping:x is not connected yet."]


def test_without_a_network_nothing_is_reported_and_nothing_is_sent_later(monitor: Monitor) -> None:
    monitor.connect("ping:x", "http://127.0.0.1:1/x")
    runtime = monitor.runtime
    runtime.conditions.held[Need.NETWORK] = False
    runtime.deploy(job("pass", ping="ping:x"))
    runtime.pass_time(2 * HOUR)
    runtime.conditions.held.clear()
    monitor.connect("ping:x")
    runtime.pass_time(HOUR)
    assert monitor.wait_for(2) == ["start", "success"], "only of the third run"
    assert not problems(runtime)


def test_what_could_not_be_sent_in_time_is_never_sent(monitor: Monitor) -> None:
    """The service hangs while the computer sleeps for hours."""
    monitor.connect("ping:x")
    runtime, gate = monitor.runtime, threading.Event()

    def hang(_: ReceivedRequest) -> Reply:
        assert gate.wait(TIMEOUT_S)
        return Reply(503)

    monitor.answer = hang
    monitor.slow.add("ping:x")
    runtime.deploy(job("pass", ping="ping:x"))
    runtime.pass_time(HOUR)
    monitor.wait_for(1)
    runtime.clock.move(30 * MINUTE)
    monitor.answer = lambda _: Reply()
    gate.set()
    monitor.slow.clear()
    runtime.pass_time(30 * MINUTE)
    assert monitor.wait_for(3) == ["start", "start", "success"], "neither a second try nor the old success"


def test_a_slow_monitor_delays_neither_runs_nor_other_monitors(monitor: Monitor) -> None:
    monitor.connect("ping:slow")
    monitor.connect("ping:fast")
    runtime, gate = monitor.runtime, threading.Event()

    def answer(received: ReceivedRequest) -> Reply:
        assert "/slow" not in received.path or gate.wait(TIMEOUT_S)
        return Reply()

    monitor.answer = answer
    monitor.slow.add("ping:slow")
    fast = '\n@flow.job(every="1h", ping="ping:fast")\ndef fast(ctx):\n    pass\n'
    runtime.deploy(job("pass", ping="ping:slow") + fast)
    runtime.pass_time(3 * HOUR)
    assert runtime.states("j") == runtime.states("fast") == ["succeeded"] * 3
    assert monitor.wait_for(6, "fast") == ["start", "success"] * 3
    assert monitor.told("slow") == ["start"], "the first ping still waits for its answer"
    gate.set()


def test_runs_that_follow_each_other_within_seconds_are_told_once(monitor: Monitor) -> None:
    monitor.connect("ping:x")
    runtime = monitor.runtime
    runtime.deploy(fails_while(runtime))
    for _ in range(2):
        runtime.commands.run("w")
        runtime.tick()
    assert monitor.wait_for(4) == ["start", "3"] * 2, "a failure is always told"
    (runtime.folder / "broken").unlink()
    for _ in range(5):
        runtime.commands.run("w")
        runtime.tick()
    runtime.clock.move(timedelta(seconds=10))
    runtime.commands.run("w")
    runtime.tick()
    assert monitor.wait_for(8) == [*["start", "3"] * 2, *["start", "success"] * 2]


def test_dayhand_itself_is_told_to_be_alive_as_long_as_its_engine_ticks(monitor: Monitor) -> None:
    monitor.connect("ping:app")
    runtime = monitor.runtime
    runtime.services.change_settings(lambda old: replace(old, ping="ping:app", ping_every=5 * MINUTE))
    runtime.pass_time(14 * MINUTE)
    assert monitor.wait_for(3, "app") == ["success"] * 3
    runtime.clock.move(DAY)  # the engine hangs, or the computer sleeps
    runtime.tick()
    assert monitor.wait_for(4, "app") == ["success"] * 4, "one ping, not those of the whole day"
    assert not any(urlsplit(one.path).query for one in monitor.server.requests), "no run is named"
    runtime.services.change_settings(lambda old: replace(old, ping=""))
    runtime.pass_time(HOUR)
    assert len(monitor.told("app")) == 4


def test_a_failing_tick_is_no_sign_of_life(monitor: Monitor, monkeypatch: pytest.MonkeyPatch) -> None:
    monitor.connect("ping:app")
    runtime = monitor.runtime
    runtime.services.change_settings(lambda old: replace(old, ping="ping:app"))
    monkeypatch.setattr(runtime.engine, "_tick", lambda _: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        runtime.engine.tick(runtime.clock.wall)
    monkeypatch.undo()
    assert monitor.told("app") == []


def test_a_failing_sign_of_life_is_told_once_until_it_works_again(monitor: Monitor) -> None:
    monitor.connect("ping:app")
    runtime = monitor.runtime
    monitor.answer = lambda _: Reply(404)
    runtime.services.change_settings(lambda old: replace(old, ping="ping:app"))
    runtime.pass_time(HOUR)
    monitor.wait_for(12, "app")
    runtime.settings = replace(runtime.settings, ping="ping:app")
    runtime.crash()
    runtime.pass_time(HOUR)
    [said] = runtime.notified
    assert said.startswith("The ping ping:app could not be sent. There is nothing at this address of 127.0.0.1")
    row = connections.find(runtime.database.read(), "ping:app")
    assert row is not None and row.trouble == said, "the Connections page says so, too"
    monitor.answer = lambda _: Reply()
    runtime.pass_time(10 * MINUTE)
    runtime.wait(monitor._is_all_sent)
    row = connections.find(runtime.database.read(), "ping:app")
    assert row is not None and row.trouble is None


def test_the_address_of_a_check_does_not_belong_into_a_script(runtime: RuntimeFixture) -> None:
    from scheduler.engine.workflows.validation import InvalidScriptError

    with pytest.raises(InvalidScriptError, match="connect it with dayhand connect ping:backup"):
        runtime.deploy(job("pass", ping="https://hc-ping.com/5f3b"))
    with pytest.raises(InvalidScriptError, match="ping='world:x' is not the name of a ping connection"):
        runtime.deploy(job("pass", ping="world:x"))


def test_a_dry_run_tells_nobody(monitor: Monitor, tmp_path: Path) -> None:
    monitor.connect("ping:x")
    environment = DryRunEnvironment(
        registry=monitor.runtime.services.registry,
        secrets=monitor.addresses,
        connections={"ping:x": {"service": "healthchecks"}},
        machine_zone="UTC",
        now=monitor.runtime.clock.wall,
    )
    tried = dry_run_script("w.py", job("pass", ping="ping:x"), tmp_path / "try", environment, span=3 * HOUR)
    assert [step.times for step in tried.steps] == [3] and monitor.server.requests == []


def test_quitting_tells_what_it_interrupts(tmp_path: Path) -> None:
    runtime = RuntimeFixture(tmp_path)
    with _monitor(runtime) as monitor:
        monitor.connect("ping:x")
        runtime.deploy(job("import time\nwhile not ctx.cancelled:\n    time.sleep(0.01)", ping="ping:x"))
        runtime.clock.move(HOUR)
        runtime.tick_until_active()
        monitor.wait_for(1)
        runtime.close()
        assert monitor.told() == ["start", "fail"]
