from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.connections.radicale_server import PASSWORD
from tests.templates.household import Household, household


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Household]:
    secrets = {"imap:home": {"password": "imap"}, "caldav:calendar": {"password": PASSWORD}}
    with household(tmp_path, monkeypatch, secrets) as made:
        yield made
