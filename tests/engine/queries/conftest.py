from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.engine.workflows.views.shop import Shop


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[Shop]:
    shop = Shop(tmp_path)
    yield shop
    shop.close()
