from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.library.library_fixture import LibraryBench


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[LibraryBench]:
    bench = LibraryBench(tmp_path)
    yield bench
    bench.close()
