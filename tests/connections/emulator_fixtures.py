"""Fixtures: one emulator per test file, and a proxy to its Google or Slack per test."""

from collections.abc import Iterator

import pytest

from tests.connections.emulator import Emulator, running_emulator
from tests.connections.emulator_proxy import EmulatorProxy, running_proxy


@pytest.fixture(scope="module")
def emulator(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Emulator]:
    with running_emulator(tmp_path_factory.mktemp("emulator")) as emulator:
        yield emulator


@pytest.fixture
def google_proxy(emulator: Emulator) -> Iterator[EmulatorProxy]:
    with running_proxy(emulator.google) as front:
        yield front


@pytest.fixture
def slack_proxy(emulator: Emulator) -> Iterator[EmulatorProxy]:
    with running_proxy(emulator.slack) as front:
        yield front
