from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.engine.queries.runtime_fixture import QueryRuntimeFixture


@pytest.fixture
def runtime(tmp_path: Path) -> Iterator[QueryRuntimeFixture]:
    runtime = QueryRuntimeFixture(tmp_path)
    yield runtime
    runtime.close()
