from collections.abc import Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.session import Session
from tests.app.app_fixture import started
from tests.app.window.sample_data import create_workflows


@pytest.fixture
def few(qtbot: QtBot, tmp_path: Path) -> Iterator[Session]:
    """A running session with four workflows and their history; the last is paused, and nothing starts on its own."""
    made = Session(tmp_path)
    create_workflows(made, 4)
    with started(made):
        yield made
