from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication

from app.life.installation import Installation
from tests.app.verbs.served import Line, serving


@pytest.fixture
def line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Line:
    """Nothing runs."""
    return Line(tmp_path / "data", capsys)


@pytest.fixture
def app(line: Line, qapp: QApplication) -> Iterator[Installation]:
    """The app runs with the line's data folder."""
    with serving(line.folder) as installation:
        yield installation
