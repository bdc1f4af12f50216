"""Runs end on threads of their own while the engine looks around."""

import threading
from collections.abc import Iterator
from typing import Any

from scheduler.engine.dispatch import Dispatch
from scheduler.engine.launcher import Work
from tests.engine.harness import Bench


class Interrupted(dict[str, Work]):
    """What is under way; while somebody goes through it, one of them lands."""

    def __init__(self, flights: dict[str, Work], dispatch: Dispatch) -> None:
        super().__init__(flights)
        self._landing = threading.Thread(target=dispatch.land, args=(next(iter(flights.values())),))
        self.landed = self._landing.join

    def values(self) -> Any:
        return self._go_through()

    def _go_through(self) -> Iterator[Work]:
        for work in super().values():
            yield work
            if self._landing.ident is None:
                self._landing.start()
                self._landing.join(0.2)  # it may have to wait until we are through


def test_one_that_lands_does_not_disturb_the_engine(bench: Bench) -> None:
    for name in ("a", "b"):
        bench.add({"every": "1h"}, name=name)
        bench.commands.trigger(f"w/{name}")
    bench.tick()
    dispatch = bench.engine.dispatch
    assert dispatch.in_flight == 2
    interrupted = dispatch._flights = Interrupted(dispatch._flights, dispatch)
    bench.engine.stir()
    bench.tick()
    interrupted.landed()
    assert dispatch.in_flight == 1
