"""Runs a template in a real runtime: real workers, real tools and a test clock."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from app.templates import Template, list_templates
from scheduler.connections.registry import Registry, builtin_registry
from scheduler.connections.secrets import NoSecrets
from scheduler.rules.phases import HandlerKind
from scheduler.store import connections
from tests.runs import runtime_fixture as shops
from tests.runs.runtime_fixture import FakeService, RuntimeFixture

TEMPLATES = {one.slug: one for one in list_templates()}


class MemorySecrets(NoSecrets):
    """Secrets in memory instead of the keyring."""

    def __init__(self, secrets: Mapping[str, Mapping[str, Any]]) -> None:
        self._secrets = secrets

    def read(self, connection: str) -> Mapping[str, Any]:
        return self._secrets.get(connection, {})


@dataclass
class RealTools(FakeService):
    """The built-in tools; notifications are recorded."""

    def __post_init__(self) -> None:
        self.notifications: list[tuple[str, str]] = []

    def registry(self) -> Registry:
        return builtin_registry(lambda title, text: self.notifications.append((title, text)))


class RuntimeWithSecrets(RuntimeFixture):
    """A runtime with secrets."""

    def __init__(self, folder: Path, pocket: MemorySecrets) -> None:
        self._memory_secrets = pocket
        super().__init__(folder)

    def open(self) -> None:
        self.secrets = self._memory_secrets
        super().open()


class TemplateRuntime:
    def __init__(self, runtime: RuntimeFixture) -> None:
        self.runtime = runtime
        self.slug = ""

    def deploy_template(
        self, template: Template, answers: Mapping[str, Any], connected: Mapping[str, dict[str, Any]]
    ) -> None:
        """Fill in the template, create its connections, deploy it and run it once."""
        every = {**{one.name: one.default for one in template.questions}, **answers}
        with self.runtime.database.write() as db:
            for one in template.plan_connections(every, {}):
                checked = self.runtime.services.registry.check_settings(one.name.partition(":")[0], one.settings)
                connections.save(db, one.name, checked, self.runtime.clock.now())
            for name, settings in connected.items():
                connections.save(db, name, settings, self.runtime.clock.now())
        self.slug = self.runtime.deploy(template.render(answers), path=f"{template.slug}.py")["workflow"]
        self.runtime.tick()

    def pass_time(self, span: timedelta) -> None:
        self.runtime.pass_time(span)

    def answer(self, *, yes: bool = True) -> tuple[str, Any]:
        """Answer the only open request; returns its sentence and the parameters of its call."""
        [request] = self.runtime.requests()
        (self.runtime.request_commands.approve if yes else self.runtime.request_commands.reject)(request.id)
        self.runtime.tick()
        return request.sentence, request.call["parameters"]

    @property
    def notifications(self) -> list[tuple[str, str]]:
        assert isinstance(self.runtime.service, RealTools)
        return self.runtime.service.notifications

    @property
    def summaries(self) -> list[str]:
        """What the runs did, without what producers found."""
        rows = self.runtime.runs(workflow=self.slug)
        return [run.summary for run in rows if run.summary and run.kind is not HandlerKind.PRODUCER]

    @property
    def errors(self) -> list[str]:
        return [run.error["sentence"] for run in self.runtime.runs(workflow=self.slug) if run.error]


@contextmanager
def open_template_runtime(
    folder: Path, monkeypatch: pytest.MonkeyPatch, secrets: Mapping[str, Mapping[str, Any]] | None = None
) -> Iterator[TemplateRuntime]:
    monkeypatch.setattr(shops, "FakeService", RealTools)
    runtime = RuntimeWithSecrets(folder / "data", MemorySecrets(secrets or {}))
    try:
        yield TemplateRuntime(runtime)
    finally:
        runtime.close()
