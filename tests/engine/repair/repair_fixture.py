"""A model server on a loopback address, and a runtime whose broken scripts it repairs.
Fixtures: import them in a conftest.py or in the test file."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from scheduler.engine.fixer_config import FixerConfig, FixerKind
from scheduler.engine.queries.queries import WorkflowQueries
from scheduler.engine.queries.workflows import WorkflowView
from scheduler.rules.requests import RequestKind
from tests.connections.web_servers import ReceivedRequest, Reply, http_server
from tests.runs.runtime_fixture import TIMEOUT_S, RuntimeFixture
from tests.runs.scripts import consumer

GOOD = consumer()
BROKEN = GOOD.replace('ctx.done("Did "', 'ctx.done(1 / 0 * "Did "')


class ModelServer:
    """A model server that answers with these scripts in turn, then always with the last, while its gate is open."""

    def __init__(self, *scripts: str) -> None:
        self.scripts = list(scripts)
        self.entered, self.gate = threading.Event(), threading.Event()
        self.gate.set()
        self.url = ""
        self.requests: list[ReceivedRequest] = []

    @contextmanager
    def serving(self) -> Iterator["ModelServer"]:
        with http_server(self._answer) as server:
            self.url, self.requests = f"{server.url.rstrip('/')}/v1", server.requests
            try:
                yield self
            finally:
                self.gate.set()

    def choice(self, **more: Any) -> FixerConfig:
        return FixerConfig(kind=FixerKind.SERVER, url=self.url, model="m", **more)

    def _answer(self, _: ReceivedRequest) -> Reply:
        self.entered.set()
        assert self.gate.wait(TIMEOUT_S)
        script = self.scripts.pop(0) if len(self.scripts) > 1 else self.scripts[0]
        body = {"choices": [{"message": {"content": f"```python\n{script}\n```"}}]}
        return Reply(body=json.dumps(body).encode())


@pytest.fixture
def model() -> Iterator[ModelServer]:
    with ModelServer(GOOD).serving() as made:
        yield made


@pytest.fixture
def runtime(tmp_path: Path, model: ModelServer) -> Iterator[RuntimeFixture]:
    made = RuntimeFixture(tmp_path / "data", fixer=model.choice())
    yield made
    model.gate.set()
    made.close()


def run_until(runtime: RuntimeFixture, holds: Callable[[], Any]) -> None:
    """Tick and run what is handed to the engine thread, as the host does, until the condition holds."""

    def run_handed_over() -> bool:
        while not runtime.engine_calls.empty():
            runtime.engine_calls.get()()
        return bool(holds())

    runtime.wait(run_handed_over)
    runtime.tick()


def deploy_broken(runtime: RuntimeFixture, source: str = BROKEN) -> str:
    """Deploy a script that fails after its action; returns the id of the run that is being repaired."""
    runtime.deploy(source)
    runtime.publish("a")
    runtime.wait(lambda: runtime.workflow().fixing)
    return runtime.runs()[-1].id


def workflow_view(runtime: RuntimeFixture) -> WorkflowView:
    return WorkflowQueries(runtime.engine.context, runtime.services.plans, runtime.services.registry).workflow("w")


def find_request(runtime: RuntimeFixture, kind: RequestKind) -> Any:
    found = [one for one in runtime.requests() if one.kind is kind]
    return found[0] if found else None
