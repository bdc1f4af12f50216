from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.engine.engine_fixture import Bench


@pytest.fixture
def make_bench(tmp_path: Path) -> Iterator[Callable[..., Bench]]:
    """Makes benches with the given settings."""
    benches: list[Bench] = []

    def make(**settings: Any) -> Bench:
        benches.append(Bench(tmp_path / f"data{len(benches)}", **settings))
        return benches[-1]

    yield make
    for bench in benches:
        bench.database.close()


@pytest.fixture
def bench(make_bench: Callable[..., Bench]) -> Bench:
    return make_bench()
