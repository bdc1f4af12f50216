"""Fixtures: the emulator once for a file of tests, and a server in front of its Google or its Slack for each test."""

from collections.abc import Iterator

import pytest

from tests.connections.emulator import Emulator, running_emulator
from tests.connections.front import Front, running_front


@pytest.fixture(scope="module")
def emulator(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Emulator]:
    with running_emulator(tmp_path_factory.mktemp("emulator")) as emulator:
        yield emulator


@pytest.fixture
def google_front(emulator: Emulator) -> Iterator[Front]:
    with running_front(emulator.google) as front:
        yield front


@pytest.fixture
def slack_front(emulator: Emulator) -> Iterator[Front]:
    with running_front(emulator.slack) as front:
        yield front
