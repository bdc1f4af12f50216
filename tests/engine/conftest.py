from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.engine.harness import Bench


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    bench = Bench(tmp_path / "data")
    yield bench
    bench.database.close()
