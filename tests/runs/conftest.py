from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.runs.runtime_fixture import RuntimeFixture


@pytest.fixture
def runtime(tmp_path: Path) -> Iterator[RuntimeFixture]:
    runtime = RuntimeFixture(tmp_path)
    yield runtime
    runtime.close()
