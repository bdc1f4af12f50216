"""A model server behind a loopback address, and a shop whose broken scripts it repairs.
Fixtures: import them in a conftest.py or in the file that needs them."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from scheduler.engine.fixing.choice import FixerChoice, FixerKind
from scheduler.engine.workflows.views import WorkflowViews
from scheduler.engine.workflows.views.workflows import WorkflowView
from scheduler.store.requests import RequestKind
from tests.connections.web_servers import Asked, Reply, web
from tests.runs.scripts import consumer
from tests.runs.shop import PATIENCE, Shop

GOOD = consumer()
BROKEN = GOOD.replace('ctx.done("Did "', 'ctx.done(1 / 0 * "Did "')


class Model:
    """A model server that answers with these scripts, in turn and then the last for ever, when it is let to."""

    def __init__(self, *scripts: str) -> None:
        self.scripts = list(scripts)
        self.entered, self.gate = threading.Event(), threading.Event()
        self.gate.set()
        self.url = ""
        self.asked: list[Asked] = []

    @contextmanager
    def serving(self) -> Iterator["Model"]:
        with web(self._answer) as server:
            self.url, self.asked = f"{server.url.rstrip('/')}/v1", server.asked
            try:
                yield self
            finally:
                self.gate.set()

    def choice(self, **more: Any) -> FixerChoice:
        return FixerChoice(kind=FixerKind.SERVER, url=self.url, model="m", **more)

    def _answer(self, _: Asked) -> Reply:
        self.entered.set()
        assert self.gate.wait(PATIENCE)
        script = self.scripts.pop(0) if len(self.scripts) > 1 else self.scripts[0]
        told = {"choices": [{"message": {"content": f"```python\n{script}\n```"}}]}
        return Reply(body=json.dumps(told).encode())


@pytest.fixture
def model() -> Iterator[Model]:
    with Model(GOOD).serving() as made:
        yield made


@pytest.fixture
def shop(tmp_path: Path, model: Model) -> Iterator[Shop]:
    made = Shop(tmp_path / "data", fixer=model.choice())
    yield made
    model.gate.set()
    made.close()


def until(shop: Shop, holds: Callable[[], Any]) -> None:
    """As the host does: what is handed over is done on the engine's thread, between its ticks."""

    def do_errands() -> bool:
        while not shop.house.repairs.errands.empty():
            shop.house.repairs.errands.get()()
        return bool(holds())

    shop.wait(do_errands)
    shop.tick()


def breaks(shop: Shop, source: str = BROKEN) -> str:
    """The id of the run that failed after it acted, of which a repair is being prepared."""
    shop.deploy(source)
    shop.publish("a")
    shop.wait(lambda: shop.workflow().fixing)
    return shop.runs()[-1].id


def view(shop: Shop) -> WorkflowView:
    return WorkflowViews(shop.engine.context, shop.house.plans, shop.house.registry).workflow("w")


def asked(shop: Shop, kind: RequestKind) -> Any:
    found = [one for one in shop.requests() if one.kind is kind]
    return found[0] if found else None
