"""A household that begins with a template: an installation with real workers, real tools and a clock that moves."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from app.templates import Template, all_templates
from scheduler.connections.registry import Registry, builtin_registry
from scheduler.engine.runs.tools import NoSecrets
from scheduler.store import connections
from tests.runs import shop as shops
from tests.runs.shop import Shop, World

TEMPLATES = {one.slug: one for one in all_templates()}


class Pocket(NoSecrets):
    """In place of the keyring, for one test."""

    def __init__(self, secrets: Mapping[str, Mapping[str, Any]]) -> None:
        self._kept = secrets

    def read(self, connection: str) -> Mapping[str, Any]:
        return self._kept.get(connection, {})


@dataclass
class Real(World):
    """The tools that come with the app; what would pop up on the screen is kept."""

    def __post_init__(self) -> None:
        self.told: list[tuple[str, str]] = []

    def registry(self) -> Registry:
        return builtin_registry(lambda title, text: self.told.append((title, text)))


class Furnished(Shop):
    """With secrets at hand."""

    def __init__(self, folder: Path, pocket: Pocket) -> None:
        self._pocket = pocket
        super().__init__(folder)

    def open(self) -> None:
        self.secrets = self._pocket
        super().open()


class Household:
    def __init__(self, shop: Shop) -> None:
        self.shop = shop
        self.slug = ""

    def begin(self, template: Template, answers: Mapping[str, Any], connected: Mapping[str, dict[str, Any]]) -> None:
        """Fill the template in, connect what it needs, deploy it and let it look once."""
        every = {**{one.name: one.default for one in template.questions}, **answers}
        with self.shop.database.write() as db:
            for name, settings in template.settings(every).items():
                checked = self.shop.house.registry.check_settings(name.partition(":")[0], settings)
                connections.save(db, name, checked, self.shop.clock.now())
            for name, settings in connected.items():
                connections.save(db, name, settings, self.shop.clock.now())
        self.slug = self.shop.deploy(template.fill(answers), path=f"{template.slug}.py")["workflow"]
        self.shop.tick()

    def wait(self, span: timedelta) -> None:
        self.shop.pass_time(span)

    def answer(self, *, yes: bool = True) -> tuple[str, Any]:
        """To the one thing that is asked; the sentence and the parameters of the call."""
        [request] = self.shop.requests()
        (self.shop.answering.approve if yes else self.shop.answering.reject)(request.id)
        self.shop.tick()
        return request.sentence, request.call["parameters"]

    @property
    def told(self) -> list[tuple[str, str]]:
        assert isinstance(self.shop.world, Real)
        return self.shop.world.told

    @property
    def summaries(self) -> list[str]:
        return [run.summary for run in self.shop.runs(workflow=self.slug) if run.summary]

    @property
    def troubles(self) -> list[str]:
        return [run.error["sentence"] for run in self.shop.runs(workflow=self.slug) if run.error]


@contextmanager
def household(
    folder: Path, monkeypatch: pytest.MonkeyPatch, secrets: Mapping[str, Mapping[str, Any]] | None = None
) -> Iterator[Household]:
    monkeypatch.setattr(shops, "World", Real)
    shop = Furnished(folder / "data", Pocket(secrets or {}))
    try:
        yield Household(shop)
    finally:
        shop.close()
