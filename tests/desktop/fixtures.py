"""Fixtures shared by several folders: import them in a conftest.py."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.desktop.buses import FakeDBusService, PrivateBus, private_bus
from tests.desktop.desktop import Desktop, desktop, missing_programs


@pytest.fixture(scope="module")
def daemon() -> Iterator[PrivateBus]:
    """One bus for the tests of a file."""
    with private_bus() as made:
        yield made


@pytest.fixture
def fake_service(daemon: PrivateBus) -> Iterator[Callable[..., FakeDBusService]]:
    """Creates fake services that leave the bus when the test ends."""
    made: list[FakeDBusService] = []

    def make(*arguments: Any, **properties: Any) -> FakeDBusService:
        made.append(FakeDBusService(daemon.address, *arguments, **properties))
        return made[-1]

    yield make
    for one in made:
        if one.is_running:
            one.leave()


@pytest.fixture
def desk(shared_desk: Desktop) -> Iterator[Desktop]:
    """A desktop without notification daemon and tray until the test starts them."""
    yield shared_desk
    shared_desk.stop_tray()
    shared_desk.stop_notifications()


@pytest.fixture(scope="module")
def shared_desk() -> Iterator[Desktop]:
    """One for all tests of a file."""
    if lacking := missing_programs():
        pytest.skip(f"not installed: {', '.join(lacking)}")
    with desktop() as made:
        yield made
