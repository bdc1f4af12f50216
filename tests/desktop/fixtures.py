"""Fixtures that several folders share: import them in a conftest.py."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.desktop.buses import PrivateBus, StandIn, private_bus
from tests.desktop.desktop import Desktop, desktop, missing


@pytest.fixture(scope="module")
def daemon() -> Iterator[PrivateBus]:
    """One bus for the tests of a file; each leaves it as it found it."""
    with private_bus() as made:
        yield made


@pytest.fixture
def play(daemon: PrivateBus) -> Iterator[Callable[..., StandIn]]:
    """Stand-ins that leave the bus when the test ends, if they have not left before."""
    made: list[StandIn] = []

    def make(*arguments: Any, **properties: Any) -> StandIn:
        made.append(StandIn(daemon.address, *arguments, **properties))
        return made[-1]

    yield make
    for one in made:
        if one.is_there:
            one.leave()


@pytest.fixture
def desk(one_desk: Desktop) -> Iterator[Desktop]:
    """A desktop without notification daemon and tray until the test starts them."""
    yield one_desk
    one_desk.stop_tray()
    one_desk.stop_notifications()


@pytest.fixture(scope="module")
def one_desk() -> Iterator[Desktop]:
    """One for all tests of a file."""
    if lacking := missing():
        pytest.skip(f"not installed: {', '.join(lacking)}")
    with desktop() as made:
        yield made
