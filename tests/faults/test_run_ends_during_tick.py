"""Runs end on their own threads while a tick iterates over what is in flight."""

import threading
from collections.abc import Iterator
from typing import Any

from scheduler.engine.scheduling.in_flight import InFlight
from tests.engine.engine_fixture import Bench


class EndingDuringIteration(dict[str, Any]):
    """What runs; while it is iterated, one of the runs ends."""

    def __init__(self, running: dict[str, Any], in_flight: InFlight) -> None:
        super().__init__(running)
        first = next(iter(running.values())).work
        self._ending = threading.Thread(target=in_flight.remove, args=(first,))
        self.wait = self._ending.join

    def values(self) -> Any:
        return self._iterate()

    def _iterate(self) -> Iterator[Any]:
        for running in super().values():
            yield running
            if self._ending.ident is None:
                self._ending.start()
                self._ending.join(0.2)  # it may have to wait for the iteration to end


def test_a_run_that_ends_during_a_tick_does_not_break_it(bench: Bench) -> None:
    for name in ("a", "b"):
        bench.add({"every": "1h"}, name=name)
        bench.commands.trigger(f"w/{name}")
    bench.tick()
    in_flight = bench.launcher.in_flight
    assert len(in_flight) == 2
    ending = in_flight._running = EndingDuringIteration(in_flight._running, in_flight)
    bench.engine.wake()
    bench.tick()
    ending.wait()
    assert len(in_flight) == 1
