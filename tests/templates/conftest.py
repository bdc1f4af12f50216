from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.templates.household import Household, household


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Household]:
    with household(tmp_path, monkeypatch) as made:
        yield made
